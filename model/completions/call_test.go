package completions

import (
	"strings"
	"testing"
)

func TestShortened(t *testing.T) {
	for _, test := range []struct{ name, message, want string }{
		{"lines", "a\n  b\r\n", "a b"},
		{"escapes", "red\x1b[31m \x07bell\u009b", "red[31m bell"},
		{"long", strings.Repeat("é", 200), strings.Repeat("é", 150) + "…"},
	} {
		if got := shortened(test.message); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}
