package expr

import (
	"go.starlark.net/starlark"
)

// primitives are the functions that translated expressions call.
var primitives = map[string]*starlark.Builtin{}

func init() { // a literal would refer to itself by way of lookup and call
	for name, f := range map[string]func(e *evaluation, a starlark.Tuple) (starlark.Value, error){
		"$name":  func(e *evaluation, a starlark.Tuple) (starlark.Value, error) { return e.lookup(string(a[0].(str))) },
		"$fail":  func(*evaluation, starlark.Tuple) (starlark.Value, error) { return nil, unsupported("not translated") },
		"$known": func(_ *evaluation, a starlark.Tuple) (starlark.Value, error) { _, err := truth(a[0]); return a[0], err },
		"$unary": func(e *evaluation, a starlark.Tuple) (starlark.Value, error) {
			return e.unary(string(a[0].(str)), a[1])
		},
		"$binary": func(e *evaluation, a starlark.Tuple) (starlark.Value, error) {
			return e.binary(string(a[0].(str)), a[1], a[2])
		},
		"$compare": func(e *evaluation, a starlark.Tuple) (starlark.Value, error) {
			ok, err := e.compare(string(a[0].(str)), a[1], a[2])
			return starlark.Bool(ok), err
		},
		"$chain": primitiveChain,
		"$attribute": func(e *evaluation, a starlark.Tuple) (starlark.Value, error) {
			return e.attribute(a[0], string(a[1].(str)))
		},
		"$index": func(e *evaluation, a starlark.Tuple) (starlark.Value, error) { return e.index(a[0], a[1]) },
		"$slice": func(_ *evaluation, a starlark.Tuple) (starlark.Value, error) {
			return sliceValue{a[0], a[1], a[2]}, nil
		},
		"$call":   primitiveCall,
		"$method": primitiveMethod,
		"$tuple": func(e *evaluation, a starlark.Tuple) (starlark.Value, error) {
			list := a[0].(*starlark.List)
			return starlark.Tuple(elementsOf(list)), e.allocate(16 * list.Len())
		},
		"$set": func(e *evaluation, a starlark.Tuple) (starlark.Value, error) {
			return e.setOf(false, elementsOf(a[0].(*starlark.List)))
		},
		"$dict":        primitiveDict,
		"$splat":       func(e *evaluation, a starlark.Tuple) (starlark.Value, error) { return e.newList(a[0]) },
		"$join":        primitiveJoin,
		"$iterate":     primitiveIterate,
		"$generator":   primitiveGenerator,
		"$format":      primitiveFormat,
		"$concatenate": primitiveConcatenate,
	} {
		primitives[name] = starlark.NewBuiltin(name, func(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			e := thread.Local(evaluationKey).(*evaluation)
			if err := e.tick(1); err != nil {
				return nil, err
			}
			v, err := f(e, args)
			if err != nil {
				return nil, err
			}
			return v, nil
		})
	}
}

// elementsOf returns the elements of a Starlark list, not to be changed.
func elementsOf(list *starlark.List) []starlark.Value {
	out := make([]starlark.Value, list.Len())
	for i := range out {
		out[i] = list.Index(i)
	}
	return out
}

// primitiveChain is a chain of comparisons, whose operands are functions.
func primitiveChain(e *evaluation, a starlark.Tuple) (starlark.Value, error) {
	operands := elementsOf(a[1].(*starlark.List))
	left, err := starlark.Call(e.thread, operands[0], nil, nil)
	if err != nil {
		return nil, err
	}
	for i, op := range elementsOf(a[0].(*starlark.List)) {
		right, err := starlark.Call(e.thread, operands[i+1], nil, nil)
		if err != nil {
			return nil, err
		}
		if ok, err := e.compare(string(op.(str)), left, right); !ok || err != nil {
			return starlark.False, err
		}
		left = right
	}
	return starlark.True, nil
}

func primitiveCall(e *evaluation, a starlark.Tuple) (starlark.Value, error) {
	arguments, err := e.arguments(a[1], a[2])
	if err != nil {
		return nil, err
	}
	return e.call(a[0], arguments)
}

func primitiveMethod(e *evaluation, a starlark.Tuple) (starlark.Value, error) {
	method, err := e.attribute(a[0], string(a[1].(str)))
	if err != nil {
		return nil, err
	}
	arguments, err := e.arguments(a[2], a[3])
	if err != nil {
		return nil, err
	}
	return e.call(method, arguments)
}

// primitiveDict makes a dict of tuples: (key, value), or (mapping,).
func primitiveDict(e *evaluation, a starlark.Tuple) (starlark.Value, error) {
	out := newDict()
	for _, element := range elementsOf(a[0].(*starlark.List)) {
		pair := element.(starlark.Tuple)
		if len(pair) == 2 {
			if err := out.put(e, pair[0], pair[1]); err != nil {
				return nil, err
			}
			continue
		}
		mapping, ok := pair[0].(*dict)
		if !ok {
			if err := notKnown(pair[0]); err != nil {
				return nil, err
			}
			return nil, typeError("'%s' object is not a mapping", describeType(pair[0]))
		}
		for _, entry := range mapping.entries {
			if err := out.put(e, entry.key, entry.value); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

func primitiveJoin(e *evaluation, a starlark.Tuple) (starlark.Value, error) {
	var out []starlark.Value
	for _, segment := range elementsOf(a[0].(*starlark.List)) {
		out = append(out, elementsOf(segment.(*starlark.List))...)
	}
	return starlark.NewList(out), e.allocate(16 * len(out))
}

func primitiveConcatenate(e *evaluation, a starlark.Tuple) (starlark.Value, error) {
	parts := elementsOf(a[0].(*starlark.List))
	texts := make([]string, len(parts))
	for i, p := range parts {
		texts[i] = string(p.(str))
	}
	return e.joinStrings(texts, "")
}

func primitiveFormat(e *evaluation, a starlark.Tuple) (starlark.Value, error) {
	v, err := e.convert(a[0], string(a[1].(str)))
	if err != nil {
		return nil, err
	}
	text, err := e.format(v, string(a[2].(str)))
	return str(text), err
}
