package timeline_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/neuraldbg/neuraldbg/adapter/timeline"
	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/model/replay"
	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/record"
)

const passing = "testdata/passing.py"

// TestBreakpointWithinAStep: a step that skips states stops at a breakpoint in
// them, and without one skips them as before.
func TestBreakpointWithinAStep(t *testing.T) {
	launch := timeline.Launch{Path: passing, Entry: "main()"}
	for name, test := range map[string]struct {
		lines []int
		steps [][2]string
	}{
		"over a call": {[]int{2}, [][2]string{
			{"over", "line main:17"},
			{"over", "line inner:2 < outer:6 < main:17 x=3"},
			{"out", "line outer:7 < main:17 x=3 y=4"},
			{"over", "return outer:7 < main:17 -> 4"},
			{"over", "line main:18 a=4"},
			{"over", "line main:19 a=4 b=6"}, // harmless calls nothing with a breakpoint
		}},
		"over the second call of a line": {[]int{11}, [][2]string{
			{"over", "line main:17"},
			{"over", "line main:18 a=4"},
			{"over", "line harmless:11 < main:18 n=5"},
			{"out", "line main:19 a=4 b=6"},
			{"into", "line outer:6 < main:19 x=6"},
			{"out", "line harmless:11 < main:19 n=7"},
			{"out", "return main:19 -> 8"},
		}},
		"out of a function": {[]int{7}, [][2]string{
			{"over", "line main:17"},
			{"into", "line outer:6 < main:17 x=3"},
			{"out", "line outer:7 < main:17 x=3 y=4"},
			{"out", "line main:18 a=4"},
		}},
		"out over a call in it": {[]int{2}, [][2]string{
			{"over", "line main:17"},
			{"into", "line outer:6 < main:17 x=3"},
			{"out", "line inner:2 < outer:6 < main:17 x=3"},
		}},
		"none on the way": {[]int{17}, [][2]string{
			{"over", "line main:17"},
			{"over", "line main:18 a=4"},
			{"back", "line main:17"},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			f := replaying(t, launch)
			f.breakAt(test.lines...)
			f.script(test.steps...)
		})
	}
}

// TestStepSaysWhyItStopped: a breakpoint within a step is the reason of the stop.
func TestStepSaysWhyItStopped(t *testing.T) {
	f := replaying(t, timeline.Launch{Path: passing, Entry: "main()"})
	f.do("over", f.StepOver)
	set := f.breakAt(2)
	if s := f.do("over", f.StepOver); s.Reason != timeline.ReasonBreakpoint || len(s.Breakpoints) != 1 || s.Breakpoints[0] != set[0].ID {
		t.Errorf("stopped for %s at breakpoints %v; want a breakpoint, %d", s.Reason, s.Breakpoints, set[0].ID)
	}
	f.Breakpoints().Set(f.Target().File.Path(), nil, nil)
	f.Breakpoints().SetFunctions([]timeline.FunctionRequest{{Name: "outer"}})
	f.script([2]string{"to the start", "call main:16"}, [2]string{"over", "line main:17"}, [2]string{"over", "call outer:5 < main:17 x=3"})
}

// TestStepBeyondTheLimit: a step that is not at its end by then skips what is left
// out, with a note, as does one of who wants jumps only.
func TestStepBeyondTheLimit(t *testing.T) {
	recording, err := record.Record(context.Background(), record.Options{File: passing, Entry: "main()"})
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		options timeline.Options
		steps   int // that are asked for
		noted   bool
	}{
		"at the limit": {timeline.Options{MaxSteps: 3}, 3 + 1, true}, // and the step itself
		"jumps only":   {timeline.Options{Strategy: timeline.Jump}, 1, false},
		"within it":    {timeline.Options{MaxSteps: 30}, 8, false},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := replay.New(recording)
			if err != nil {
				t.Fatal(err)
			}
			asked := &askedFor{Predictor: p}
			noted := ""
			test.options.Listener.Note = func(text string) { noted += text }
			f := opened(t, asked, timeline.Launch{Path: passing, Entry: "main()"}, test.options)
			f.script([2]string{"over", "line main:17"})
			never := timeline.LineRequest{Line: 2, Modifiers: timeline.Modifiers{Condition: "x > 100"}}
			f.Breakpoints().SetLines(f.Target().File.Path(), []timeline.LineRequest{never}, timeline.SnapTo(f.Target().File))
			asked.kinds = nil
			f.script([2]string{"over", "line main:18 a=4"})
			if len(asked.kinds) != test.steps || strings.Contains(noted, "maxSteps") != test.noted {
				t.Errorf("%v were asked for, and %q was noted; want %d", asked.kinds, noted, test.steps)
			}
		})
	}
}

// TestLookAheadWithinAStep: what is predicted ahead is the first state that the
// step goes through.
func TestLookAheadWithinAStep(t *testing.T) {
	recording, err := record.Record(context.Background(), record.Options{File: passing, Entry: "main()"})
	if err != nil {
		t.Fatal(err)
	}
	p, err := replay.New(recording)
	if err != nil {
		t.Fatal(err)
	}
	asked := &askedFor{Predictor: p}
	f := opened(t, asked, timeline.Launch{Path: passing, Entry: "main()"}, timeline.Options{})
	f.breakAt(5)
	f.script([2]string{"over", "line main:17"})
	f.LookAhead(statetree.StepOver)
	f.script([2]string{"over", "call outer:5 < main:17 x=3"})
	if want := []statetree.ActionKind{statetree.StepOver, statetree.StepInto}; !slices.Equal(asked.kinds, want) {
		t.Errorf("%v were asked for; want %v", asked.kinds, want)
	}
}

// askedFor is a predictor that notes the kinds of the actions that it is asked
// for.
type askedFor struct {
	model.Predictor
	kinds []statetree.ActionKind
}

func (p *askedFor) Open(ctx context.Context, c model.Context) (model.Session, model.Prediction, error) {
	s, first, err := p.Predictor.Open(ctx, c)
	return askedSession{s, p}, first, err
}

type askedSession struct {
	model.Session
	of *askedFor
}

func (s askedSession) Predict(ctx context.Context, a statetree.Action) (model.Prediction, error) {
	s.of.kinds = append(s.of.kinds, a.Kind)
	return s.Session.Predict(ctx, a)
}
