package statetree

import "errors"

// Trajectory is a walk over a tree, written down: a start state, then one action
// and its outcome a step. It is what the dataset turns into text and what
// reading a text gives back.
type Trajectory struct {
	// Program is what the model is shown.
	Program   Program   `json:"program"`
	Direction Direction `json:"direction"`
	Start     State     `json:"start"`
	// StartActivation numbers the activation of Start.
	StartActivation int `json:"start_activation"`
	// ProposeStart says that the start state is to be predicted, too, from the
	// program alone: that is how arguments are proposed.
	ProposeStart bool   `json:"propose_start,omitempty"`
	Steps        []Step `json:"steps"`
	// Cut says why the last step is not an exit.
	Cut Cut `json:"cut,omitempty"`
}

// Step is one action with what it led to.
type Step struct {
	Action  Action  `json:"action"`
	Outcome Outcome `json:"outcome"`
	// Activation numbers the activation of the outcome's state within the
	// recording; it has no meaning for an exit or for a text read back.
	Activation int `json:"activation"`
}

// Cut is a reason why a trajectory ends at a state instead of an exit.
type Cut string

// The reasons.
const (
	NotCut         Cut = ""
	CutByRecording Cut = "recording" // the next target lies beyond the recording's cut
	CutByLength    Cut = "length"    // the trajectory has the most states allowed
)

// States returns the number of states of the trajectory, its start included; an
// exit is none.
func (t *Trajectory) States() int {
	n := len(t.Steps) + 1
	if t.Exit() != NoExit {
		n--
	}
	return n
}

// Exit returns the exit with which the trajectory ends, or NoExit when it was
// cut.
func (t *Trajectory) Exit() Exit {
	if len(t.Steps) == 0 {
		return NoExit
	}
	return t.Steps[len(t.Steps)-1].Outcome.Exit
}

// Walk takes actions from where c stands, until choose has none, the run exits,
// the recording's cut hides a target, or the trajectory has maxStates states (0:
// no limit). An action without a target ends the walk like having none. The
// cursor that choose is given stands on the last state; it must not be moved.
func Walk(c Cursor, program Program, maxStates int, choose func(*Cursor) (Action, bool)) Trajectory {
	t := Trajectory{
		Program: program, Direction: c.tree.direction,
		Start: c.State(), StartActivation: c.Level(),
	}
	for {
		a, ok := choose(&c)
		if !ok {
			return t
		}
		if maxStates > 0 && len(t.Steps)+1 >= maxStates {
			t.Cut = CutByLength
			return t
		}
		o, err := c.Go(a)
		if err != nil {
			if errors.Is(err, ErrCut) {
				t.Cut = CutByRecording
			}
			return t
		}
		t.Steps = append(t.Steps, Step{Action: a, Outcome: o, Activation: c.Level()})
		if o.Ended() {
			return t
		}
	}
}

// WalkAll is a Walk by one kind of action only, to the end of the scope. With
// StepInto it is the recording itself.
func WalkAll(c Cursor, program Program, kind ActionKind) Trajectory {
	return Walk(c, program, 0, func(*Cursor) (Action, bool) { return Action{Kind: kind}, true })
}
