package corpus

import (
	"cmp"
	"fmt"
	"maps"
)

// argumentType is a type of an idiom's arguments: what values are for, where a
// type of Python says too little. The heads of idioms name it.
type argumentType struct {
	// plain is the type by which a pipeline tells values apart: several argument
	// types are one plain type. "" is the type's own name.
	plain string
	// draw draws a value as Python source.
	draw func(in *inputs) string
}

// argumentTypes are all of them, by name. Each table says what its types have in
// common.
var argumentTypes = merged(generalTypes, numericTypes, textTypes, containerTypes, structureTypes)

// merged joins tables that have no name in common.
func merged(tables ...map[string]argumentType) map[string]argumentType {
	all := map[string]argumentType{}
	for _, table := range tables {
		size := len(all)
		if maps.Copy(all, table); len(all) < size+len(table) {
			panic("two argument types have the same name")
		}
	}
	return all
}

// typed is an argument of a type as Python source.
func (in *inputs) typed(name string) string {
	t, ok := argumentTypes[name]
	if !ok {
		panic(fmt.Sprintf("no values of type %q", name))
	}
	return t.draw(in)
}

// ofTypes are arguments of several types. Those that name something in another
// argument are drawn last.
func (in *inputs) ofTypes(types []string) []string {
	values := make([]string, len(types))
	for _, late := range []bool{false, true} {
		for i, t := range types {
			if namesSomething(t) == late {
				values[i] = in.typed(t)
			}
		}
	}
	return values
}

// namesSomething reports whether values of the type are taken from the other
// arguments: a character or a key out of one, a node of a graph.
func namesSomething(t string) bool {
	switch t {
	case "char", "key", "node", "goal":
		return true
	}
	return false
}

// plainType is the type by which values of a type are told apart.
func plainType(t string) string { return cmp.Or(argumentTypes[t].plain, t) }

// accepts reports whether an argument of the type may be any value of another:
// what a function takes may be bounded, what it gives is not.
func accepts(parameter, value string) bool {
	switch parameter {
	case "string", "int", "ints", "words", "counts", "bool", "char", "pairs", "float":
		return plainType(value) == parameter
	}
	return parameter == value
}
