package repr

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// identifierLength returns the length of the identifier at the beginning of s.
func identifierLength(s string) int {
	for i, r := range s {
		if r != '_' && !unicode.IsLetter(r) && (i == 0 || !unicode.IsDigit(r)) {
			return i
		}
	}
	return len(s)
}

// quoted reads a quoted string and returns what is between the quotes. cut says
// that the text ended before the closing quote, in an ellipsis, which is not
// part of the content.
func (p *parser) quoted() (content string, cut, ok bool) {
	quote := p.text[p.at]
	failed := &p.unclosed[quote%2] // ' is odd, " is even
	if *failed > 0 && p.at > *failed {
		p.at = len(p.text)
		return "", false, false
	}
	opened := p.at
	p.at++
	start := p.at
	for !p.end() {
		switch p.text[p.at] {
		case '\\':
			p.at++
		case quote:
			content = p.text[start:p.at]
			p.at++
			return content, false, true
		}
		p.at++
	}
	p.at = len(p.text)
	content = p.text[start:]
	for _, ellipsis := range []string{"...", "…"} {
		if before, found := strings.CutSuffix(content, ellipsis); found {
			return before, true, true
		}
	}
	*failed = max(opened, 1)
	return "", false, false
}

// number reads an int, float or complex; anything else that begins like one is
// an empty Text, which element extends.
func (p *parser) number() Value {
	start := p.at
	for !p.end() && strings.IndexByte("+-0123456789.einfaj", p.text[p.at]) >= 0 {
		p.at++
	}
	text := p.text[start:p.at]
	switch {
	case isInteger(text):
		return Value{Kind: Int, Type: "int", Text: text}
	case isFloat(text):
		return Value{Kind: Float, Type: "float", Text: text}
	case isComplex(text):
		return Value{Kind: Complex, Type: "complex", Text: text}
	}
	p.at = start
	return Value{}
}

func isInteger(s string) bool {
	s = strings.TrimPrefix(s, "-")
	return s != "" && strings.Trim(s, "0123456789") == "" && (s[0] != '0' || len(s) == 1)
}

// isFloat reports whether s is what repr writes for a float, or numpy: 1.5, 1.,
// 1e-07, inf, -nan.
func isFloat(s string) bool {
	s = strings.TrimPrefix(s, "-")
	if s == "inf" || s == "nan" {
		return true
	}
	mantissa, exponent, hasExponent := strings.Cut(s, "e")
	if hasExponent {
		if exponent = strings.TrimLeft(exponent, "+-"); exponent == "" || strings.Trim(exponent, "0123456789") != "" {
			return false
		}
	}
	whole, fraction, hasPoint := strings.Cut(mantissa, ".")
	if whole+fraction == "" || strings.Trim(whole+fraction, "0123456789") != "" {
		return false
	}
	return hasPoint || hasExponent
}

// isComplex reports whether s is what repr writes for a complex number, without
// parentheses: 1j, 1+2j, -0-infj.
func isComplex(s string) bool {
	const longest = 100 // two floats, signs and all, are shorter
	body, ok := strings.CutSuffix(s, "j")
	if !ok || len(s) > longest {
		return false
	}
	part := func(s string) bool { return isFloat(s) || isInteger(s) }
	if part(body) {
		return true
	}
	for i := 1; i < len(body); i++ {
		if (body[i] == '+' || body[i] == '-') && body[i-1] != 'e' {
			im := body[i:]
			if im[0] == '+' {
				im = im[1:]
			}
			if part(body[:i]) && part(im) {
				return true
			}
		}
	}
	return false
}

// nameLength returns the length of the dotted name at the beginning of s. A
// class that a function defines has <locals> in its name.
func nameLength(s string) int {
	length := 0
	for {
		part := identifierLength(s[length:])
		if strings.HasPrefix(s[length:], "<locals>") {
			part = len("<locals>")
		}
		if part == 0 {
			return max(0, length-1)
		}
		length += part
		if length == len(s) || s[length] != '.' {
			return length
		}
		length++
	}
}

// unescape decodes the escapes of a string's or bytes' repr. An unknown escape
// stays as it is.
func unescape(s string, isBytes bool) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var out strings.Builder
	out.Grow(len(s))
	for i := 0; i < len(s); {
		if s[i] != '\\' || i+1 == len(s) {
			out.WriteByte(s[i])
			i++
			continue
		}
		digits := 0
		switch c := s[i+1]; c {
		case 'n':
			out.WriteByte('\n')
		case 'r':
			out.WriteByte('\r')
		case 't':
			out.WriteByte('\t')
		case '\\', '\'', '"':
			out.WriteByte(c)
		case 'x':
			digits = 2
		case 'u':
			digits = 4
		case 'U':
			digits = 8
		default:
			out.WriteString(s[i : i+2])
		}
		i += 2
		if digits == 0 {
			continue
		}
		code, ok := hexadecimal(s[i:], digits)
		switch {
		case !ok || isBytes && digits > 2:
			out.WriteString(s[i-2 : i])
			continue
		case isBytes:
			out.WriteByte(byte(code))
		default:
			writeRune(&out, code)
		}
		i += digits
	}
	return out.String()
}

func hexadecimal(s string, digits int) (rune, bool) {
	if len(s) < digits {
		return 0, false
	}
	var code rune
	for i := range digits {
		c := s[i] | 0x20
		switch {
		case c >= '0' && c <= '9' && s[i] >= '0' && s[i] <= '9':
			code = code<<4 | rune(c-'0')
		case c >= 'a' && c <= 'f':
			code = code<<4 | rune(c-'a'+10)
		default:
			return 0, false
		}
	}
	return code, code >= 0 && code <= unicode.MaxRune
}

// writeRune writes a code point in UTF-8, lone surrogates included (WTF-8).
func writeRune(out *strings.Builder, r rune) {
	if utf8.ValidRune(r) {
		out.WriteRune(r)
		return
	}
	out.Write([]byte{0xe0 | byte(r>>12), 0x80 | byte(r>>6)&0x3f, 0x80 | byte(r)&0x3f})
}
