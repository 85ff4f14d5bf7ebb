package expr

import (
	"math"
	"math/big"

	"go.starlark.net/starlark"
)

// rank orders the numeric types: an operation is done in the higher one.
func rank(v starlark.Value) int {
	switch v.(type) {
	case starlark.Bool, starlark.Int:
		return 1
	case starlark.Float:
		return 2
	case complexValue:
		return 3
	}
	return 0
}

// toInt returns an Int or Bool as an Int.
func toInt(v starlark.Value) starlark.Int {
	if b, ok := v.(starlark.Bool); ok {
		return boolInt(b)
	}
	return v.(starlark.Int)
}

// toFloat returns a number that is not complex as a float, rounded to the
// nearest.
func toFloat(v starlark.Value) (float64, error) {
	if f, ok := v.(starlark.Float); ok {
		return float64(f), nil
	}
	i := toInt(v)
	if small, ok := i.Int64(); ok && small > -1<<53 && small < 1<<53 {
		return float64(small), nil
	}
	f, _ := new(big.Float).SetInt(i.BigInt()).Float64()
	if math.IsInf(f, 0) {
		return 0, raise("OverflowError", "int too large to convert to float")
	}
	return f, nil
}

func toComplex(v starlark.Value) (complex128, error) {
	if c, ok := v.(complexValue); ok {
		return complex128(c), nil
	}
	f, err := toFloat(v)
	return complex(f, 0), err
}

// unary is -v, +v or ~v.
func (e *evaluation) unary(op string, v starlark.Value) (starlark.Value, error) {
	switch v := v.(type) {
	case starlark.Bool, starlark.Int:
		i := toInt(v)
		switch op {
		case "-":
			return starlark.MakeInt(0).Sub(i), nil
		case "~":
			return i.Not(), nil
		}
		return i, nil
	case starlark.Float:
		switch op {
		case "-":
			return -v, nil
		case "+":
			return v, nil
		}
	case complexValue:
		switch op {
		case "-":
			return -v, nil
		case "+":
			return v, nil
		}
	}
	if err := notArithmetic(v); err != nil {
		return nil, err
	}
	return nil, typeError("bad operand type for unary %s: '%s'", op, describeType(v))
}

// notArithmetic refuses operands whose class decides what operators do.
func notArithmetic(v starlark.Value) error {
	switch v := v.(type) {
	case *object, *enumValue, *sequence:
		return unsupported("operators on a %s are not supported", describeType(v))
	case *dict:
		if v.class != "dict" {
			return unsupported("operators on a %s are not supported", v.class)
		}
	}
	return notKnown(v)
}

// binary is one of the operators of arithmetic, bits and sets.
func (e *evaluation) binary(op string, a, b starlark.Value) (starlark.Value, error) {
	if ra, rb := rank(a), rank(b); ra > 0 && rb > 0 {
		return e.numeric(op, a, b, max(ra, rb))
	}
	if op == "%" {
		switch a := a.(type) {
		case str:
			text, err := e.percent(string(a), b)
			return str(text), err
		case bytesValue:
			return nil, unsupported("%% formatting of bytes is not supported")
		}
	}
	for _, v := range []starlark.Value{a, b} {
		if err := notArithmetic(v); err != nil {
			return nil, err
		}
	}
	switch op {
	case "+":
		if v, err := e.concatenate(a, b); v != nil || err != nil {
			return v, err
		}
	case "*":
		if v, err := e.repeat(a, b); v != nil || err != nil {
			return v, err
		}
	case "|", "&", "-", "^":
		if v, err := e.combine(op, a, b); v != nil || err != nil {
			return v, err
		}
	}
	return nil, badOperands(op, a, b)
}

func badOperands(op string, a, b starlark.Value) error {
	if op == "**" {
		op = "** or pow()"
	}
	return typeError("unsupported operand type(s) for %s: '%s' and '%s'", op, describeType(a), describeType(b))
}

// both converts two operands.
func both[T any](convert func(starlark.Value) (T, error), a, b starlark.Value) (x, y T, err error) {
	if x, err = convert(a); err != nil {
		return x, y, err
	}
	y, err = convert(b)
	return x, y, err
}

