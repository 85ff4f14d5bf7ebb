package timeline

import (
	"context"
	"errors"
	"fmt"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// advance moves to where a forward action leads: along the timeline when it
// holds the answer, else by a prediction that replaces what follows. On an
// error the timeline is as it was.
func (t *Timeline) advance(ctx context.Context, a statetree.Action) (*Entry, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	index, known, err := t.answer(a)
	if err != nil {
		return nil, err
	}
	if known {
		t.pos = index
		return t.at(index), nil
	}
	if t.pos < t.origin && !t.startable(t.pos) {
		// What was predicted backward does not know all values, or not its
		// callers', so nothing can be predicted from it; what follows is at
		// least consistent.
		t.pos++
		return t.at(t.pos), nil
	}
	return t.predict(ctx, a)
}

// answer looks for an action's target on the timeline. It is there when the
// same action was taken from the position, or when the states that follow were
// reached by step_into, which leaves nothing out: then the target is found as
// statetree.Cursor finds it.
func (t *Timeline) answer(a statetree.Action) (index int, known bool, err error) {
	here := t.at(t.pos)
	if here.Ended() {
		return 0, false, model.ErrExited
	}
	if !statetree.Offered(here.State.Event, a.Kind) {
		return 0, false, model.ErrNoTarget
	}
	if t.pos < t.Last() && t.edge(t.pos) == a {
		return t.pos + 1, true, nil
	}
	plan := statetree.NewPlan(a)
	for i := t.pos; i < t.Last() && t.edge(i).Kind == statetree.StepInto; i++ {
		if next := t.at(i + 1); next.Ended() || plan.Arrive(&next.State) {
			return i + 1, true, nil
		}
	}
	return 0, false, nil
}

// edge returns the forward action that leads from entry i to the next one.
func (t *Timeline) edge(i int) statetree.Action {
	if i >= t.origin {
		return t.at(i + 1).Action
	}
	switch t.at(i).Action.Kind {
	case statetree.InvStepInto:
		return statetree.Action{Kind: statetree.StepInto}
	case statetree.InvStepOver:
		return statetree.Action{Kind: statetree.StepOver}
	}
	return statetree.Action{} // inv_step_call: what lies between is not known
}

// startable reports whether an inferred entry can be the start of a forward
// session.
func (t *Timeline) startable(index int) bool {
	e := t.at(index)
	return e.State.Event.HasLocals() && !e.State.Partial && len(e.Stack) == 1
}

// predict asks the predictor for the action's outcome and puts it on the
// timeline in place of what follows the position. When the history has filled
// the predictor's context, the oldest part of it is forgotten.
func (t *Timeline) predict(ctx context.Context, a statetree.Action) (*Entry, error) {
	var p model.Prediction
	for {
		err := t.synchronize(ctx)
		if err == nil {
			p, err = t.forward.Predict(ctx, a)
		}
		if errors.Is(err, errSpoiled) {
			closeSession(&t.forward)
			continue
		}
		if errors.Is(err, model.ErrContextFull) && t.forget() {
			continue
		}
		if err != nil {
			return nil, t.failed(ctx, a, err)
		}
		break
	}
	e := t.arrival(t.at(t.pos), p, a)
	t.cut(t.pos + 1)
	t.future = append(t.future, e)
	t.pos++
	t.held = t.pos
	t.tellForgotten(&e)
	return t.at(t.pos), nil
}

// tellForgotten tells the user, once, that the predictor does not know all states
// any more.
func (t *Timeline) tellForgotten(e *Entry) {
	if n := e.Since - t.origin; n > 0 && !t.toldForgotten {
		t.toldForgotten = true
		t.listener.note(fmt.Sprintf("The run has outgrown the model's context: of the first %d states the model knows "+
			"no more than the calls that are open. You can still step back to them.", n))
	}
}

// arrival returns the entry for a prediction from an entry by a forward action. Of
// one that was reached by single steps the way tells which frames are open, where a
// jump leaves that to be assumed.
func (t *Timeline) arrival(here *Entry, p model.Prediction, a statetree.Action) Entry {
	n := len(p.Way)
	if n == 0 {
		return t.follow(here, p, a)
	}
	passed := make([]Entry, 0, n-1)
	for i := range p.Way[:n-1] {
		step := &p.Way[i]
		passed = append(passed, t.follow(here, model.Prediction{Outcome: step.Outcome}, step.Action))
		here = &passed[i]
	}
	e := t.follow(here, p, p.Way[n-1].Action)
	e.Action, e.passed = a, passed
	return e
}

// follow returns the entry for a prediction from an entry by a forward action.
func (t *Timeline) follow(here *Entry, p model.Prediction, a statetree.Action) Entry {
	e := Entry{Prediction: p, Action: a, Since: t.base + p.Forgotten}
	if p.Ended() {
		if bottom, ok := here.Stack.bottom(); ok {
			e.Stack = Stack{bottom}
		}
		return e
	}
	t.places.locate(&e.State, &here.State, a, here.Stack.expect(here.State, e.State, a))
	e.Stack = t.stacks.forward(here.Stack, here.State, a, e.State)
	if top := e.Stack[0]; top.Assumed && e.Stack.holds(top.Function) == 1 && !t.places.reenters(&here.State, top.Function) {
		top.Assumed = false // it is the one activation that there can be
	}
	e.Unwinding = unwinds(here, &e)
	if e.State.Event == statetree.Exception && here.State.Event == statetree.Return && here.State.Arg == "None" {
		here.Unwinding = true // the exception came through that frame
	}
	return e
}

// unwinds reports whether a return event is that of a frame which an exception
// leaves.
func unwinds(prev, e *Entry) bool {
	return e.State.Event == statetree.Return && e.State.Arg == "None" &&
		len(prev.Stack) > 0 && prev.Stack[0].Raised && prev.Stack[0].Activation == e.Stack[0].Activation
}

// failed wraps an error of Predict. A cancelled prediction and an action
// without a target leave the session as it was; after anything else it is not
// trusted any more and opened anew when it is next needed.
func (t *Timeline) failed(ctx context.Context, a statetree.Action, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, model.ErrNoTarget), errors.Is(err, model.ErrExited), errors.Is(err, model.ErrContextFull):
		return fmt.Errorf("predicting %s: %w", a, err)
	}
	closeSession(&t.forward)
	return fmt.Errorf("predicting %s: %w", a, err)
}

