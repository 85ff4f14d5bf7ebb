package statetree

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
)

// Policy gives each kind of action a weight; the weights need not sum to one.
type Policy [InvStepCall + 1]float64

// Table A.1 of arXiv 2603.09951: before every action one policy is drawn, all
// alike probable, and the action from it.
var (
	TableA1 = []Policy{
		{StepInto: .35, StepOver: .1, StepReturn: .2, Breakpoint: .1, Continue: .05},
		{StepInto: .5, StepOver: .5},
	}
	TableA1Inverse = []Policy{
		{InvStepInto: .45, InvStepOver: .27, InvStepCall: .28},
	}
)

// MarshalJSON writes the weights by the actions' names.
func (p Policy) MarshalJSON() ([]byte, error) {
	weights := make(map[ActionKind]float64)
	for k, w := range p {
		if w != 0 {
			weights[ActionKind(k)] = w
		}
	}
	return json.Marshal(weights)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (p *Policy) UnmarshalJSON(text []byte) error {
	var weights map[ActionKind]float64
	if err := json.Unmarshal(text, &weights); err != nil {
		return fmt.Errorf("reading a policy: %w", err)
	}
	*p = Policy{}
	for k, w := range weights {
		if w < 0 {
			return fmt.Errorf("reading a policy: the weight of %s is negative", k)
		}
		p[k] = w
	}
	return nil
}

// draw draws one of the policies and from it a kind of action that usable
// allows. Kinds that it does not allow count as drawn again; it returns NoAction
// when no policy has any other.
func draw(rng *rand.Rand, policies []Policy, usable func(ActionKind) bool) ActionKind {
	if len(policies) == 0 {
		return NoAction
	}
	first := rng.IntN(len(policies))
	for i := range policies {
		p := &policies[(first+i)%len(policies)]
		var sum float64
		for k, w := range p {
			if w > 0 && usable(ActionKind(k)) {
				sum += w
			}
		}
		if sum == 0 {
			continue
		}
		x := rng.Float64() * sum
		last := NoAction
		for k, w := range p {
			if w <= 0 || !usable(ActionKind(k)) {
				continue
			}
			last = ActionKind(k)
			if x -= w; x < 0 {
				break
			}
		}
		return last
	}
	return NoAction
}
