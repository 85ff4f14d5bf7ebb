package corpus

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/neuraldbg/neuraldbg/statetree"
)

// TestDrillKindsRun records drills of each kind: all of them are Python, nearly all end
// with a value, and they do what the kind is for.
func TestDrillKindsRun(t *testing.T) {
	has := func(text string) func(Recorded) bool {
		return func(r Recorded) bool { return strings.Contains(r.Case.Source, text) }
	}
	marks := map[string]func(Recorded) bool{
		"sums": has(" + "), "products": has(" // "), "comparisons": has(" < "), "branches": has("if "), "loops": has("for "),
		"letters": has("for "), "slices": has("[1:]"), "lists": has(".append("), "texts": has(".replace("), "dicts": has(".get("),
		"calls": func(r Recorded) bool { return len(calls(r)) > 1 },
		"recursion": func(r Recorded) bool {
			return len(calls(r)) == 1 && slices.Max(slices.Collect(maps.Values(calls(r)))) > 1
		},
	}
	const n = 60
	kinds, at := DrillKinds(), 0
	ended, marked := map[string]int{}, map[string]int{}
	drills := func(yield func(Case) bool) {
		for _, kind := range kinds {
			for c := range NewGenerator(1, DrillStyle(kind)).Cases(0, n) {
				if !yield(c) {
					return
				}
			}
		}
	}
	for r, err := range Record(context.Background(), drills, RecordOptions{Workers: 2, Events: 200, Value: 120}) {
		if err != nil {
			t.Fatal(err)
		}
		kind := kinds[at/n]
		at++
		if marks[kind] == nil {
			t.Fatalf("the test does not know what drills of %s have", kind)
		}
		if r.Dropped == Unfit || strings.ContainsAny(r.Case.Source, "@«»") {
			t.Errorf("not Python:\n%s", r.Case.Source)
		}
		if r.Dropped != Kept {
			continue
		}
		if marks[kind](r) {
			marked[kind]++
		}
		if last := r.Recording.States[len(r.Recording.States)-1]; last.Event != statetree.Exception {
			ended[kind]++
		}
	}
	for _, kind := range kinds {
		if ended[kind] < n*8/10 || marked[kind] < n/6 {
			t.Errorf("%s: of %d drills %d came to their end, %d do what the kind is for", kind, n, ended[kind], marked[kind])
		}
	}
}

// calls counts the calls of each function of a program.
func calls(r Recorded) map[string]int {
	count := map[string]int{}
	for _, s := range r.Recording.States {
		if s.Event == statetree.Call && s.File == ProgramFile && s.Function != statetree.ModuleFunction {
			count[s.Function]++
		}
	}
	return count
}

// TestDrillKinds: each kind has a name of its own, and another one is refused.
func TestDrillKinds(t *testing.T) {
	known := DrillKinds()
	if slices.Sort(known); len(known) < 3 || len(slices.Compact(known)) != len(DrillKinds()) {
		t.Errorf("the kinds are %v", DrillKinds())
	}
	defer func() {
		if recover() == nil {
			t.Error("there are drills of a kind that is not there")
		}
	}()
	NewGenerator(1, DrillStyle("tricks")).Case(0)
}
