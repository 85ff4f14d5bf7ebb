package statetree

import "strings"

// Leaving gathers what tells how an activation was left, state by state: by a
// return or by an exception. CPython reports a return of None for both.
type Leaving struct {
	any    bool   // there was an exception state
	last   bool   // it is the last state so far
	raised string // ARGS of the last exception state
}

// Add takes the next own state of the activation before its return.
func (l *Leaving) Add(s *State) {
	l.last = s.Event == Exception
	if l.last {
		l.any, l.raised = true, s.Arg
	}
}

// Raised returns the repr of the activation's last exception, or "".
func (l *Leaving) Raised() string { return l.raised }

// Return takes the return state. It reports whether the activation was left by an
// exception; sure is false when that depends on what its caller does next.
//
// An exception right before the return has left the activation. There
// StopIteration does not tell, since the end of a for loop looks the same.
func (l *Leaving) Return(s *State) (byException, sure bool) {
	switch {
	case s.Arg != "None" || !l.any:
		return false, true
	case l.last && !isLoopEnd(l.raised):
		return true, true
	}
	return false, false
}

// GoesOn reports whether the next own state of the caller shows that the
// activation's last exception went on there. It decides what Return is not sure
// of.
func (l *Leaving) GoesOn(next *State) bool {
	return next.Event == Exception && next.Arg == l.raised
}

// isLoopEnd reports whether the repr of an exception is of a kind that ends a
// loop.
func isLoopEnd(repr string) bool {
	return strings.HasPrefix(repr, "StopIteration(") || strings.HasPrefix(repr, "StopAsyncIteration(")
}

// NormalExit reports whether an exception that nobody catches, given by its repr,
// ends a program normally: SystemExit with 0 or None does.
func NormalExit(exception string) bool {
	switch exception {
	case "SystemExit()", "SystemExit(0)", "SystemExit(None)":
		return true
	}
	return false
}
