package expr

import (
	"go.starlark.net/starlark"
)

// identical is `a is b`. Whether two values are the same object is not in their
// reprs, but for those types that have one object a value.
func identical(a, b starlark.Value) (bool, error) {
	single := isSingle(a) || isSingle(b)
	if single {
		return a == b, nil
	}
	x, xok := a.(*enumValue)
	y, yok := b.(*enumValue)
	if xok && yok {
		return x.class == y.class && x.name == y.name, nil
	}
	if typeName(a) != typeName(b) && typeName(a) != "" && typeName(b) != "" {
		return false, nil
	}
	return false, unknown("whether two values are one object is not known; == compares what they are")
}

// isSingle reports whether there is one object only that equals v.
func isSingle(v starlark.Value) bool {
	switch v.(type) {
	case starlark.NoneType, starlark.Bool, ellipsisType, typeValue:
		return true
	}
	return false
}

// sameOrEqual compares elements as collections do: an object is taken for equal
// to itself, which makes a difference for nan alone.
func (e *evaluation) sameOrEqual(a, b starlark.Value) (bool, error) {
	x, xok := a.(starlark.Float)
	y, yok := b.(starlark.Float)
	if xok && yok && x != x && y != y {
		return false, unknown("whether two nans are one object, and so equal in a collection, is not known")
	}
	return e.equal(a, b)
}

// equal is a == b.
func (e *evaluation) equal(a, b starlark.Value) (bool, error) {
	if err := e.tick(1); err != nil {
		return false, err
	}
	if ra, rb := rank(a), rank(b); ra > 0 && rb > 0 {
		if max(ra, rb) == 3 {
			return equalComplex(a, b), nil
		}
		order, ok := compareNumbers(a, b)
		return ok && order == 0, nil
	}
	for _, v := range []starlark.Value{a, b} {
		if err := notKnown(v); err != nil {
			return false, err
		}
	}
	switch x := a.(type) {
	case str:
		if y, ok := b.(str); ok {
			return x == y, nil
		}
	case bytesValue:
		if y, ok := b.(bytesValue); ok {
			return x == y, nil
		}
	case *starlark.List:
		if y, ok := b.(*starlark.List); ok {
			return e.equalElements(elementsOf(x), elementsOf(y))
		}
	case starlark.Tuple:
		switch y := b.(type) {
		case starlark.Tuple:
			return e.equalElements(x, y)
		case *object:
			return false, e.refuseComparison(y)
		}
	case *dict:
		if y, ok := b.(*dict); ok {
			return e.equalDicts(x, y)
		}
	case *set:
		if y, ok := b.(*set); ok {
			return len(x.elements) == len(y.elements) && isSubset(x, y), nil
		}
	case rangeValue:
		if y, ok := b.(rangeValue); ok {
			return x.equal(y), nil
		}
	case *view:
		return e.equalViews(x, b)
	case *object:
		return e.equalObjects(x, b)
	case *enumValue:
		return equalEnums(x, b)
	case *sequence:
		y, ok := b.(*sequence)
		if ok && x.class == "deque" && y.class == "deque" {
			return e.equalElements(x.elements, y.elements)
		}
		if x.class != "deque" || ok {
			return false, unsupported("comparing a %s is not supported", x.class)
		}
	case *iterator, *function, *starlark.Function:
		if typeName(a) == typeName(b) {
			return false, unsupported("comparing a %s is not supported", describeType(a))
		}
	default:
		if isSingle(a) && isSingle(b) {
			return a == b, nil
		}
	}
	switch y := b.(type) { // b may be what decides
	case *object:
		return e.equalObjects(y, a)
	case *enumValue:
		return equalEnums(y, a)
	case *sequence:
		if y.class != "deque" {
			return false, unsupported("comparing a %s is not supported", y.class)
		}
	case *view:
		return e.equalViews(y, a)
	}
	return false, nil
}

func equalComplex(a, b starlark.Value) bool {
	for _, pair := range [][2]starlark.Value{{a, b}, {b, a}} {
		c, ok := pair[0].(complexValue)
		if !ok {
			continue
		}
		if other, ok := pair[1].(complexValue); ok {
			return c == other
		}
		order, ok := compareNumbers(starlark.Float(real(complex128(c))), pair[1])
		return imag(complex128(c)) == 0 && ok && order == 0
	}
	return false
}

func (e *evaluation) equalElements(a, b []starlark.Value) (bool, error) {
	if len(a) != len(b) {
		return false, nil
	}
	for i := range a {
		if ok, err := e.sameOrEqual(a[i], b[i]); !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}

func (e *evaluation) equalDicts(a, b *dict) (bool, error) {
	if a.class == "OrderedDict" && b.class == "OrderedDict" || a.class == "Counter" || b.class == "Counter" {
		if len(a.entries) > 0 || len(b.entries) > 0 {
			return false, unsupported("comparing two %ss is not supported", a.class)
		}
	}
	if len(a.entries) != len(b.entries) {
		return false, nil
	}
	for k, i := range a.index {
		j, ok := b.index[k]
		if !ok {
			return false, nil
		}
		if ok, err := e.sameOrEqual(a.entries[i].value, b.entries[j].value); !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}

func isSubset(a, b *set) bool {
	for k := range a.index {
		if _, ok := b.index[k]; !ok {
			return false
		}
	}
	return true
}

// isDataLike reports whether a repr shows all that the object is, by name, as
// those of dataclasses and named tuples do. Such objects are compared by class
// and fields, as both do unless told otherwise.
func isDataLike(v *object) bool { return len(v.positional) == 0 && len(v.fields) > 0 }

func (e *evaluation) refuseComparison(v *object) error {
	return unsupported("how %s compares depends on its class", shorten(v.text))
}

func (e *evaluation) equalObjects(a *object, b starlark.Value) (bool, error) {
	switch b := b.(type) {
	case *object:
		if a.class == b.class && isDateLike(a.class) && isDateLike(b.class) {
			order, err := compareDates(a, b)
			return order == 0, err
		}
		if a.class != b.class || !isDataLike(a) || !isDataLike(b) || len(a.fields) != len(b.fields) {
			return false, e.refuseComparison(a)
		}
		for i := range a.fields {
			if a.fields[i].name != b.fields[i].name {
				return false, e.refuseComparison(a)
			}
			if ok, err := e.equal(a.fields[i].value, b.fields[i].value); !ok || err != nil {
				return false, err
			}
		}
		return true, nil
	case starlark.NoneType, ellipsisType, typeValue:
		if isDataLike(a) || isException(a) || isDateLike(a.class) {
			return false, nil
		}
	case starlark.Int, starlark.Float, str, bytesValue, starlark.Bool:
		if isException(a) || isDateLike(a.class) || isDataLike(a) {
			return false, nil
		}
	}
	return false, e.refuseComparison(a)
}

func equalEnums(a *enumValue, b starlark.Value) (bool, error) {
	switch b := b.(type) {
	case *enumValue:
		if a.class == b.class {
			return a.name == b.name, nil
		}
	case starlark.NoneType:
		return false, nil
	}
	return false, unsupported("whether %s equals another type's value depends on its class; compare its .value", a)
}
