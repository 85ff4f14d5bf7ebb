package timeline

import (
	"context"
	"errors"
	"fmt"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// Granularity is how far a step back before the timeline's beginning goes.
type Granularity uint8

// The granularities.
const (
	// Statement goes back to the line before in the same frame.
	Statement Granularity = iota
	// Instruction goes back to the state before, into calls from their end.
	Instruction
)

// StepBack goes one state back on the timeline. Where it begins, the state
// before is predicted; with nothing before it the stop's reason is Beginning.
func (t *Timeline) StepBack(ctx context.Context, g Granularity) (Stop, error) {
	if t.pos > t.First() {
		t.pos--
		return t.stop(Stop{Reason: ReasonStep}), nil
	}
	kind := statetree.InvStepOver
	if g == Instruction {
		kind = statetree.InvStepInto
	}
	return t.infer(ctx, kind)
}

// ReverseContinue goes back to the last breakpoint before the position, or to
// the beginning of the timeline. From there it infers the inputs of the
// function: its call state.
func (t *Timeline) ReverseContinue(ctx context.Context) (Stop, error) {
	if t.pos > t.First() {
		for t.pos--; t.pos > t.First() && len(t.hits(t.pos, false)) == 0; t.pos-- {
		}
		s := t.stop(Stop{Reason: ReasonStep})
		if s.Reason == ReasonStep {
			s.Description = "At the beginning of the timeline"
		}
		return s, nil
	}
	return t.infer(ctx, statetree.InvStepCall)
}

// infer predicts one state backward from the beginning of the timeline.
func (t *Timeline) infer(ctx context.Context, kind statetree.ActionKind) (Stop, error) {
	first := t.at(t.pos)
	if t.begun || t.beginsWithEntry(first) {
		return t.stop(Stop{Reason: ReasonBeginning}), nil
	}
	if first.State.Event == statetree.Call {
		kind = statetree.InvStepOver // before a call is its caller
	}
	err := t.openInverse(ctx, first)
	if err != nil {
		return t.finished(err, ReasonBeginning)
	}
	for {
		p, err := t.inverse.Predict(ctx, statetree.Action{Kind: kind})
		switch {
		case ctx.Err() != nil:
			return t.finished(ctx.Err(), ReasonPause)
		case errors.Is(err, model.ErrNoTarget):
			return t.stop(Stop{Reason: ReasonBeginning}), nil
		case err != nil:
			closeSession(&t.inverse)
			return Stop{}, fmt.Errorf("predicting %s: %w", kind, err)
		case p.Ended():
			t.begun = true
			return t.stop(Stop{Reason: ReasonBeginning}), nil
		case p.State.Event == statetree.InvLineCall:
			// The same line follows as an inv_line, with its values, or its
			// calls do: either is what to show.
			continue
		}
		t.prepend(p, kind)
		return t.stop(Stop{Reason: ReasonStep}), nil
	}
}

// prepend puts a state that was predicted backward before the first entry.
func (t *Timeline) prepend(p model.Prediction, kind statetree.ActionKind) {
	t.past = append(t.past, t.precede(t.at(t.pos), p, kind))
	clear(t.visited)
	t.pos--
}

// precede returns the entry for a prediction backward from an entry.
func (t *Timeline) precede(later *Entry, p model.Prediction, kind statetree.ActionKind) Entry {
	e := Entry{Prediction: p, Action: statetree.Action{Kind: kind}}
	e.State = shown(e.State)
	from := later.State
	from.Event = from.Event.Inverse()
	places := t.inversePlaces
	if places == nil {
		places = t.places
	}
	places.locate(&e.State, &from, e.Action, later.Stack.expectBackward(later.State, e.State))
	e.Stack = t.stacks.backward(later.Stack, later.State, e.State)
	return e
}

// openInverse opens the inverse session at the timeline's first entry, unless
// one is open.
func (t *Timeline) openInverse(ctx context.Context, first *Entry) error {
	if t.inverse != nil {
		return nil
	}
	start := first.State
	start.Event = start.Event.Inverse()
	c := t.context(statetree.Inverse, start)
	places := t.places
	if t.target.Scope != nil {
		program, err := t.target.Scope(first.State.Function)
		if err != nil {
			return fmt.Errorf("predicting backward from %s: %w", first.State.Function, err)
		}
		c.Program, places = program, newLocator(t.target.File, program)
	}
	session, _, err := t.predictor.Open(ctx, c)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("predicting backward: %w", err)
	}
	t.inverse, t.inversePlaces = session, places
	return nil
}

// beginsWithEntry reports whether the first entry is the call that the run
// begins with.
func (t *Timeline) beginsWithEntry(first *Entry) bool {
	return first.State.Event == statetree.Call && len(first.Stack) <= 1
}
