package timeline

import (
	"context"
	"errors"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// StepInto goes to the next state whatever its depth, and through call states
// to the callee's first line. Landing on a return state stops there, so that
// the value is seen.
func (t *Timeline) StepInto(ctx context.Context) (Stop, error) {
	return t.step(ctx, func() error {
		e, hits, err := t.arriveBy(ctx, statetree.StepInto)
		for err == nil && !e.Ended() && e.State.Event == statetree.Call && len(hits) == 0 {
			e, hits, err = t.arriveBy(ctx, statetree.StepInto)
		}
		return err
	})
}

// StepInstruction goes to the next state whatever it is: call states too.
func (t *Timeline) StepInstruction(ctx context.Context) (Stop, error) {
	return t.step(ctx, func() error {
		_, _, err := t.arriveBy(ctx, statetree.StepInto)
		return err
	})
}

// StepOver goes to the next state of the same frame, or of its caller when the
// frame has returned. A breakpoint in what is called stops it there.
func (t *Timeline) StepOver(ctx context.Context) (Stop, error) {
	return t.step(ctx, func() error {
		_, _, err := t.pass(ctx, statetree.StepOver)
		return err
	})
}

// StepOut leaves the frame: to its return state, then one step over into the
// caller. A breakpoint before that stops it there.
func (t *Timeline) StepOut(ctx context.Context) (Stop, error) {
	return t.step(ctx, func() error {
		_, err := t.leave(ctx)
		return err
	})
}

// leave goes to the frame's return state, unless it is there, and one step
// over, into the caller.
func (t *Timeline) leave(ctx context.Context) (*Entry, error) {
	e, stopped, err := t.pass(ctx, statetree.StepReturn)
	if err != nil && !errors.Is(err, model.ErrNoTarget) {
		return nil, err
	}
	if err == nil && (stopped || e.Ended()) {
		return e, nil
	}
	e, _, err = t.pass(ctx, statetree.StepOver)
	return e, err
}

// arriveBy takes one action and does what is due at its target. It returns the
// breakpoints that stop there.
func (t *Timeline) arriveBy(ctx context.Context, kind statetree.ActionKind) (*Entry, []armed, error) {
	e, err := t.advance(ctx, statetree.Action{Kind: kind})
	if err != nil {
		return nil, nil, err
	}
	return e, t.arrive(), nil
}

// step runs one forward movement. A cancelled one stops where it has come to.
func (t *Timeline) step(ctx context.Context, move func() error) (Stop, error) {
	if t.at(t.pos).Ended() {
		return Stop{}, model.ErrExited
	}
	return t.finished(move(), ReasonStep)
}

// finished makes the Stop of a movement from its error.
func (t *Timeline) finished(err error, r Reason) (Stop, error) {
	switch {
	case errors.Is(err, context.Canceled):
		return t.stop(Stop{Reason: ReasonPause}), nil
	case err != nil:
		return Stop{}, err
	}
	return t.stop(Stop{Reason: r}), nil
}
