package eval

import (
	"context"
	"fmt"
	"reflect"
	"testing"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/corpus"
)

var (
	arguments = statetree.Locals{{Name: "s", Repr: "'berry'"}, {Name: "t", Repr: "'r'"}}
	counted   = arguments.Set("n", "0")
	counting  = statetree.Program{Code: "def count(s, t):\n    n = 0\n    return n\n"}
)

func step(k statetree.ActionKind, s statetree.State) statetree.Step {
	return statetree.Step{Action: statetree.Action{Kind: k}, Outcome: statetree.Outcome{State: s}}
}

func end(k statetree.ActionKind, x statetree.Exit) statetree.Step {
	return statetree.Step{Action: statetree.Action{Kind: k}, Outcome: statetree.Outcome{Exit: x}}
}

// forward and inverse are one run of count, in both directions.
func forward() statetree.Trajectory {
	return statetree.Trajectory{
		Program: counting,
		Start:   statetree.State{Event: statetree.Call, Source: "def count(s, t):", Locals: arguments, Line: 1},
		Steps: []statetree.Step{
			step(statetree.StepInto, statetree.State{Event: statetree.Line, Source: "    n = 0", Locals: arguments, Line: 2}),
			step(statetree.StepOver, statetree.State{Event: statetree.Line, Source: "    return n", Locals: counted, Line: 3}),
			step(statetree.StepReturn, statetree.State{Event: statetree.Return, Source: "    return n", Arg: "0", Line: 3}),
			end(statetree.Continue, statetree.ExitNormal),
		},
	}
}

func inverse() statetree.Trajectory {
	return statetree.Trajectory{
		Program: counting, Direction: statetree.Inverse,
		Start: statetree.State{Event: statetree.InvReturn, Source: "    return n", Arg: "0", Line: 3},
		Steps: []statetree.Step{
			step(statetree.InvStepInto, statetree.State{Event: statetree.InvLine, Source: "    return n", Locals: counted, Line: 3}),
			step(statetree.InvStepOver, statetree.State{Event: statetree.InvLine, Source: "    n = 0", Locals: arguments, Line: 2}),
			step(statetree.InvStepCall, statetree.State{Event: statetree.InvCall, Source: "def count(s, t):", Locals: arguments, Line: 1}),
			end(statetree.InvStepInto, statetree.ExitEntry),
		},
	}
}

// handmade asks for every step of both, n times.
func handmade(t *testing.T, n int) Questions {
	t.Helper()
	tree, err := statetree.NewTree(statetree.Recording{States: []statetree.Recorded{{State: forward().Start}}})
	if err != nil {
		t.Fatal(err)
	}
	var all []Question
	for i := range n {
		p := program{Case: corpus.Case{Index: uint64(i)}, name: fmt.Sprint(i), key: uint64(i), subject: statetree.Subject{Tree: tree}}
		for d, trajectory := range []statetree.Trajectory{forward(), inverse()} {
			for s := range trajectory.Steps {
				q, err := p.question(Key{Measure: NextState, Data: "handmade", ID: fmt.Sprintf("%d/%d/%d", i, d, s)}, &trajectory, s)
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, q)
			}
		}
	}
	return stream(all)
}

func stream(all []Question) Questions {
	return func(yield func(Question, error) bool) {
		for _, q := range all {
			if !yield(q, nil) {
				return
			}
		}
	}
}

// double is a predictor that knows the two trajectories, and answers with what
// change makes of the truth.
type double struct {
	model.Predictor
	t      *testing.T
	change func(*model.Prediction) error
}

type doubleSession struct {
	model.Session
	p *double
	c model.Context
}

func (d *double) Open(_ context.Context, c model.Context) (model.Session, model.Prediction, error) {
	return &doubleSession{p: d, c: c}, model.Prediction{}, nil
}

func (s *doubleSession) Predict(_ context.Context, a statetree.Action) (model.Prediction, error) {
	truth := forward()
	if s.c.Direction == statetree.Inverse {
		truth = inverse()
	}
	truth, err := asRead(&truth)
	if err != nil {
		s.p.t.Error(err)
	}
	if !reflect.DeepEqual(s.c.Start, truth.Start) {
		s.p.t.Errorf("the start is %+v, want %+v", s.c.Start, truth.Start)
	}
	for i, h := range s.c.History {
		if want := truth.Steps[i]; h.Action != want.Action || !reflect.DeepEqual(h.Outcome, want.Outcome) || h.Edited {
			s.p.t.Errorf("step %d of the history is %+v, want %+v", i, h, want)
		}
	}
	next := truth.Steps[len(s.c.History)]
	if a != next.Action {
		s.p.t.Errorf("asked for %v, want %v", a, next.Action)
	}
	got := model.Prediction{Outcome: next.Outcome, Tokens: 3, Confidence: model.Certain()}
	err = s.p.change(&got)
	return got, err
}

func (s *doubleSession) Close() error { return nil }

// asked returns the answers of a double.
func asked(t *testing.T, n int, change func(*model.Prediction) error) []Answer {
	t.Helper()
	return askedBy(t, 3, n, change)
}

func askedBy(t *testing.T, workers, n int, change func(*model.Prediction) error) []Answer {
	t.Helper()
	r := Runner{Predictor: &double{t: t, change: change}, Log: NewLog(), Workers: workers}
	if err := r.Run(t.Context(), handmade(t, n)); err != nil {
		t.Fatal(err)
	}
	return r.Log.Answers()
}

func right(*model.Prediction) error { return nil }
