package main

import (
	"testing"

	"github.com/google/go-dap"
)

func TestConfidenceOf(t *testing.T) {
	for _, c := range []struct {
		typeText string
		percent  float64
		text     string
		ok       bool
	}{
		{"", 0, "", false},
		{"int", 0, "", false},
		{"int, 99.5 %", 99.5, "99.5 %", true},
		{"dict[str, int], 7 %", 7, "7 %", true},
		{"42.1 %", 42.1, "42.1 %", true},
	} {
		percent, text, ok := confidenceOf(dap.Variable{Type: c.typeText})
		if percent != c.percent || text != c.text || ok != c.ok {
			t.Errorf("confidenceOf(%q) = %v, %q, %v; want %v, %q, %v", c.typeText, percent, text, ok, c.percent, c.text, c.ok)
		}
	}
}
