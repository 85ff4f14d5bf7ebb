package expr

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode"

	"go.starlark.net/starlark"
)

// parseNumberLiteral reads a number as Python source writes it.
func parseNumberLiteral(text string) (starlark.Value, error) {
	lower := strings.ToLower(text)
	invalid := &Error{Reason: Syntax, Message: "invalid number: " + shorten(text)}
	if imaginary, ok := strings.CutSuffix(lower, "j"); ok && !strings.HasPrefix(lower, "0x") {
		f, err := strconv.ParseFloat(strings.ReplaceAll(imaginary, "_", ""), 64)
		if err != nil && !math.IsInf(f, 0) {
			return nil, invalid
		}
		return complexValue(complex(0, f)), nil
	}
	if !strings.HasPrefix(lower, "0x") && strings.ContainsAny(lower, ".e") {
		f, err := strconv.ParseFloat(strings.ReplaceAll(lower, "_", ""), 64)
		if err != nil && !math.IsInf(f, 0) {
			return nil, invalid
		}
		return starlark.Float(f), nil
	}
	i, ok := parseInteger(lower, 0)
	if !ok {
		return nil, invalid
	}
	return i, nil
}

// maxDigits is how many digits CPython converts between an int and its text, unless
// the base is a power of two.
const maxDigits = 4300

// tooManyDigits is CPython's error for more than maxDigits. The detail, if any,
// begins with a colon.
func tooManyDigits(detail string) error {
	return valueError("Exceeds the limit (%d digits) for integer string conversion%s; use sys.set_int_max_str_digits() to increase the limit", maxDigits, detail)
}

// leadingDigits counts the digits of int(text, base) up to what is none. CPython
// looks at their number before it looks at what follows them.
func leadingDigits(text string, base int) (n int) {
	if text != "" && (text[0] == '-' || text[0] == '+') {
		text = text[1:]
	}
	underscore := true // none may be the first, nor follow another one
	for _, c := range []byte(strings.ToLower(text)) {
		if c == '_' && !underscore {
			underscore = true
			continue
		}
		value := int(c - '0')
		if c >= 'a' {
			value = int(c-'a') + 10
		}
		if c < '0' || c > '9' && c < 'a' || value >= base {
			break
		}
		underscore = false
		n++
	}
	return n
}

// parseInteger reads the digits of int(text, base), sign and underscores
// included. Base 0 takes the base from the prefix.
func parseInteger(text string, base int) (starlark.Int, bool) {
	digits := text
	negative := false
	if digits != "" && (digits[0] == '-' || digits[0] == '+') {
		negative = digits[0] == '-'
		digits = digits[1:]
	}
	prefixes := map[string]int{"0x": 16, "0o": 8, "0b": 2}
	prefixed := false
	if len(digits) > 2 {
		if b := prefixes[strings.ToLower(digits[:2])]; b != 0 && (base == b || base == 0) {
			base, digits, prefixed = b, digits[2:], true
			digits = strings.TrimPrefix(digits, "_")
		}
	}
	if base == 0 {
		base = 10
		if strings.Trim(digits, "0_") != "" && digits[0] == '0' {
			return starlark.Int{}, false // 012 is no number
		}
	}
	if digits == "" || digits[0] == '_' && !prefixed || digits[len(digits)-1] == '_' || strings.Contains(digits, "__") || digits[0] == '-' || digits[0] == '+' {
		return starlark.Int{}, false
	}
	digits = strings.ReplaceAll(digits, "_", "")
	if len(digits) > maxDigits && base&(base-1) != 0 {
		return starlark.Int{}, false
	}
	i, ok := new(big.Int).SetString(digits, base)
	if !ok || i.BitLen() > maxBits {
		return starlark.Int{}, false
	}
	if negative {
		i.Neg(i)
	}
	return starlark.MakeBigInt(i), true
}

// asciiDigits turns all decimal digits of Unicode into ASCII's, and trims white
// space.
func asciiDigits(text string) string {
	text = strings.TrimFunc(text, isSpace)
	if isASCII(text) {
		return text
	}
	return strings.Map(func(r rune) rune {
		if d, ok := decimalDigit(r); ok {
			return '0' + rune(d)
		}
		return r
	}, text)
}

