package repr

import (
	"strconv"
	"strings"
)

// Item is a part of a value as a debugger lists it.
type Item struct {
	// Label is how the part is called: an index "0", a key's repr "'a'", a
	// field's name "x".
	Label string
	// Indexed says that Label is an index.
	Indexed bool
	// Path is what follows the value in a Python expression that reaches the
	// part: "[0]", "['a']", ".x"; "" where there is none, as for a set's element.
	Path  string
	Value Value
}

// Items returns the parts of a value as a debugger lists them: elements by
// index, pairs by key, fields by name. An object that wraps one collection, such
// as deque([1, 2]), Counter({'a': 1}) or array([1, 2]), lists that collection's
// parts, then its named fields.
func (v Value) Items() []Item { return v.ItemsBetween(0, v.CountItems()) }

// CountItems returns how many items there are.
func (v Value) CountItems() int {
	named, indexed := v.CountKinds()
	return named + indexed
}

// CountKinds returns how many items have names or keys, and how many indexes.
func (v Value) CountKinds() (named, indexed int) {
	l := v.listing()
	if len(l.children) > 0 {
		// The children of a collection are all of one kind but for arguments, which
		// may or may not have names, and for what is not well formed.
		for i := range l.children {
			if l.indexed(i) {
				indexed++
			} else {
				named++
			}
		}
	}
	return named + len(l.rest), indexed
}

// ItemsBetween returns the items from one position to another.
func (v Value) ItemsBetween(first, last int) []Item {
	l := v.listing()
	items := make([]Item, 0, last-first)
	for i := first; i < last; i++ {
		items = append(items, l.item(i))
	}
	return items
}

// listing is how the items of a value are found.
type listing struct {
	of       Value // the value, or the collection in it
	children []Child
	rest     []Child // named fields beside the collection
	// opaque says that no expression reaches the parts: the value is not known in
	// full, or its type has no index.
	opaque bool
}

func (v Value) listing() listing {
	switch v.Kind {
	case Object:
		if inner, rest, ok := v.wrapped(); ok {
			opaque := !v.IndexedLikeContent() || !inner.Known() || v.Cut
			return listing{of: inner, children: inner.Children, rest: rest, opaque: opaque}
		}
	case Enum:
		name := Child{Name: "name", Value: Value{Kind: String, Type: "str", Text: v.Text}}
		if len(v.Children) == 0 {
			return listing{of: v, children: []Child{name}}
		}
		return listing{of: v, children: []Child{name, {Name: "value", Value: v.Children[0].Value}}}
	}
	return listing{of: v, children: v.Children, opaque: !v.Known()}
}

// Known reports whether a value shows all of its parts: no limit cut it, and it
// leaves none out.
func (v Value) Known() bool {
	if v.Cut || v.Kind == Elided {
		return false
	}
	for _, c := range v.Children {
		if c.Value.Kind == Elided {
			return false
		}
	}
	return true
}

// isLiteral reports whether the value's repr is an expression that evaluates to
// it wherever it stands. inf and nan are names.
func (v Value) isLiteral() bool {
	switch v.Kind {
	case Text, Object, Enum, Range, Elided:
		return false
	case Float, Complex:
		return !strings.Contains(v.Text, "n")
	}
	for _, c := range v.Children {
		if !c.Value.isLiteral() || c.Key != nil {
			return false
		}
	}
	return !v.Cut
}

// IndexedLikeContent reports whether an object that wraps one collection is
// indexed as that is.
func (v Value) IndexedLikeContent() bool {
	switch v.Type[strings.LastIndexByte(v.Type, '.')+1:] {
	case "deque", "Counter", "OrderedDict", "defaultdict", "array", "mappingproxy", "UserDict", "UserList":
		return true
	}
	return false
}

// name returns the name of a child, "" for one that has an index or a key.
func (l *listing) name(i int) string {
	if l.children[i].Name != "" {
		return l.children[i].Name
	}
	if l.of.Kind == Object || l.of.Kind == Range {
		return l.of.PositionalName(i)
	}
	return ""
}

