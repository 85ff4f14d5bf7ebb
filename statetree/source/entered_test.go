package source_test

import (
	"strings"
	"testing"

	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/source"
)

func TestEntered(t *testing.T) {
	const code = `class C:
    def m(self):
        return leaf(1)

def leaf(x):
    return x

def outer(x):
    return leaf(x)

def again(n):
    if n:
        return again(n - 1)
    return n

def f(x):
    a = x + 1
    b = leaf(outer(x))
    c = outer(a)
    d = C().m()
    e = again(a)
    return [leaf(i) for i in range(b)]
`
	flow, err := source.NewFlow(statetree.Program{
		Code: code, Entry: statetree.Entry{Kind: statetree.FunctionEntry, Text: "f", Function: "f"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ line, want string }{
		{"    a = x + 1", ""},
		{"    b = leaf(outer(x))", "leaf outer"}, // the one that is not called first as well
		{"    c = outer(a)", "outer leaf"},
		{"    d = C().m()", "C.m leaf"},
		{"    e = again(a)", "again"},
		{"    return [leaf(i) for i in range(b)]", "leaf"},
	} {
		functions, known := flow.Entered(flow.Locate(statetree.Line, test.line))
		var got, want []string
		for _, f := range functions {
			got = append(got, f.QualifiedName)
		}
		want = strings.Fields(test.want)
		if !known || !sameNames(got, want) {
			t.Errorf("%s: enters %v, known %t; want %v", test.line, got, known, want)
		}
	}
	if _, known := flow.Entered(source.Position{Event: statetree.Line, Lines: []int{1000}}); known {
		t.Error("a position that the program cannot have is known")
	}
}

// sameNames reports whether both have the same names in any order.
func sameNames(a, b []string) bool {
	has := map[string]bool{}
	for _, name := range a {
		has[name] = true
	}
	for _, name := range b {
		if !has[name] {
			return false
		}
	}
	return len(a) == len(b)
}
