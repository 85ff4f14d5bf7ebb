package expr

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"go.starlark.net/starlark"
)

// spec is a format specification, [[fill]align][sign][z][#][0][width][grouping]
// [.precision][type].
type spec struct {
	fill      string
	align     byte // '<', '>', '=', '^'; 0 when it is not given
	sign      byte // '+', '-', ' ', 0
	noMinus   bool // z
	alternate bool
	zero      bool
	width     int
	grouping  byte // ',', '_', 0
	precision int  // -1 when it is not given
	kind      byte // the type, 0 when it is not given
}

// maxWidth is how wide a field may be.
const maxWidth = 1 << 20

func parseSpec(text, class string) (spec, error) {
	s := spec{fill: " ", precision: -1}
	rest := text
	if rest != "" {
		size := characterSize(rest)
		switch {
		case len(rest) > size && strings.IndexByte("<>=^", rest[size]) >= 0:
			s.fill, s.align, rest = rest[:size], rest[size], rest[size+1:]
		case strings.IndexByte("<>=^", rest[0]) >= 0:
			s.align, rest = rest[0], rest[1:]
		}
	}
	take := func(set string) byte {
		if rest != "" && strings.IndexByte(set, rest[0]) >= 0 {
			c := rest[0]
			rest = rest[1:]
			return c
		}
		return 0
	}
	s.sign = take("+- ")
	s.noMinus = take("z") != 0
	s.alternate = take("#") != 0
	if take("0") != 0 {
		s.zero = true
		if s.align == 0 {
			s.fill, s.align = "0", '='
			if class == "str" {
				s.align = '<'
			}
		} else if s.fill == " " {
			s.fill = "0"
		}
	}
	var err error
	if s.width, rest, err = takeNumber(rest); err != nil {
		return s, err
	}
	s.width = max(s.width, 0)
	s.grouping = take(",_")
	if s.grouping != 0 && take(",_") != 0 {
		return s, valueError("Cannot specify both ',' and '_'.")
	}
	if take(".") != 0 {
		if s.precision, rest, err = takeNumber(rest); err != nil {
			return s, err
		}
		if s.precision < 0 {
			return s, valueError("Format specifier missing precision")
		}
	}
	if len(rest) > 1 {
		return s, valueError("Invalid format specifier")
	}
	if rest != "" {
		s.kind = rest[0]
	}
	return s, nil
}

// takeNumber reads the digits that a text begins with; -1 when there are none.
func takeNumber(text string) (n int, rest string, err error) {
	end := 0
	for end < len(text) && isDigit(text[end]) {
		end++
	}
	if end == 0 {
		return -1, text, nil
	}
	n, err = strconv.Atoi(text[:end])
	if err != nil {
		return 0, "", valueError("Too many decimal digits in format string")
	}
	if n > maxWidth {
		return 0, "", tooLarge("the width or precision is too large")
	}
	return n, text[end:], nil
}

// convert applies a conversion, !r, !s or !a.
func (e *evaluation) convert(v starlark.Value, conversion string) (starlark.Value, error) {
	switch conversion {
	case "":
		return v, nil
	case "r", "s", "a":
		text, err := e.text(v, conversion)
		return str(text), err
	}
	return nil, &Error{Reason: Syntax, Message: "invalid conversion character " + strconv.Quote(conversion) + ": expected 's', 'r', or 'a'"}
}

// format is format(v, text).
func (e *evaluation) format(v starlark.Value, text string) (string, error) {
	if text == "" {
		return e.text(v, "")
	}
	class := typeName(v)
	switch v.(type) {
	case str, starlark.Bool, starlark.Int, starlark.Float:
	case complexValue:
		return "", unsupported("formats of complex numbers are not supported")
	case *object, *enumValue, *opaque:
		return "", unsupported("formats of a %s are not supported", describeType(v))
	default:
		return "", typeError("unsupported format string passed to %s.__format__", class)
	}
	s, err := parseSpec(text, class)
	if err != nil {
		return "", err
	}
	if err := e.allocate(s.width + max(s.precision, 0)); err != nil {
		return "", err
	}
	switch v := v.(type) {
	case str:
		return s.formatString(v)
	case starlark.Float:
		return s.formatFloat(float64(v))
	}
	return s.formatInt(v, class)
}

