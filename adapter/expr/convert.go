package expr

import (
	"math/big"
	"strings"

	"go.starlark.net/starlark"

	"github.com/neuraldbg/neuraldbg/statetree/repr"
)

// fromRepr makes a value of a repr.
func (e *evaluation) fromRepr(text string) (starlark.Value, error) {
	if err := e.tick(len(text) / 8); err != nil {
		return nil, err
	}
	return e.fromValue(repr.Parse(text))
}

func (e *evaluation) fromValue(v repr.Value) (starlark.Value, error) {
	if !v.Known() {
		return &opaque{text: v.String(), class: v.Type, cut: true}, nil
	}
	if err := e.tick(1); err != nil {
		return nil, err
	}
	switch v.Kind {
	case repr.None:
		return starlark.None, nil
	case repr.Bool:
		return starlark.Bool(v.Text == "True"), nil
	case repr.Int:
		return parseInt(v)
	case repr.Float:
		if f, ok := v.Float64(); ok {
			return starlark.Float(f), nil
		}
	case repr.Complex:
		if c, ok := v.Complex128(); ok {
			return complexValue(c), nil
		}
	case repr.String:
		return str(v.Text), nil
	case repr.Bytes:
		return bytesValue(v.Text), nil
	case repr.List, repr.Tuple, repr.Set, repr.FrozenSet, repr.Range:
		return e.fromCollection(v)
	case repr.Dict:
		return e.fromPairs("dict", "", v.Children)
	case repr.Enum:
		return e.fromEnum(v)
	case repr.Object:
		return e.fromObject(v)
	}
	return fromText(v), nil
}

// parseInt reads an int; very long ones take quadratic time.
func parseInt(v repr.Value) (starlark.Value, error) {
	if len(v.Text) > maxBits/4 {
		return nil, tooLarge("the integer is too large")
	}
	i, ok := new(big.Int).SetString(v.Text, 10)
	if !ok {
		return fromText(v), nil
	}
	return starlark.MakeBigInt(i), nil
}

// fromText is a value of which the repr says no more than what it is called.
func fromText(v repr.Value) starlark.Value {
	switch v.Text {
	case "Ellipsis":
		return ellipsis
	}
	if name, ok := strings.CutPrefix(v.Text, "<class '"); ok {
		name = strings.TrimSuffix(name, "'>")
		if _, known := constructors[name]; known || name == "NoneType" {
			return typeValue(name)
		}
	}
	return &opaque{text: v.Text, class: v.Type}
}

func (e *evaluation) fromCollection(v repr.Value) (starlark.Value, error) {
	elements, err := e.fromChildren(v.Children)
	if err != nil {
		return nil, err
	}
	switch v.Kind {
	case repr.List:
		return starlark.NewList(elements), nil
	case repr.Tuple:
		return starlark.Tuple(elements), nil
	case repr.Range:
		return newRange(elements)
	}
	s, err := e.setOf(v.Kind == repr.FrozenSet, elements)
	if err != nil { // elements that are objects: their hashes are not known
		return &opaque{text: v.String(), class: v.Type}, nil
	}
	s.unordered = false
	return s, nil
}

func (e *evaluation) fromChildren(children []repr.Child) ([]starlark.Value, error) {
	out := make([]starlark.Value, len(children))
	for i, c := range children {
		var err error
		if out[i], err = e.fromValue(c.Value); err != nil {
			return nil, err
		}
	}
	return out, e.allocate(16 * len(out))
}

func (e *evaluation) fromPairs(class, text string, children []repr.Child) (starlark.Value, error) {
	out := newDict()
	out.class, out.text = class, text
	for _, c := range children {
		if c.Key == nil {
			return &opaque{text: text, class: class}, nil
		}
		key, err := e.fromValue(*c.Key)
		if err != nil {
			return nil, err
		}
		value, err := e.fromValue(c.Value)
		if err != nil {
			return nil, err
		}
		if err := out.put(e, key, value); err != nil {
			if isLimit(err) {
				return nil, err
			}
			return &opaque{text: repr.Value{Kind: repr.Dict, Children: children}.String(), class: class}, nil
		}
	}
	return out, nil
}

func (e *evaluation) fromEnum(v repr.Value) (starlark.Value, error) {
	out := &enumValue{class: v.Type, name: v.Text}
	if len(v.Children) > 0 {
		var err error
		if out.value, err = e.fromValue(v.Children[0].Value); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// fromObject makes a collection of an object that wraps one, and an object with
// attributes of any other.
func (e *evaluation) fromObject(v repr.Value) (starlark.Value, error) {
	text := v.String()
	if inner, ok := v.Wrapped(); ok {
		class := lastName(v.Type)
		switch {
		case !v.IndexedLikeContent():
		case !inner.Known():
			return &opaque{text: text, class: class, cut: true}, nil
		case inner.Kind == repr.Dict:
			return e.fromPairs(class, text, inner.Children)
		case inner.Kind == repr.List:
			elements, err := e.fromArray(class, v.Type, inner)
			return &sequence{class: class, text: text, elements: elements}, err
		}
		return &opaque{text: text, class: class}, nil
	}
	out := &object{class: v.Type, text: text}
	for _, c := range v.Children {
		value, err := e.fromValue(c.Value)
		if err != nil {
			return nil, err
		}
		if c.Name == "" {
			out.positional = append(out.positional, value)
		} else {
			out.fields = append(out.fields, field{c.Name, value})
		}
	}
	return out, nil
}

// fromArray returns the elements of a sequence; the rows of an array are arrays.
func (e *evaluation) fromArray(class, full string, v repr.Value) ([]starlark.Value, error) {
	if class == "deque" || class == "UserList" {
		return e.fromChildren(v.Children)
	}
	out := make([]starlark.Value, len(v.Children))
	for i, c := range v.Children {
		if c.Value.Kind != repr.List {
			var err error
			if out[i], err = e.fromValue(c.Value); err != nil {
				return nil, err
			}
			continue
		}
		elements, err := e.fromArray(class, full, c.Value)
		if err != nil {
			return nil, err
		}
		out[i] = &sequence{class: class, text: full + "(" + c.Value.String() + ")", elements: elements}
	}
	return out, e.allocate(16 * len(out))
}

// lastName is the name behind the last dot.
func lastName(dotted string) string { return dotted[strings.LastIndexByte(dotted, '.')+1:] }
