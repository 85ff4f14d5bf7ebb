package grammar

// textState is where a reader stands within UTF-8 text and JSON strings.
type textState struct {
	missing uint8 // bytes that the current character still needs
	lo, hi  uint8 // the range of the next of them
	escape  escape
}

// escape is a position within an escape sequence. json.dumps writes \u00XX only
// for control characters that have no short escape.
type escape uint8

const (
	noEscape     escape = iota
	afterSlash          // \
	afterU              // \u
	afterU0             // \u0
	afterU00            // \u00
	beforeDigit0        // \u000
	beforeDigit1        // \u001
)

// open reports whether a character is incomplete.
func (t *textState) open() bool { return t.missing > 0 }

// acceptsUTF8 reports whether b may come next in valid UTF-8.
func (t *textState) acceptsUTF8(b byte) bool {
	if t.missing > 0 {
		return t.lo <= b && b <= t.hi
	}
	return b < 0x80 || 0xC2 <= b && b <= 0xF4
}

// advanceUTF8 reads a byte that acceptsUTF8 has let pass. The bounds keep out
// overlong forms, surrogates and what is above U+10FFFF.
func (t *textState) advanceUTF8(b byte) {
	if t.missing > 0 {
		t.missing--
		t.lo, t.hi = 0x80, 0xBF
		return
	}
	t.lo, t.hi = 0x80, 0xBF
	switch {
	case b < 0x80:
	case b < 0xE0:
		t.missing = 1
	case b < 0xF0:
		t.missing = 2
		if b == 0xE0 {
			t.lo = 0xA0
		} else if b == 0xED {
			t.hi = 0x9F
		}
	default:
		t.missing = 3
		if b == 0xF0 {
			t.lo = 0x90
		} else if b == 0xF4 {
			t.hi = 0x8F
		}
	}
}

// rejectsInString says why b may not come next in a JSON string as json.dumps
// writes it, its closing quote included; "" if it may.
func (t *textState) rejectsInString(b byte) string {
	ok := true
	switch t.escape {
	case noEscape:
		if t.missing == 0 && b < ' ' {
			return "control characters are escaped"
		}
		if !t.acceptsUTF8(b) {
			return "not UTF-8"
		}
	case afterSlash:
		ok = b == 'u' || isShortEscape(b)
	case afterU, afterU0:
		ok = b == '0'
	case afterU00:
		ok = b == '0' || b == '1'
	case beforeDigit0, beforeDigit1:
		c, hex := hexValue(b)
		if t.escape == beforeDigit1 {
			c += 0x10
		}
		ok = hex && longEscapeCharacter(c)
	}
	if !ok {
		return "not an escape that json.dumps writes"
	}
	return ""
}

// advanceInString reads a byte that rejectsInString has let pass and reports
// whether it is the closing quote.
func (t *textState) advanceInString(b byte) (closed bool) {
	switch t.escape {
	case noEscape:
		if b == '"' {
			return true
		}
		if b == '\\' {
			t.escape = afterSlash
			return false
		}
		t.advanceUTF8(b)
	case afterSlash:
		t.escape = noEscape
		if b == 'u' {
			t.escape = afterU
		}
	case afterU, afterU0:
		t.escape++
	case afterU00:
		t.escape = beforeDigit0 + escape(b-'0')
	default:
		t.escape = noEscape
	}
	return false
}

func isShortEscape(b byte) bool {
	switch b {
	case '"', '\\', 'b', 'f', 'n', 'r', 't':
		return true
	}
	return false
}

// hexValue returns the value of a lower-case hexadecimal digit.
func hexValue(b byte) (byte, bool) {
	switch {
	case '0' <= b && b <= '9':
		return b - '0', true
	case 'a' <= b && b <= 'f':
		return b - 'a' + 10, true
	}
	return 0, false
}
