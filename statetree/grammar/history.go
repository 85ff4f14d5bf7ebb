package grammar

import "github.com/neuraldbg/neuraldbg/statetree"

// unchanged is the name and the value of the entry with which a difference
// begins. It stands for all names that stay as they were in the base or, without
// a base, for names that are not known.
const unchanged = ".."

// Base is the LOCALS that a difference is compared with. Without one, Known is
// false.
type Base struct {
	Known bool
	// Partial says that Locals may not be all of the frame.
	Partial bool
	Locals  statetree.Locals
}

// History is what must be known of the states so far to write or read the next
// one: which LOCALS a difference is compared with.
//
// Forward that is the LOCALS last shown, as long as it was shown by the same
// activation and no state of another one came since. Backward it is the LOCALS
// that is later in time in the same activation, whatever was shown in between.
// Which activation a state belongs to follows from the events and actions alone.
//
// A History is a small value that never changes; keep old ones to go back.
type History struct {
	event statetree.Event // of the last state
	top   frame
}

// frame is one activation that has been entered and not left.
type frame struct {
	base   Base
	caller *frame // backward only; nil when its states are not known
}

// NewHistory returns the history that begins with a start state.
func NewHistory(start *statetree.State) History {
	return History{}.After(statetree.NoAction, start)
}

// Direction returns the direction of the states so far.
func (h History) Direction() statetree.Direction { return h.event.Direction() }

// Event returns the event of the last state.
func (h History) Event() statetree.Event { return h.event }

// Base returns the base of a line state reached by an action: the zero Base when
// there is none, and the line is shown in full (forward) or as unknown
// (backward).
func (h History) Base(a statetree.ActionKind) Base {
	if h.Direction() == statetree.Forward {
		if h.event == statetree.Return || a == statetree.Breakpoint {
			return Base{}
		}
		return h.top.base
	}
	if h.event == statetree.InvCall {
		if h.top.caller == nil {
			return Base{}
		}
		return h.top.caller.base
	}
	return h.top.base
}

// After returns the history with one more state, reached by an action. The
// state's Locals are kept and must not change any more. An edited state replaces
// the last one by calling After again on the history before that.
func (h History) After(a statetree.ActionKind, s *statetree.State) History {
	next := History{event: s.Event, top: h.top}
	if s.Event.Direction() == statetree.Forward {
		next.top = frame{base: h.Base(a)}
	} else {
		if h.event == statetree.InvCall { // its activation is left
			next.top = frame{}
			if h.top.caller != nil {
				next.top = *h.top.caller
			}
		}
		if s.Event == statetree.InvReturn { // a call is entered from its end
			caller := next.top
			next.top = frame{caller: &caller}
		}
	}
	if s.Event.HasLocals() {
		next.top.base = Base{Known: true, Partial: s.Partial, Locals: s.Locals}
	}
	return next
}

// Parser returns a parser for the outcome of an action.
func (h History) Parser(a statetree.ActionKind, expect *Expect) StateParser {
	return NewStateParser(h.Direction(), h.Base(a), expect)
}

// Expect returns what the rules of the state tree allow as the outcome of an
// action: its events and exits, and for a breakpoint its source.
func (h History) Expect(a statetree.Action) Expect {
	events, exits := statetree.Possible(h.event, a.Kind)
	e := Expect{Events: NewSet(events...), Exits: NewSet(exits...)}
	if a.Kind == statetree.Breakpoint {
		source := []string{cleanSource(a.Source)}
		e.Sources = map[statetree.Event][]string{statetree.Call: source, statetree.Line: source}
	}
	return e
}
