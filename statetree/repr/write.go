package repr

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// String writes the repr as Python would. Texts, and numbers in their own
// spelling, are as they were read; white space between elements is Python's.
func (v Value) String() string {
	var out strings.Builder
	v.write(&out)
	return out.String()
}

func (v Value) write(out *strings.Builder) {
	switch v.Kind {
	case String:
		out.WriteString(quote(v.Text, v.Cut))
	case Bytes:
		out.WriteByte('b')
		out.WriteString(quoteBytes(v.Text, v.Cut))
	case List:
		v.writeChildren(out, "[", "]")
	case Tuple:
		if len(v.Children) == 1 && !v.Cut && !v.recursive() {
			v.writeChildren(out, "(", ",)")
			return
		}
		v.writeChildren(out, "(", ")")
	case Dict:
		v.writeChildren(out, "{", "}")
	case Set:
		switch {
		case v.Type == "set" && (len(v.Children) == 0 || v.recursive()):
			v.writeChildren(out, "set(", ")")
		default:
			v.writeChildren(out, "{", "}")
		}
	case FrozenSet:
		if len(v.Children) == 0 || v.recursive() {
			v.writeChildren(out, "frozenset(", ")")
			return
		}
		v.writeChildren(out, "frozenset({", "})")
	case Range, Object:
		v.writeChildren(out, v.Type+"(", ")")
	case Enum:
		fmt.Fprintf(out, "<%s.%s: ", v.Type, v.Text)
		if len(v.Children) > 0 {
			v.Children[0].Value.write(out)
		}
		out.WriteByte('>')
	default:
		out.WriteString(v.Text)
	}
}

// writeChildren writes the children between brackets; the closing one only when
// the value is whole.
func (v Value) writeChildren(out *strings.Builder, open, closing string) {
	out.WriteString(open)
	for i, c := range v.Children {
		if i > 0 {
			out.WriteString(", ")
		}
		if c.Key != nil {
			c.Key.write(out)
			out.WriteString(": ")
		}
		if c.Name != "" {
			out.WriteString(c.Name)
			out.WriteByte('=')
		}
		c.Value.write(out)
	}
	if !v.Cut {
		out.WriteString(closing)
	}
}

// quoteMark is the quote that Python puts around a text: a single one, unless the
// text has some and no double ones.
func quoteMark(s string) byte {
	if strings.IndexByte(s, '\'') >= 0 && strings.IndexByte(s, '"') < 0 {
		return '"'
	}
	return '\''
}

// quote returns the repr of a string: everything that Python does not print is
// escaped.
func quote(s string, cut bool) string {
	mark := quoteMark(s)
	var out strings.Builder
	out.Grow(len(s) + 2)
	out.WriteByte(mark)
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 {
			if r, size = surrogate(s[i:]); size == 1 { // not from a Python string
				fmt.Fprintf(&out, `\x%02x`, s[i])
				i++
				continue
			}
		}
		writeEscaped(&out, r, mark)
		i += size
	}
	if cut {
		out.WriteString("...")
	} else {
		out.WriteByte(mark)
	}
	return out.String()
}

// surrogate decodes a lone surrogate in WTF-8; size is 1 when there is none.
func surrogate(s string) (r rune, size int) {
	if len(s) >= 3 && s[0] == 0xed && s[1] >= 0xa0 && s[1] <= 0xbf && s[2] >= 0x80 && s[2] <= 0xbf {
		return 0xd000 | rune(s[1]&0x3f)<<6 | rune(s[2]&0x3f), 3
	}
	return utf8.RuneError, 1
}

func writeEscaped(out *strings.Builder, r rune, mark byte) {
	switch {
	case r == rune(mark) || r == '\\':
		out.WriteByte('\\')
		out.WriteRune(r)
	case r == '\n':
		out.WriteString(`\n`)
	case r == '\r':
		out.WriteString(`\r`)
	case r == '\t':
		out.WriteString(`\t`)
	case r >= ' ' && r < 0x7f || r >= 0x7f && printable(r):
		out.WriteRune(r)
	case r <= 0xff:
		fmt.Fprintf(out, `\x%02x`, r)
	case r <= 0xffff:
		fmt.Fprintf(out, `\u%04x`, r)
	default:
		fmt.Fprintf(out, `\U%08x`, r)
	}
}

// printable is Python's str.isprintable for one character beyond ASCII: all but
// the categories Other and Separator.
func printable(r rune) bool {
	return utf8.ValidRune(r) && !unicode.In(r, unicode.C, unicode.Z) && unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S)
}

func quoteBytes(s string, cut bool) string {
	mark := quoteMark(s)
	var out strings.Builder
	out.Grow(len(s) + 2)
	out.WriteByte(mark)
	for i := range len(s) {
		if c := s[i]; c < 0x7f {
			writeEscaped(&out, rune(c), mark)
		} else {
			fmt.Fprintf(&out, `\x%02x`, c)
		}
	}
	if cut {
		out.WriteString("...")
	} else {
		out.WriteByte(mark)
	}
	return out.String()
}
