package grammar

import (
	"strings"
	"unicode/utf8"
)

// appendJSONString appends s as json.dumps(s, ensure_ascii=False) writes it:
// only quotes, backslashes and control characters below U+0020 are escaped.
// Bytes that are no UTF-8 become U+FFFD.
func appendJSONString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		b := s[i]
		if b >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 {
				dst = append(dst, s[start:i]...)
				dst = utf8.AppendRune(dst, utf8.RuneError)
				start = i + 1
			}
			i += size
			continue
		}
		if b >= ' ' && b != '"' && b != '\\' {
			i++
			continue
		}
		dst = append(dst, s[start:i]...)
		if short := shortEscapes[b]; short != 0 {
			dst = append(dst, '\\', short)
		} else {
			dst = append(dst, '\\', 'u', '0', '0', '0'+b>>4, hexDigits[b&0xf])
		}
		i++
		start = i
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}

const hexDigits = "0123456789abcdef"

// shortEscapes maps a character to the letter of its two-character escape.
var shortEscapes = [128]byte{
	'"': '"', '\\': '\\', '\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't',
}

// longEscapeCharacter reports whether c < U+0020 is written as \u00XX.
func longEscapeCharacter(c byte) bool { return c < ' ' && shortEscapes[c] == 0 }

// unescapeJSON returns the string whose JSON form, without its quotes, is raw,
// as the automaton has accepted it.
func unescapeJSON(raw string) string {
	if strings.IndexByte(raw, '\\') < 0 {
		return strings.Clone(raw)
	}
	var b strings.Builder
	b.Grow(len(raw))
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			b.WriteByte(raw[i])
			continue
		}
		i++
		if raw[i] == 'u' {
			b.WriteByte((raw[i+3]-'0')<<4 | byte(strings.IndexByte(hexDigits, raw[i+4])))
			i += 4
			continue
		}
		for c, letter := range shortEscapes {
			if letter == raw[i] {
				b.WriteByte(byte(c))
				break
			}
		}
	}
	return b.String()
}

// cleanText returns s as valid UTF-8.
func cleanText(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// cleanSource returns a source line as it can stand in a text: valid UTF-8 and
// without a line end, of which a State's source has none anyway.
func cleanSource(s string) string {
	if i := strings.IndexAny(s, "\r\n"); i >= 0 {
		s = s[:i]
	}
	return cleanText(s)
}
