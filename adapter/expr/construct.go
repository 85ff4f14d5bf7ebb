package expr

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"go.starlark.net/starlark"
)

// constructors are the built-in types that expressions may name, with what a
// call of each makes.
var constructors = map[string]func(e *evaluation, a arguments) (starlark.Value, error){
	"bool": newBool, "bytes": newBytes, "complex": newComplex, "dict": newDictOf, "float": newFloat,
	"frozenset": newSetOf("frozenset", true), "int": newInt, "list": newListOf, "range": newRangeOf,
	"set": newSetOf("set", false), "str": newStr, "tuple": newTuple, "type": newType,
	"object": func(*evaluation, arguments) (starlark.Value, error) {
		return nil, unsupported("object() is not supported")
	},
}

// construct calls a type.
func (e *evaluation) construct(name string, a arguments) (starlark.Value, error) {
	f, ok := constructors[name]
	if !ok {
		return nil, unsupported("calling %s is not supported", name)
	}
	return f(e, a)
}

func newBool(_ *evaluation, a arguments) (starlark.Value, error) {
	v, err := a.bind("bool", "x=? /")
	if err != nil || v[0] == nil {
		return starlark.False, err
	}
	ok, err := truth(v[0])
	return starlark.Bool(ok), err
}

func newBytes(e *evaluation, a arguments) (starlark.Value, error) {
	v, err := a.bind("bytes", "source=? encoding=? errors=?")
	if err != nil || v[0] == nil {
		return bytesValue(""), err
	}
	if s, ok := v[0].(str); ok {
		if v[1] == nil {
			return nil, typeError("string argument without an encoding")
		}
		return encode(e, s, arguments{positional: v[1:2]})
	}
	if v[1] != nil {
		return nil, typeError("encoding without a string argument")
	}
	switch x := v[0].(type) {
	case bytesValue:
		return x, nil
	case starlark.Int, starlark.Bool:
		n := clamp(toInt(x))
		if n < 0 {
			return nil, valueError("negative count")
		}
		if err := e.allocate(n); err != nil {
			return nil, err
		}
		return bytesValue(make([]byte, n)), nil
	}
	elements, err := e.collect(v[0], true)
	if err != nil {
		return nil, err
	}
	out := make([]byte, len(elements))
	for i, element := range elements {
		n, err := asInt(element)
		if err != nil {
			return nil, err
		}
		if n < 0 || n > 255 {
			return nil, valueError("bytes must be in range(0, 256)")
		}
		out[i] = byte(n)
	}
	return bytesValue(out), nil
}

func newComplex(_ *evaluation, a arguments) (starlark.Value, error) {
	v, err := a.bind("complex", "real=? imag=?")
	if err != nil {
		return nil, err
	}
	parts := [2]complex128{}
	for i, part := range v {
		if part == nil {
			continue
		}
		if rank(part) == 0 {
			if err := notArithmetic(part); err != nil {
				return nil, err
			}
			if _, ok := part.(str); ok {
				return nil, unsupported("complex of a string is not supported")
			}
			return nil, typeError("complex() argument must be a string or a number, not '%s'", describeType(part))
		}
		if parts[i], err = toComplex(part); err != nil {
			return nil, err
		}
	}
	if v[1] == nil {
		return complexValue(parts[0]), nil
	}
	return complexValue(complex(real(parts[0])-imag(parts[1]), imag(parts[0])+real(parts[1]))), nil
}

