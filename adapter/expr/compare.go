package expr

import (
	"math"
	"math/big"
	"slices"
	"strconv"
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

// key returns a text that two hashable values share exactly when Python takes
// them for the same key: equal ones. 1, 1.0 and True are one key.
func (e *evaluation) key(v starlark.Value) (string, error) {
	if err := e.tick(1); err != nil {
		return "", err
	}
	switch v := v.(type) {
	case starlark.NoneType:
		return "N", nil
	case starlark.Bool, starlark.Int:
		return "i" + toInt(v).String(), nil
	case starlark.Float:
		return floatKey(float64(v))
	case complexValue:
		if imag(complex128(v)) == 0 {
			return floatKey(real(complex128(v)))
		}
		return "c" + writeComplex(complex128(v)), nil
	case str:
		return "s" + string(v), nil
	case bytesValue:
		return "b" + string(v), nil
	case ellipsisType:
		return "E", nil
	case typeValue:
		return "t" + string(v), nil
	case starlark.Tuple:
		keys, err := e.keys(v)
		return "(" + strings.Join(keys, "") + ")", err
	case *set:
		if v.frozen {
			keys, err := e.keys(v.elements)
			slices.Sort(keys)
			return "f(" + strings.Join(keys, "") + ")", err
		}
	case rangeValue:
		return v.key(), nil
	case *enumValue:
		if _, ok := v.value.(starlark.Int); ok {
			return "", unsupported("whether %s and %s are one key depends on its class", v, reprOf(v.value))
		}
		return "e" + v.class + "." + v.name, nil
	case *object:
		if isDateLike(v.class) {
			return "d" + v.text, nil
		}
		return "", unsupported("whether %s can be a key depends on its class", shorten(v.text))
	case *opaque:
		return "", notKnown(v)
	case *function, *starlark.Function, *iterator:
		return "", unsupported("functions and iterators as keys are not supported")
	}
	return "", typeError("unhashable type: '%s'", describeType(v))
}

func floatKey(f float64) (string, error) {
	switch {
	case math.IsNaN(f):
		return "", unsupported("nan as a key is not supported: whether it is the same nan is not known")
	case f == math.Trunc(f) && !math.IsInf(f, 0):
		i, _ := big.NewFloat(f).Int(nil)
		return "i" + i.String(), nil
	}
	return "f" + strconv.FormatFloat(f, 'g', -1, 64), nil
}

// keys returns the keys of elements, each with its length, so that no two
// sequences of keys look the same when joined.
func (e *evaluation) keys(elements []starlark.Value) ([]string, error) {
	out := make([]string, len(elements))
	for i, element := range elements {
		k, err := e.key(element)
		if err != nil {
			return nil, err
		}
		if err := e.allocate(len(k)); err != nil {
			return nil, err
		}
		out[i] = strconv.Itoa(len(k)) + ":" + k
	}
	return out, nil
}
