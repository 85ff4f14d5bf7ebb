package timeline

import (
	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// Entry is one element of a timeline: a state that was shown, or the exit at
// its end.
type Entry struct {
	// Prediction holds the state with its confidence. Its event is always a
	// forward one, also where the state was predicted backward.
	model.Prediction
	// Action led here: from the entry before for a forward action, from the
	// entry after for an inverse one. The first entry of all has NoAction.
	Action statetree.Action
	// Stack is the call stack, innermost frame first. At an exit it is what was
	// left of the stack of the state before.
	Stack Stack
	// Since is the index of the earliest state that the predictor knew. It is
	// later than the timeline's first once the predictor's context was full.
	Since int
	// Edited says that a user changed the state.
	Edited bool
	// Unwinding says that this is the return event of a frame that an exception
	// leaves: CPython reports it with None, which is not a returned value.
	Unwinding bool
	// passed are the states on the way here from the entry before, if they were
	// predicted, until what was printed there is shown.
	passed []Entry
	// printed says that what was printed before the entry was shown.
	printed bool
}

// Inferred reports whether the entry was predicted backward.
func (e *Entry) Inferred() bool { return e.Action.Kind.Direction() == statetree.Inverse }

// ReturnValue returns the repr of the value that the state returns, if it does.
func (e *Entry) ReturnValue() (repr string, ok bool) {
	if e.Ended() || e.State.Event != statetree.Return || e.Unwinding {
		return "", false
	}
	return e.State.Arg, true
}

// Exception returns the repr of the exception that is raised in the state, if
// one is.
func (e *Entry) Exception() (repr string, ok bool) {
	if e.Ended() || e.State.Event != statetree.Exception {
		return "", false
	}
	return e.State.Arg, true
}

// shown returns an inverse state as the forward state of the same moment.
func shown(s statetree.State) statetree.State {
	if s.Event == statetree.InvLineCall {
		s.Event, s.Partial = statetree.Line, true
		return s
	}
	if s.Event.Direction() == statetree.Inverse {
		s.Event = s.Event.Inverse()
	}
	return s
}
