package expr

import (
	"cmp"
	"slices"

	"go.starlark.net/starlark"
)

func builtinEnumerate(e *evaluation, a arguments) (starlark.Value, error) {
	v, err := a.bind("enumerate", "iterable start=?")
	if err != nil {
		return nil, err
	}
	first := starlark.MakeInt(0)
	if v[1] != nil {
		if first, err = asIndex(v[1]); err != nil {
			return nil, err
		}
	}
	it, err := e.iterate(v[0], true)
	if err != nil {
		return nil, err
	}
	elements, last := it.rest()
	out := &iterator{class: "enumerate", err: last, elements: make([]starlark.Value, len(elements))}
	for i, element := range elements {
		out.elements[i] = starlark.Tuple{first.Add(starlark.MakeInt(i)), element}
	}
	return out, e.allocate(48 * len(elements))
}

func builtinFilter(e *evaluation, a arguments) (starlark.Value, error) {
	v, err := a.bind("filter", "function iterable /")
	if err != nil {
		return nil, err
	}
	it, err := e.iterate(v[1], false)
	if err != nil {
		return nil, err
	}
	elements, last := it.rest()
	out := &iterator{class: "filter", err: last, unordered: it.unordered}
	for _, element := range elements {
		kept := element
		if v[0] != starlark.None {
			if kept, err = e.call(v[0], arguments{positional: []starlark.Value{element}}); err != nil {
				return out.broken(e, err)
			}
		}
		ok, err := truth(kept)
		if err != nil {
			return out.broken(e, err)
		}
		if ok {
			out.elements = append(out.elements, element)
		}
	}
	return out, nil
}

// broken is an iterator whose next element is an error.
func (v *iterator) broken(e *evaluation, err error) (starlark.Value, error) {
	v.err = e.outcome(err)
	if e.ctx.Err() != nil || isLimit(v.err) {
		return nil, v.err
	}
	e.thread.Uncancel()
	return v, nil
}

func builtinMap(e *evaluation, a arguments) (starlark.Value, error) {
	if len(a.positional) < 2 || len(a.named) > 0 {
		return nil, typeError("map() must have at least two arguments.")
	}
	columns, count, last, err := e.columns(a.positional[1:], false)
	if err != nil {
		return nil, err
	}
	out := &iterator{class: "map", err: last}
	for _, v := range a.positional[1:] {
		if s, ok := v.(*set); ok && s.unordered {
			if len(a.positional) > 2 {
				return nil, unknown("the order of this set's elements is not known; sorted(...) has one")
			}
			out.unordered = true
		}
	}
	for i := range count {
		row := make([]starlark.Value, len(columns))
		for j := range columns {
			row[j] = columns[j][i]
		}
		result, err := e.call(a.positional[0], arguments{positional: row})
		if err != nil {
			return out.broken(e, err)
		}
		out.elements = append(out.elements, result)
	}
	return out, e.allocate(16 * count)
}

// columns takes the elements of several iterables as far as the shortest goes.
// last is the error that is reached there.
func (e *evaluation) columns(iterables []starlark.Value, ordered bool) (columns [][]starlark.Value, count int, last, err error) {
	count = -1
	for _, v := range iterables {
		it, err := e.iterate(v, ordered)
		if err != nil {
			return nil, 0, nil, err
		}
		elements := it.elements[it.next:]
		if count < 0 || len(elements) < count {
			count, last = len(elements), it.err
		}
		columns = append(columns, elements)
	}
	for _, v := range iterables {
		if it, ok := v.(*iterator); ok {
			it.next += min(count, len(it.elements)-it.next)
		}
	}
	return columns, max(count, 0), last, nil
}

