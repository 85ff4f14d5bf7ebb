package expr

import (
	"math"
	"slices"
	"strings"

	"go.starlark.net/starlark"
)

// method is one method of a built-in type.
type method func(e *evaluation, self starlark.Value, a arguments) (starlark.Value, error)

// methods are those that can be called, by the type's name.
var methods map[string]map[string]method

// mutating are the methods that change their object.
var mutating = map[string]map[string]bool{
	"list":  setOfNames("append clear extend insert pop remove reverse sort"),
	"dict":  setOfNames("clear pop popitem setdefault update"),
	"set":   setOfNames("add clear difference_update discard intersection_update pop remove symmetric_difference_update update"),
	"deque": setOfNames("append appendleft clear extend extendleft insert pop popleft remove reverse rotate"),
}

// unsupportedMethods are those of Python's that are not here.
var unsupportedMethods = map[string]map[string]bool{
	"str": setOfNames("maketrans translate"),
	"bytes": setOfNames(`capitalize center expandtabs fromhex isalnum isalpha isascii isdigit islower isspace istitle isupper
		ljust maketrans partition removeprefix removesuffix rfind rindex rjust rpartition rsplit splitlines swapcase title translate zfill
		rstrip lstrip`),
	"int":     setOfNames("as_integer_ratio to_bytes from_bytes"),
	"bool":    setOfNames("as_integer_ratio to_bytes from_bytes"),
	"float":   setOfNames("as_integer_ratio fromhex hex"),
	"dict":    setOfNames("fromkeys"),
	"Counter": setOfNames("subtract"),
}

func setOfNames(names string) map[string]bool {
	out := map[string]bool{}
	for _, name := range strings.Fields(names) {
		out[name] = true
	}
	return out
}

func init() { // a literal would refer to itself by way of attribute
	dictMethods := map[string]method{
		"copy": methodSelf("copy"), "get": dictGet, "items": dictView("dict_items"), "keys": dictView("dict_keys"), "values": dictView("dict_values"),
	}
	counterMethods := map[string]method{"most_common": counterMostCommon, "elements": counterElements, "total": counterTotal}
	for name, m := range dictMethods {
		counterMethods[name] = m
	}
	setMethods := map[string]method{
		"copy": methodSelf("copy"), "union": setCombine("union", "|"), "intersection": setCombine("intersection", "&"),
		"difference": setCombine("difference", "-"), "symmetric_difference": setSymmetricDifference,
		"issubset": setRelation("issubset", "<="), "issuperset": setRelation("issuperset", ">="), "isdisjoint": setIsDisjoint,
	}
	sequenceMethods := map[string]method{"count": sequenceCount, "index": sequenceIndex}
	listMethods := map[string]method{"count": sequenceCount, "index": sequenceIndex, "copy": methodSelf("copy")}
	methods = map[string]map[string]method{
		"str": strMethods, "bytes": bytesMethods, "list": listMethods, "deque": listMethods, "tuple": sequenceMethods, "range": sequenceMethods,
		"dict": dictMethods, "OrderedDict": dictMethods, "defaultdict": dictMethods, "mappingproxy": dictMethods, "Counter": counterMethods,
		"set": setMethods, "frozenset": setMethods, "int": {"bit_length": intBitLength, "bit_count": intBitCount, "conjugate": methodSelf("conjugate")},
		"float": {"is_integer": floatIsInteger, "conjugate": methodSelf("conjugate")}, "NoneType": {},
		"complex": {"conjugate": complexConjugate}, "dict_keys": {"isdisjoint": viewIsDisjoint}, "dict_items": {"isdisjoint": viewIsDisjoint}, "dict_values": {},
	}
	methods["bool"] = methods["int"]
	for _, class := range []string{"OrderedDict", "defaultdict", "Counter"} {
		mutating[class] = mutating["dict"]
	}
}

