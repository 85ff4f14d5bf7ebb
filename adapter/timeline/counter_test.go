package timeline_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/neuraldbg/neuraldbg/adapter/timeline"
	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// counter is a predictor that answers what-ifs: whatever the action, x is one
// more in the next state, at the same line. It notes what it is asked for.
type counter struct {
	log     []string
	fail    error // of the next prediction
	context int   // how many states fit into the context; 0 for any number
}

func (p *counter) note(format string, args ...any) {
	p.log = append(p.log, fmt.Sprintf(format, args...))
}

// took returns what was asked for since the last call.
func (p *counter) took() []string {
	log := p.log
	p.log = nil
	return log
}

func (p *counter) Info() model.Info { return model.Info{Name: "counter"} }
func (p *counter) Close() error     { return nil }

func (p *counter) Open(_ context.Context, c model.Context) (model.Session, model.Prediction, error) {
	s := &counterSession{p: p, states: []statetree.State{c.Start}}
	for _, step := range c.History {
		s.states = append(s.states, step.Outcome.State)
	}
	p.note("open with %d steps", len(c.History))
	if p.context > 0 && len(s.states) > p.context {
		return nil, model.Prediction{}, model.ErrContextFull
	}
	return s, s.prediction(), nil
}

type counterSession struct {
	p      *counter
	states []statetree.State
}

func (s *counterSession) prediction() model.Prediction {
	return model.Prediction{Outcome: statetree.Outcome{State: s.states[len(s.states)-1]}, Confidence: model.Certain()}
}

func (s *counterSession) Predict(ctx context.Context, a statetree.Action) (model.Prediction, error) {
	s.p.note("%s", a.Kind)
	if err := s.p.fail; err != nil {
		s.p.fail = nil
		return model.Prediction{}, err
	}
	if err := ctx.Err(); err != nil {
		return model.Prediction{}, err
	}
	if s.p.context > 0 && len(s.states) >= s.p.context {
		return model.Prediction{}, model.ErrContextFull
	}
	next := s.states[len(s.states)-1]
	repr, _ := next.Locals.Get("x")
	x, _ := strconv.Atoi(repr)
	next.Locals = next.Locals.Set("x", strconv.Itoa(x+1))
	s.states = append(s.states, next)
	return s.prediction(), nil
}

func (s *counterSession) Adopt(known model.Step) error {
	s.p.note("adopt %s", known.Action.Kind)
	s.states = append(s.states, known.Outcome.State)
	return nil
}

func (s *counterSession) Rewind(n int) error {
	s.p.note("rewind %d", n)
	s.states = s.states[:len(s.states)-n]
	return nil
}

func (s *counterSession) Edit(state statetree.State) error {
	s.p.note("edit")
	s.states[len(s.states)-1] = state
	return nil
}

func (s *counterSession) Close() error { s.p.note("close"); return nil }

// counting opens a timeline over a counter, at a line state with x=0.
func counting(t *testing.T, o timeline.Options) (*fixture, *counter) {
	t.Helper()
	path := write(t, "def f(x):\n    while True:\n        x += 1\n")
	p := &counter{}
	from := &timeline.From{Event: statetree.Line, Line: 3, Locals: map[string]string{"x": "0"}}
	return opened(t, p, timeline.Launch{Path: path, Entry: "f", From: from}, o), p
}

func (f *fixture) expectX(want string) {
	f.t.Helper()
	if got, _ := f.Current().State.Locals.Get("x"); got != want {
		f.t.Errorf("x is %s; want %s", got, want)
	}
}

func expectLog(t *testing.T, p *counter, want ...string) {
	t.Helper()
	if got := p.took(); !reflect.DeepEqual(got, want) {
		t.Errorf("the predictor was asked for %q; want %q", got, want)
	}
}

func TestEdit(t *testing.T) {
	f, p := counting(t, timeline.Options{})
	for range 3 {
		f.do("over", f.StepOver)
	}
	back := func(ctx context.Context) (timeline.Stop, error) { return f.StepBack(ctx, timeline.Statement) }
	f.do("back", back)
	f.do("back", back)
	f.expectX("1")
	expectLog(t, p, "open with 0 steps", "step_over", "step_over", "step_over") // stepping back asks for nothing
	if err := f.Edit(context.Background(), "x", "40"); err != nil {
		t.Fatal(err)
	}
	f.expectX("40")
	if e := f.Current(); !e.Edited || f.Last() != f.Position() {
		t.Errorf("edited %v, position %d, last %d; want what followed dropped", e.Edited, f.Position(), f.Last())
	}
	if v, _ := f.Current().Stack[0].Locals.Get("x"); v != "40" {
		t.Errorf("the frame shows x=%s", v)
	}
	f.do("over", f.StepOver)
	f.expectX("41")
	expectLog(t, p, "rewind 2", "edit", "step_over")
	f.do("back", back)
	f.do("back", back)
	f.expectX("0") // what was before the edit stays
}