func builtinZip(e *evaluation, a arguments) (starlark.Value, error) {
	strict := false
	for _, n := range a.named {
		if n.name != "strict" {
			return nil, typeError("zip() got an unexpected keyword argument '%s'", n.name)
		}
		var err error
		if strict, err = truth(n.value); err != nil {
			return nil, err
		}
	}
	for i, v := range a.positional {
		for _, w := range a.positional[:i] {
			if it, ok := v.(*iterator); ok && v == w {
				return nil, unsupported("zip of the same %s twice is not supported", it.class)
			}
		}
	}
	columns, count, last, err := e.columns(a.positional, true)
	if err != nil {
		return nil, err
	}
	out := &iterator{class: "zip", err: last}
	for i := range count {
		row := make(starlark.Tuple, len(columns))
		for j := range columns {
			row[j] = columns[j][i]
		}
		out.elements = append(out.elements, row)
	}
	for i, column := range columns {
		if strict && out.err == nil && len(column) != len(columns[0]) {
			out.err = valueError("zip() argument %d has another length than argument 1", i+1)
		}
	}
	return out, e.allocate((16 + 16*len(columns)) * count)
}

func builtinIter(e *evaluation, a arguments) (starlark.Value, error) {
	v, err := a.bind("iter", "iterable /")
	if err != nil {
		return nil, err
	}
	it, err := e.iterate(v[0], false)
	if err != nil || v[0] == starlark.Value(it) {
		return it, err
	}
	if it.class = iteratorClasses[typeName(v[0])]; it.class == "str_ascii_iterator" && !isASCII(string(v[0].(str))) {
		it.class = "str_iterator"
	}
	return it, nil
}

// iteratorClasses are the types of what iter makes, by that of its argument.
var iteratorClasses = map[string]string{
	"list": "list_iterator", "tuple": "tuple_iterator", "str": "str_ascii_iterator", "bytes": "bytes_iterator", "dict": "dict_keyiterator",
	"set": "set_iterator", "frozenset": "set_iterator", "range": "range_iterator", "dict_keys": "dict_keyiterator",
	"dict_values": "dict_valueiterator", "dict_items": "dict_itemiterator", "deque": "_collections._deque_iterator",
	"Counter": "dict_keyiterator", "defaultdict": "dict_keyiterator", "OrderedDict": "odict_iterator",
}

func builtinNext(_ *evaluation, a arguments) (starlark.Value, error) {
	v, err := a.bind("next", "iterator default=? /")
	if err != nil {
		return nil, err
	}
	it, ok := v[0].(*iterator)
	switch {
	case !ok:
		if err := notKnown(v[0]); err != nil {
			return nil, err
		}
		return nil, typeError("'%s' object is not an iterator", describeType(v[0]))
	case it.unordered && len(it.elements) > 1:
		return nil, unknown("the order of this set's elements is not known; sorted(...) has one")
	case it.next < len(it.elements):
		it.next++
		return it.elements[it.next-1], nil
	case it.err != nil:
		return nil, it.err
	case v[1] != nil:
		return v[1], nil
	}
	return nil, raise("StopIteration", "")
}

func builtinReversed(e *evaluation, a arguments) (starlark.Value, error) {
	v, err := a.bind("reversed", "sequence /")
	if err != nil {
		return nil, err
	}
	switch v[0].(type) {
	case *set, *iterator:
		return nil, typeError("'%s' object is not reversible", describeType(v[0]))
	}
	elements, err := e.collect(v[0], true)
	if err != nil {
		return nil, err
	}
	reversed := slices.Clone(elements)
	slices.Reverse(reversed)
	class := map[string]string{"list": "list_reverseiterator", "dict": "dict_reversekeyiterator", "range": "range_iterator", "OrderedDict": "odict_iterator",
		"Counter": "dict_reversekeyiterator", "defaultdict": "dict_reversekeyiterator"}[typeName(v[0])]
	return &iterator{class: cmp.Or(class, "reversed"), elements: reversed}, nil
}