// decimalDigit returns the value of a decimal digit. In every script the ten
// follow each other.
func decimalDigit(r rune) (int, bool) {
	if r >= '0' && r <= '9' {
		return int(r - '0'), true
	}
	if !unicode.Is(unicode.Nd, r) {
		return 0, false
	}
	for _, rng := range unicode.Nd.R16 {
		if rune(rng.Lo) <= r && r <= rune(rng.Hi) {
			return int(r-rune(rng.Lo)) % 10, true
		}
	}
	for _, rng := range unicode.Nd.R32 {
		if rune(rng.Lo) <= r && r <= rune(rng.Hi) {
			return int(r-rune(rng.Lo)) % 10, true
		}
	}
	return 0, false
}

// parseFloat reads the text of float(text).
func parseFloat(text string) (float64, bool) {
	s := strings.ToLower(asciiDigits(text))
	if strings.Contains(s, "_") {
		for i := range len(s) {
			if s[i] == '_' && (i == 0 || i == len(s)-1 || !isDigit(s[i-1]) || !isDigit(s[i+1])) {
				return 0, false
			}
		}
		s = strings.ReplaceAll(s, "_", "")
	}
	switch strings.TrimLeft(s, "+-") {
	case "inf", "infinity", "nan":
		if len(s)-len(strings.TrimLeft(s, "+-")) > 1 {
			return 0, false
		}
		f, err := strconv.ParseFloat(strings.TrimPrefix(strings.TrimPrefix(s, "-nan"), "+nan"), 64)
		if err != nil {
			return math.NaN(), true
		}
		return f, true
	}
	if strings.ContainsAny(s, "xpi_n") {
		return 0, false
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil && !math.IsInf(f, 0) {
		return 0, false
	}
	return f, true
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// truncate is int(f).
func truncate(f float64) (starlark.Value, error) {
	switch {
	case math.IsNaN(f):
		return nil, valueError("cannot convert float NaN to integer")
	case math.IsInf(f, 0):
		return nil, raise("OverflowError", "cannot convert float infinity to integer")
	}
	i, _ := big.NewFloat(f).Int(nil)
	return starlark.MakeBigInt(i), nil
}

// roundFloat is round(f, digits).
func roundFloat(f float64, digits int) (starlark.Value, error) {
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0) || f == 0 || digits > 323:
		return starlark.Float(f), nil
	case digits < -308:
		return starlark.Float(math.Copysign(0, f)), nil
	case digits >= 0:
		rounded, _ := strconv.ParseFloat(strconv.FormatFloat(f, 'f', digits, 64), 64)
		return starlark.Float(rounded), nil
	}
	i, _ := big.NewFloat(f).Int(nil)
	if rat := new(big.Rat).SetFloat64(f); !rat.IsInt() { // a fraction breaks ties
		scale := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(-digits)), nil))
		i = roundRat(rat.Quo(rat, scale))
		i.Mul(i, scale.Num())
	} else {
		i = roundInt(i, -digits)
	}
	rounded, _ := new(big.Float).SetInt(i).Float64()
	if math.IsInf(rounded, 0) {
		return nil, raise("OverflowError", "rounded value too large to represent")
	}
	return starlark.Float(math.Copysign(rounded, f)), nil
}

// roundRat rounds to the nearest whole number, halves to the even one.
func roundRat(r *big.Rat) *big.Int {
	half := new(big.Rat).SetFrac64(1, 2)
	sum := new(big.Rat).Add(r, half)
	quotient, remainder := new(big.Int).DivMod(sum.Num(), sum.Denom(), new(big.Int))
	if remainder.Sign() == 0 && quotient.Bit(0) == 1 {
		quotient.Sub(quotient, big.NewInt(1))
	}
	return quotient
}

// roundInt rounds to a multiple of a power of ten, halves to the even one.
func roundInt(i *big.Int, zeros int) *big.Int {
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(zeros)), nil)
	rounded := roundRat(new(big.Rat).SetFrac(i, scale))
	return rounded.Mul(rounded, scale)
}

func numberAttribute(v starlark.Value, name string) starlark.Value {
	if c, ok := v.(complexValue); ok {
		switch name {
		case "real":
			return starlark.Float(real(complex128(c)))
		case "imag":
			return starlark.Float(imag(complex128(c)))
		}
		return nil
	}
	if f, ok := v.(starlark.Float); ok {
		switch name {
		case "real":
			return f
		case "imag":
			return starlark.Float(0)
		}
		return nil
	}
	switch name {
	case "real", "numerator":
		return toInt(v)
	case "imag":
		return starlark.MakeInt(0)
	case "denominator":
		return starlark.MakeInt(1)
	}
	return nil
}