// TestAnotherActionReplacesWhatFollows, but only once it is predicted.
func TestAnotherActionReplacesWhatFollows(t *testing.T) {
	f, p := counting(t, timeline.Options{})
	f.do("over", f.StepOver)
	f.do("over", f.StepOver)
	f.do("start", func(context.Context) (timeline.Stop, error) { return f.Go(f.First()) })
	f.do("over", f.StepOver)
	expectLog(t, p, "open with 0 steps", "step_over", "step_over")
	p.fail = context.Canceled
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if s, err := f.StepInstruction(ctx); err != nil || s.Reason != timeline.ReasonPause {
		t.Errorf("a cancelled step: %v, %v; want a pause", s, err)
	}
	p.fail = nil
	if f.Last() != 2 {
		t.Errorf("a cancelled step dropped what followed: last is %d", f.Last())
	}
	f.do("instruction", f.StepInstruction)
	if f.Last() != 2 || f.Position() != 2 {
		t.Errorf("position %d, last %d; want 2, 2", f.Position(), f.Last())
	}
	expectLog(t, p, "rewind 1", "step_into")
}

// TestAFailedSessionIsOpenedAgain with the timeline as its history.
func TestAFailedSessionIsOpenedAgain(t *testing.T) {
	f, p := counting(t, timeline.Options{})
	f.do("over", f.StepOver)
	f.do("over", f.StepOver)
	p.fail = model.ErrUnavailable
	if _, err := f.StepOver(context.Background()); !errors.Is(err, model.ErrUnavailable) {
		t.Fatalf("got %v; want ErrUnavailable", err)
	}
	f.expectX("2")
	f.do("over", f.StepOver)
	f.expectX("3")
	expectLog(t, p, "open with 0 steps", "step_over", "step_over", "step_over", "close", "open with 2 steps", "step_over")
}

// TestAFullContext: the oldest half of the history is forgotten, and going back
// beyond it begins with it again.
func TestAFullContext(t *testing.T) {
	var told []string
	f, p := counting(t, timeline.Options{Listener: timeline.Listener{Note: func(text string) { told = append(told, text) }}})
	p.context = 4
	for range 3 {
		f.do("over", f.StepOver)
	}
	p.took()
	f.do("over", f.StepOver)
	f.expectX("4")
	expectLog(t, p, "step_over", "close", "open with 1 steps", "step_over")
	if since := f.Current().Since; since != 2 {
		t.Errorf("predicted from entry %d on; want 2", since)
	}
	f.do("over", f.StepOver)
	if len(told) != 1 || !strings.Contains(told[0], "of the first 2 states") {
		t.Errorf("the user was told %q; want one note", told)
	}
	f.do("back", func(ctx context.Context) (timeline.Stop, error) { return f.StepBack(ctx, timeline.Statement) })
	p.took()
	f.do("start", func(context.Context) (timeline.Stop, error) { return f.Go(f.First() + 1) })
	f.do("instruction", f.StepInstruction)
	f.expectX("2")
	expectLog(t, p, "close", "open with 1 steps", "step_into")
	p.context = 1 // not even a start and its successor fit
	if _, err := f.StepOver(context.Background()); !errors.Is(err, model.ErrContextFull) {
		t.Errorf("got %v; want ErrContextFull", err)
	}
	f.expectX("2")
}

func TestContinueStopsAtTheLimit(t *testing.T) {
	f, _ := counting(t, timeline.Options{MaxSteps: 10})
	f.breakAt(1, 2)
	if s := f.do("continue", f.Continue); s.Reason != timeline.ReasonLimit || f.Last() != 10 {
		t.Errorf("stopped for %s after %d predictions; want limit after 10", s.Reason, f.Last())
	}
}

func TestPauseKeepsWhatWasPredicted(t *testing.T) {
	f, p := counting(t, timeline.Options{})
	f.breakAt(1, 2)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go cancel()
	s, err := f.Continue(ctx)
	if err != nil || s.Reason != timeline.ReasonPause && s.Reason != timeline.ReasonLimit {
		t.Fatalf("got %v, %v; want a pause", s, err)
	}
	f.expectX(strconv.Itoa(f.Position()))
	p.took()
	f.do("over", f.StepOver)
	f.expectX(strconv.Itoa(f.Position()))
}

func TestEditsThatAreRefused(t *testing.T) {
	f := replaying(t, timeline.Launch{Path: countBerry, Entry: "main()"})
	ctx := context.Background()
	f.breakAt(5)
	f.do("continue", f.Continue)
	if err := f.Edit(ctx, "n", "n + 1"); err == nil {
		t.Error("an expression was accepted as a value")
	}
	f.do("over", f.StepOver) // the return state
	if err := f.Edit(ctx, "n", "2"); err == nil {
		t.Error("a local of a return state was changed")
	}
	if err := f.Edit(ctx, "", "2"); err != nil {
		t.Errorf("the returned value, unchanged: %v", err)
	}
	f.do("continue", f.Continue)
	if err := f.Edit(ctx, "n", "2"); err == nil {
		t.Error("a local was changed after the exit")
	}
}
