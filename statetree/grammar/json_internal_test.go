package grammar

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestJSONString has what CPython's json.dumps(s, ensure_ascii=False) writes.
func TestJSONString(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{``, `""`},
		{`plain`, `"plain"`},
		{`'it\'s'`, `"'it\\'s'"`},
		{`"quoted"`, `"\"quoted\""`},
		{`<a href="x">&amp;</a>`, `"<a href=\"x\">&amp;</a>"`}, // Go's encoder escapes <, > and &
		{"\u2028\u2029", "\"\u2028\u2029\""},                   // and these
		{"é\U0001F600", "\"é\U0001F600\""},
		{"/", `"/"`},
		{"\b\f\n\r\t", `"\b\f\n\r\t"`},
		{"\x00\x01\x07\x0b\x0e\x1f", `"\u0000\u0001\u0007\u000b\u000e\u001f"`},
		{"\x7f\u0080\ufeff", "\"\x7f\u0080\ufeff\""},
		{"a\xffb\xc3", "\"a\uFFFDb\uFFFD\""},
		{"\xed\xa0\x80", "\"\uFFFD\uFFFD\uFFFD\""}, // a lone surrogate is no UTF-8
		{"\uFFFD", "\"\uFFFD\""},
	} {
		got := string(appendJSONString(nil, test.text))
		if got != test.want {
			t.Errorf("%q is written %s, want %s", test.text, got, test.want)
		}
		if back, want := unescapeJSON(got[1:len(got)-1]), cleanText(test.text); utf8.ValidString(test.text) && back != want {
			t.Errorf("%s is read as %q, want %q", got, back, want)
		}
	}
}

func FuzzJSONString(f *testing.F) {
	f.Add("'a'\n\x01\\\"é\u2028")
	f.Add("\xff\xed\xa0\x80")
	f.Fuzz(func(t *testing.T, s string) {
		written := appendJSONString(nil, s)
		want := strings.Map(func(r rune) rune { return r }, s) // bytes that are no UTF-8 become U+FFFD
		var read string
		if err := json.Unmarshal(written, &read); err != nil || read != want {
			t.Fatalf("%q is written %s, which encoding/json reads as %q, %v", s, written, read, err)
		}
		if back := unescapeJSON(string(written[1 : len(written)-1])); back != want {
			t.Fatalf("%s is read as %q, want %q", written, back, want)
		}
		var state textState
		for i, b := range written[1:] {
			if reason := state.rejectsInString(b); reason != "" {
				t.Fatalf("byte %d of %s is rejected: %s", i+1, written, reason)
			}
			if closed := state.advanceInString(b); closed != (i+2 == len(written)) {
				t.Fatalf("closed %v at byte %d of %s", closed, i+1, written)
			}
		}
	})
}

// FuzzUTF8 compares the incremental check with unicode/utf8.
func FuzzUTF8(f *testing.F) {
	f.Add("é\u2028\U0001F600\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf")
	f.Add("\xe0\x80\x80")
	f.Fuzz(func(t *testing.T, s string) {
		var state textState
		valid := true
		for i := 0; i < len(s) && valid; i++ {
			if valid = state.acceptsUTF8(s[i]); valid {
				state.advanceUTF8(s[i])
			}
		}
		if got := valid && !state.open(); got != utf8.ValidString(s) {
			t.Errorf("%q: valid %v", s, got)
		}
	})
}
