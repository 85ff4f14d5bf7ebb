package timeline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/neuraldbg/neuraldbg/statetree"
)

// The exception filters.
const (
	// Raised stops where an exception is raised, whether it is handled or not.
	Raised = "raised"
	// Uncaught stops where an exception is raised that ends the run.
	Uncaught = "uncaught"
)

// ExceptionBreakpoint stops at exceptions.
type ExceptionBreakpoint struct {
	ID int
	ExceptionRequest
	Verified bool
	// Message says why the breakpoint is not verified.
	Message string
}

// ExceptionRequest asks for a breakpoint on exceptions.
type ExceptionRequest struct {
	Filter string // Raised or Uncaught
	// Condition is an expression over the values of the frame that raises, in
	// which exception is the exception and exception_name the name of its class.
	Condition string
}

// SetExceptions replaces the exception breakpoints. It returns one entry for
// each request, in the same order.
func (b *Breakpoints) SetExceptions(requests []ExceptionRequest) []ExceptionBreakpoint {
	b.mu.Lock()
	defer b.mu.Unlock()
	ids := newIDs[string](b)
	for _, bp := range b.exceptions {
		ids.had(bp.Filter, bp.ID)
	}
	set := make([]ExceptionBreakpoint, len(requests))
	for i, r := range requests {
		bp := ExceptionBreakpoint{ID: ids.take(r.Filter), ExceptionRequest: r}
		err := b.setGuard(bp.ID, Modifiers{Condition: r.Condition})
		if r.Filter != Raised && r.Filter != Uncaught {
			err = fmt.Errorf("there is no filter %q; there are %s and %s", r.Filter, Raised, Uncaught)
		}
		if bp.Verified = err == nil; err != nil {
			bp.Message = err.Error()
		}
		set[i] = bp
	}
	ids.drop()
	b.exceptions = set
	return slices.Clone(set)
}

// onExceptions returns the breakpoints with a filter.
func (b *Breakpoints) onExceptions(filter string) []armed {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []armed
	for _, bp := range b.exceptions {
		if bp.Verified && bp.Filter == filter {
			out = append(out, b.armed(bp.ID, ReasonException))
		}
	}
	return out
}

// ends are the exceptions by which iterators and generators end: Python raises
// them all the time, and nobody looks for them.
var ends = []string{"StopIteration", "StopAsyncIteration", "GeneratorExit"}

// raises reports whether an exception is raised in an entry, and does not only
// come through from a callee.
func raises(before, e *Entry) bool {
	text, ok := e.Exception()
	return ok && !before.Unwinding && !slices.Contains(ends, exceptionName(text))
}

// exceptionName returns the class of an exception from its repr.
func exceptionName(text string) string {
	name, _, _ := strings.Cut(text, "(")
	return name
}

// raisedHits returns the ids of the breakpoints with the filter Raised that stop
// at an entry.
func (t *Timeline) raisedHits(before, e *Entry) []armed {
	if !raises(before, e) {
		return nil
	}
	return t.exceptionHits(Raised, e)
}

// exceptionHits returns the breakpoints with a filter whose condition holds at
// an entry that raises.
func (t *Timeline) exceptionHits(filter string, e *Entry) []armed {
	var out []armed
	for _, a := range t.breakpoints.onExceptions(filter) {
		if t.holds(&a.guard, e.raisedScope(), e, true) {
			out = append(out, a)
		}
	}
	return out
}

// uncaught returns the index of the entry that raised the exception by which the
// run ended at the position: the first of the exceptions and unwinding returns
// right before the exit.
func (t *Timeline) uncaught() (index int, ok bool) {
	index = -1
	for i := t.pos - 1; i >= t.First(); i-- {
		e := t.at(i)
		if e.State.Event == statetree.Exception {
			index, ok = i, true
			if !t.at(max(i-1, t.First())).Unwinding {
				break
			}
			continue
		}
		if !e.Unwinding {
			break
		}
	}
	return index, ok
}
