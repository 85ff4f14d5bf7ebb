package expr

import (
	"go.starlark.net/starlark"
)

// concatenate is a + b of sequences; nil when they are none, or not of one type.
func (e *evaluation) concatenate(a, b starlark.Value) (starlark.Value, error) {
	switch x := a.(type) {
	case str:
		if y, ok := b.(str); ok {
			return x + y, e.allocate(len(x) + len(y))
		}
		return nil, typeError(`can only concatenate str (not "%s") to str`, describeType(b))
	case bytesValue:
		if y, ok := b.(bytesValue); ok {
			return x + y, e.allocate(len(x) + len(y))
		}
		return nil, typeError("can't concat %s to bytes", describeType(b))
	case *starlark.List:
		if y, ok := b.(*starlark.List); ok {
			if err := e.allocate(16 * (x.Len() + y.Len())); err != nil {
				return nil, err
			}
			return starlark.NewList(append(elementsOf(x), elementsOf(y)...)), nil
		}
		return nil, typeError(`can only concatenate list (not "%s") to list`, describeType(b))
	case starlark.Tuple:
		if y, ok := b.(starlark.Tuple); ok {
			if err := e.allocate(16 * (len(x) + len(y))); err != nil {
				return nil, err
			}
			return append(append(make(starlark.Tuple, 0, len(x)+len(y)), x...), y...), nil
		}
		return nil, typeError(`can only concatenate tuple (not "%s") to tuple`, describeType(b))
	}
	return nil, nil
}

// repeat is a * b with a sequence and an int, in any order; nil otherwise.
func (e *evaluation) repeat(a, b starlark.Value) (starlark.Value, error) {
	if rank(a) == 1 {
		a, b = b, a
	}
	size := 0
	switch v := a.(type) {
	case str:
		size = len(v)
	case bytesValue:
		size = len(v)
	case *starlark.List:
		size = 16 * v.Len()
	case starlark.Tuple:
		size = 16 * len(v)
	default:
		return nil, nil
	}
	if rank(b) != 1 {
		return nil, typeError("can't multiply sequence by non-int of type '%s'", describeType(b))
	}
	if _, fits := toInt(b).Int64(); !fits {
		return nil, raise("OverflowError", "cannot fit 'int' into an index-sized integer")
	}
	times := max(0, clamp(toInt(b)))
	if size > 0 && times > maxMemory/size {
		return nil, tooLarge("the sequence is too long")
	}
	if size == 0 {
		times = 0
	}
	if err := e.allocate(size * times); err != nil {
		return nil, err
	}
	if err := e.tick(size * times / 16); err != nil {
		return nil, err
	}
	switch v := a.(type) {
	case str:
		return str(repeatBytes(string(v), times)), nil
	case bytesValue:
		return bytesValue(repeatBytes(string(v), times)), nil
	case *starlark.List:
		return starlark.NewList(repeatElements(elementsOf(v), times)), nil
	}
	return starlark.Tuple(repeatElements(a.(starlark.Tuple), times)), nil
}

func repeatBytes(s string, times int) []byte {
	out := make([]byte, 0, len(s)*times)
	for range times {
		out = append(out, s...)
	}
	return out
}

func repeatElements(v []starlark.Value, times int) []starlark.Value {
	out := make([]starlark.Value, 0, len(v)*times)
	for range times {
		out = append(out, v...)
	}
	return out
}

// combine is |, &, - and ^ of sets, and | of dicts; nil for other operands.
func (e *evaluation) combine(op string, a, b starlark.Value) (starlark.Value, error) {
	if x, ok := a.(*dict); ok && op == "|" {
		if y, ok := b.(*dict); ok {
			if x.class != "dict" || y.class != "dict" {
				return nil, unsupported("| of a %s and a %s is not supported", x.class, y.class)
			}
			return e.merge(x, y)
		}
	}
	if typed(a) && typed(b) && op == "|" {
		return nil, unsupported("unions of types are not supported")
	}
	x, xok, err := e.setLike(a)
	if err != nil || !xok {
		return nil, err
	}
	y, yok, err := e.setLike(b)
	if err != nil || !yok {
		return nil, err
	}
	return e.combineSets(op, x, y)
}

func typed(v starlark.Value) bool {
	switch v.(type) {
	case typeValue, starlark.NoneType:
		return true
	}
	return false
}

func (e *evaluation) merge(a, b *dict) (starlark.Value, error) {
	out := newDict()
	for _, d := range []*dict{a, b} {
		for _, entry := range d.entries {
			if err := out.put(e, entry.key, entry.value); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// setLike returns a set, or a view of a dict as one.
func (e *evaluation) setLike(v starlark.Value) (*set, bool, error) {
	switch v := v.(type) {
	case *set:
		return v, true, nil
	case *view:
		if v.kind == "dict_values" {
			return nil, false, nil
		}
		s, err := v.asSet(e)
		return s, true, err
	}
	return nil, false, nil
}

func (e *evaluation) combineSets(op string, a, b *set) (starlark.Value, error) {
	var elements []starlark.Value
	for k, i := range sortedIndex(a) {
		_, also := b.index[k]
		if op == "|" || op == "&" && also || (op == "-" || op == "^") && !also {
			elements = append(elements, a.elements[i])
		}
	}
	if op == "|" || op == "^" {
		for k, i := range sortedIndex(b) {
			if _, also := a.index[k]; !also {
				elements = append(elements, b.elements[i])
			}
		}
	}
	if err := e.tick(len(a.elements) + len(b.elements)); err != nil {
		return nil, err
	}
	return e.setOf(a.frozen, elements)
}
