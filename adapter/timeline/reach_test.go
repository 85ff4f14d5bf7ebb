package timeline_test

import (
	"context"
	"slices"
	"testing"

	"github.com/neuraldbg/neuraldbg/adapter/timeline"
	"github.com/neuraldbg/neuraldbg/model/replay"
	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/record"
)

// TestContinueMissesNoBreakpoint: with any two breakpoints, continue stops at
// exactly the states on their lines, in the order in which they happened, though
// it steps over what cannot reach them.
func TestContinueMissesNoBreakpoint(t *testing.T) {
	for _, file := range []string{"testdata/ledger.py", "testdata/twins.py", "testdata/nested.py"} {
		recording, err := record.Record(context.Background(), record.Options{File: file, Entry: "main()"})
		if err != nil {
			t.Fatal(err)
		}
		predictor, err := replay.New(recording)
		if err != nil {
			t.Fatal(err)
		}
		var lines []int
		for _, s := range recording.States {
			if s.Event == statetree.Line && !slices.Contains(lines, s.Line) {
				lines = append(lines, s.Line)
			}
		}
		over, into := 0, 0
		for i, first := range lines {
			for _, second := range lines[i+1:] {
				f := opened(t, predictor, timeline.Launch{Path: file, Entry: "main()"}, timeline.Options{})
				f.breakAt(first, second)
				for _, s := range recording.States[1:] {
					if s.Event != statetree.Line || s.Line != first && s.Line != second {
						continue
					}
					stop := f.do("continue", f.Continue)
					e := f.Current()
					if stop.Reason != timeline.ReasonBreakpoint || !e.State.Matches(s.State) || e.State.Line != s.Line {
						t.Fatalf("%s, breakpoints %d and %d: stopped for %s at line %d with %v; want line %d with %v",
							file, first, second, stop.Reason, e.State.Line, e.State.Locals, s.Line, s.Locals)
					}
				}
				if stop := f.do("continue", f.Continue); stop.Reason != timeline.ReasonExit {
					t.Fatalf("%s, breakpoints %d and %d: after the last hit stopped for %s", file, first, second, stop.Reason)
				}
				for _, e := range f.Entries() {
					switch e.Action.Kind {
					case statetree.StepOver:
						over++
					case statetree.StepInto:
						into++
					}
				}
			}
		}
		if over == 0 {
			t.Errorf("%s: no step went over a call", file)
		}
		t.Logf("%s: %d steps over, %d steps into", file, over, into)
	}
}
