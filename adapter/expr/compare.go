package expr

import (
	"math"
	"math/big"
	"strings"

	"go.starlark.net/starlark"
)

// compare is one of the comparison operators, in, not in, is and is not.
func (e *evaluation) compare(op string, a, b starlark.Value) (bool, error) {
	switch op {
	case "==":
		return e.equal(a, b)
	case "!=":
		ok, err := e.equal(a, b)
		return !ok, err
	case "<", "<=", ">", ">=":
		return e.less(op, a, b)
	case "in":
		return e.contains(b, a)
	case "not in":
		ok, err := e.contains(b, a)
		return !ok, err
	case "is":
		return identical(a, b)
	case "is not":
		ok, err := identical(a, b)
		return !ok, err
	}
	return false, unsupported("the operator %s is not supported", op)
}

// compareNumbers orders two numbers by their exact values; not ok when one is
// nan.
func compareNumbers(a, b starlark.Value) (order int, ok bool) {
	x, xIsFloat := a.(starlark.Float)
	y, yIsFloat := b.(starlark.Float)
	switch {
	case xIsFloat && math.IsNaN(float64(x)), yIsFloat && math.IsNaN(float64(y)):
		return 0, false
	case xIsFloat && yIsFloat:
		switch {
		case x < y:
			return -1, true
		case x > y:
			return 1, true
		}
		return 0, true
	case xIsFloat:
		return -compareIntFloat(toInt(b), float64(x)), true
	case yIsFloat:
		return compareIntFloat(toInt(a), float64(y)), true
	}
	return toInt(a).BigInt().Cmp(toInt(b).BigInt()), true
}

func compareIntFloat(i starlark.Int, f float64) int {
	if math.IsInf(f, 0) {
		if f > 0 {
			return -1
		}
		return 1
	}
	return new(big.Float).SetInt(i.BigInt()).Cmp(big.NewFloat(f))
}

// less is one of the four orderings.
func (e *evaluation) less(op string, a, b starlark.Value) (bool, error) {
	if err := e.tick(1); err != nil {
		return false, err
	}
	ra, rb := rank(a), rank(b)
	if ra > 0 && rb > 0 && max(ra, rb) < 3 {
		order, ok := compareNumbers(a, b)
		return ok && holds(op, order), nil
	}
	for _, v := range []starlark.Value{a, b} {
		if err := notKnown(v); err != nil {
			return false, err
		}
	}
	switch x := a.(type) {
	case str:
		if y, ok := b.(str); ok {
			return holds(op, strings.Compare(string(x), string(y))), nil // by code points, WTF-8 being in order
		}
	case bytesValue:
		if y, ok := b.(bytesValue); ok {
			return holds(op, strings.Compare(string(x), string(y))), nil
		}
	case *starlark.List:
		if y, ok := b.(*starlark.List); ok {
			return e.lessElements(op, elementsOf(x), elementsOf(y))
		}
	case starlark.Tuple:
		if y, ok := b.(starlark.Tuple); ok {
			return e.lessElements(op, x, y)
		}
	case *set:
		if y, ok := b.(*set); ok {
			return lessSets(op, x, y), nil
		}
	case *object:
		if y, ok := b.(*object); ok && x.class == y.class && isDateLike(x.class) {
			order, err := compareDates(x, y)
			return holds(op, order), err
		}
	case *sequence:
		if y, ok := b.(*sequence); ok && x.class == "deque" && y.class == "deque" {
			return e.lessElements(op, x.elements, y.elements)
		}
	}
	for _, v := range []starlark.Value{a, b} {
		if err := notArithmetic(v); err != nil {
			return false, unsupported("how %s is ordered depends on its class", shorten(v.String()))
		}
		if _, ok := v.(*view); ok {
			return false, unsupported("ordering views of a dict is not supported")
		}
	}
	return false, typeError("'%s' not supported between instances of '%s' and '%s'", op, describeType(a), describeType(b))
}

func holds(op string, order int) bool {
	switch op {
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	}
	return order >= 0
}

// lessElements orders sequences by the first elements that differ.
func (e *evaluation) lessElements(op string, a, b []starlark.Value) (bool, error) {
	for i := range min(len(a), len(b)) {
		ok, err := e.sameOrEqual(a[i], b[i])
		if err != nil {
			return false, err
		}
		if !ok {
			return e.less(op, a[i], b[i])
		}
	}
	return holds(op, len(a)-len(b)), nil
}

func lessSets(op string, a, b *set) bool {
	switch op {
	case "<":
		return len(a.elements) < len(b.elements) && isSubset(a, b)
	case "<=":
		return isSubset(a, b)
	case ">":
		return len(b.elements) < len(a.elements) && isSubset(b, a)
	}
	return isSubset(b, a)
}

// contains is v in container.
func (e *evaluation) contains(container, v starlark.Value) (bool, error) {
	switch c := container.(type) {
	case str:
		part, ok := v.(str)
		if !ok {
			if err := notKnown(v); err != nil {
				return false, err
			}
			return false, typeError("'in <string>' requires string as left operand, not %s", describeType(v))
		}
		return strings.Contains(string(c), string(part)), e.tick(len(c) / 16)
	case bytesValue:
		if rank(v) == 1 {
			i := clamp(toInt(v))
			if i < 0 || i > 255 {
				return false, valueError("byte must be in range(0, 256)")
			}
			return strings.IndexByte(string(c), byte(i)) >= 0, nil
		}
		part, err := asBytes(v)
		return strings.Contains(string(c), string(part)), err
	case *dict:
		value, err := c.get(e, v)
		return value != nil, err
	case *set:
		return c.has(e, v)
	case rangeValue:
		if rank(v) == 1 {
			return c.has(toInt(v)), nil
		}
	case *view:
		if c.kind == "dict_keys" {
			value, err := c.of.get(e, v)
			return value != nil, err
		}
	case *sequence:
		if c.class != "deque" {
			return false, unsupported("comparing a %s is not supported", c.class)
		}
	}
	it, err := e.iterate(container, false)
	if err != nil {
		var own *Error
		if asError(err, &own) && own.Exception != "" {
			return false, typeError("argument of type '%s' is not iterable", describeType(container))
		}
		return false, err
	}
	for it.next < len(it.elements) {
		element := it.elements[it.next]
		it.next++
		if ok, err := e.sameOrEqual(element, v); ok || err != nil {
			return ok, err
		}
	}
	return false, it.err
}
