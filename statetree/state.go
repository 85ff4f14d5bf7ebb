package statetree

// State is what a debugger sees when it stops: one observation of a program.
//
// Event, Source and Locals or Arg are what the token grammar writes down. File,
// Line and Function are known in memory only; reading a text back needs the
// program and its control flow to fill them in.
type State struct {
	Event Event `json:"event"`
	// Source is the physical source line about to run, with its indentation and
	// without its line end. It is empty for the module's own call.
	Source string `json:"source"`
	// Locals are the frame's names and the reprs of their values, in the order
	// of CPython's f_locals, for the events with HasLocals.
	Locals Locals `json:"locals,omitempty"`
	// Partial says that the frame may have more names, or other values for
	// names not listed, than Locals tells. Inverse predictions begin so.
	Partial bool `json:"partial,omitempty"`
	// Arg is the repr of the returned value or of the exception, for the events
	// with HasArg.
	Arg string `json:"arg,omitempty"`

	// File is the path of the source as the user gave it, or DriverFile.
	File string `json:"file,omitempty"`
	// Line is the line number in File, from 1; 0 when it is not known.
	Line int `json:"line,omitempty"`
	// Function is the qualified name of the code object: "count",
	// "Stack.push", "<lambda>", or "<module>".
	Function string `json:"function,omitempty"`
}

// Local is one name of a frame with the repr of its value.
type Local struct {
	Name string `json:"name"`
	Repr string `json:"repr"`
}

// Locals are the names of one frame, in f_locals order, each name once.
type Locals []Local

// Get returns the repr of the value that name has.
func (l Locals) Get(name string) (repr string, ok bool) {
	for i := range l {
		if l[i].Name == name {
			return l[i].Repr, true
		}
	}
	return "", false
}

// Set returns locals in which name has the given repr. The receiver is left as
// it was; a new name is added at the end.
func (l Locals) Set(name, repr string) Locals {
	out := make(Locals, len(l), len(l)+1)
	copy(out, l)
	for i := range out {
		if out[i].Name == name {
			out[i].Repr = repr
			return out
		}
	}
	return append(out, Local{Name: name, Repr: repr})
}

// Equal reports whether both hold the same names with the same reprs, in any
// order.
func (l Locals) Equal(other Locals) bool {
	if len(l) != len(other) {
		return false
	}
	for i := range l {
		if other[i] == l[i] { // nearly always in the same order
			continue
		}
		if repr, ok := other.Get(l[i].Name); !ok || repr != l[i].Repr {
			return false
		}
	}
	return true
}

// Matches reports whether two states say the same: the same event, source,
// locals and argument. Where they are in the file is not compared, since the
// text form does not have it. This is the "whole state exact match" of the
// evaluations (arXiv 2603.09951, section 5.1).
func (s State) Matches(other State) bool {
	return s.Event == other.Event && s.Source == other.Source && s.Arg == other.Arg &&
		s.Partial == other.Partial && s.Locals.Equal(other.Locals)
}

// Outcome is what an action leads to: a state, or the end of the run.
// Exit is NoExit exactly when State is meaningful.
type Outcome struct {
	State State `json:"state"`
	Exit  Exit  `json:"exit,omitempty"`
}

// Ended reports whether the outcome is an exit.
func (o Outcome) Ended() bool { return o.Exit != NoExit }
