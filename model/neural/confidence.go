package neural

import (
	"math"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/grammar"
)

// certainty adds up how sure the model was of an outcome, as logarithms of
// probabilities. A token belongs to the part of the outcome in which it begins.
type certainty struct {
	event, source, values float64
	// structure is the part of values that says which names are listed. All
	// names that are not listed have it: it is the certainty that they stayed.
	structure float64
	// name is of the name being written, until its value begins.
	name   float64
	byName map[string]float64
}

// add counts a token that was chosen where the parser stands.
func (c *certainty) add(p *grammar.StateParser, logProb float64) {
	switch p.Part() {
	case grammar.PartSource:
		c.source += logProb
		return
	case grammar.PartEvent, grammar.PartEnd:
		c.event += logProb
		return
	case grammar.PartLocals:
		c.structure += logProb
	case grammar.PartName:
		c.structure += logProb
		c.name += logProb
	case grammar.PartValue:
		if name := p.Variable(); name != "" {
			c.startValue(name)
			c.byName[name] += logProb
		} else {
			c.structure += logProb // the unchanged mark
		}
	}
	c.values += logProb
}

// startValue gives a value the certainty of its name: that just this one is
// listed here.
func (c *certainty) startValue(name string) {
	if c.byName == nil {
		c.byName = map[string]float64{}
	}
	if _, ok := c.byName[name]; !ok {
		c.byName[name] = c.name
		c.name = 0
	}
}

// confidence returns the probabilities for an outcome.
func (c *certainty) confidence(o statetree.Outcome) model.Confidence {
	out := model.Confidence{
		State: math.Exp(c.event + c.source + c.values),
		Event: math.Exp(c.event), Source: math.Exp(c.source), Values: math.Exp(c.values),
	}
	if len(o.State.Locals) == 0 {
		return out
	}
	out.Locals = make(map[string]float64, len(o.State.Locals))
	for _, l := range o.State.Locals {
		if logProb, listed := c.byName[l.Name]; listed {
			out.Locals[l.Name] = math.Exp(logProb)
		} else {
			out.Locals[l.Name] = math.Exp(c.structure)
		}
	}
	return out
}
