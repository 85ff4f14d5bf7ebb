package timeline

import (
	"fmt"
	"strings"

	"github.com/neuraldbg/neuraldbg/statetree"
)

// Reason says why the debugger stopped.
type Reason uint8

// The reasons.
const (
	ReasonStep Reason = iota
	ReasonEntry
	ReasonBreakpoint
	// ReasonFunctionBreakpoint is a breakpoint on a function, at its call.
	ReasonFunctionBreakpoint
	// ReasonDataBreakpoint is a value that has changed.
	ReasonDataBreakpoint
	ReasonException
	// ReasonExit is the end of the run, still on the timeline.
	ReasonExit
	// ReasonBeginning is the other end: nothing is before the position.
	ReasonBeginning
	// ReasonPause is a cancelled prediction.
	ReasonPause
	// ReasonLimit is a Continue that took MaxSteps predictions.
	ReasonLimit
	// ReasonGoto is a move to an entry by its index, or an edit.
	ReasonGoto
)

var reasonNames = [...]string{
	ReasonStep: "step", ReasonEntry: "entry", ReasonBreakpoint: "breakpoint",
	ReasonFunctionBreakpoint: "function breakpoint", ReasonDataBreakpoint: "data breakpoint", ReasonException: "exception",
	ReasonExit: "exit", ReasonBeginning: "beginning", ReasonPause: "pause", ReasonLimit: "limit", ReasonGoto: "goto",
}

// String returns the reason in lower case, such as "step".
func (r Reason) String() string { return reasonNames[r] }

// Stop says why the debugger stopped where it is.
type Stop struct {
	Reason Reason
	// Description is one line for people, such as "Predicted exit: normal".
	Description string
	// Breakpoints are the ids of the breakpoints that were hit.
	Breakpoints []int
	// Uncaught says that the exception for which it stopped ends the run.
	Uncaught bool
}

// CutForLength says of a state that it did not come to its end by itself (see
// model.Prediction.Truncated).
const CutForLength = "cut for length"

// Here returns the stop of a debugger that stays where it is.
func (t *Timeline) Here() Stop { return t.stop(Stop{Reason: ReasonGoto}) }

// stop completes a stop at the position: an exit, a breakpoint and an exception
// are more than the end of a step.
func (t *Timeline) stop(s Stop) Stop {
	e := t.at(t.pos)
	if e.Ended() {
		return Stop{Reason: ReasonExit, Description: "Predicted exit: " + e.Exit.String()}
	}
	if s.Reason == ReasonStep || s.Reason == ReasonEntry || s.Reason == ReasonBreakpoint {
		if hits := t.hits(t.pos, false); len(hits) > 0 {
			s.Breakpoints = idsOf(hits)
			s.Reason = hits[0].kind
			s.Description = describeChanges(hits)
		}
	}
	if s.Reason == ReasonStep && e.State.Event == statetree.Exception {
		s.Reason = ReasonException
	}
	if s.Description == "" {
		s.Description = t.describe(s.Reason, e)
	}
	if e.Truncated {
		s.Description = strings.TrimPrefix(s.Description+"; "+CutForLength, "; ")
	}
	return s
}

// describeChanges says which watched values have changed, "" when none has.
func describeChanges(hits []armed) string {
	var changes []string
	for _, a := range hits {
		if a.kind == ReasonDataBreakpoint {
			changes = append(changes, a.changes.String())
		}
	}
	return strings.Join(changes, "; ")
}

func (t *Timeline) describe(r Reason, e *Entry) string {
	if r == ReasonBeginning {
		return "Nothing is known before this state"
	}
	if repr, ok := e.Exception(); ok {
		return "Predicted exception: " + repr
	}
	if repr, ok := e.ReturnValue(); ok {
		return fmt.Sprintf("Predicted return of %s: %s", e.Stack[0].Function, repr)
	}
	switch r {
	case ReasonEntry:
		return "At the start"
	case ReasonBreakpoint:
		return "Predicted to reach a breakpoint"
	case ReasonFunctionBreakpoint:
		return fmt.Sprintf("Predicted call of %s", e.Stack[0].Function)
	case ReasonPause:
		return "Paused"
	case ReasonLimit:
		return fmt.Sprintf("No breakpoint within %d predictions", t.options.MaxSteps)
	case ReasonGoto:
		return ""
	}
	if e.Inferred() {
		return "Inferred backward"
	}
	return "Predicted"
}
