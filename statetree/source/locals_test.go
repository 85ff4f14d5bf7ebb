package source_test

import (
	"slices"
	"testing"

	"github.com/neuraldbg/neuraldbg/statetree/source"
)

func TestLocals(t *testing.T) {
	f, err := source.Parse("locals.py", []byte(`
import os

def plain(a, b=1, *rest, key, **options):
    c = a
    for i, (j, k) in enumerate(b):
        with open(i) as handle:
            pass
    try:
        import json as parser
    except ValueError as error:
        del c
    if (found := a):
        squares = [x * x for x in b if (last := x)]
    match a:
        case [first, *others]:
            pass
    global total
    total = 1
    def inner(z):
        nonlocal c
        return a + z
    class Local:
        field = 1
    return lambda y: y + i

class Stack:
    size = 0
    def push(self, item):
        super().push(item)
`))
	if err != nil {
		t.Fatal(err)
	}
	outer := []string{"a", "b", "rest", "key", "options", "Local", "c", "error", "first", "found", "handle", "i", "inner",
		"j", "k", "last", "others", "parser", "squares"}
	for _, tt := range []struct {
		function string
		want     []string
	}{
		{"plain", outer},
		{"plain.<locals>.inner", append([]string{"z"}, outer...)},
		{"plain.<locals>.<lambda>", append([]string{"y"}, outer...)},
		{"Stack.push", []string{"self", "item", "__class__"}},
		{"Stack", nil},
		{"<module>", nil},
	} {
		function := f.FunctionNamed(tt.function)
		if function == nil {
			t.Fatalf("no function %s", tt.function)
		}
		got := f.Locals(function)
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.function, got, tt.want)
		}
	}
}
