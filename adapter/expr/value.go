package expr

import (
	"errors"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.starlark.net/starlark"
)

// Python's values are Starlark's where the two mean the same: None, Bool, Int,
// Float, List and Tuple. The others are types of this package. All are immutable.
type (
	// str is a string in UTF-8; lone surrogates are in it as in WTF-8.
	str string
	// bytesValue is a bytes object.
	bytesValue string
	// complexValue is a complex number.
	complexValue complex128
	// typeValue is a type, by its name with its module: "int", "datetime.date". The
	// module is "?" where it is not known.
	typeValue string
	// ellipsisType is the type of the only value of its type.
	ellipsisType struct{}
)

var ellipsis = ellipsisType{}

// opaque is a value that its repr does not tell: an object in angle brackets, an
// array with its middle left out, a value that a limit cut.
type opaque struct {
	text  string // the repr
	class string // "" when it is not known
	cut   bool
}

// object is an instance of a class whose repr shows what it was made with:
// Point(x=1, y=2), ValueError('no'), datetime.date(2020, 1, 2).
type object struct {
	class      string
	text       string // the repr
	positional []starlark.Value
	fields     []field
}

type field struct {
	name  string
	value starlark.Value
}

// enumValue is the member of an enumeration, <Color.RED: 1>.
type enumValue struct {
	class, name string
	value       starlark.Value
}

// sequence is a collection that is indexed like a list and is none: a deque, an
// array of numpy.
type sequence struct {
	class    string
	text     string // the repr
	elements []starlark.Value
}

// sliceValue is the a:b:c of a subscript.
type sliceValue struct{ start, stop, step starlark.Value }

// function is a built-in function or a method that is bound to its object.
type function struct {
	name string
	call func(e *evaluation, a arguments) (starlark.Value, error)
}

func (v str) String() string          { return string(v) }
func (v bytesValue) String() string   { return string(v) }
func (v complexValue) String() string { return writeComplex(complex128(v)) }
func (v typeValue) String() string    { return "<class '" + string(v) + "'>" }
func (v ellipsisType) String() string { return "Ellipsis" }
func (v *opaque) String() string      { return v.text }
func (v *object) String() string      { return v.text }
func (v *enumValue) String() string   { return v.class + "." + v.name }
func (v *sequence) String() string    { return v.text }
func (v sliceValue) String() string   { return "slice" }
func (v *function) String() string    { return "<built-in function " + v.name + ">" }

func (v str) Type() string          { return "str" }
func (v bytesValue) Type() string   { return "bytes" }
func (v complexValue) Type() string { return "complex" }
func (v typeValue) Type() string    { return "type" }
func (v ellipsisType) Type() string { return "ellipsis" }
func (v *opaque) Type() string      { return v.class }
func (v *object) Type() string      { return v.class }
func (v *enumValue) Type() string   { return v.class }
func (v *sequence) Type() string    { return v.class }
func (v sliceValue) Type() string   { return "slice" }
func (v *function) Type() string    { return "builtin_function_or_method" }

// Freeze does nothing: the values are immutable.
func (v str) Freeze()          {}
func (v bytesValue) Freeze()   {}
func (v complexValue) Freeze() {}
func (v typeValue) Freeze()    {}
func (v ellipsisType) Freeze() {}
func (v *opaque) Freeze()      {}
func (v *object) Freeze()      {}
func (v *enumValue) Freeze()   {}
func (v *sequence) Freeze()    {}
func (v sliceValue) Freeze()   {}
func (v *function) Freeze()    {}

// Truth is asked by Starlark only after the primitive $known has made sure that
// there is an answer.
func (v str) Truth() starlark.Bool          { return v != "" }
func (v bytesValue) Truth() starlark.Bool   { return v != "" }
func (v complexValue) Truth() starlark.Bool { return v != 0 }
func (v typeValue) Truth() starlark.Bool    { return true }
func (v ellipsisType) Truth() starlark.Bool { return true }
func (v *opaque) Truth() starlark.Bool      { return true }
func (v *object) Truth() starlark.Bool      { return true }
func (v *enumValue) Truth() starlark.Bool   { return true }
func (v *sequence) Truth() starlark.Bool    { return len(v.elements) > 0 }
func (v sliceValue) Truth() starlark.Bool   { return true }
func (v *function) Truth() starlark.Bool    { return true }

var errNoHash = errors.New("the hash tables of Starlark are not used")

// Hash is not used: dicts and sets are this package's.
func (v str) Hash() (uint32, error)          { return 0, errNoHash }
func (v bytesValue) Hash() (uint32, error)   { return 0, errNoHash }
func (v complexValue) Hash() (uint32, error) { return 0, errNoHash }
func (v typeValue) Hash() (uint32, error)    { return 0, errNoHash }
func (v ellipsisType) Hash() (uint32, error) { return 0, errNoHash }
func (v *opaque) Hash() (uint32, error)      { return 0, errNoHash }
func (v *object) Hash() (uint32, error)      { return 0, errNoHash }
func (v *enumValue) Hash() (uint32, error)   { return 0, errNoHash }
func (v *sequence) Hash() (uint32, error)    { return 0, errNoHash }
func (v sliceValue) Hash() (uint32, error)   { return 0, errNoHash }
func (v *function) Hash() (uint32, error)    { return 0, errNoHash }

// typeName is what type(v).__name__ is; "" when it is not known.
func typeName(v starlark.Value) string {
	switch v := v.(type) {
	case starlark.NoneType:
		return "NoneType"
	case *starlark.Function:
		return "function"
	case *object:
		return lastName(v.class)
	case *enumValue:
		return lastName(v.class)
	}
	return v.Type() // the others' are Python's
}

// describeType is typeName for messages.
func describeType(v starlark.Value) string {
	if name := typeName(v); name != "" {
		return name
	}
	return "object"
}

// notKnown says why a value cannot be computed with, nil when it can.
func notKnown(v starlark.Value) error {
	switch v := v.(type) {
	case *opaque:
		if v.cut {
			return unknown("a value is not known in full: a limit cut it (%s)", shorten(v.text))
		}
		return unknown("all that is known of %s is its repr", shorten(v.text))
	}
	return nil
}

// shorten returns a repr as a message quotes it: one line, and not a long one.
func shorten(text string) string {
	const most = 60
	short := text
	if len(text) > most {
		cut := most
		for cut > 0 && !utf8.RuneStart(text[cut]) {
			cut--
		}
		short = text[:cut] + "…"
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, short)
}

// truth is bool(v).
func truth(v starlark.Value) (bool, error) {
	switch v := v.(type) {
	case *opaque:
		switch v.class {
		case "function", "method", "builtin_function_or_method", "type", "module", "generator":
			return true, nil
		}
		return false, notKnown(v)
	case *object:
		switch {
		case isDataLike(v), isException(v):
			return true, nil
		}
		return false, unsupported("whether %s is true depends on its class", shorten(v.text))
	case *sequence:
		if v.class != "deque" && len(v.elements) != 1 {
			return false, unsupported("the truth of an array is not supported")
		}
		if v.class != "deque" {
			return truth(v.elements[0])
		}
	case *enumValue:
		if _, ok := v.value.(starlark.Int); ok { // an IntEnum's is its value's
			return false, unsupported("whether %s is true depends on its class", v)
		}
	case starlark.Float:
		return float64(v) != 0 || math.IsNaN(float64(v)), nil
	}
	return bool(v.Truth()), nil
}