func unknownKind(kind byte, class string) error {
	return valueError("Unknown format code '%c' for object of type '%s'", kind, class)
}

func (s spec) formatString(v str) (string, error) {
	switch {
	case s.kind != 0 && s.kind != 's':
		return "", unknownKind(s.kind, "str")
	case s.sign != 0:
		return "", valueError("Sign not allowed in string format specifier")
	case s.alternate:
		return "", valueError("Alternate form (#) not allowed in string format specifier")
	case s.noMinus:
		return "", valueError("Negative zero coercion (z) not allowed in string format specifier")
	case s.align == '=':
		return "", valueError("'=' alignment not allowed in string format specifier")
	case s.grouping != 0:
		return "", valueError("Cannot specify '%c' with 's'.", s.grouping)
	}
	if n := v.length(); s.precision >= 0 && s.precision < n {
		v = v.between(0, s.precision)
	}
	return s.pad("", string(v), '<'), nil
}

// pad fills a text up to the width. sign stays before the fill for '='.
func (s spec) pad(sign, text string, align byte) string {
	if s.align != 0 {
		align = s.align
	}
	missing := s.width - str(sign+text).length()
	if missing <= 0 {
		return sign + text
	}
	fill := func(n int) string { return strings.Repeat(s.fill, n) }
	switch align {
	case '<':
		return sign + text + fill(missing)
	case '^':
		return fill(missing/2) + sign + text + fill(missing-missing/2)
	case '=':
		return sign + fill(missing) + text
	}
	return fill(missing) + sign + text
}

func (s spec) signOf(negative bool) string {
	switch {
	case negative:
		return "-"
	case s.sign == '+' || s.sign == ' ':
		return string(s.sign)
	}
	return ""
}

func (s spec) formatInt(v starlark.Value, class string) (string, error) {
	i := toInt(v).BigInt()
	base, prefix, every := 10, "", 3
	switch s.kind {
	case 'e', 'E', 'f', 'F', 'g', 'G', '%':
		f, err := toFloat(v)
		if err != nil {
			return "", err
		}
		return s.formatFloat(f)
	case 0, 'd':
	case 'n':
		if s.grouping != 0 {
			return "", valueError("Cannot specify '%c' with 'n'.", s.grouping)
		}
	case 'b':
		base, prefix, every = 2, "0b", 4
	case 'o':
		base, prefix, every = 8, "0o", 4
	case 'x':
		base, prefix, every = 16, "0x", 4
	case 'X':
		base, prefix, every = 16, "0X", 4
	case 'c':
		return s.formatCharacter(i)
	default:
		return "", unknownKind(s.kind, class)
	}
	switch {
	case s.precision >= 0:
		return "", valueError("Precision not allowed in integer format specifier")
	case s.noMinus:
		return "", valueError("Negative zero coercion (z) not allowed in format specifier with integer format code '%c'", max(s.kind, 'd'))
	case s.grouping == ',' && base != 10:
		return "", valueError("Cannot specify ',' with '%c'.", s.kind)
	case base == 10 && i.BitLen() > maxTextBits:
		return "", tooManyDigits("")
	}
	digits := new(big.Int).Abs(i).Text(base)
	if s.kind == 'X' {
		digits = strings.ToUpper(digits)
	}
	sign := s.signOf(i.Sign() < 0)
	if s.alternate {
		sign += prefix
	}
	return s.pad(sign, s.group(digits, "", len(sign), every), '>'), nil
}

func (s spec) formatCharacter(i *big.Int) (string, error) {
	switch {
	case s.sign != 0:
		return "", valueError("Sign not allowed with integer format specifier 'c'")
	case s.alternate:
		return "", valueError("Alternate form (#) not allowed with integer format specifier 'c'")
	case s.grouping != 0:
		return "", valueError("Cannot specify '%c' with 'c'.", s.grouping)
	case s.precision >= 0:
		return "", valueError("Precision not allowed in integer format specifier")
	case !i.IsInt64() || i.Int64() < 0 || i.Int64() > 0x10ffff:
		return "", raise("OverflowError", "%%c arg not in range(0x110000)")
	}
	var out strings.Builder
	writeRune(&out, rune(i.Int64()))
	return s.pad("", out.String(), '>'), nil
}