func (e *evaluation) numeric(op string, a, b starlark.Value, rank int) (starlark.Value, error) {
	switch rank {
	case 1:
		v, err := e.integers(op, toInt(a), toInt(b))
		if err != nil {
			return nil, err
		}
		x, aIsBool := a.(starlark.Bool)
		y, bIsBool := b.(starlark.Bool)
		if aIsBool && bIsBool {
			switch op {
			case "&":
				return x && y, nil
			case "|":
				return x || y, nil
			case "^":
				return starlark.Bool(x != y), nil
			}
		}
		if v != nil {
			return v, nil
		}
	case 2:
		x, y, err := both(toFloat, a, b)
		if err != nil {
			return nil, err
		}
		if v, err := floats(op, x, y); v != nil || err != nil {
			return v, err
		}
	case 3:
		x, y, err := both(toComplex, a, b)
		if err != nil {
			return nil, err
		}
		if v, err := complexes(op, x, y); v != nil || err != nil {
			return v, err
		}
	}
	return nil, badOperands(op, a, b)
}

// integers computes with ints; nil for an operator that they do not have.
func (e *evaluation) integers(op string, a, b starlark.Int) (starlark.Value, error) {
	if err := e.tick(bitLen(a)/64 + bitLen(b)/64); err != nil {
		return nil, err
	}
	switch op {
	case "+":
		return a.Add(b), nil
	case "-":
		return a.Sub(b), nil
	case "*":
		if bitLen(a)+bitLen(b) > maxBits {
			return nil, tooLarge("the integer is too large")
		}
		return a.Mul(b), e.tick(bitLen(a) / 64 * bitLen(b) / 64)
	case "/":
		return divide(a, b)
	case "//":
		if b.Sign() == 0 {
			return nil, raise("ZeroDivisionError", "integer division or modulo by zero")
		}
		return a.Div(b), nil
	case "%":
		if b.Sign() == 0 {
			return nil, raise("ZeroDivisionError", "integer division or modulo by zero")
		}
		return a.Mod(b), nil
	case "**":
		return power(a, b)
	case "&":
		return a.And(b), nil
	case "|":
		return a.Or(b), nil
	case "^":
		return a.Xor(b), nil
	case "<<", ">>":
		return shift(op, a, b)
	}
	return nil, nil
}

func bitLen(i starlark.Int) int {
	if small, ok := i.Int64(); ok && small > -1<<31 && small < 1<<31 {
		return 32
	}
	return i.BigInt().BitLen()
}

// divide is true division, rounded once.
func divide(a, b starlark.Int) (starlark.Value, error) {
	if b.Sign() == 0 {
		return nil, raise("ZeroDivisionError", "division by zero")
	}
	f, _ := new(big.Rat).SetFrac(a.BigInt(), b.BigInt()).Float64()
	if math.IsInf(f, 0) {
		return nil, raise("OverflowError", "integer division result too large for a float")
	}
	if f == 0 && (a.Sign() < 0) != (b.Sign() < 0) {
		f = math.Copysign(0, -1)
	}
	return starlark.Float(f), nil
}

func power(a, b starlark.Int) (starlark.Value, error) {
	if b.Sign() < 0 {
		x, y, err := both(toFloat, a, b)
		if err != nil {
			return nil, err
		}
		return floatPower(x, y)
	}
	base := a.BigInt()
	if base.IsInt64() && (base.Int64() == 0 || base.Int64() == 1 || base.Int64() == -1) {
		switch {
		case b.Sign() == 0:
			return starlark.MakeInt(1), nil
		case base.Sign() < 0 && b.BigInt().Bit(0) == 0:
			return starlark.MakeInt(1), nil
		}
		return a, nil
	}
	exponent, ok := b.Int64()
	if !ok || exponent > maxBits || exponent*int64(base.BitLen()) > maxBits {
		return nil, tooLarge("the integer is too large")
	}
	return starlark.MakeBigInt(new(big.Int).Exp(base, big.NewInt(exponent), nil)), nil
}

func shift(op string, a, b starlark.Int) (starlark.Value, error) {
	if b.Sign() < 0 {
		return nil, valueError("negative shift count")
	}
	count := clamp(b)
	if op == ">>" {
		if count > maxBits {
			count = maxBits // all that there can be
		}
		return a.Rsh(uint(count)), nil
	}
	if a.Sign() == 0 {
		return a, nil
	}
	if count > maxBits || bitLen(a)+count > maxBits {
		return nil, tooLarge("the integer is too large")
	}
	return a.Lsh(uint(count)), nil
}

