package source

import (
	"slices"
	"strings"
)

// code is what a code object compiles to.
type code struct{}

func nameSet(list string) map[string]bool {
	set := map[string]bool{}
	for _, name := range strings.Fields(list) {
		set[name] = true
	}
	return set
}

func containsSorted(lines []int, line int) bool {
	_, ok := slices.BinarySearch(lines, line)
	return ok
}
