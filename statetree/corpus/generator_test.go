package corpus

import (
	"crypto/sha256"
	"fmt"
	"testing"
)

// TestFrozen: a style and a seed always give the same programs. Datasets name their
// programs so, and can be made again only as long as this holds.
func TestFrozen(t *testing.T) {
	for _, c := range []struct {
		name  string
		style Style
		want  string
	}{
		{"programs", DefaultStyle(), "ef988f9cd5ef2ac9"},
		{"drills of many sorts", DrillStyle(), "f368dd586d69d80f"},
		{"drills of all kinds", DrillStyle("sums", "products", "comparisons", "branches", "loops", "letters",
			"slices", "lists", "texts", "dicts", "calls", "recursion"), "2852064e13396791"},
	} {
		hash := sha256.New()
		for c := range NewGenerator(31, c.style).Cases(0, 2000) {
			fmt.Fprintf(hash, "%s\n%s\n%v\n", c.Source, c.Entry, c.Never)
		}
		if got := fmt.Sprintf("%.8x", hash.Sum(nil)); got != c.want {
			t.Errorf("%s: their hash is %s, not %s", c.name, got, c.want)
		}
	}
}
