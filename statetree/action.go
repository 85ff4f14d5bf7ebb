package statetree

import (
	"fmt"
	"strings"
)

// ActionKind is one of the closed set of debugger actions
// (arXiv 2603.09951, section 4.1).
type ActionKind uint8

// The forward and inverse actions. Their targets are defined by Cursor.Go.
const (
	NoAction ActionKind = iota
	StepInto
	StepOver
	StepReturn
	Breakpoint
	Continue
	InvStepInto
	InvStepOver
	InvStepCall
)

var actionNames = [...]string{
	NoAction: "none", StepInto: "step_into", StepOver: "step_over", StepReturn: "step_return",
	Breakpoint: "breakpoint", Continue: "continue",
	InvStepInto: "inv_step_into", InvStepOver: "inv_step_over", InvStepCall: "inv_step_call",
}

// ForwardActions and InverseActions list the actions of each direction, in the
// order of the paper's table A.1.
var (
	ForwardActions = []ActionKind{StepInto, StepOver, StepReturn, Breakpoint, Continue}
	InverseActions = []ActionKind{InvStepInto, InvStepOver, InvStepCall}
)

// String returns the name that the paper uses, such as "step_into".
func (k ActionKind) String() string {
	if int(k) < len(actionNames) {
		return actionNames[k]
	}
	return fmt.Sprintf("action(%d)", uint8(k))
}

// Direction returns the direction in which the action moves.
func (k ActionKind) Direction() Direction {
	if k >= InvStepInto {
		return Inverse
	}
	return Forward
}

// MarshalText makes an ActionKind a plain string in JSON.
func (k ActionKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText accepts what MarshalText writes.
func (k *ActionKind) UnmarshalText(text []byte) error {
	for i, n := range actionNames {
		if n == string(text) {
			*k = ActionKind(i)
			return nil
		}
	}
	return fmt.Errorf("unknown action %q; actions are %s", text, strings.Join(actionNames[1:], ", "))
}

// Action is one debugger action.
type Action struct {
	Kind ActionKind `json:"kind"`
	// Source is the source line of a Breakpoint, with its indentation and
	// without its line end; empty for every other kind.
	Source string `json:"source,omitempty"`
}

// String returns the action as people write it: "step_into", or
// "breakpoint return n" with the line's indentation left out.
func (a Action) String() string {
	if a.Kind == Breakpoint {
		return a.Kind.String() + " " + strings.TrimSpace(a.Source)
	}
	return a.Kind.String()
}
