package eval

import (
	"fmt"

	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/grammar"
)

// asRead returns a trajectory with its states as their text tells them, which is
// all that a model is shown or can say: backward, values that nothing has told
// yet are unknown. Where a state is in its file stays.
func asRead(t *statetree.Trajectory) (statetree.Trajectory, error) {
	var w grammar.Writer
	read, err := grammar.Parse(w.AppendTrajectory(nil, t))
	if err != nil {
		return read, fmt.Errorf("read a trajectory back: %w", err)
	}
	if len(read.Steps) != len(t.Steps) {
		return read, fmt.Errorf("read a trajectory back: %d steps became %d", len(t.Steps), len(read.Steps))
	}
	out := *t
	out.Start = withPlace(read.Start, t.Start)
	out.Steps = make([]statetree.Step, len(t.Steps))
	for i, step := range t.Steps {
		step.Outcome.State = withPlace(read.Steps[i].Outcome.State, step.Outcome.State)
		out.Steps[i] = step
	}
	return out, nil
}

func withPlace(s, from statetree.State) statetree.State {
	s.File, s.Line, s.Function = from.File, from.Line, from.Function
	return s
}