// methodSelf is a method without arguments that returns its object: a copy
// cannot be told from it.
func methodSelf(name string) method {
	return func(_ *evaluation, self starlark.Value, a arguments) (starlark.Value, error) {
		_, err := a.bind(name, "")
		if b, ok := self.(starlark.Bool); ok {
			return boolInt(b), err
		}
		return self, err
	}
}

func dictGet(e *evaluation, self starlark.Value, a arguments) (starlark.Value, error) {
	v, err := a.bind("get", "key default=? /")
	if err != nil {
		return nil, err
	}
	value, err := self.(*dict).get(e, v[0])
	switch {
	case value != nil || err != nil:
		return value, err
	case v[1] != nil:
		return v[1], nil
	}
	return starlark.None, nil
}

func dictView(kind string) method {
	return func(_ *evaluation, self starlark.Value, a arguments) (starlark.Value, error) {
		_, err := a.bind(strings.TrimPrefix(kind, "dict_"), "")
		return &view{kind, self.(*dict)}, err
	}
}

func counterMostCommon(e *evaluation, self starlark.Value, a arguments) (starlark.Value, error) {
	v, err := a.bind("most_common", "n=?")
	if err != nil {
		return nil, err
	}
	entries := slices.Clone(self.(*dict).entries)
	var failure error
	slices.SortStableFunc(entries, func(x, y entry) int {
		if rank(x.value) != 1 || rank(y.value) != 1 {
			failure = unsupported("counts that are no integers are not supported")
			return 0
		}
		order, _ := compareNumbers(y.value, x.value)
		return order
	})
	if failure != nil {
		return nil, failure
	}
	if v[0] != nil && v[0] != starlark.None {
		n, err := asInt(v[0])
		if err != nil {
			return nil, err
		}
		entries = entries[:min(max(n, 0), len(entries))]
	}
	out := make([]starlark.Value, len(entries))
	for i, entry := range entries {
		out[i] = starlark.Tuple{entry.key, entry.value}
	}
	return starlark.NewList(out), e.tick(len(out))
}

func counterElements(e *evaluation, self starlark.Value, a arguments) (starlark.Value, error) {
	if _, err := a.bind("elements", ""); err != nil {
		return nil, err
	}
	out := &iterator{class: "itertools.chain"}
	for _, entry := range self.(*dict).entries {
		n, err := asInt(entry.value)
		if err != nil {
			return nil, err
		}
		if err := e.tick(max(n, 0)); err != nil {
			return nil, err
		}
		for range n {
			out.elements = append(out.elements, entry.key)
		}
	}
	return out, e.allocate(16 * len(out.elements))
}

func counterTotal(e *evaluation, self starlark.Value, a arguments) (starlark.Value, error) {
	if _, err := a.bind("total", ""); err != nil {
		return nil, err
	}
	return builtinSum(e, arguments{positional: []starlark.Value{&view{"dict_values", self.(*dict)}}})
}

