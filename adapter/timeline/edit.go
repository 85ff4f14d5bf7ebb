package timeline

import (
	"context"
	"errors"
	"fmt"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// Edit gives a name of the innermost frame another value, drops what followed
// the position, and has the next prediction start from the changed state. The
// value is written as Python's repr writes it. The empty name is the value that a
// return state returns, the only one that can be changed there.
func (t *Timeline) Edit(ctx context.Context, name, value string) error {
	e := *t.at(t.pos)
	repr, err := canonicalRepr(value)
	switch {
	case err != nil:
		return err
	case e.Ended():
		return errors.New("the run has ended; step back before changing a value")
	case name == "" && e.State.Event == statetree.Return && !e.Unwinding:
		e.State.Arg = repr
	case !e.State.Event.HasLocals():
		return fmt.Errorf("the locals of a %s state are those of an earlier line; step back to it to change one", e.State.Event)
	default:
		if _, ok := e.State.Locals.Get(name); !ok {
			return fmt.Errorf("no local variable %q in %s", name, e.Stack[0].Function)
		}
		e.State.Locals = e.State.Locals.Set(name, repr)
	}
	return t.replace(ctx, e)
}

// replace puts an edited entry at the position, if the predictor accepts it.
func (t *Timeline) replace(ctx context.Context, e Entry) error {
	if t.pos < t.origin && !t.startable(t.pos) {
		return errors.New("not all values of a state inferred backward are known; go to one that is known before changing a value")
	}
	if t.pos == t.First() {
		// What an inverse session would predict led to the unchanged state.
		closeSession(&t.inverse)
		t.begun = false
	}
	if err := t.synchronize(ctx); err != nil {
		return fmt.Errorf("changing the state: %w", err)
	}
	if err := t.forward.Edit(e.State); err != nil {
		return fmt.Errorf("changing the state: %w", err)
	}
	e.Edited = true
	e.Confidence = model.Certain()
	e.Alternatives = nil
	e.Stack = e.Stack.update(e.State)
	t.future = append(t.future[:t.pos-t.origin], e)
	return nil
}
