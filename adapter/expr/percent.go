package expr

import (
	"math"
	"math/big"
	"strings"

	"go.starlark.net/starlark"
)

// percentFormat is one text % values.
type percentFormat struct {
	e      *evaluation
	values []starlark.Value // of a tuple
	single bool             // values is the operand itself, which is no tuple
	used   int
	named  starlark.Value // the mapping, for %(name)s
	out    strings.Builder
}

// percent is text % v.
func (e *evaluation) percent(text string, v starlark.Value) (string, error) {
	p := percentFormat{e: e}
	switch v := v.(type) {
	case starlark.Tuple:
		p.values = v
	case *object:
		if isDataLike(v) {
			return "", unsupported("whether %s is a tuple is not known", shorten(v.text))
		}
		p.values, p.single = []starlark.Value{v}, true
	default:
		p.values, p.single = []starlark.Value{v}, true
	}
	for text != "" {
		before, after, found := strings.Cut(text, "%")
		p.out.WriteString(before)
		if !found {
			break
		}
		rest, err := p.conversion(after, v)
		if err != nil {
			return "", err
		}
		text = rest
	}
	if p.used < len(p.values) && p.named == nil && !(p.single && hasItems(v)) {
		if err := notKnown(v); err != nil {
			return "", err
		}
		return "", typeError("not all arguments converted during string formatting")
	}
	return p.out.String(), e.allocate(p.out.Len())
}

// hasItems reports whether Python takes an operand for a mapping, all of which
// need not be used: what can be indexed with anything but an int.
func hasItems(v starlark.Value) bool {
	switch v.(type) {
	case *dict, *starlark.List, bytesValue, rangeValue:
		return true
	}
	return false
}

// next returns the value that the next conversion takes.
func (p *percentFormat) next() (starlark.Value, error) {
	if p.used >= len(p.values) {
		return nil, typeError("not enough arguments for format string")
	}
	p.used++
	return p.values[p.used-1], nil
}

// conversion writes what follows a percent sign and returns the rest.
func (p *percentFormat) conversion(text string, operand starlark.Value) (string, error) {
	s := spec{fill: " ", precision: -1}
	var value starlark.Value
	if strings.HasPrefix(text, "(") {
		end := closing(text)
		if end < 0 {
			return "", valueError("incomplete format key")
		}
		mapping, ok := operand.(*dict)
		if !ok {
			if err := notKnown(operand); err != nil {
				return "", err
			}
			return "", typeError("format requires a mapping")
		}
		var err error
		if value, err = p.e.item(mapping, str(text[1:end])); err != nil {
			return "", err
		}
		p.named = value
		text = text[end+1:]
	}
	left := false
	for text != "" && strings.IndexByte("#0- +", text[0]) >= 0 {
		switch text[0] {
		case '#':
			s.alternate = true
		case '0':
			s.zero = true
		case '-':
			left = true
		case '+':
			s.sign = '+'
		case ' ':
			if s.sign == 0 {
				s.sign = ' '
			}
		}
		text = text[1:]
	}
	var err error
	if s.width, text, err = p.number(text); err != nil {
		return "", err
	}
	if s.width < 0 && s.width != -1 {
		left, s.width = true, -s.width
	}
	s.width = max(s.width, 0)
	if rest, ok := strings.CutPrefix(text, "."); ok {
		if s.precision, text, err = p.number(rest); err != nil {
			return "", err
		}
		s.precision = max(s.precision, 0)
	}
	text = strings.TrimLeft(text, "hlL")
	if text == "" {
		return "", valueError("incomplete format")
	}
	s.kind = text[0]
	switch {
	case left:
		s.align = '<'
	case s.zero:
		s.fill, s.align = "0", '='
	}
	if s.kind == '%' {
		p.out.WriteByte('%')
		return text[1:], nil
	}
	if strings.IndexByte("diouxXeEfFgGcrsa", s.kind) < 0 {
		return "", valueError("unsupported format character '%s' (0x%x)", text[:characterSize(text)], code(text))
	}
	if value == nil {
		if value, err = p.next(); err != nil {
			return "", err
		}
	}
	written, err := p.convert(s, value)
	p.out.WriteString(written)
	return text[1:], err
}

