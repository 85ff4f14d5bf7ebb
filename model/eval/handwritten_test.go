package eval

import (
	"context"
	"os/exec"
	"slices"
	"testing"

	"github.com/neuraldbg/neuraldbg/model/dataset"
	"github.com/neuraldbg/neuraldbg/statetree/corpus"
	"github.com/neuraldbg/neuraldbg/statetree/repr"
	"github.com/neuraldbg/neuraldbg/statetree/source"
)

// Every handwritten program runs within the limits of a dataset and returns
// what its assert says, and no two are the same.
func TestHandwritten(t *testing.T) {
	cases, err := Handwritten()
	if err != nil {
		t.Fatal(err)
	}
	names := map[uint64]string{}
	for _, c := range cases {
		key, name := dataset.Key(c.Source), programName(c.ID)
		if other, ok := names[key]; ok && other != name {
			t.Errorf("%s and %s are one program", other, name)
		}
		names[key] = name
	}
	if len(names) < 60 || len(cases) < 2*len(names) {
		t.Errorf("%d programs with %d asserts", len(names), len(cases))
	}
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("recording needs python3")
	}
	for r, err := range corpus.Record(context.Background(), slices.Values(cases), corpus.RecordOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
		if r.Dropped != corpus.Kept {
			t.Errorf("%s: %s cannot be recorded: %s", r.Case.ID, r.Case.Entry, r.Dropped)
			continue
		}
		states := r.Recording.States
		got := states[len(states)-1].Arg // what the driver returned
		if !repr.Equal(repr.Parse(got), repr.Parse(r.Case.Output)) {
			t.Errorf("%s: %s is %s, not %s", r.Case.ID, r.Case.Entry, got, r.Case.Output)
		}
	}
}

func programName(id string) string {
	for i := range id {
		if id[i] == '/' {
			return id[:i]
		}
	}
	return id
}

func TestSplitEqual(t *testing.T) {
	for _, test := range []struct {
		text, left, right string
		ok                bool
	}{
		{"f(1) == 2", "f(1)", "2", true},
		{"f(a == b)", "", "", false},
		{`f("==", '\'') == "=="`, `f("==", '\'')`, `"=="`, true},
		{"f([{1: 2}]) == {'a': (1,)}", "f([{1: 2}])", "{'a': (1,)}", true},
	} {
		left, right, ok := splitEqual(test.text)
		if left != test.left || right != test.right || ok != test.ok {
			t.Errorf("%s: %q, %q, %v", test.text, left, right, ok)
		}
	}
}

// The generator does not make the handwritten programs: what a model sees of them
// is new to one that was trained on generated programs.
func TestHandwrittenAreNotGenerated(t *testing.T) {
	cases, err := Handwritten()
	if err != nil {
		t.Fatal(err)
	}
	shown := map[uint64]string{}
	for _, c := range cases {
		file, err := source.Parse(corpus.ProgramFile, []byte(c.Source))
		if err != nil {
			t.Fatal(err)
		}
		entry, err := source.ParseEntry(c.Entry, file)
		if err != nil {
			t.Fatal(err)
		}
		program, err := source.Context(file, entry)
		if err != nil {
			t.Fatal(err)
		}
		shown[dataset.CodeKey(program)] = c.ID
	}
	g := corpus.NewGenerator(1, corpus.DefaultStyle())
	for i := range uint64(5000) {
		if id, ok := shown[dataset.Key(g.Case(i).Source)]; ok {
			t.Errorf("%s is generated program %d", id, i)
		}
	}
}
