package repr

import (
	"math"
	"slices"
	"strings"
)

// Equal reports whether two values are the same value of the same type: dicts
// and sets in any order, numbers by value, nan the same as nan. Unlike in Python
// 1, 1.0 and True differ. Values that a limit cut equal nothing but the same
// text.
func Equal(a, b Value) bool {
	if a.Kind != b.Kind || a.Type != b.Type || len(a.Children) != len(b.Children) || a.Cut != b.Cut {
		return false
	}
	switch a.Kind {
	case Float:
		x, xok := a.Float64()
		y, yok := b.Float64()
		return xok && yok && (x == y && math.Signbit(x) == math.Signbit(y) || x != x && y != y)
	case Complex:
		x, xok := a.Complex128()
		y, yok := b.Complex128()
		return xok && yok && x == y || a.Text == b.Text
	case Set, FrozenSet, Dict:
		return equalUnordered(a.Children, b.Children)
	}
	if a.Text != b.Text {
		return false
	}
	for i := range a.Children {
		if a.Children[i].Name != b.Children[i].Name || !Equal(a.Children[i].Value, b.Children[i].Value) {
			return false
		}
	}
	return true
}

// equalUnordered compares the children of sets and dicts, which are as many.
// Children are looked up by the repr of what identifies them.
func equalUnordered(a, b []Child) bool {
	byRepr := make(map[string][]Child, len(b))
	for _, c := range b {
		id := c.identity()
		byRepr[id] = append(byRepr[id], c)
	}
	for _, c := range a {
		id := c.identity()
		candidates := byRepr[id]
		if len(candidates) == 0 {
			return false
		}
		if c.Key != nil && !Equal(c.Value, candidates[0].Value) {
			return false
		}
		byRepr[id] = candidates[1:]
	}
	return true
}

// identity is the repr of a key or element; sets inside are brought in order.
func (c Child) identity() string {
	if c.Key != nil {
		return c.Key.canonical()
	}
	return c.Value.canonical()
}

// canonical is the repr with the elements of frozen sets in order, so that equal
// hashable values have the same one.
func (v Value) canonical() string {
	return v.ordered().String()
}

func (v Value) ordered() Value {
	if len(v.Children) == 0 {
		return v
	}
	children := make([]Child, len(v.Children))
	for i, c := range v.Children {
		children[i] = Child{Name: c.Name, Key: c.Key, Value: c.Value.ordered()}
	}
	if v.Kind == Set || v.Kind == FrozenSet {
		slices.SortFunc(children, func(x, y Child) int { return strings.Compare(x.Value.String(), y.Value.String()) })
	}
	v.Children = children
	return v
}
