package timeline_test

import (
	"context"
	"testing"
	"time"

	"github.com/neuraldbg/neuraldbg/adapter/timeline"
	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// lookAhead predicts ahead, and waits until the counter was asked.
func lookAhead(f *fixture, kind statetree.ActionKind) {
	f.LookAhead(kind)
	time.Sleep(10 * time.Millisecond)
}

// TestLookAhead: the step that was guessed is not predicted twice, and another
// one finds the session as if nothing had been guessed.
func TestLookAhead(t *testing.T) {
	f, p := counting(t, timeline.Options{})
	f.do("over", f.StepOver)
	p.took()
	lookAhead(f, statetree.StepOver)
	f.LookAhead(statetree.StepOver) // one guess is enough
	f.expectX("1")
	if f.Last() != 1 {
		t.Errorf("a guess is on the timeline: last is %d", f.Last())
	}
	f.do("over", f.StepOver)
	f.expectX("2")
	expectLog(t, p, "step_over")

	lookAhead(f, statetree.StepOver)
	f.do("instruction", f.StepInstruction)
	f.expectX("3")
	expectLog(t, p, "step_over", "rewind 1", "step_into")

	lookAhead(f, statetree.StepOver)
	if err := f.Edit(context.Background(), "x", "40"); err != nil {
		t.Fatal(err)
	}
	lookAhead(f, statetree.StepOver)
	f.do("back", func(ctx context.Context) (timeline.Stop, error) { return f.StepBack(ctx, timeline.Statement) })
	f.expectX("2")
	f.LookAhead(statetree.StepOver) // the timeline knows what follows
	f.do("instruction", f.StepInstruction)
	f.expectX("40") // along the timeline
	f.do("over", f.StepOver)
	f.expectX("41")
	expectLog(t, p, "step_over", "rewind 1", "edit", "step_over")
}

// TestLookAheadThatFails is as if it had not been tried.
func TestLookAheadThatFails(t *testing.T) {
	f, p := counting(t, timeline.Options{})
	f.do("over", f.StepOver)
	p.fail = model.ErrUnavailable
	lookAhead(f, statetree.StepOver)
	f.do("over", f.StepOver)
	f.expectX("2")
}

// hanging is a predictor whose predictions wait for their cancellation.
type hanging struct{ counter }

func (p *hanging) Open(ctx context.Context, c model.Context) (model.Session, model.Prediction, error) {
	s, first, err := p.counter.Open(ctx, c)
	return hangingSession{s}, first, err
}

type hangingSession struct{ model.Session }

func (s hangingSession) Predict(ctx context.Context, a statetree.Action) (model.Prediction, error) {
	if a.Kind == statetree.StepOver {
		<-ctx.Done()
		return model.Prediction{}, ctx.Err()
	}
	return s.Session.Predict(ctx, a)
}

// TestLookAheadDoesNotDelay another step, nor the end, and a step that waits for
// the guess can be cancelled.
func TestLookAheadDoesNotDelay(t *testing.T) {
	path := write(t, "def f(x):\n    while True:\n        x += 1\n")
	from := &timeline.From{Event: statetree.Line, Line: 3, Locals: map[string]string{"x": "0"}}
	f := opened(t, &hanging{}, timeline.Launch{Path: path, Entry: "f", From: from}, timeline.Options{})
	f.do("instruction", f.StepInstruction)
	f.LookAhead(statetree.StepOver)
	f.do("instruction", f.StepInstruction)
	f.expectX("2")
	f.LookAhead(statetree.StepOver)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	if s, err := f.StepOver(ctx); s.Reason != timeline.ReasonPause && err != context.DeadlineExceeded {
		t.Errorf("a step that was cancelled while it waits: %v, %v", s, err)
	}
	f.expectX("2")
	f.LookAhead(statetree.StepOver)
	begun := time.Now()
	if err := f.Close(); err != nil || time.Since(begun) > time.Second/2 {
		t.Errorf("closing took %v: %v", time.Since(begun), err)
	}
}