func builtinSorted(e *evaluation, a arguments) (starlark.Value, error) {
	v, err := a.bind("sorted", "iterable / * key=? reverse=?")
	if err != nil {
		return nil, err
	}
	it, err := e.iterate(v[0], false)
	if err != nil {
		return nil, err
	}
	elements, err := it.rest()
	if err != nil {
		return nil, err
	}
	if it.unordered && v[1] != nil && v[1] != starlark.None {
		return nil, unknown("the order of this set's elements is not known, and elements with equal keys keep it")
	}
	reverse := false
	if v[2] != nil {
		if reverse, err = truth(v[2]); err != nil {
			return nil, err
		}
	}
	sorted, err := e.sort(elements, v[1], reverse)
	if err != nil {
		return nil, err
	}
	return starlark.NewList(sorted), nil
}

// keysOf returns what elements are compared by.
func (e *evaluation) keysOf(elements []starlark.Value, key starlark.Value) ([]starlark.Value, error) {
	if key == nil || key == starlark.None {
		return elements, nil
	}
	keys := make([]starlark.Value, len(elements))
	for i, element := range elements {
		var err error
		if keys[i], err = e.call(key, arguments{positional: []starlark.Value{element}}); err != nil {
			return nil, err
		}
	}
	return keys, nil
}

// sort returns the elements in order; equal ones stay as they were, in reverse
// order too.
func (e *evaluation) sort(elements []starlark.Value, key starlark.Value, reverse bool) ([]starlark.Value, error) {
	keys, err := e.keysOf(elements, key)
	if err != nil {
		return nil, err
	}
	order := make([]int, len(elements))
	for i := range order {
		order[i] = i
	}
	sets := 0
	for _, k := range keys {
		switch k := k.(type) {
		case *set:
			sets++
		case starlark.Float:
			if k != k {
				return nil, unsupported("sorting nan is not supported: the order depends on the algorithm")
			}
		}
	}
	if sets > 0 {
		return nil, unsupported("sorting sets is not supported: they have no order among all of them")
	}
	var failure error
	slices.SortStableFunc(order, func(i, j int) int {
		if failure != nil {
			return 0
		}
		x, y := keys[i], keys[j]
		if reverse {
			x, y = y, x
		}
		for _, pair := range []struct {
			a, b  starlark.Value
			order int
		}{{x, y, -1}, {y, x, 1}} {
			ok, err := e.less("<", pair.a, pair.b)
			if err != nil {
				failure = err
				return 0
			}
			if ok {
				return pair.order
			}
		}
		return 0
	})
	if failure != nil {
		return nil, failure
	}
	out := make([]starlark.Value, len(order))
	for i, at := range order {
		out[i] = elements[at]
	}
	return out, e.allocate(16 * len(out))
}

// builtinExtreme is min and max: the first element that no other is beyond.
func builtinExtreme(name, op string) func(*evaluation, arguments) (starlark.Value, error) {
	return func(e *evaluation, a arguments) (starlark.Value, error) {
		options, err := arguments{named: a.named}.bind(name, "* key=? default=?")
		if err != nil {
			return nil, err
		}
		elements := a.positional
		unordered := false
		switch len(a.positional) {
		case 0:
			return nil, typeError("%s expected at least 1 argument, got 0", name)
		case 1:
			it, err := e.iterate(a.positional[0], false)
			if err != nil {
				return nil, err
			}
			unordered = it.unordered
			if elements, err = it.rest(); err != nil {
				return nil, err
			}
		default:
			if options[1] != nil {
				return nil, typeError("Cannot specify a default for %s() with multiple positional arguments", name)
			}
		}
		if len(elements) == 0 {
			if options[1] != nil {
				return options[1], nil
			}
			return nil, valueError("%s() arg is an empty sequence", name)
		}
		if unordered && options[0] != nil && options[0] != starlark.None {
			return nil, unknown("the order of this set's elements is not known, and of elements with equal keys the first counts")
		}
		keys, err := e.keysOf(elements, options[0])
		if err != nil {
			return nil, err
		}
		best := 0
		for i := 1; i < len(keys); i++ {
			beyond, err := e.less(op, keys[i], keys[best])
			if err != nil {
				return nil, err
			}
			if beyond {
				best = i
			}
		}
		return elements[best], nil
	}
}