// synchronize brings the forward session to the position: a session that is
// ahead is rewound, one that is behind or gone is opened with the timeline as
// its history.
func (t *Timeline) synchronize(ctx context.Context) error {
	if t.pos < t.origin {
		t.rebase()
	}
	if t.pos < t.base {
		t.base = t.origin
		closeSession(&t.forward)
	}
	if t.forward != nil && t.held > t.pos {
		if err := t.forward.Rewind(t.held - t.pos); err != nil {
			closeSession(&t.forward)
		} else {
			t.held = t.pos
		}
	}
	if t.forward != nil && t.held == t.pos {
		return nil
	}
	closeSession(&t.forward)
	c := t.context(statetree.Forward, t.at(t.base).State)
	for i := t.base + 1; i <= t.pos; i++ {
		e := t.at(i)
		c.History = append(c.History, model.Step{Action: e.Action, Outcome: e.Outcome, Edited: e.Edited})
	}
	session, _, err := t.predictor.Open(ctx, c)
	if err != nil {
		return err
	}
	t.forward, t.held = &foresighted{Session: session}, t.pos
	return nil
}

// forget makes the forward session begin later than it does, in the second half
// of its history, at the first of the shallowest states there: what was before,
// such as the values in a caller, the predictor does not know any more. It reports false
// when there is no later state to begin at.
func (t *Timeline) forget() bool {
	best := t.base
	for i := t.base + (t.pos-t.base+1)/2; i <= t.pos; i++ {
		e := t.at(i)
		if i == t.base || e.Ended() || !e.State.Event.HasLocals() || e.State.Partial {
			continue
		}
		if best == t.base || len(e.Stack) < len(t.at(best).Stack) {
			best = i
		}
	}
	if best == t.base {
		return false
	}
	t.base = best
	closeSession(&t.forward)
	return true
}

// cut drops the entries from an index on, which is after origin, and returns how
// many they were.
func (t *Timeline) cut(from int) int {
	dropped := t.Last() + 1 - from
	t.future = t.future[:from-t.origin]
	t.forgetVisits(from)
	return dropped
}

// rebase makes the position, an entry that was predicted backward, the start of
// the forward session. What followed is dropped: it is predicted anew.
func (t *Timeline) rebase() {
	k := t.origin - 1 - t.pos
	start := t.past[k]
	t.past = t.past[k+1:]
	t.future = []Entry{start}
	t.origin, t.base = t.pos, t.pos
	t.forgetVisits(t.pos + 1)
	closeSession(&t.forward)
}
