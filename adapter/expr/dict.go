package expr

import (
	"iter"

	"go.starlark.net/starlark"
)

// dict is a mapping in the order of insertion: a dict, or one of its kin.
type dict struct {
	class   string // "dict", "Counter", "OrderedDict", "defaultdict", "mappingproxy"
	text    string // the repr, of a class other than dict
	index   map[string]int
	entries []entry
}

type entry struct{ key, value starlark.Value }

// set is a set or frozenset.
type set struct {
	frozen   bool
	index    map[string]int
	elements []starlark.Value
	// unordered says that the order of iteration is not known: Python's depends
	// on hashes. That of a set which a state shows is.
	unordered bool
}

func (v *dict) String() string        { return "dict" }
func (v *dict) Type() string          { return v.class }
func (v *dict) Freeze()               {}
func (v *dict) Truth() starlark.Bool  { return len(v.entries) > 0 }
func (v *dict) Hash() (uint32, error) { return 0, errNoHash }

func (v *set) String() string { return "set" }
func (v *set) Type() string {
	if v.frozen {
		return "frozenset"
	}
	return "set"
}
func (v *set) Freeze()               {}
func (v *set) Truth() starlark.Bool  { return len(v.elements) > 0 }
func (v *set) Hash() (uint32, error) { return 0, errNoHash }

func newDict() *dict { return &dict{class: "dict", index: map[string]int{}} }

// put adds an entry or replaces the value of the one with an equal key.
func (v *dict) put(e *evaluation, key, value starlark.Value) error {
	k, err := e.key(key)
	if err != nil {
		return err
	}
	if i, ok := v.index[k]; ok {
		v.entries[i].value = value
		return nil
	}
	v.index[k] = len(v.entries)
	v.entries = append(v.entries, entry{key, value})
	return e.allocate(64)
}

// get returns the value of a key, nil when there is none.
func (v *dict) get(e *evaluation, key starlark.Value) (starlark.Value, error) {
	k, err := e.key(key)
	if err != nil {
		return nil, err
	}
	if i, ok := v.index[k]; ok {
		return v.entries[i].value, nil
	}
	return nil, nil
}

func newSet(frozen bool) *set { return &set{frozen: frozen, index: map[string]int{}} }

func (v *set) add(e *evaluation, element starlark.Value) error {
	k, err := e.key(element)
	if err != nil {
		return err
	}
	if _, ok := v.index[k]; ok {
		return nil
	}
	v.index[k] = len(v.elements)
	v.elements = append(v.elements, element)
	return e.allocate(48)
}

func (v *set) has(e *evaluation, element starlark.Value) (bool, error) {
	k, err := e.key(element)
	if err != nil {
		return false, err
	}
	_, ok := v.index[k]
	return ok, nil
}

// setOf returns a set of elements whose order is not known.
func (e *evaluation) setOf(frozen bool, elements []starlark.Value) (*set, error) {
	out := newSet(frozen)
	for _, element := range elements {
		if err := out.add(e, element); err != nil {
			return nil, err
		}
	}
	out.unordered = len(out.elements) > 1
	return out, nil
}

// sortedIndex yields the keys of a set with the indices of their elements, in
// the elements' order.
func sortedIndex(v *set) iter.Seq2[string, int] {
	keys := make([]string, len(v.elements))
	for k, i := range v.index {
		keys[i] = k
	}
	return func(yield func(string, int) bool) {
		for i, k := range keys {
			if !yield(k, i) {
				return
			}
		}
	}
}
