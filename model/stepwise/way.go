package stepwise

import (
	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// way adds up how sure the predictor was of the states on the way to a target.
type way struct {
	// before is the probability of all states but the last, last that of this one.
	before, last float64
	// control is the probability of the events and lines of all of them: that the
	// way is the one which the program takes.
	control float64
	tokens  int
	steps   []model.Step
}

func newWay() *way { return &way{before: 1, last: 1, control: 1} }

// certainty is the probability of all states so far. It never rises.
func (w *way) certainty() float64 { return w.before * w.last }

// add takes the next step with its prediction.
func (w *way) add(a statetree.Action, p *model.Prediction) {
	w.steps = append(w.steps, model.Step{Action: a, Outcome: p.Outcome})
	w.before *= w.last
	w.last = p.Confidence.State
	w.control *= p.Confidence.Event * p.Confidence.Source
	w.tokens += p.Tokens
}

// arrived is the prediction of the target, which was the last one. Its values are
// right if all states on the way are: that understates those which do not depend on
// the wrong ones. Its event and its line need no more than the way. Its alternatives
// are the other targets that the last step can have led to; plan is from before that
// step.
func (w *way) arrived(p model.Prediction, plan statetree.Plan) model.Prediction {
	c := &p.Confidence
	c.State *= w.before
	c.Event, c.Source = w.control, w.control
	c.Values *= w.before
	for name := range c.Locals {
		c.Locals[name] *= w.before
	}
	var alternatives []model.Alternative
	for _, a := range p.Alternatives {
		if after := plan; a.Ended() || after.Arrive(&a.State) {
			a.Confidence.State *= w.before
			alternatives = append(alternatives, a)
		}
	}
	p.Alternatives = alternatives
	p.Tokens, p.Way = w.tokens, w.steps
	return p
}
