package eval

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/neuraldbg/neuraldbg/internal/folderlock"
	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/grammar"
)

func row(answers []Answer, k statetree.ActionKind) NextStateRow {
	for _, row := range NewReport(model.Info{}, answers).NextState[0].Rows {
		if row.Action == k {
			return row
		}
	}
	return NextStateRow{}
}

func TestPerfectPredictor(t *testing.T) {
	answers := asked(t, 5, right)
	if len(answers) != 40 {
		t.Fatalf("%d answers", len(answers))
	}
	for _, k := range []statetree.ActionKind{statetree.StepInto, statetree.StepReturn, statetree.Continue, statetree.InvStepCall} {
		for c, s := range row(answers, k).Model {
			if s != (Score{5, 5}) {
				t.Errorf("%v: %s is %v", k, c, s)
			}
		}
	}
	if s := row(answers, statetree.StepReturn); s.Model[Args].Of != 5 || s.Model[Locals].Of != 0 {
		t.Errorf("step_return: %+v", s)
	}
	if s := row(answers, statetree.Continue); s.Model[Source].Of != 0 || s.Baseline[Event].Correct != 0 {
		t.Errorf("an exit counts sources: %+v", s)
	}
	// From the call to the first line only event and source change.
	if s := row(answers, statetree.StepInto).Baseline; s[Locals].Correct != 5 || s[Event].Correct != 0 || s[Whole].Correct != 0 {
		t.Errorf("the baseline of step_into is %+v", s)
	}
}

func TestWrongPredictor(t *testing.T) {
	for _, test := range []struct {
		name                         string
		change                       func(*statetree.Outcome)
		event, source, locals, whole bool
	}{
		{"event", func(o *statetree.Outcome) { o.State.Event = statetree.Exception }, false, true, false, false},
		{"source", func(o *statetree.Outcome) { o.State.Source = "    pass" }, true, false, true, false},
		{"value", func(o *statetree.Outcome) { o.State.Locals = o.State.Locals.Set("n", "7") }, true, true, false, false},
		{"fewer names", func(o *statetree.Outcome) { o.State.Locals = o.State.Locals[:min(2, len(o.State.Locals))] }, true, true, false, false},
		{"partial", func(o *statetree.Outcome) { o.State.Partial = true }, true, true, false, false},
		{"exit", func(o *statetree.Outcome) { *o = statetree.Outcome{Exit: statetree.ExitNormal} }, false, false, false, false},
	} {
		answers := asked(t, 1, func(p *model.Prediction) error { test.change(&p.Outcome); return nil })
		got := row(answers, statetree.StepOver).Model
		for c, want := range map[Component]bool{Event: test.event, Source: test.source, Locals: test.locals, Whole: test.whole} {
			if (got[c].Correct == 1) != want || got[c].Of != 1 {
				t.Errorf("%s: %s is %v, want %v", test.name, c, got[c], want)
			}
		}
	}
}

func TestErrorsOfThePredictor(t *testing.T) {
	answers := asked(t, 5, func(*model.Prediction) error { return errors.New("stuck") })
	if s := row(answers, statetree.StepOver); s.Failed != 5 || s.FirstError != "stuck" || s.Model[Whole] != (Score{0, 5}) {
		t.Errorf("failures give %+v", s)
	}
	answers = asked(t, 5, func(*model.Prediction) error { return model.ErrContextFull })
	if s := row(answers, statetree.StepOver); s.TooLong != 5 || s.Model[Whole].Of != 0 {
		t.Errorf("full contexts give %+v", s)
	}
	r := Runner{Predictor: &double{t: t, change: func(*model.Prediction) error { return model.ErrUnavailable }}, Log: NewLog()}
	if err := r.Run(t.Context(), handmade(t, 1)); !errors.Is(err, model.ErrUnavailable) {
		t.Errorf("without a model process: %v", err)
	}
	if r.Log.Len() != 0 {
		t.Error("an answer was kept that is none")
	}
}

// An evaluation that was stopped goes on where it was, even where its last line
// was torn; one with other settings is refused.
func TestResume(t *testing.T) {
	dir := t.TempDir()
	settings := map[string]int{"seed": 1}
	ctx, cancel := context.WithCancel(t.Context())
	calls := 0
	stopping := &double{t: t, change: func(*model.Prediction) error {
		if calls++; calls == 7 {
			cancel()
			return ctx.Err()
		}
		return nil
	}}
	log, err := OpenLog(dir, settings)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := OpenLog(dir, settings); !errors.Is(err, folderlock.ErrHeld) {
		t.Errorf("opened twice: %v", err)
	}
	r := Runner{Predictor: stopping, Log: log, Workers: 1}
	if err := r.Run(ctx, handmade(t, 3)); !errors.Is(err, context.Canceled) {
		t.Fatalf("stopped with %v", err)
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, answersFile)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), "\n"); n != 6 {
		t.Fatalf("%d answers were kept", n)
	}
	if err := os.WriteFile(path, text[:len(text)-10], 0o644); err != nil {
		t.Fatal(err)
	}

	if log, err = OpenLog(dir, settings); err != nil {
		t.Fatal(err)
	}
	calls, last := 100, 0
	again := &double{t: t, change: func(*model.Prediction) error { calls++; return nil }}
	r = Runner{Predictor: again, Log: log, Workers: 1, Progress: func(n int) { last = n }}
	if err := r.Run(t.Context(), handmade(t, 3)); err != nil {
		t.Fatal(err)
	}
	if calls != 119 || last != 24 {
		t.Errorf("%d predictions were made, progress ends at %d", calls-100, last)
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	answers, err := ReadAnswers(dir)
	if err != nil {
		t.Fatal(err)
	}
	if s := row(answers, statetree.StepOver).Model[Whole]; len(answers) != 24 || s != (Score{3, 3}) {
		t.Errorf("%d answers, step_over %v", len(answers), s)
	}
	if _, err := OpenLog(dir, map[string]int{"seed": 2}); err == nil || !strings.Contains(err.Error(), "other settings") {
		t.Errorf("other settings: %v", err)
	}
	if _, err := ReadAnswers(t.TempDir()); err == nil {
		t.Error("an empty folder is an evaluation")
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
