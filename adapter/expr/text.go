package expr

import (
	"unicode/utf8"

	"go.starlark.net/starlark"
)

// writeRune appends a code point in UTF-8, lone surrogates as in WTF-8.
func writeRune(out interface{ Write([]byte) (int, error) }, r rune) {
	if utf8.ValidRune(r) {
		var buffer [utf8.UTFMax]byte
		out.Write(buffer[:utf8.EncodeRune(buffer[:], r)])
		return
	}
	out.Write([]byte{0xe0 | byte(r>>12), 0x80 | byte(r>>6)&0x3f, 0x80 | byte(r)&0x3f})
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// characterSize returns how many bytes the first character of s has.
func characterSize(s string) int {
	if len(s) >= 3 && s[0] == 0xed && s[1] >= 0xa0 { // a lone surrogate
		return 3
	}
	_, size := utf8.DecodeRuneInString(s)
	return size
}

// code returns the code point of the first character of s.
func code(s string) rune {
	if len(s) >= 3 && s[0] == 0xed && s[1] >= 0xa0 {
		return 0xd000 | rune(s[1]&0x3f)<<6 | rune(s[2]&0x3f)
	}
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// offsets returns where the characters of s begin, and its length; nil when
// every character is one byte.
func offsets(s string) []int {
	if isASCII(s) {
		return nil
	}
	out := make([]int, 0, len(s)+1)
	for i := 0; i < len(s); i += characterSize(s[i:]) {
		out = append(out, i)
	}
	return append(out, len(s))
}

// length is len() of a string.
func (v str) length() int {
	if isASCII(string(v)) {
		return len(v)
	}
	return len(offsets(string(v))) - 1
}

// characters returns the one-character strings that s consists of.
func characters(v str) []starlark.Value {
	out := make([]starlark.Value, 0, len(v))
	for s := string(v); s != ""; {
		size := characterSize(s)
		out = append(out, str(s[:size]))
		s = s[size:]
	}
	return out
}

// between returns the characters from one index to another.
func (v str) between(start, end int) str {
	if at := offsets(string(v)); at != nil {
		return v[at[start]:at[end]]
	}
	return v[start:end]
}
