package timeline

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// Edit gives a name of the innermost frame, or a part of its value such as
// a[0] or p.x, another value, drops what followed the position, and has the next
// prediction start from the changed state. The value is a repr, or an expression
// over the frame's values. The empty target is the value that a return state
// returns, the only one that can be changed there.
func (t *Timeline) Edit(ctx context.Context, target, value string) error {
	e := *t.at(t.pos)
	if e.Ended() {
		return errors.New("the run has ended; step back before changing a value")
	}
	text, err := e.valueOf(strings.TrimSpace(value))
	switch {
	case err != nil:
		return err
	case target == "" && e.State.Event == statetree.Return && !e.Unwinding:
		e.State.Arg = text
	case !e.State.Event.HasLocals():
		return fmt.Errorf("the locals of a %s state are those of an earlier line; step back to it to change one", e.State.Event)
	default:
		if e.State.Locals, err = assign(e.State.Locals, target, text); err != nil {
			return fmt.Errorf("in %s: %w", e.Stack[0].Function, err)
		}
	}
	return t.replace(ctx, e)
}

// Goto makes another line of the innermost frame's function the next to run. The
// frame keeps its values; what followed the position is dropped.
func (t *Timeline) Goto(ctx context.Context, line int) (Stop, error) {
	e := *t.at(t.pos)
	if e.Ended() {
		return Stop{}, errors.New("the run has ended; step back before going to another line")
	}
	top := e.Stack[0]
	switch {
	case t.target.File == nil || top.File != t.target.File.Path() || !t.places.owns(top.Function, statetree.State{File: top.File, Line: line}):
		return Stop{}, fmt.Errorf("line %d is not one of %s that runs", line, top.Function)
	case top.Partial:
		return Stop{}, fmt.Errorf("not all values of %s are known; go to a state where they are first", top.Function)
	}
	e.State = statetree.State{
		Event: statetree.Line, File: top.File, Function: top.Function, Line: line,
		Source: t.target.File.Line(line), Locals: top.Locals,
	}
	if err := t.replace(ctx, e); err != nil {
		return Stop{}, err
	}
	return t.Here(), nil
}

// RestartFrame goes back to the call of an activation in the stack, whose
// arguments stay, and drops what followed it.
func (t *Timeline) RestartFrame(activation int) (Stop, error) {
	index, ok := t.CallOf(activation)
	if !ok {
		return Stop{}, errors.New("the call of this frame was not shown, so its arguments are not known")
	}
	t.pos = index
	if index >= t.origin {
		t.noteCut(t.cut(index + 1))
	}
	return t.Here(), nil
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
	err := t.editSession(ctx, e.State)
	if errors.Is(err, errSpoiled) {
		closeSession(&t.forward)
		err = t.editSession(ctx, e.State)
	}
	if err != nil {
		return fmt.Errorf("changing the state: %w", err)
	}
	e.Edited = true
	e.Unwinding, e.Truncated = false, false
	e.Confidence = model.Certain()
	e.Alternatives = nil
	e.Stack = e.Stack.update(e.State)
	dropped := t.cut(t.pos) - 1
	t.future = append(t.future, e)
	t.noteCut(dropped)
	return nil
}

// editSession replaces the state at the position in the forward session.
func (t *Timeline) editSession(ctx context.Context, s statetree.State) error {
	if err := t.synchronize(ctx); err != nil {
		return err
	}
	return t.forward.Edit(s)
}

// noteCut tells the user that states were dropped.
func (t *Timeline) noteCut(dropped int) {
	switch dropped {
	case 0:
		t.listener.note("What follows is predicted from the changed state.")
	case 1:
		t.listener.note("The future was cut: the state that followed is dropped, and what follows is predicted anew.")
	default:
		t.listener.note(fmt.Sprintf("The future was cut: the %d states that followed are dropped, and what follows is predicted anew.", dropped))
	}
}
