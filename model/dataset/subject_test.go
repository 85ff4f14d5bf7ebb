package dataset

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/neuraldbg/neuraldbg/statetree/corpus"
)

// TestSubjectOfMethod records calls of methods: a trajectory can be about the method
// alone, as about a function.
func TestSubjectOfMethod(t *testing.T) {
	needPython(t)
	const stack = `class Stack:
    def __init__(self, items):
        self.items = list(items)

    def pop(self):
        return self.items.pop()

    @staticmethod
    def join(a, b):
        return a + b

def unrelated():
    return join
`
	functions := map[string]string{
		"Stack([1, 2]).pop()": "Stack.pop", "Stack.join(1, 2)": "Stack.join", "Stack([3])": "Stack.__init__",
	}
	var cases list
	for entry := range functions {
		cases = append(cases, corpus.Case{Source: stack, Entry: entry})
	}
	p := params()
	options := p.Recording()
	for r, err := range corpus.Record(context.Background(), slices.Values(cases), options) {
		if err != nil {
			t.Fatal(err)
		}
		e := execution("test", r)
		if e.Dropped != "" {
			t.Fatalf("%s: %s", r.Case.Entry, e.Dropped)
		}
		called := e.Subject.Tree.State(e.Subject.Tree.Level(e.Subject.Level).First).Function
		program := e.Subject.Function.Program
		if want := functions[r.Case.Entry]; called != want || program.Entry.Function != want || program.Entry.Driver != "" {
			t.Errorf("%s is about %s, and shows %q", r.Case.Entry, called, program.Entry.Function)
		}
		if !strings.HasPrefix(program.Code, "class Stack:") || strings.Contains(program.Code, "main") || strings.Contains(program.Code, "unrelated") {
			t.Errorf("%s shows\n%s", r.Case.Entry, program.Code)
		}
	}
}
