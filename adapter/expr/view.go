package expr

import "go.starlark.net/starlark"

// view is what the methods keys, values and items of a dict return.
type view struct {
	kind string // "dict_keys", "dict_values", "dict_items"
	of   *dict
}

func (v *view) String() string        { return v.kind }
func (v *view) Type() string          { return v.kind }
func (v *view) Freeze()               {}
func (v *view) Truth() starlark.Bool  { return len(v.of.entries) > 0 }
func (v *view) Hash() (uint32, error) { return 0, errNoHash }

func (v *view) elements() []starlark.Value {
	out := make([]starlark.Value, len(v.of.entries))
	for i, entry := range v.of.entries {
		switch v.kind {
		case "dict_keys":
			out[i] = entry.key
		case "dict_values":
			out[i] = entry.value
		default:
			out[i] = starlark.Tuple{entry.key, entry.value}
		}
	}
	return out
}

// asSet returns the elements of a view as a set: views of keys and items are
// like sets.
func (v *view) asSet(e *evaluation) (*set, error) { return e.setOf(false, v.elements()) }

// equalViews compares a view with a set or another view.
func (e *evaluation) equalViews(v *view, other starlark.Value) (bool, error) {
	if v.kind == "dict_values" {
		if _, ok := other.(*view); ok {
			return false, unknown("whether two views are of one dict is not known; compare list(...)")
		}
		return false, nil
	}
	a, err := v.asSet(e)
	if err != nil {
		return false, err
	}
	switch other := other.(type) {
	case *set:
		return len(a.elements) == len(other.elements) && isSubset(a, other), nil
	case *view:
		if other.kind == "dict_values" {
			return false, nil
		}
		b, err := other.asSet(e)
		if err != nil {
			return false, err
		}
		return len(a.elements) == len(b.elements) && isSubset(a, b), nil
	}
	return false, nil
}
