package stepwise

import "github.com/neuraldbg/neuraldbg/model"

// way adds up how sure the predictor was of the states on the way to a target.
type way struct {
	// before is the probability of all states but the last, last that of this one.
	before, last float64
	tokens       int
}

func newWay() *way { return &way{before: 1, last: 1} }

// certainty is the probability of all states so far. It never rises.
func (w *way) certainty() float64 { return w.before * w.last }

// add takes the next prediction.
func (w *way) add(p *model.Prediction) {
	w.before *= w.last
	w.last = p.Confidence.State
	w.tokens += p.Tokens
}

// arrived is the prediction of the target, which was the last one: it is right if
// the states on the way are.
func (w *way) arrived(p model.Prediction) model.Prediction {
	c := &p.Confidence
	c.State *= w.before
	c.Event *= w.before
	c.Source *= w.before
	c.Values *= w.before
	for name := range c.Locals {
		c.Locals[name] *= w.before
	}
	for i := range p.Alternatives {
		p.Alternatives[i].Confidence.State *= w.before
	}
	p.Tokens = w.tokens
	return p
}
