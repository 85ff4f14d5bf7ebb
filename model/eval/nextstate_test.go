package eval

import (
	"context"
	"errors"
	"iter"
	"reflect"
	"strings"
	"testing"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/model/dataset"
	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/corpus"
	"github.com/neuraldbg/neuraldbg/statetree/grammar"
)

var (
	arguments = statetree.Locals{{Name: "s", Repr: "'berry'"}, {Name: "t", Repr: "'r'"}}
	counted   = arguments.Set("n", "0")
	program   = statetree.Program{Code: "def count(s, t):\n    n = 0\n    return n\n"}
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
		Program: program,
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
		Program: program, Direction: statetree.Inverse,
		Start: statetree.State{Event: statetree.InvReturn, Source: "    return n", Arg: "0", Line: 3},
		Steps: []statetree.Step{
			step(statetree.InvStepInto, statetree.State{Event: statetree.InvLine, Source: "    return n", Locals: counted, Line: 3}),
			step(statetree.InvStepOver, statetree.State{Event: statetree.InvLine, Source: "    n = 0", Locals: arguments, Line: 2}),
			step(statetree.InvStepCall, statetree.State{Event: statetree.InvCall, Source: "def count(s, t):", Locals: arguments, Line: 1}),
			end(statetree.InvStepInto, statetree.ExitEntry),
		},
	}
}

