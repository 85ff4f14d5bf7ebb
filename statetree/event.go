package statetree

import (
	"fmt"
	"strings"
)

// Event is what made a state observable: the EVT part of a state
// (arXiv 2603.09951, section 4.1).
type Event uint8

// The events. The first four are what sys.settrace reports; the others are
// their mirror images in the inverse tree, where InvLineCall stands for a line
// that owns calls, before those calls are entered backwards.
const (
	NoEvent Event = iota
	Call
	Line
	Return
	Exception
	InvCall
	InvLine
	InvReturn
	InvException
	InvLineCall
)

var eventNames = [...]string{
	NoEvent: "none", Call: "call", Line: "line", Return: "return", Exception: "exception",
	InvCall: "inv_call", InvLine: "inv_line", InvReturn: "inv_return",
	InvException: "inv_exception", InvLineCall: "inv_line_call",
}

// String returns the name that the paper and the trace files use.
func (e Event) String() string {
	if int(e) < len(eventNames) {
		return eventNames[e]
	}
	return fmt.Sprintf("event(%d)", uint8(e))
}

// MarshalText makes an Event a plain string in JSON.
func (e Event) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

// UnmarshalText accepts what MarshalText writes.
func (e *Event) UnmarshalText(text []byte) error {
	for i, n := range eventNames {
		if n == string(text) {
			*e = Event(i)
			return nil
		}
	}
	return fmt.Errorf("unknown event %q; events are %s", text, strings.Join(eventNames[1:], ", "))
}

// HasLocals reports whether a state of this event carries LOCALS.
func (e Event) HasLocals() bool {
	return e == Call || e == Line || e == InvCall || e == InvLine
}

// HasArg reports whether a state of this event carries ARGS: a returned value
// or an exception.
func (e Event) HasArg() bool {
	return e == Return || e == Exception || e == InvReturn || e == InvException
}

// StopsAtBreakpoint reports whether a breakpoint on their source line can stop at
// states of this event. Return and exception states never do, so that a
// breakpoint set on the line of a return state means the line's next visit.
func (e Event) StopsAtBreakpoint() bool { return e == Line || e == Call }

// Enters reports whether states of this event begin an activation, in the
// direction of the event.
func (e Event) Enters() bool { return e == Call || e == InvReturn }

// Leaves reports whether states of this event end one.
func (e Event) Leaves() bool { return e == Return || e == InvCall }

// Inverse maps a forward event to its inverse event and back. InvLineCall and
// NoEvent have no counterpart and map to themselves.
func (e Event) Inverse() Event {
	switch {
	case e >= Call && e <= Exception:
		return e + (InvCall - Call)
	case e >= InvCall && e <= InvException:
		return e - (InvCall - Call)
	}
	return e
}

// Direction returns the direction of the trees in which the event occurs.
func (e Event) Direction() Direction {
	if e >= InvCall {
		return Inverse
	}
	return Forward
}

// Direction is the direction of time in a tree, a trajectory or a session.
type Direction uint8

// The two directions.
const (
	Forward Direction = iota
	Inverse
)

// String returns "forward" or "inverse".
func (d Direction) String() string {
	if d == Inverse {
		return "inverse"
	}
	return "forward"
}

// MarshalText makes a Direction a plain string in JSON.
func (d Direction) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText accepts what MarshalText writes.
func (d *Direction) UnmarshalText(text []byte) error {
	switch string(text) {
	case "forward":
		*d = Forward
	case "inverse":
		*d = Inverse
	default:
		return fmt.Errorf("unknown direction %q", text)
	}
	return nil
}

// Exit says how a run ended. An exit ends a trajectory; it is not a state.
type Exit uint8

// The exits. ExitNever is only for programs known not to end. ExitEntry is the
// end of an inverse run: the beginning of the function's scope. A recording
// that a limit cut has NoExit.
const (
	NoExit Exit = iota
	ExitNormal
	ExitError
	ExitNever
	ExitEntry
)

var exitNames = [...]string{
	NoExit: "none", ExitNormal: "normal", ExitError: "error", ExitNever: "never", ExitEntry: "entry",
}

// String returns "normal", "error", "never", "entry" or "none".
func (x Exit) String() string {
	if int(x) < len(exitNames) {
		return exitNames[x]
	}
	return fmt.Sprintf("exit(%d)", uint8(x))
}

// MarshalText makes an Exit a plain string in JSON.
func (x Exit) MarshalText() ([]byte, error) { return []byte(x.String()), nil }

// UnmarshalText accepts what MarshalText writes.
func (x *Exit) UnmarshalText(text []byte) error {
	for i, n := range exitNames {
		if n == string(text) {
			*x = Exit(i)
			return nil
		}
	}
	return fmt.Errorf("unknown exit %q", text)
}