// group separates the digits of a whole number. Zeros that fill the field up to
// the width are digits too; tail is what follows the digits in the field.
func (s spec) group(digits, tail string, sign, every int) string {
	if s.grouping == 0 || digits == "" {
		return digits + tail
	}
	grouped := func(digits string) string {
		var out strings.Builder
		for i := range len(digits) {
			if i > 0 && (len(digits)-i)%every == 0 {
				out.WriteByte(s.grouping)
			}
			out.WriteByte(digits[i])
		}
		return out.String()
	}
	if s.fill == "0" && s.align == '=' {
		for sign+len(grouped(digits))+len(tail) < s.width {
			digits = "0" + digits
		}
	}
	return grouped(digits) + tail
}

func (s spec) formatFloat(f float64) (string, error) {
	kind := s.kind
	switch kind {
	case 0, 'e', 'E', 'f', 'F', 'g', 'G', '%':
	case 'n':
		kind = 'g'
		if s.grouping != 0 {
			return "", valueError("Cannot specify '%c' with 'n'.", s.grouping)
		}
	default:
		return "", unknownKind(s.kind, "float")
	}
	text := floatText(math.Abs(f), kind, s.precision, s.alternate)
	negative := math.Signbit(f) && !math.IsNaN(f)
	if s.noMinus && strings.Trim(text, "0.eE+-%") == "" {
		negative = false
	}
	sign := s.signOf(negative)
	end := 0
	for end < len(text) && isDigit(text[end]) {
		end++
	}
	return s.pad(sign, s.group(text[:end], text[end:], len(sign), 3), '>'), nil
}

// floatText writes a float that is not negative. precision is -1 when it is not
// given.
func floatText(f float64, kind byte, precision int, alternate bool) string {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		text := map[bool]string{true: "nan", false: "inf"}[math.IsNaN(f)]
		if kind == 'E' || kind == 'F' || kind == 'G' {
			text = strings.ToUpper(text)
		}
		if kind == '%' {
			text += "%"
		}
		return text
	}
	switch kind {
	case 'e', 'E', 'f', 'F':
		if precision < 0 {
			precision = 6
		}
		text := strconv.FormatFloat(f, kind|0x20, precision, 64)
		if alternate && precision == 0 {
			digits, exponent, _ := strings.Cut(text, "e")
			text = digits + "."
			if exponent != "" {
				text += "e" + exponent
			}
		}
		if kind == 'E' {
			text = strings.ToUpper(text)
		}
		return text
	case '%':
		return floatText(f*100, 'f', precision, alternate) + "%"
	case 0:
		if precision < 0 {
			return writeFloat(f)
		}
		return generalText(f, max(precision, 1), alternate, true)
	}
	if precision < 0 {
		precision = 6
	}
	text := generalText(f, max(precision, 1), alternate, false)
	if kind == 'G' {
		text = strings.ToUpper(text)
	}
	return text
}

// generalText is format g: digits significant digits, with an exponent where it
// is small or large. always puts a digit behind the point, or an exponent.
func generalText(f float64, digits int, alternate, always bool) string {
	scientific := strconv.FormatFloat(f, 'e', digits-1, 64)
	mantissa, exponentText, _ := strings.Cut(scientific, "e")
	exponent, _ := strconv.Atoi(exponentText)
	most := digits
	if always {
		most-- // 1e+01 for one digit, as a whole number would need a second one
	}
	trim := func(text string) string {
		if alternate {
			if !strings.Contains(text, ".") {
				text += "."
			}
			return text
		}
		if strings.Contains(text, ".") {
			text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
		}
		return text
	}
	if exponent < -4 || exponent >= most && (exponent >= digits || always) {
		return trim(mantissa) + "e" + exponentText
	}
	text := trim(strconv.FormatFloat(f, 'f', max(0, digits-1-exponent), 64))
	if always && !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}
