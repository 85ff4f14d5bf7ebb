package repr

import (
	"math"
	"math/big"
	"strconv"
	"strings"
)

// Kind is what a value is, as far as its repr tells.
type Kind uint8

// The kinds of values.
const (
	// Text is a repr that the package does not understand, such as
	// <__main__.Node object>.
	Text Kind = iota
	None
	Bool
	Int
	Float
	Complex
	String
	Bytes
	List
	Tuple
	Set
	FrozenSet
	Dict
	Range
	// Object is Name(...): a dataclass, a named tuple, an exception, a datetime,
	// a deque, an array. Children are its arguments and fields.
	Object
	// Enum is a member such as <Color.RED: 1>: Type is Color, Text is RED, and
	// the only child is the member's value.
	Enum
	// Elided is the ... that stands for what a repr leaves out: a collection
	// inside itself, [...], or the middle of a large array.
	Elided
)

var kindNames = [...]string{
	Text: "text", None: "None", Bool: "bool", Int: "int", Float: "float", Complex: "complex", String: "str",
	Bytes: "bytes", List: "list", Tuple: "tuple", Set: "set", FrozenSet: "frozenset", Dict: "dict",
	Range: "range", Object: "object", Enum: "enum", Elided: "...",
}

// String returns the name of the kind; for built-in types Python's own.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "kind(" + strconv.Itoa(int(k)) + ")"
}

// Value is a Python value as its repr shows it. The zero Value is an empty Text.
type Value struct {
	Kind Kind
	// Type is the name of the value's type: "int", "list", "deque", "Color",
	// "datetime.date"; "" when the repr does not tell.
	Type string
	// Text is the content of a String (its characters) or Bytes (its bytes), the
	// literal of a number or Bool, the member's name of an Enum, and the repr
	// itself of a Text. Lone surrogates of a String are in it as in WTF-8.
	Text string
	// Children are the elements, pairs, arguments or fields, in order.
	Children []Child
	// Cut says that the repr ended before the value did: a limit cut it.
	Cut bool
}

// Child is a part of a value.
type Child struct {
	// Name is the field's name in an Object, as in Point(x=1); "" otherwise.
	Name string
	// Key is the key of a Dict's pair; nil otherwise.
	Key   *Value
	Value Value
}

// BigInt returns the value of an Int or Bool.
func (v Value) BigInt() (*big.Int, bool) {
	switch v.Kind {
	case Bool:
		if v.Text == "True" {
			return big.NewInt(1), true
		}
		return new(big.Int), true
	case Int:
		return new(big.Int).SetString(v.Text, 10)
	}
	return nil, false
}

// Float64 returns the value of a Float, inf and nan included.
func (v Value) Float64() (float64, bool) {
	if v.Kind != Float {
		return 0, false
	}
	f, err := strconv.ParseFloat(v.Text, 64)
	if err != nil && !math.IsInf(f, 0) {
		return 0, false
	}
	return f, true
}

// Complex128 returns the value of a Complex.
func (v Value) Complex128() (complex128, bool) {
	if v.Kind != Complex {
		return 0, false
	}
	text := strings.TrimSuffix(strings.Trim(v.Text, "()"), "j")
	// The imaginary part begins at the last sign that is not an exponent's.
	split := 0
	for i := 1; i < len(text); i++ {
		if (text[i] == '+' || text[i] == '-') && text[i-1] != 'e' {
			split = i
		}
	}
	re := 0.0
	if split > 0 {
		var err error
		if re, err = strconv.ParseFloat(text[:split], 64); err != nil && !math.IsInf(re, 0) {
			return 0, false
		}
	}
	im, err := strconv.ParseFloat(text[split:], 64)
	if err != nil && !math.IsInf(im, 0) {
		return 0, false
	}
	return complex(re, im), true
}

// Len returns the number of elements of a Range.
func (v Value) Len() (*big.Int, bool) {
	if v.Kind != Range {
		return nil, false
	}
	bounds := make([]*big.Int, 0, 3)
	for _, c := range v.Children {
		n, ok := c.Value.BigInt()
		if !ok {
			return nil, false
		}
		bounds = append(bounds, n)
	}
	step := big.NewInt(1)
	if len(bounds) == 3 {
		step = bounds[2]
	}
	if step.Sign() == 0 {
		return nil, false
	}
	span := new(big.Int).Sub(bounds[1], bounds[0])
	if step.Sign() < 0 {
		span.Neg(span)
		step = new(big.Int).Neg(step)
	}
	if span.Sign() <= 0 {
		return new(big.Int), true
	}
	// Rounded up.
	span.Add(span, step).Sub(span, big.NewInt(1))
	return span.Quo(span, step), true
}

// isCollection reports whether the value has elements, pairs or fields to
// unfold, or could have.
func (v Value) isCollection() bool {
	switch v.Kind {
	case List, Tuple, Set, FrozenSet, Dict, Object:
		return true
	}
	return false
}

// recursive reports whether the value stands for a collection that contains
// itself: [...], {...}, (...).
func (v Value) recursive() bool {
	return len(v.Children) == 1 && v.Children[0].Value.Kind == Elided && v.Kind != Object
}
