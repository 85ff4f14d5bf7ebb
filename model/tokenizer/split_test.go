package tokenizer

import (
	"slices"
	"strings"
	"testing"
)

func pieces(s splitter, text string) []string {
	var out []string
	s(text, func(piece string) { out = append(out, piece) })
	return out
}

func TestSplitOwn(t *testing.T) {
	for _, test := range []struct {
		text string
		want []string
	}{
		{`{"s": "'berry'", "t2": "-1"}`, []string{"{", `"s`, `": "'`, "berry", `'", `, `"t`, "2", `": "-`, "1", `"}`}},
		{"x = [1, 'ab']\n\n    return x", []string{"x", " = [", "1", ", '", "ab", "']", "\n\n", "   ", " return", " x"}},
		{"don't (it) + \"it\"", []string{"don", "'", "t", " ", "(it", `) + `, `"it`, `"`}},
		{"a_b é日 \xffz", []string{"a", "_b", " é日", " ", "\xffz"}},
		{"", nil},
	} {
		if got := pieces(splitOwn, test.text); !slices.Equal(got, test.want) {
			t.Errorf("%q gives\n%q, want\n%q", test.text, got, test.want)
		}
	}
}

// The scanner stands for Pattern, so it has to agree with it everywhere.
func FuzzSplitOwn(f *testing.F) {
	for _, s := range append(sampleStates, sample, "'a", "\"'a", "'\"a", "''", "a'\n'b", "\t\tx", "\xff'é", "x\u0301'y", "٣²½x") {
		f.Add(s)
	}
	byPattern, err := splitByRegexp(Pattern)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, want := pieces(splitOwn, text), pieces(byPattern, text)
		if !slices.Equal(got, want) {
			t.Errorf("%q: the scanner gives\n%q, the pattern\n%q", text, got, want)
		}
		if strings.Join(got, "") != text {
			t.Errorf("%q: the pieces are %q", text, got)
		}
	})
}

func TestSplitDigits(t *testing.T) {
	if got, want := pieces(splitDigits(true), "a12 b3"), []string{"a", "1", "2", " b", "3"}; !slices.Equal(got, want) {
		t.Errorf("individual: %q, want %q", got, want)
	}
	if got, want := pieces(splitDigits(false), "a12 b3"), []string{"a", "12", " b", "3"}; !slices.Equal(got, want) {
		t.Errorf("runs: %q, want %q", got, want)
	}
}