// closing returns where the parenthesis that text begins with is closed.
func closing(text string) int {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// number reads a width or precision: digits, or a star for the next value.
func (p *percentFormat) number(text string) (int, string, error) {
	if !strings.HasPrefix(text, "*") {
		return takeNumber(text)
	}
	v, err := p.next()
	if err != nil {
		return 0, "", err
	}
	if rank(v) != 1 {
		return 0, "", typeError("* wants int")
	}
	n := clamp(toInt(v))
	if n > maxWidth || n < -maxWidth {
		return 0, "", tooLarge("the width or precision is too large")
	}
	if n == -1 { // which takeNumber says for none
		return 0, "", unsupported("a width of -1 is not supported")
	}
	return n, text[1:], nil
}

// convert writes one value.
func (p *percentFormat) convert(s spec, v starlark.Value) (string, error) {
	switch s.kind {
	case 's', 'r', 'a':
		text, err := p.e.text(v, strings.Replace(string(s.kind), "s", "", 1))
		if err != nil {
			return "", err
		}
		if n := str(text).length(); s.precision >= 0 && s.precision < n {
			text = string(str(text).between(0, s.precision))
		}
		return s.padPercent("", text, false), nil
	case 'c':
		return p.character(s, v)
	case 'e', 'E', 'f', 'F', 'g', 'G':
		if rank(v) == 0 || rank(v) == 3 {
			if err := notArithmetic(v); err != nil {
				return "", err
			}
			return "", typeError("must be real number, not %s", describeType(v))
		}
		f, err := toFloat(v)
		if err != nil {
			return "", err
		}
		text := floatText(math.Abs(f), s.kind, s.precision, s.alternate)
		return s.padPercent(s.signOf(math.Signbit(f) && !math.IsNaN(f)), text, true), nil
	}
	return p.integer(s, v)
}

func (s spec) padPercent(sign, text string, number bool) string {
	if !number && s.align == '=' {
		s.fill, s.align = " ", '>'
	}
	return s.pad(sign, text, '>')
}

func (p *percentFormat) character(s spec, v starlark.Value) (string, error) {
	if text, ok := v.(str); ok {
		if text.length() != 1 {
			return "", typeError("%%c requires int or char")
		}
		return s.padPercent("", string(text), false), nil
	}
	if rank(v) != 1 {
		if err := notArithmetic(v); err != nil {
			return "", err
		}
		return "", typeError("%%c requires int or char")
	}
	i := toInt(v)
	if n := clamp(i); n < 0 || n > 0x10ffff {
		return "", raise("OverflowError", "%%c arg not in range(0x110000)")
	}
	var out strings.Builder
	writeRune(&out, rune(clamp(i)))
	return s.padPercent("", out.String(), false), nil
}

func (p *percentFormat) integer(s spec, v starlark.Value) (string, error) {
	var i *big.Int
	switch v := v.(type) {
	case starlark.Int, starlark.Bool:
		i = toInt(v).BigInt()
	case starlark.Float:
		if strings.IndexByte("oxX", s.kind) >= 0 {
			return "", typeError("%%%c format: an integer is required, not float", s.kind)
		}
		whole, err := truncate(float64(v))
		if err != nil {
			return "", err
		}
		i = whole.(starlark.Int).BigInt()
	default:
		if err := notArithmetic(v); err != nil {
			return "", err
		}
		required := "a real number is required"
		if strings.IndexByte("oxX", s.kind) >= 0 {
			required = "an integer is required"
		}
		return "", typeError("%%%c format: %s, not %s", s.kind, required, describeType(v))
	}
	base, prefix := 10, ""
	switch s.kind {
	case 'o':
		base, prefix = 8, "0o"
	case 'x':
		base, prefix = 16, "0x"
	case 'X':
		base, prefix = 16, "0X"
	}
	if base == 10 && i.BitLen() > maxTextBits {
		return "", tooManyDigits("")
	}
	digits := new(big.Int).Abs(i).Text(base)
	if s.kind == 'X' {
		digits = strings.ToUpper(digits)
	}
	if missing := s.precision - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	sign := s.signOf(i.Sign() < 0)
	if s.alternate {
		sign += prefix
	}
	return s.padPercent(sign, digits, true), nil
}
