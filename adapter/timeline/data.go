package timeline

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/neuraldbg/neuraldbg/adapter/expr"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// DataBreakpoint stops when a value has changed from one state of a frame to the
// next that shows its values.
type DataBreakpoint struct {
	ID int
	DataRequest
	Verified bool
	// Message says why the breakpoint is not verified.
	Message string
}

// DataRequest asks for a breakpoint on a value in the frames of a function.
// Activations of the function are compared each with itself.
type DataRequest struct {
	Function   string // its qualified name
	Expression string // a name, or what can be computed from names
	Modifiers
	// Refusal says why there can be no such breakpoint; empty when there can.
	Refusal string
}

// SetData replaces the data breakpoints. It returns one entry for each request,
// in the same order.
func (b *Breakpoints) SetData(requests []DataRequest) []DataBreakpoint {
	b.mu.Lock()
	defer b.mu.Unlock()
	ids := newIDs[[2]string](b)
	for _, bp := range b.data {
		ids.had([2]string{bp.Function, bp.Expression}, bp.ID)
	}
	set := make([]DataBreakpoint, len(requests))
	for i, r := range requests {
		bp := DataBreakpoint{ID: ids.take([2]string{r.Function, r.Expression}), DataRequest: r}
		err := b.setWatch(bp.ID, r)
		if bp.Verified = err == nil; err != nil {
			bp.Message = err.Error()
		}
		set[i] = bp
	}
	ids.drop()
	b.data = set
	return slices.Clone(set)
}

// setWatch reads a request for the data breakpoint with an id.
func (b *Breakpoints) setWatch(id int, r DataRequest) error {
	if r.Refusal != "" {
		return errors.New(r.Refusal)
	}
	watch, err := expr.Parse(r.Expression)
	if err != nil {
		return err
	}
	if err := b.setGuard(id, r.Modifiers); err != nil {
		return err
	}
	g := b.guards[id]
	g.watch = watch
	b.guards[id] = g
	return nil
}

// watching returns the data breakpoints on values in the frames of a function.
func (b *Breakpoints) watching(function string) []armed {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []armed
	for _, bp := range b.data {
		if bp.Verified && bp.Function == function {
			out = append(out, b.armed(bp.ID, ReasonDataBreakpoint))
		}
	}
	return out
}

// change is how a watched value has changed.
type change struct{ expression, from, to string }

// String says it in words: "n changed from 0 to 1".
func (c change) String() string {
	switch {
	case c.from == "":
		return fmt.Sprintf("%s became %s", c.expression, c.to)
	case c.to == "":
		return fmt.Sprintf("%s, which was %s, is not known any more", c.expression, c.from)
	}
	return fmt.Sprintf("%s changed from %s to %s", c.expression, c.from, c.to)
}

// changed returns the data breakpoints whose value an entry has that differs
// from the one in the entry before.
func (t *Timeline) changed(before, e *Entry) []armed {
	if e.Ended() || !e.State.Event.HasLocals() || len(e.Stack) == 0 {
		return nil
	}
	watching := t.breakpoints.watching(e.Stack[0].Function)
	if len(watching) == 0 {
		return nil
	}
	earlier := slices.IndexFunc(before.Stack, func(f *Frame) bool { return f.Activation == e.Stack[0].Activation })
	if earlier < 0 || before.Stack[earlier].Partial || e.Stack[0].Partial {
		return nil // a new frame, or one that is only partly known
	}
	var out []armed
	for _, a := range watching {
		a.changes = change{a.watch.String(), watched(a.watch, before, earlier), watched(a.watch, e, 0)}
		if a.changes.from != a.changes.to {
			out = append(out, a)
		}
	}
	return out
}

// watched returns the repr of a watched expression in a frame, "" when there is
// none.
func watched(x *expr.Expression, e *Entry, frame int) string {
	if repr, ok := e.Lookup(frame, x.String()); ok {
		return repr
	}
	value, err := x.Eval(context.Background(), e.scope(frame))
	if err != nil {
		return ""
	}
	return value.Repr()
}

// module reports whether the frame is that of a module.
func (f *Frame) module() bool { return f.Function == statetree.ModuleFunction }
