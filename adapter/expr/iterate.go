package expr

import (
	"go.starlark.net/starlark"
)

// iterator is what iter, enumerate, zip, map, filter, reversed and generator
// expressions make. Its elements are computed at once, which nobody can tell
// from computing them one by one, since evaluation changes nothing; an error
// among them is raised when it is reached.
type iterator struct {
	class     string
	elements  []starlark.Value
	next      int
	err       error // behind the last element
	unordered bool  // the order of the elements is not known
}

func (v *iterator) String() string        { return "<" + v.class + " object>" }
func (v *iterator) Type() string          { return v.class }
func (v *iterator) Freeze()               {}
func (v *iterator) Truth() starlark.Bool  { return true }
func (v *iterator) Hash() (uint32, error) { return 0, errNoHash }

// iterate returns an iterator over a value. ordered says that the order of the
// elements can be seen in what comes of them; an unknown order is refused then.
func (e *evaluation) iterate(v starlark.Value, ordered bool) (*iterator, error) {
	out := &iterator{class: "iterator"}
	switch v := v.(type) {
	case *iterator:
		out = v
	case *starlark.List:
		out.elements = elementsOf(v)
	case starlark.Tuple:
		out.elements = v
	case str:
		out.elements = characters(v)
	case bytesValue:
		for i := range len(v) {
			out.elements = append(out.elements, starlark.MakeInt(int(v[i])))
		}
	case *dict:
		for _, entry := range v.entries {
			out.elements = append(out.elements, entry.key)
		}
	case *view:
		out.elements = v.elements()
	case *set:
		out.elements, out.unordered = v.elements, v.unordered
	case rangeValue:
		if err := e.tick(v.count()); err != nil {
			return nil, err
		}
		if err := e.allocate(16 * v.count()); err != nil {
			return nil, err
		}
		for i := range v.count() {
			out.elements = append(out.elements, starlark.MakeInt(v.at(i)))
		}
	case *sequence:
		out.elements = v.elements
	default:
		if err := notKnown(v); err != nil {
			return nil, err
		}
		switch v.(type) {
		case *object, *enumValue:
			return nil, unsupported("whether %s can be iterated over depends on its class", shorten(v.String()))
		}
		return nil, typeError("'%s' object is not iterable", describeType(v))
	}
	if ordered && out.unordered && len(out.elements) > 1 {
		return nil, unknown("the order of this set's elements is not known; sorted(...) has one")
	}
	if err := e.allocate(16 * len(out.elements)); err != nil {
		return nil, err
	}
	return out, e.tick(len(out.elements))
}

// rest takes all elements that an iterator has left.
func (v *iterator) rest() ([]starlark.Value, error) {
	out := v.elements[v.next:]
	v.next = len(v.elements)
	return out, v.err
}

// collect returns all elements of an iterable.
func (e *evaluation) collect(v starlark.Value, ordered bool) ([]starlark.Value, error) {
	it, err := e.iterate(v, ordered)
	if err != nil {
		return nil, err
	}
	return it.rest()
}

// newList is list(v).
func (e *evaluation) newList(v starlark.Value) (*starlark.List, error) {
	elements, err := e.collect(v, true)
	if err != nil {
		return nil, err
	}
	return starlark.NewList(elements[:len(elements):len(elements)]), nil
}

// loop is the iterable of a for clause of Starlark's.
type loop struct {
	*iterator
	evaluation *evaluation
	pattern    string
}

// Iterate begins the loop.
func (l loop) Iterate() starlark.Iterator { return l }

// Done ends the loop.
func (l loop) Done() {}

// Next gives the interpreter the next element, unpacked to the clause's names.
func (l loop) Next(p *starlark.Value) bool {
	e := l.evaluation
	if l.next >= len(l.elements) {
		if l.err != nil {
			e.fail(l.err)
		}
		return false
	}
	element := l.elements[l.next]
	l.next++
	names, rest, err := e.unpack(element, l.pattern, nil)
	if err == nil && rest != "" {
		err = unsupported("not translated")
	}
	if err != nil {
		e.fail(err)
		return false
	}
	*p = starlark.Tuple(names)
	return true
}

// fail ends the interpreter's run with an error.
func (e *evaluation) fail(err error) {
	if e.failed == nil {
		e.failed = err
	}
	e.thread.Cancel(err.Error())
}

// primitiveIterate returns what a for clause goes through. Its last argument
// says what may be made of an unknown order: nothing ("ordered"), anything
// ("any"), or to hand it on to the generator with the given emitter.
func primitiveIterate(e *evaluation, a starlark.Tuple) (starlark.Value, error) {
	mode, _ := a[2].(str)
	it, err := e.iterate(a[0], mode == "ordered")
	if err != nil {
		return nil, err
	}
	if emit, ok := a[2].(*emitter); ok && it.unordered {
		emit.generator.unordered = true
	}
	return loop{it, e, string(a[1].(str))}, nil
}

// unpack gives the parts of a value to the names of a pattern. It returns what
// it made of the pattern's beginning, and its rest.
func (e *evaluation) unpack(v starlark.Value, pattern string, names []starlark.Value) ([]starlark.Value, string, error) {
	if pattern[0] != '(' {
		return append(names, v), pattern[1:], nil
	}
	elements, err := e.collect(v, true)
	if err != nil {
		return nil, "", err
	}
	before, star, after := shape(pattern)
	switch have := len(elements); {
	case star && have < before+after:
		return nil, "", valueError("not enough values to unpack (expected at least %d, got %d)", before+after, have)
	case !star && have < before:
		return nil, "", valueError("not enough values to unpack (expected %d, got %d)", before, have)
	case !star && have > before:
		return nil, "", valueError("too many values to unpack (expected %d)", before)
	}
	at := 0
	for pattern = pattern[1:]; pattern[0] != ')'; {
		if pattern[0] == '*' {
			count := len(elements) - before - after
			names = append(names, starlark.NewList(elements[at:at+count:at+count]))
			at += count
			pattern = pattern[1:]
			continue
		}
		if names, pattern, err = e.unpack(elements[at], pattern, names); err != nil {
			return nil, "", err
		}
		at++
	}
	return names, pattern[1:], nil
}

// shape counts the targets of a parenthesized pattern.
func shape(pattern string) (before int, star bool, after int) {
	depth := 0
	for i := range len(pattern) {
		count := depth == 1 && pattern[i] != ')'
		switch pattern[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return before, star, after
			}
		case '*':
			if depth == 1 {
				star, count = true, false
			}
		}
		if count && star {
			after++
		} else if count {
			before++
		}
	}
	return before, star, after
}

// emitter collects the elements of a generator expression.
type emitter struct {
	*starlark.Builtin
	generator *iterator
}

// primitiveGenerator runs a generator expression to its end or first error.
func primitiveGenerator(e *evaluation, a starlark.Tuple) (starlark.Value, error) {
	generator := &iterator{class: "generator"}
	emit := &emitter{generator: generator}
	emit.Builtin = starlark.NewBuiltin("emit", func(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
		generator.elements = append(generator.elements, args[0])
		if err := e.tick(1); err != nil {
			return nil, err
		}
		return starlark.None, e.allocate(16)
	})
	_, err := starlark.Call(e.thread, a[0], starlark.Tuple{emit}, nil)
	if generator.err = e.outcome(err); generator.err != nil {
		if e.ctx.Err() != nil || isLimit(generator.err) {
			return nil, generator.err
		}
		e.thread.Uncancel()
	}
	return generator, nil
}

func isLimit(err error) bool {
	own, ok := err.(*Error)
	return ok && own.Reason == Limit
}