func (l *listing) indexed(i int) bool { return l.children[i].Key == nil && l.name(i) == "" }

func (l *listing) item(i int) Item {
	if i >= len(l.children) {
		c := l.rest[i-len(l.children)]
		return Item{Label: c.Name, Value: c.Value}
	}
	c := l.children[i]
	if c.Key != nil {
		item := Item{Label: c.Key.String(), Value: c.Value}
		if !l.opaque && c.Key.isLiteral() {
			item.Path = "[" + item.Label + "]"
		}
		return item
	}
	if name := l.name(i); name != "" {
		item := Item{Label: name, Value: c.Value}
		if !l.opaque {
			item.Path = "." + name
		}
		return item
	}
	label := strconv.Itoa(i)
	item := Item{Label: label, Indexed: true, Value: c.Value}
	if !l.opaque && (l.of.Kind == List || l.of.Kind == Tuple) {
		item.Path = "[" + label + "]"
	}
	return item
}

// positionalNames are the attributes of types whose reprs show them by position.
var positionalNames = map[string][]string{
	"datetime.date":     {"year", "month", "day"},
	"datetime.datetime": {"year", "month", "day", "hour", "minute", "second", "microsecond"},
	"datetime.time":     {"hour", "minute", "second", "microsecond"},
	"Fraction":          {"numerator", "denominator"},
	"slice":             {"start", "stop", "step"},
	"range":             {"start", "stop", "step"},
}

// PositionalName returns the name of the attribute that an argument of an Object
// or a Range is, "" when it is not known.
func (v Value) PositionalName(i int) string {
	if names := positionalNames[v.Type]; i < len(names) {
		return names[i]
	}
	return ""
}

// wrappers are the types whose first argument, or second for defaultdict, holds
// their elements.
var wrappers = map[string]int{
	"deque": 0, "Counter": 0, "OrderedDict": 0, "defaultdict": 1, "array": -1, "ndarray": 0, "matrix": 0, "tensor": 0,
	"mappingproxy": 0, "ChainMap": 0, "UserDict": 0, "UserList": 0, "bytearray": 0, "dict_keys": 0, "dict_values": 0,
	"dict_items": 0,
}

// Wrapped returns the collection that an object wraps: that of deque([1, 2]),
// Counter({'a': 1}) or array([1, 2]).
func (v Value) Wrapped() (inner Value, ok bool) {
	if v.Kind != Object {
		return Value{}, false
	}
	inner, _, ok = v.wrapped()
	return inner, ok
}

// wrapped returns the collection inside a wrapping object and the object's other
// named fields.
func (v Value) wrapped() (inner Value, rest []Child, ok bool) {
	name := v.Type[strings.LastIndexByte(v.Type, '.')+1:]
	at, known := wrappers[name]
	if !known {
		return Value{}, nil, false
	}
	if at < 0 { // array('i', [1, 2]) of the standard library, array([1, 2]) of numpy
		at = 0
		if len(v.Children) > 1 && v.Children[0].Value.Kind == String {
			at = 1
		}
	}
	if at >= len(v.Children) {
		return Value{}, nil, false
	}
	inner = v.Children[at].Value
	if !inner.isCollection() || inner.Kind == Object {
		return Value{}, nil, false
	}
	if name == "OrderedDict" && inner.Kind == List {
		inner = pairs(inner)
	}
	for _, c := range v.Children {
		if c.Name != "" {
			rest = append(rest, c)
		}
	}
	return inner, rest, true
}

// pairs turns a list of pairs into a Dict; any other list stays as it is.
func pairs(list Value) Value {
	dict := Value{Kind: Dict, Type: "dict", Cut: list.Cut, Children: make([]Child, 0, len(list.Children))}
	for _, c := range list.Children {
		if c.Value.Kind != Tuple || len(c.Value.Children) != 2 {
			return list
		}
		key := c.Value.Children[0].Value
		dict.Children = append(dict.Children, Child{Key: &key, Value: c.Value.Children[1].Value})
	}
	return dict
}
