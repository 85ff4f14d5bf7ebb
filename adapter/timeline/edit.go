package timeline

import (
	"context"
	"errors"
	"fmt"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// Edit gives a name of the innermost frame another value, drops what followed
// the position, and has the next prediction start from the changed state. repr
// is the value as Python's repr writes it.
func (t *Timeline) Edit(ctx context.Context, name, repr string) error {
	e := *t.at(t.pos)
	switch {
	case e.Ended():
		return errors.New("the run has ended; step back before changing a value")
	case e.State.Event == statetree.Return:
		e.State.Arg = repr
	case !e.State.Event.HasLocals():
		return fmt.Errorf("the values of an %s state cannot be changed; step back to a line", e.State.Event)
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
	if t.pos < t.origin && e.State.Partial {
		return errors.New("not all values of a state inferred backward are known; go to one that is known before changing a value")
	}
	if t.pos == t.First() {
		// What an inverse session would predict led to the unchanged state.
		closeSession(&t.inverse)
		t.begun = false
	}
	if err := t.synchronize(ctx); err != nil {
		return err
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
