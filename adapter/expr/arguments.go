package expr

import (
	"strings"

	"go.starlark.net/starlark"
)

// arguments are those of a call.
type arguments struct {
	positional []starlark.Value
	named      []field
}

// arguments reads those of a translated call: a list, and a list of tuples.
func (e *evaluation) arguments(positional, named starlark.Value) (arguments, error) {
	a := arguments{positional: elementsOf(positional.(*starlark.List))}
	for _, element := range elementsOf(named.(*starlark.List)) {
		pair := element.(starlark.Tuple)
		if len(pair) == 2 {
			a.named = append(a.named, field{string(pair[0].(str)), pair[1]})
			continue
		}
		mapping, ok := pair[0].(*dict)
		if !ok {
			if err := notKnown(pair[0]); err != nil {
				return a, err
			}
			return a, typeError("argument after ** must be a mapping, not %s", describeType(pair[0]))
		}
		for _, entry := range mapping.entries {
			name, ok := entry.key.(str)
			if !ok {
				return a, typeError("keywords must be strings")
			}
			a.named = append(a.named, field{string(name), entry.value})
		}
	}
	for i, n := range a.named {
		for _, other := range a.named[:i] {
			if n.name == other.name {
				return a, typeError("got multiple values for keyword argument '%s'", n.name)
			}
		}
	}
	return a, nil
}

// bind gives the arguments of a call to a function's parameters. A signature
// lists them: "iterable key=? reverse=?" has one that must be given and two that
// need not, which are nil then; those before a "/" have no names for callers,
// those behind a "*" have only names.
func (a arguments) bind(function, signature string) ([]starlark.Value, error) {
	words := strings.Fields(signature)
	var names []string
	var optional, positionalOnly, keywordOnly []bool
	only := false
	for _, w := range words {
		switch w {
		case "/":
			for i := range positionalOnly {
				positionalOnly[i] = true
			}
			continue
		case "*":
			only = true
			continue
		}
		name, isOptional := strings.CutSuffix(w, "=?")
		names = append(names, name)
		optional = append(optional, isOptional)
		positionalOnly = append(positionalOnly, false)
		keywordOnly = append(keywordOnly, only)
	}
	out := make([]starlark.Value, len(names))
	for i, v := range a.positional {
		if i >= len(names) || keywordOnly[i] {
			return nil, typeError("%s() takes at most %d arguments (%d given)", function, i, len(a.positional)+len(a.named))
		}
		out[i] = v
	}
	for _, n := range a.named {
		at := -1
		for i, name := range names {
			if name == n.name && !positionalOnly[i] {
				at = i
			}
		}
		switch {
		case at < 0:
			return nil, typeError("%s() got an unexpected keyword argument '%s'", function, n.name)
		case out[at] != nil:
			return nil, typeError("%s() got multiple values for argument '%s'", function, n.name)
		}
		out[at] = n.value
	}
	for i, v := range out {
		if v == nil && !optional[i] {
			return nil, typeError("%s() missing required argument '%s' (pos %d)", function, names[i], i+1)
		}
	}
	return out, nil
}

// asInt returns an argument as a machine integer. Larger ones are the largest.
func asInt(v starlark.Value) (int, error) {
	i, err := asIndex(v)
	if err != nil {
		return 0, err
	}
	return clamp(i), nil
}

// clamp returns an integer, or the nearest that a machine integer can be.
func clamp(i starlark.Int) int {
	const most = 1<<62 - 1
	small, ok := i.Int64()
	switch {
	case ok && small > -most && small < most:
		return int(small)
	case i.Sign() < 0:
		return -most
	}
	return most
}

// asIndex returns what operator.index does: an int or a bool.
func asIndex(v starlark.Value) (starlark.Int, error) {
	switch v := v.(type) {
	case starlark.Int:
		return v, nil
	case starlark.Bool:
		return boolInt(v), nil
	}
	if err := notKnown(v); err != nil {
		return starlark.Int{}, err
	}
	return starlark.Int{}, typeError("'%s' object cannot be interpreted as an integer", describeType(v))
}

func boolInt(b starlark.Bool) starlark.Int {
	if b {
		return starlark.MakeInt(1)
	}
	return starlark.MakeInt(0)
}
