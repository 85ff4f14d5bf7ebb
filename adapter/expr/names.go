package expr

import (
	"maps"
	"slices"
)

// Builtins returns the built-in names that expressions can use, in order.
func Builtins() []string { return slices.Sorted(maps.Keys(builtins)) }

// Methods returns the methods of a built-in type that expressions can call, in
// order; none for a type that it does not know.
func Methods(typeName string) []string { return slices.Sorted(maps.Keys(methods[typeName])) }
