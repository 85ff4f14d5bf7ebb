package eval

import (
	"errors"
	"fmt"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// recorded is the walk over a recording's tree that a question was made from. It
// lets the recording answer. Backward it has more than the question, which has
// only what texts tell.
type recorded struct {
	tree  *statetree.Tree // forward
	scope int             // a level, or statetree.Whole
	// walk has the steps of the question's history.
	walk statetree.Trajectory
}

// errNotFound says that an evaluation is at fault.
var errNotFound = errors.New("the recording does not have the question's history")

// answer takes the action where the walk has led, and returns the outcome as its
// text tells it.
func (r *recorded) answer(a statetree.Action) (model.Prediction, error) {
	tree := r.tree
	if r.walk.Direction == statetree.Inverse {
		tree = tree.Invert()
	}
	for node := range tree.Len() {
		if tree.LevelOf(node) != r.walk.StartActivation || !tree.State(node).Matches(r.walk.Start) {
			continue
		}
		c := tree.Cursor(r.scope)
		c.Seek(node)
		if !r.follow(&c) {
			continue // another state with the same values
		}
		o, err := c.Go(a)
		if err != nil {
			return model.Prediction{}, err
		}
		t := r.walk
		t.Steps = append(t.Steps[:len(t.Steps):len(t.Steps)], statetree.Step{Action: a, Outcome: o})
		read, err := asRead(&t)
		if err != nil {
			return model.Prediction{}, fmt.Errorf("read a recorded outcome: %w", err)
		}
		return model.Prediction{Outcome: read.Steps[len(read.Steps)-1].Outcome, Confidence: model.Certain()}, nil
	}
	return model.Prediction{}, errNotFound
}

// follow takes the steps of the walk and reports whether they lead where it has
// led.
func (r *recorded) follow(c *statetree.Cursor) bool {
	for i := range r.walk.Steps {
		want := &r.walk.Steps[i]
		o, err := c.Go(want.Action)
		if err != nil || o.Exit != want.Outcome.Exit || !o.State.Matches(want.Outcome.State) || !o.Ended() && c.Level() != want.Activation {
			return false
		}
	}
	return true
}
