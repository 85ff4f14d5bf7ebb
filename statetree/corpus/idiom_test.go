package corpus

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/neuraldbg/neuraldbg/statetree"
)

func TestParseIdioms(t *testing.T) {
	list, err := parseIdioms("=== f|g (int, words) -> int\n@n a|b\ndef @f(@n):\n?    x\n?    y\n%either\n    1\n%or\n    2\n    3\n%end\n\n=== h ()\npass\n")
	if err != nil {
		t.Fatal(err)
	}
	d := list[0]
	if len(list) != 2 || !slices.Equal(d.names, []string{"f", "g"}) || !slices.Equal(d.parameters, []string{"int", "words"}) || d.returns != "int" ||
		!slices.Equal(d.slots["n"], []string{"a", "b"}) || d.lines() != 5 || list[1].returns != "" || list[1].parameters != nil {
		t.Errorf("parsed %+v", *d)
	}
	for _, bad := range []string{
		"def f():\n", "=== f(int)\n", "=== f (int)\n%or\n", "=== f (int)\n%end\n",
		"=== f (int)\n%either\nx\n", "=== f (int)\n%either\nx\n=== g (int)\n",
	} {
		if _, err := parseIdioms(bad); err == nil {
			t.Errorf("no error from %q", bad)
		}
	}
}

// mistakes are exceptions that a program as people write it does not raise.
var mistakes = []string{"NameError", "UnboundLocalError", "TypeError", "AttributeError", "SyntaxError"}

// sound records the cases and reports those that are no programs as people write them.
func sound(t *testing.T, cases iter.Seq[Case]) {
	t.Helper()
	for r, err := range Record(context.Background(), cases, RecordOptions{Time: patient}) {
		if err != nil {
			t.Fatal(err)
		}
		switch r.Dropped {
		case Kept, TooLong, TooManyEvents:
		default:
			t.Errorf("%s:\n%s# %s", r.Dropped, r.Case.Source, r.Case.Entry)
		}
		for i := range r.Recording.States {
			s := &r.Recording.States[i]
			if s.Event == statetree.Exception && slices.ContainsFunc(mistakes, func(m string) bool { return strings.HasPrefix(s.Arg, m) }) {
				t.Errorf("%s:\n%s# %s", s.Arg, r.Case.Source, r.Case.Entry)
				break
			}
		}
	}
}

// TestEveryIdiomRuns fills the slots of each idiom several times.
func TestEveryIdiomRuns(t *testing.T) {
	rounds := 2
	if testing.Short() {
		rounds = 1
	}
	sound(t, func(yield func(Case) bool) {
		for i, d := range slices.Concat(idiomGroups()...) {
			for round := range rounds {
				p := newProgram(newRandom(uint64(round), uint64(i)), DefaultStyle())
				w := p.expand(d, map[string]bool{}, nil)
				if len(w.parameters) != len(d.parameters) {
					t.Fatalf("%s has %d parameters, its head says %d", w.name, len(w.parameters), len(d.parameters))
				}
				c := Case{Source: strings.Join(w.lines, "\n") + "\n", Entry: fmt.Sprintf("%s(%s)", w.name, strings.Join((&inputs{program: p}).forIdiom(d), ", "))}
				if !yield(c) {
					return
				}
			}
		}
	})
}

func TestPipelinesRun(t *testing.T) {
	sound(t, func(yield func(Case) bool) {
		for i := range uint64(200) {
			if !yield(newProgram(newRandom(9, i), DefaultStyle()).pipelineProgram()) {
				return
			}
		}
	})
}
