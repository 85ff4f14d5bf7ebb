package timeline

import (
	"errors"
	"fmt"
	"slices"

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
		var err error
		switch {
		case r.Refusal != "":
			err = errors.New(r.Refusal)
		case !isName(r.Expression):
			err = check(b.evaluator, r.Expression)
		}
		if err == nil {
			err = b.setGuard(bp.ID, r.Modifiers)
		}
		if bp.Verified = err == nil; err != nil {
			bp.Message = err.Error()
		}
		set[i] = bp
	}
	ids.drop()
	b.data = set
	return slices.Clone(set)
}

// watches returns the data breakpoints that are set.
func (b *Breakpoints) watches() []DataBreakpoint {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.data)
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
	watches := t.breakpoints.watches()
	if len(watches) == 0 || e.Ended() || !e.State.Event.HasLocals() || len(e.Stack) == 0 {
		return nil
	}
	earlier := slices.IndexFunc(before.Stack, func(f Frame) bool { return f.Activation == e.Stack[0].Activation })
	if earlier < 0 || before.Stack[earlier].Partial || e.Stack[0].Partial {
		return nil // a new frame, or one that is only partly known
	}
	var out []armed
	for _, bp := range watches {
		if !bp.Verified || bp.Function != e.Stack[0].Function {
			continue
		}
		from, to := t.watched(before, earlier, bp.Expression), t.watched(e, 0, bp.Expression)
		if from != to {
			t.breakpoints.mu.Lock()
			a := t.breakpoints.armed(bp.ID, ReasonDataBreakpoint)
			t.breakpoints.mu.Unlock()
			a.changes = change{bp.Expression, from, to}
			out = append(out, a)
		}
	}
	return out
}

// watched returns the repr of a watched expression in a frame, "" when there is
// none.
func (t *Timeline) watched(e *Entry, frame int, expression string) string {
	if value, ok := e.Stack[frame].Locals.Get(expression); ok || isName(expression) {
		return value
	}
	value, err := eval(t.breakpoints.evaluator, expression, e.Names(frame))
	if err != nil {
		return ""
	}
	return value
}

// module reports whether the frame is that of a module.
func (f *Frame) module() bool { return f.Function == statetree.ModuleFunction }