// setCombine is a method that combines a set with any number of iterables.
func setCombine(name, op string) method {
	return func(e *evaluation, self starlark.Value, a arguments) (starlark.Value, error) {
		if len(a.named) > 0 {
			return nil, typeError("set.%s() takes no keyword arguments", name)
		}
		var out starlark.Value = self
		for _, other := range a.positional {
			s, err := e.anySet(other)
			if err != nil {
				return nil, err
			}
			if out, err = e.combineSets(op, out.(*set), s); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
}

// anySet returns the elements of an iterable as a set.
func (e *evaluation) anySet(v starlark.Value) (*set, error) {
	if s, ok := v.(*set); ok {
		return s, nil
	}
	elements, err := e.collect(v, false)
	if err != nil {
		return nil, err
	}
	return e.setOf(false, elements)
}

func setSymmetricDifference(e *evaluation, self starlark.Value, a arguments) (starlark.Value, error) {
	if _, err := a.bind("symmetric_difference", "other /"); err != nil {
		return nil, err
	}
	return setCombine("symmetric_difference", "^")(e, self, a)
}

func setRelation(name, op string) method {
	return func(e *evaluation, self starlark.Value, a arguments) (starlark.Value, error) {
		v, err := a.bind(name, "other /")
		if err != nil {
			return nil, err
		}
		other, err := e.anySet(v[0])
		if err != nil {
			return nil, err
		}
		return starlark.Bool(lessSets(op, self.(*set), other)), nil
	}
}

func setIsDisjoint(e *evaluation, self starlark.Value, a arguments) (starlark.Value, error) {
	v, err := a.bind("isdisjoint", "other /")
	if err != nil {
		return nil, err
	}
	other, err := e.anySet(v[0])
	if err != nil {
		return nil, err
	}
	for k := range other.index {
		if _, ok := self.(*set).index[k]; ok {
			return starlark.False, nil
		}
	}
	return starlark.True, nil
}

func viewIsDisjoint(e *evaluation, self starlark.Value, a arguments) (starlark.Value, error) {
	s, err := self.(*view).asSet(e)
	if err != nil {
		return nil, err
	}
	return setIsDisjoint(e, s, a)
}

func sequenceCount(e *evaluation, self starlark.Value, a arguments) (starlark.Value, error) {
	v, err := a.bind("count", "value /")
	if err != nil {
		return nil, err
	}
	elements, err := e.collect(self, true)
	if err != nil {
		return nil, err
	}
	count := 0
	for _, element := range elements {
		ok, err := e.sameOrEqual(element, v[0])
		if err != nil {
			return nil, err
		}
		if ok {
			count++
		}
	}
	return starlark.MakeInt(count), nil
}

func sequenceIndex(e *evaluation, self starlark.Value, a arguments) (starlark.Value, error) {
	signature := "value start=? stop=? /"
	if _, ok := self.(rangeValue); ok {
		signature = "value /"
	}
	v, err := a.bind("index", signature)
	if err != nil {
		return nil, err
	}
	elements, err := e.collect(self, true)
	if err != nil {
		return nil, err
	}
	within := sliceValue{starlark.None, starlark.None, starlark.None}
	if len(v) > 1 {
		within.start, within.stop = orNone(v[1]), orNone(v[2])
	}
	at, err := within.bounds(len(elements))
	if err != nil {
		return nil, err
	}
	for i := at.start; i < at.start+at.count; i++ {
		ok, err := e.sameOrEqual(elements[i], v[0])
		if err != nil {
			return nil, err
		}
		if ok {
			return starlark.MakeInt(i), nil
		}
	}
	return nil, valueError("%s is not in %s", shorten(reprOf(v[0])), describeType(self))
}

func orNone(v starlark.Value) starlark.Value {
	if v == nil {
		return starlark.None
	}
	return v
}

func intBitLength(_ *evaluation, self starlark.Value, a arguments) (starlark.Value, error) {
	_, err := a.bind("bit_length", "")
	return starlark.MakeInt(toInt(self).BigInt().BitLen()), err
}

func intBitCount(_ *evaluation, self starlark.Value, a arguments) (starlark.Value, error) {
	_, err := a.bind("bit_count", "")
	count := strings.Count(toInt(self).BigInt().Text(2), "1")
	return starlark.MakeInt(count), err
}

func floatIsInteger(_ *evaluation, self starlark.Value, a arguments) (starlark.Value, error) {
	_, err := a.bind("is_integer", "")
	f := float64(self.(starlark.Float))
	return starlark.Bool(f == math.Trunc(f) && !math.IsInf(f, 0)), err
}

func complexConjugate(_ *evaluation, self starlark.Value, a arguments) (starlark.Value, error) {
	_, err := a.bind("conjugate", "")
	c := complex128(self.(complexValue))
	return complexValue(complex(real(c), -imag(c))), err
}