// floats computes with floats; nil for an operator that they do not have. The
// conversions keep the compiler from fusing operations.
func floats(op string, a, b float64) (starlark.Value, error) {
	switch op {
	case "+":
		return starlark.Float(a + b), nil
	case "-":
		return starlark.Float(a - b), nil
	case "*":
		return starlark.Float(float64(a * b)), nil
	case "/":
		if b == 0 {
			return nil, raise("ZeroDivisionError", "float division by zero")
		}
		return starlark.Float(a / b), nil
	case "//":
		if b == 0 {
			return nil, raise("ZeroDivisionError", "float floor division by zero")
		}
		quotient, _ := floorDivide(a, b)
		return starlark.Float(quotient), nil
	case "%":
		if b == 0 {
			return nil, raise("ZeroDivisionError", "float modulo")
		}
		_, remainder := floorDivide(a, b)
		return starlark.Float(remainder), nil
	case "**":
		return floatPower(a, b)
	}
	return nil, nil
}

// floorDivide is CPython's divmod of floats: the remainder has the divisor's
// sign, and the quotient is the whole number nearest to what is left.
func floorDivide(a, b float64) (quotient, remainder float64) {
	remainder = math.Mod(a, b)
	div := (a - remainder) / b
	if remainder != 0 {
		if (b < 0) != (remainder < 0) {
			remainder += b
			div--
		}
	} else {
		remainder = math.Copysign(0, b)
	}
	if div == 0 {
		return math.Copysign(0, a/b), remainder
	}
	quotient = math.Floor(div)
	if div-quotient > 0.5 {
		quotient++
	}
	return quotient, remainder
}

// floatPower is a ** b. Powers that Go's library may round otherwise than C's
// are computed with more digits and rounded once.
func floatPower(a, b float64) (starlark.Value, error) {
	switch {
	case a == 0 && b < 0:
		return nil, raise("ZeroDivisionError", "0.0 cannot be raised to a negative power")
	case a < 0 && !math.IsInf(a, 0) && !math.IsInf(b, 0) && b != math.Trunc(b):
		return nil, unsupported("a fractional power of a negative number, which is complex, is not supported")
	}
	f := math.Pow(a, b)
	if isFinite(a) && isFinite(b) && isFinite(f) && f != 0 {
		exact, ok := exactPower(a, b)
		if !ok {
			return nil, unsupported("this power of a float is not supported")
		}
		f = exact
	}
	if math.IsInf(f, 0) && !math.IsInf(a, 0) && !math.IsInf(b, 0) {
		return nil, raise("OverflowError", "(34, 'Numerical result out of range')")
	}
	return starlark.Float(f), nil
}

func isFinite(f float64) bool { return f-f == 0 }

// exactPower computes whole and half powers, rounded once.
func exactPower(a, b float64) (float64, bool) {
	const precision = 4096
	whole := math.Trunc(b)
	half := b-whole == 0.5 || b-whole == -0.5
	if math.Abs(whole) > 2048 || whole != b && !half {
		return 0, false
	}
	base := new(big.Float).SetPrec(precision).SetFloat64(a)
	result := big.NewFloat(1).SetPrec(precision)
	for range int(math.Abs(whole)) {
		result.Mul(result, base)
	}
	if half {
		result.Mul(result, new(big.Float).SetPrec(precision).Sqrt(base))
	}
	if b < 0 {
		result.Quo(big.NewFloat(1).SetPrec(precision), result)
	}
	f, _ := result.Float64()
	return f, true
}

// complexes computes with complex numbers; nil for an operator that they do not
// have.
func complexes(op string, a, b complex128) (starlark.Value, error) {
	switch op {
	case "+":
		return complexValue(a + b), nil
	case "-":
		return complexValue(a - b), nil
	case "*":
		re := float64(real(a)*real(b)) - float64(imag(a)*imag(b))
		im := float64(real(a)*imag(b)) + float64(imag(a)*real(b))
		return complexValue(complex(re, im)), nil
	case "/":
		return divideComplex(a, b)
	case "**":
		return nil, unsupported("powers of complex numbers are not supported")
	}
	return nil, nil
}

// divideComplex scales by the larger part of the divisor, as CPython does.
func divideComplex(a, b complex128) (starlark.Value, error) {
	if b == 0 {
		return nil, raise("ZeroDivisionError", "complex division by zero")
	}
	if math.Abs(real(b)) >= math.Abs(imag(b)) {
		ratio := imag(b) / real(b)
		denominator := real(b) + float64(imag(b)*ratio)
		return complexValue(complex((real(a)+float64(imag(a)*ratio))/denominator, (imag(a)-float64(real(a)*ratio))/denominator)), nil
	}
	ratio := real(b) / imag(b)
	denominator := float64(real(b)*ratio) + imag(b)
	return complexValue(complex((float64(real(a)*ratio)+imag(a))/denominator, (float64(imag(a)*ratio)-real(a))/denominator)), nil
}