func newDictOf(e *evaluation, a arguments) (starlark.Value, error) {
	v, err := arguments{positional: a.positional}.bind("dict", "iterable=? /")
	if err != nil {
		return nil, err
	}
	out := newDict()
	switch source := v[0].(type) {
	case nil:
	case *dict:
		for _, entry := range source.entries {
			if err := out.put(e, entry.key, entry.value); err != nil {
				return nil, err
			}
		}
	default:
		elements, err := e.collect(source, false)
		if err != nil {
			return nil, err
		}
		for i, element := range elements {
			pair, err := e.collect(element, true)
			if err != nil {
				return nil, err
			}
			if len(pair) != 2 {
				return nil, valueError("dictionary update sequence element #%d has length %d; 2 is required", i, len(pair))
			}
			if err := out.put(e, pair[0], pair[1]); err != nil {
				return nil, err
			}
		}
	}
	for _, n := range a.named {
		if err := out.put(e, str(n.name), n.value); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func newFloat(_ *evaluation, a arguments) (starlark.Value, error) {
	v, err := a.bind("float", "x=? /")
	if err != nil || v[0] == nil {
		return starlark.Float(0), err
	}
	switch x := v[0].(type) {
	case str, bytesValue:
		text := x.String()
		if f, ok := parseFloat(text); ok {
			return starlark.Float(f), nil
		}
		return nil, valueError("could not convert string to float: %s", shorten(reprOf(x)))
	}
	if r := rank(v[0]); r == 1 || r == 2 {
		f, err := toFloat(v[0])
		return starlark.Float(f), err
	}
	if err := notArithmetic(v[0]); err != nil {
		return nil, err
	}
	return nil, typeError("float() argument must be a string or a real number, not '%s'", describeType(v[0]))
}

func newInt(_ *evaluation, a arguments) (starlark.Value, error) {
	v, err := a.bind("int", "x=? / base=?")
	if err != nil || v[0] == nil && v[1] == nil {
		return starlark.MakeInt(0), err
	}
	if v[0] == nil {
		return nil, typeError("int() missing string argument")
	}
	base := 10
	if v[1] != nil {
		if base, err = asInt(v[1]); err != nil {
			return nil, err
		}
		if base != 0 && (base < 2 || base > 36) {
			return nil, valueError("int() base must be >= 2 and <= 36, or 0")
		}
	}
	switch x := v[0].(type) {
	case str, bytesValue:
		text := asciiDigits(x.String())
		if i, ok := parseInteger(text, base); ok {
			return i, nil
		}
		if b := cmp.Or(base, 10); b&(b-1) != 0 && leadingDigits(text, b) > maxDigits {
			return nil, tooManyDigits(fmt.Sprintf(": value has %d digits", leadingDigits(text, b)))
		}
		return nil, valueError("invalid literal for int() with base %d: %s", base, shorten(reprOf(x)))
	}
	if v[1] != nil {
		return nil, typeError("int() can't convert non-string with explicit base")
	}
	switch x := v[0].(type) {
	case starlark.Int, starlark.Bool:
		return toInt(x), nil
	case starlark.Float:
		return truncate(math.Trunc(float64(x)))
	}
	if err := notArithmetic(v[0]); err != nil {
		return nil, err
	}
	return nil, typeError("int() argument must be a string, a bytes-like object or a real number, not '%s'", describeType(v[0]))
}

func newListOf(e *evaluation, a arguments) (starlark.Value, error) {
	v, err := a.bind("list", "iterable=? /")
	if err != nil || v[0] == nil {
		return starlark.NewList(nil), err
	}
	return e.newList(v[0])
}

func newRangeOf(_ *evaluation, a arguments) (starlark.Value, error) {
	switch {
	case len(a.named) > 0:
		return nil, typeError("range() takes no keyword arguments")
	case len(a.positional) == 0:
		return nil, typeError("range expected at least 1 argument, got 0")
	case len(a.positional) > 3:
		return nil, typeError("range expected at most 3 arguments, got %d", len(a.positional))
	}
	return newRange(a.positional)
}

func newSetOf(name string, frozen bool) func(*evaluation, arguments) (starlark.Value, error) {
	return func(e *evaluation, a arguments) (starlark.Value, error) {
		v, err := a.bind(name, "iterable=? /")
		if err != nil || v[0] == nil {
			return newSet(frozen), err
		}
		elements, err := e.collect(v[0], false)
		if err != nil {
			return nil, err
		}
		return e.setOf(frozen, elements)
	}
}

func newStr(e *evaluation, a arguments) (starlark.Value, error) {
	v, err := a.bind("str", "object=? encoding=? errors=?")
	if err != nil || v[0] == nil {
		return str(""), err
	}
	if b, ok := v[0].(bytesValue); ok && v[1] != nil {
		return decode(e, b, arguments{positional: v[1:2]})
	}
	if v[1] != nil || v[2] != nil {
		return nil, typeError("decoding to str: need a bytes-like object, %s found", describeType(v[0]))
	}
	if s, ok := v[0].(str); ok {
		return s, nil
	}
	text, err := e.text(v[0], "")
	return str(text), err
}

func newTuple(e *evaluation, a arguments) (starlark.Value, error) {
	v, err := a.bind("tuple", "iterable=? /")
	if err != nil || v[0] == nil {
		return starlark.Tuple{}, err
	}
	elements, err := e.collect(v[0], true)
	return starlark.Tuple(elements), err
}

func newType(_ *evaluation, a arguments) (starlark.Value, error) {
	v, err := a.bind("type", "object /")
	if err != nil {
		return nil, err
	}
	return typeOf(v[0])
}

// typeOf is type(v).
func typeOf(v starlark.Value) (starlark.Value, error) {
	switch v := v.(type) {
	case *object:
		if strings.Contains(v.class, ".") && !strings.Contains(v.class, "<locals>") {
			return typeValue(v.class), nil
		}
		return typeValue("?." + lastName(v.class)), nil
	case *enumValue:
		return typeValue("?." + lastName(v.class)), nil
	case *opaque:
		if _, builtin := builtins[v.class].(typeValue); !builtin {
			return nil, notKnown(v)
		}
	case *dict:
		if v.class != "dict" && v.class != "mappingproxy" {
			return typeValue("collections." + v.class), nil
		}
	case *sequence:
		if v.class != "deque" {
			return nil, unsupported("the type of a %s is not supported", v.class)
		}
		return typeValue("collections.deque"), nil
	}
	return typeValue(typeName(v)), nil
}

// joinStrings joins texts, counting what that needs.
func (e *evaluation) joinStrings(texts []string, separator string) (str, error) {
	size := len(separator) * max(0, len(texts)-1)
	for _, t := range texts {
		size += len(t)
	}
	if err := e.allocate(size); err != nil {
		return "", err
	}
	return str(strings.Join(texts, separator)), e.tick(size/16 + len(texts))
}