// programs is n copies of both.
func programs(n int) iter.Seq2[dataset.Sampled, error] {
	return func(yield func(dataset.Sampled, error) bool) {
		for i := range n {
			s := dataset.Sampled{Case: corpus.Case{Index: uint64(i)}, Trajectories: []statetree.Trajectory{forward(), inverse()}}
			if !yield(s, nil) {
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
	change func(statetree.Outcome) (statetree.Outcome, error)
	opened int
	closed int
}

type doubleSession struct {
	model.Session
	p *double
	c model.Context
}

func (d *double) Info() model.Info { return model.Info{Name: "double"} }

func (d *double) Open(_ context.Context, c model.Context) (model.Session, model.Prediction, error) {
	d.opened++
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
	o, err := s.p.change(next.Outcome)
	return model.Prediction{Outcome: o, Tokens: 3}, err
}

func (s *doubleSession) Close() error { s.p.closed++; return nil }

func run(t *testing.T, change func(statetree.Outcome) (statetree.Outcome, error)) (NextStateReport, *double) {
	t.Helper()
	d := &double{t: t, change: change}
	r, err := NextState(context.Background(), d, programs(20), NextStateOptions{Predictions: 5})
	if err != nil {
		t.Fatal(err)
	}
	return r, d
}

func row(r NextStateReport, k statetree.ActionKind) NextStateRow {
	for _, row := range r.Rows {
		if row.Action == k {
			return row
		}
	}
	return NextStateRow{}
}

func TestPerfectPredictor(t *testing.T) {
	r, d := run(t, func(o statetree.Outcome) (statetree.Outcome, error) { return o, nil })
	if len(r.Rows) != 8 {
		t.Fatalf("%d rows", len(r.Rows))
	}
	for _, row := range r.Rows {
		want := 5
		if row.Action == statetree.Breakpoint { // there is none in the trajectories
			want = 0
		}
		for name, s := range map[string]Score{"event": row.Model.Event, "whole": row.Model.Whole} {
			if s != (Score{want, want}) {
				t.Errorf("%v: %s is %v, want %d", row.Action, name, s, want)
			}
		}
		if s := row.Model.Source; s.Correct != s.Of {
			t.Errorf("%v: source is %v", row.Action, s)
		}
		if s := row.Model.Values; s.Correct != s.Of {
			t.Errorf("%v: values are %v", row.Action, s)
		}
	}
	if d.opened != 35 || d.closed != 35 {
		t.Errorf("%d sessions opened, %d closed, want 35", d.opened, d.closed)
	}
	if s := row(r, statetree.StepReturn); s.Model.Source.Of != 5 || s.Model.Values.Of != 5 || s.Tokens != 15 {
		t.Errorf("step_return: %+v", s)
	}
	if s := row(r, statetree.Continue); s.Model.Source.Of != 0 || s.Model.Values.Of != 0 || s.Baseline.Event.Correct != 0 {
		t.Errorf("an exit counts sources or values: %+v", s)
	}
	// From the call to the first line only event and source change.
	if s := row(r, statetree.StepInto).Baseline; s.Values.Correct != 5 || s.Event.Correct != 0 || s.Whole.Correct != 0 {
		t.Errorf("the baseline of step_into is %+v", s)
	}
}

func TestWrongPredictor(t *testing.T) {
	for _, test := range []struct {
		name                         string
		change                       func(*statetree.Outcome)
		event, source, values, whole int
	}{
		{"event", func(o *statetree.Outcome) { o.State.Event = statetree.Exception }, 0, 5, 0, 0},
		{"source", func(o *statetree.Outcome) { o.State.Source = "    pass" }, 5, 0, 5, 0},
		{"value", func(o *statetree.Outcome) { o.State.Locals = o.State.Locals.Set("n", "7") }, 5, 5, 0, 0},
		{"fewer names", func(o *statetree.Outcome) { o.State.Locals = o.State.Locals[:min(2, len(o.State.Locals))] }, 5, 5, 0, 0},
		{"partial", func(o *statetree.Outcome) { o.State.Partial = true }, 5, 5, 0, 0},
		{"exit", func(o *statetree.Outcome) { *o = statetree.Outcome{Exit: statetree.ExitNormal} }, 0, 0, 0, 0},
	} {
		r, _ := run(t, func(o statetree.Outcome) (statetree.Outcome, error) { test.change(&o); return o, nil })
		got := row(r, statetree.StepOver).Model
		want := Scores{Score{test.event, 5}, Score{test.source, 5}, Score{test.values, 5}, Score{test.whole, 5}}
		if got != want {
			t.Errorf("%s: %+v, want %+v", test.name, got, want)
		}
	}
	r, _ := run(t, func(o statetree.Outcome) (statetree.Outcome, error) { o.Exit = statetree.ExitError; return o, nil })
	if s := row(r, statetree.Continue).Model.Whole; s.Correct != 0 || s.Of != 5 {
		t.Errorf("the wrong exit gives %v", s)
	}
}

func TestErrorsOfThePredictor(t *testing.T) {
	r, _ := run(t, func(o statetree.Outcome) (statetree.Outcome, error) { return o, errors.New("stuck") })
	if s := row(r, statetree.StepInto); s.Failed != 5 || s.FirstError != "stuck" || s.Model.Whole != (Score{0, 5}) {
		t.Errorf("failures give %+v", s)
	}
	r, _ = run(t, func(o statetree.Outcome) (statetree.Outcome, error) { return o, model.ErrContextFull })
	if s := row(r, statetree.StepInto); s.TooLong != 20 || s.Model.Whole.Of != 0 {
		t.Errorf("full contexts give %+v", s)
	}
	d := &double{t: t, change: func(o statetree.Outcome) (statetree.Outcome, error) { return o, model.ErrUnavailable }}
	if _, err := NextState(context.Background(), d, programs(1), NextStateOptions{}); !errors.Is(err, model.ErrUnavailable) {
		t.Errorf("without a model process: %v", err)
	}
}

// Reading a trajectory back must not change its text, or the history that a
// model is shown would not be what it was trained on.
func TestAsReadKeepsTheText(t *testing.T) {
	for _, original := range []statetree.Trajectory{forward(), inverse()} {
		read, err := asRead(&original)
		if err != nil {
			t.Fatal(err)
		}
		var w grammar.Writer
		a, b := grammar.Display(w.AppendTrajectory(nil, &original)), grammar.Display(w.AppendTrajectory(nil, &read))
		if a != b {
			t.Errorf("the text\n%s\nbecame\n%s", a, b)
		}
		if read.Steps[0].Outcome.State.Line != original.Steps[0].Outcome.State.Line {
			t.Error("the line number is lost")
		}
		if original.Direction == statetree.Inverse && !read.Steps[0].Outcome.State.Partial {
			t.Error("values that the text does not tell are known")
		}
	}
}

func TestMarkdown(t *testing.T) {
	r, _ := run(t, func(o statetree.Outcome) (statetree.Outcome, error) { return o, nil })
	var b strings.Builder
	if err := r.Markdown(&b); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"| step_into | 5 | 100.0 (0.0) | 100.0 (0.0) | 100.0 (100.0) | 100.0 (0.0) | 56.6–100.0 |",
		"| breakpoint | 0 | – | – | – | – | – |",
		"| continue | 5 | 100.0 (0.0) | – | – | 100.0 (0.0) | 56.6–100.0 |",
	} {
		if !strings.Contains(b.String(), line) {
			t.Errorf("the table lacks\n%s\nit is\n%s", line, b.String())
		}
	}
}
