package statetree_test

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/statetreetest"
)

// forRandomTrees runs a test on the trees of many random recordings.
func forRandomTrees(t *testing.T, count, size int, test func(t *testing.T, rng *rand.Rand, tree *statetree.Tree)) {
	t.Helper()
	for seed := range uint64(count) {
		rng := rand.New(rand.NewPCG(1, seed))
		r := statetreetest.Random(rng, size)
		tree, err := statetree.NewTree(r)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		test(t, rng, tree)
		if t.Failed() {
			t.Fatalf("seed %d: %d states, exit %v", seed, len(r.States), r.Exit)
		}
	}
}

func TestStepIntoIsTheRecording(t *testing.T) {
	forRandomTrees(t, 200, 120, func(t *testing.T, _ *rand.Rand, tree *statetree.Tree) { checkStepInto(t, tree) })
}

// checkStepInto checks that step_into alone gives the recording.
func checkStepInto(t *testing.T, tree *statetree.Tree) {
	t.Helper()
	r := tree.Recording()
	walk := statetree.WalkAll(tree.Cursor(statetree.Whole), r.Program, statetree.StepInto)
	if walk.States() != len(r.States) {
		t.Errorf("%d states walked, %d recorded", walk.States(), len(r.States))
		return
	}
	for i, recorded := range r.States {
		state, activation := walk.Start, walk.StartActivation
		if i > 0 {
			state, activation = walk.Steps[i-1].Outcome.State, walk.Steps[i-1].Activation
		}
		if !reflect.DeepEqual(state, recorded.State) || activation != recorded.Activation {
			t.Errorf("state %d is %v of activation %d, want %v", i, state, activation, recorded)
		}
	}
	if cut := r.Exit == statetree.NoExit || r.Exit == statetree.ExitNever; cut {
		if walk.Cut != statetree.CutByRecording || walk.Exit() != statetree.NoExit {
			t.Errorf("the walk of a cut recording ends with exit %v, cut %q", walk.Exit(), walk.Cut)
		}
	} else if walk.Exit() != r.Exit {
		t.Errorf("exit %v, want %v", walk.Exit(), r.Exit)
	}
}

func TestInverseOfInverse(t *testing.T) {
	forRandomTrees(t, 200, 120, func(t *testing.T, _ *rand.Rand, tree *statetree.Tree) {
		if again := tree.Invert().Invert(); !reflect.DeepEqual(again, tree) {
			t.Errorf("inverting twice gives %+v, want %+v", again, tree)
		}
	})
}

func TestNewTreeErrors(t *testing.T) {
	state := func(e statetree.Event, activation int) statetree.Recorded {
		return statetree.Recorded{State: statetree.State{Event: e}, Activation: activation}
	}
	for _, test := range []struct {
		name   string
		states []statetree.Recorded
		want   string
	}{
		{"empty", nil, "no states"},
		{"inverse event", []statetree.Recorded{state(statetree.InvCall, 0)}, "is a inv_call"},
		{"no call", []statetree.Recorded{state(statetree.Line, 0)}, "begins with a line event"},
		{"gap", []statetree.Recorded{state(statetree.Call, 1)}, "out of order"},
		{"negative", []statetree.Recorded{state(statetree.Call, -1)}, "out of order"},
		{"called twice", []statetree.Recorded{state(statetree.Call, 0), state(statetree.Call, 0)}, "second call"},
		{"after return", []statetree.Recorded{state(statetree.Call, 0), state(statetree.Return, 0), state(statetree.Line, 0)}, "goes on"},
		{"callee open", []statetree.Recorded{state(statetree.Call, 0), state(statetree.Call, 1), state(statetree.Line, 0)}, "goes on"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := statetree.NewTree(statetree.Recording{States: test.states})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one with %q", err, test.want)
			}
		})
	}
}

func TestEntryLevel(t *testing.T) {
	type activation struct {
		owner    int // the activation that calls it; -1 for the root
		function string
	}
	for _, test := range []struct {
		name        string
		entry       statetree.Entry
		activations []activation // each is called by the open one, or after it returned by the root
		want        int
		ok          bool
	}{
		{"module", statetree.Entry{Kind: statetree.ModuleEntry}, []activation{{-1, "<module>"}}, 0, false},
		{"own main", statetree.Entry{Kind: statetree.CallEntry, Function: "main"}, []activation{{-1, "main"}, {0, "g"}}, 0, true},
		{"argument is a call", statetree.Entry{Kind: statetree.CallEntry, Function: "f", Driver: "main"},
			[]activation{{-1, "main"}, {0, "g"}, {0, "f"}}, 2, true},
		{"argument is a call of the same", statetree.Entry{Kind: statetree.CallEntry, Function: "f", Driver: "main"},
			[]activation{{-1, "main"}, {0, "f"}, {0, "f"}}, 2, true},
		{"deeper calls do not count", statetree.Entry{Kind: statetree.CallEntry, Function: "f", Driver: "main"},
			[]activation{{-1, "main"}, {0, "f"}, {1, "f"}}, 1, true},
		{"method", statetree.Entry{Kind: statetree.CallEntry, Function: "push", Driver: "main"},
			[]activation{{-1, "main"}, {0, "Stack.__init__"}, {0, "Stack.push"}}, 2, true},
		{"class", statetree.Entry{Kind: statetree.CallEntry, Function: "Stack", Driver: "main"},
			[]activation{{-1, "main"}, {0, "Stack.__init__"}}, 1, true},
		{"nothing called", statetree.Entry{Kind: statetree.CallEntry, Function: "f", Driver: "main"}, []activation{{-1, "main"}}, 0, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := statetree.Recording{Program: statetree.Program{Entry: test.entry}}
			add := func(e statetree.Event, a int) {
				r.States = append(r.States, statetree.Recorded{
					State: statetree.State{Event: e, Function: test.activations[a].function}, Activation: a})
			}
			var open []int
			leave := func() { add(statetree.Return, open[len(open)-1]); open = open[:len(open)-1] }
			for a, activation := range test.activations {
				for len(open) > 0 && open[len(open)-1] != activation.owner {
					leave()
				}
				add(statetree.Call, a)
				open = append(open, a)
			}
			for len(open) > 0 {
				leave()
			}
			tree, err := statetree.NewTree(r)
			if err != nil {
				t.Fatal(err)
			}
			for _, tree := range []*statetree.Tree{tree, tree.Invert()} {
				if level, ok := tree.EntryLevel(); ok != test.ok || level != test.want {
					t.Errorf("%v: level %d, %v; want %d, %v", tree.Direction(), level, ok, test.want, test.ok)
				}
			}
		})
	}
}

func BenchmarkNewTree(b *testing.B) {
	r := statetreetest.Random(rand.New(rand.NewPCG(1, 2)), 5000)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := statetree.NewTree(r); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(r.States)), "ns/state")
}

func BenchmarkInvert(b *testing.B) {
	tree, err := statetree.NewTree(statetreetest.Random(rand.New(rand.NewPCG(1, 2)), 5000))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		tree.Invert()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*tree.Len()), "ns/state")
}
