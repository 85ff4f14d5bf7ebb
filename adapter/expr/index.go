package expr

import (
	"go.starlark.net/starlark"
)

// size is len(v).
func (e *evaluation) size(v starlark.Value) (int, error) {
	switch v := v.(type) {
	case str:
		return v.length(), e.tick(len(v) / 16)
	case bytesValue:
		return len(v), nil
	case *starlark.List:
		return v.Len(), nil
	case starlark.Tuple:
		return len(v), nil
	case *dict:
		return len(v.entries), nil
	case *set:
		return len(v.elements), nil
	case *view:
		return len(v.of.entries), nil
	case rangeValue:
		return v.count(), nil
	case *sequence:
		return len(v.elements), nil
	case *object, *enumValue:
		return 0, unsupported("whether %s has a length depends on its class", shorten(v.String()))
	}
	if err := notKnown(v); err != nil {
		return 0, err
	}
	return 0, typeError("object of type '%s' has no len()", describeType(v))
}

// index is v[i].
func (e *evaluation) index(v, i starlark.Value) (starlark.Value, error) {
	if mapping, ok := v.(*dict); ok {
		return e.item(mapping, i)
	}
	switch v := v.(type) {
	case str, bytesValue, *starlark.List, starlark.Tuple, rangeValue, *sequence:
		if s, ok := i.(sliceValue); ok {
			return e.slice(v, s)
		}
		return e.element(v, i)
	case *object, *enumValue:
		return nil, unsupported("what %s has at an index depends on its class", shorten(v.String()))
	case typeValue:
		return nil, unsupported("generic types are not supported")
	}
	if err := notKnown(v); err != nil {
		return nil, err
	}
	return nil, typeError("'%s' object is not subscriptable", describeType(v))
}

func (e *evaluation) item(v *dict, key starlark.Value) (starlark.Value, error) {
	if _, ok := key.(sliceValue); ok {
		return nil, typeError("unhashable type: 'slice'")
	}
	value, err := v.get(e, key)
	switch {
	case value != nil || err != nil:
		return value, err
	case v.class == "Counter":
		return starlark.MakeInt(0), nil
	case v.class == "defaultdict":
		return nil, unsupported("a missing key of a defaultdict would be added, and evaluation changes nothing; use .get")
	}
	return nil, raise("KeyError", "%s", reprOf(key))
}

func (e *evaluation) element(v, i starlark.Value) (starlark.Value, error) {
	n, err := e.size(v)
	if err != nil {
		return nil, err
	}
	if _, isInt := i.(starlark.Int); !isInt {
		if _, isBool := i.(starlark.Bool); !isBool {
			if err := notKnown(i); err != nil {
				return nil, err
			}
			return nil, typeError("%s indices must be integers or slices, not %s", describeType(v), describeType(i))
		}
	}
	at, err := asInt(i)
	if err != nil {
		return nil, err
	}
	if at < 0 {
		at += n
	}
	if at < 0 || at >= n {
		return nil, raise("IndexError", "%s index out of range", describeType(v))
	}
	switch v := v.(type) {
	case str:
		return v.between(at, at+1), nil
	case bytesValue:
		return starlark.MakeInt(int(v[at])), nil
	case *starlark.List:
		return v.Index(at), nil
	case starlark.Tuple:
		return v[at], nil
	case rangeValue:
		return starlark.MakeInt(v.at(at)), nil
	}
	return v.(*sequence).elements[at], nil
}

// bounds are a slice of a sequence of known length: indices, and how many
// elements there are from start to stop.
type bounds struct{ start, stop, step, count int }

// bounds resolves a slice of a sequence with n elements.
func (s sliceValue) bounds(n int) (b bounds, err error) {
	b.step = 1
	if s.step != starlark.None {
		if b.step, err = sliceIndex(s.step); err != nil {
			return b, err
		}
		if b.step == 0 {
			return b, valueError("slice step cannot be zero")
		}
	}
	low, high := 0, n
	if b.step < 0 {
		low, high = -1, n-1
	}
	resolve := func(v starlark.Value, otherwise int) (int, error) {
		if v == starlark.None {
			return otherwise, nil
		}
		i, err := sliceIndex(v)
		if i < 0 {
			i += n
		}
		return min(max(i, low), high), err
	}
	first, last := low, high
	if b.step < 0 {
		first, last = high, low
	}
	if b.start, err = resolve(s.start, first); err != nil {
		return b, err
	}
	if b.stop, err = resolve(s.stop, last); err != nil {
		return b, err
	}
	switch {
	case b.step > 0 && b.stop > b.start:
		b.count = (b.stop-b.start-1)/b.step + 1
	case b.step < 0 && b.stop < b.start:
		b.count = (b.start-b.stop-1)/-b.step + 1
	}
	return b, nil
}

func sliceIndex(v starlark.Value) (int, error) {
	i, err := asIndex(v)
	if err != nil {
		if notKnown(v) != nil {
			return 0, err
		}
		return 0, typeError("slice indices must be integers or None or have an __index__ method")
	}
	return clamp(i), nil
}

// slice is v[a:b:c].
func (e *evaluation) slice(v starlark.Value, s sliceValue) (starlark.Value, error) {
	n, err := e.size(v)
	if err != nil {
		return nil, err
	}
	at, err := s.bounds(n)
	if err != nil {
		return nil, err
	}
	if _, ok := v.(rangeValue); !ok {
		if err := e.allocate(16 * at.count); err != nil {
			return nil, err
		}
		if err := e.tick(at.count); err != nil {
			return nil, err
		}
	}
	switch v := v.(type) {
	case str:
		return sliceString(v, at), nil
	case bytesValue:
		out := make([]byte, at.count)
		for i := range out {
			out[i] = v[at.start+i*at.step]
		}
		return bytesValue(out), nil
	case *starlark.List:
		out := make([]starlark.Value, at.count)
		for i := range out {
			out[i] = v.Index(at.start + i*at.step)
		}
		return starlark.NewList(out), nil
	case starlark.Tuple:
		out := make(starlark.Tuple, at.count)
		for i := range out {
			out[i] = v[at.start+i*at.step]
		}
		return out, nil
	case rangeValue:
		return rangeValue{v.at(at.start), v.at(at.stop), at.step * v.step}, nil
	}
	q := v.(*sequence)
	if q.class == "deque" {
		return nil, typeError("sequence index must be integer, not 'slice'")
	}
	return nil, unsupported("slices of a %s are not supported", q.class)
}

func sliceString(v str, at bounds) str {
	if at.count == 0 {
		return ""
	}
	if at.step == 1 {
		return v.between(at.start, at.stop)
	}
	begins := offsets(string(v))
	out := make([]byte, 0, at.count)
	for i := range at.count {
		from := at.start + i*at.step
		if begins == nil {
			out = append(out, v[from])
		} else {
			out = append(out, v[begins[from]:begins[from+1]]...)
		}
	}
	return str(out)
}
