package dataset

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"

	"github.com/neuraldbg/neuraldbg/internal/regularfile"
	"github.com/neuraldbg/neuraldbg/model/jsonerror"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// Sample draws the trajectories of one program. They depend on the seed and the
// case's index alone. Missing is how often a direction had none.
func (p *Params) Sample(subject statetree.Subject, index uint64) (list []statetree.Trajectory, missing int, err error) {
	sampler, err := statetree.NewSampler(subject)
	if err != nil {
		return nil, 0, err
	}
	rng := rand.New(rand.NewPCG(p.Seed, index))
	for range p.Trajectories {
		direction := statetree.Inverse
		if rng.Float64() < p.Forward {
			direction = statetree.Forward
		}
		t, ok := sampler.Sample(rng, direction, &p.Sampling)
		if !ok {
			missing++
			continue
		}
		list = append(list, t)
	}
	return list, missing, nil
}

// ReadSampling returns the options of sampling that a name stands for: table-a1,
// those of the paper; syntax, which looks at the syntax; or those of a JSON file
// with the fields of statetree.SampleOptions, absent ones being the paper's.
func ReadSampling(name string) (statetree.SampleOptions, error) {
	o := statetree.DefaultSampling()
	switch name {
	case "table-a1":
		return o, nil
	case "syntax":
		return statetree.SyntaxSampling(), nil
	}
	text, err := regularfile.ReadStream(name)
	if err != nil {
		return o, fmt.Errorf("the policy is table-a1, syntax or a file: %w", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err = decoder.Decode(&o); err == nil {
		err = checkSampling(&o)
	}
	if err != nil {
		return o, fmt.Errorf("reading the policy %s: %w", name, jsonerror.Describe(err))
	}
	return o, nil
}

// checkSampling refuses numbers that mean nothing. A policy's own weights have been
// checked when they were read.
func checkSampling(o *statetree.SampleOptions) error {
	type number struct {
		name  string
		value float64
	}
	for _, share := range []number{{"visited_breakpoint", o.VisitedBreakpoint}, {"function_line", o.FunctionLine}} {
		if share.value < 0 || share.value > 1 {
			return fmt.Errorf("%s is %g, must be between 0 and 1", share.name, share.value)
		}
	}
	weights := []number{
		{"forward_start.entry", o.ForwardStart.Entry}, {"forward_start.proposal", o.ForwardStart.Proposal}, {"forward_start.line", o.ForwardStart.Line},
		{"inverse_start.entry", o.InverseStart.Entry}, {"inverse_start.proposal", o.InverseStart.Proposal}, {"inverse_start.line", o.InverseStart.Line},
		{"max_states", float64(o.MaxStates)},
	}
	if o.Heads != nil {
		weights = append(weights, number{"heads.weight", o.Heads.Weight})
	}
	for _, weight := range weights {
		if weight.value < 0 {
			return fmt.Errorf("%s is %g, must not be negative", weight.name, weight.value)
		}
	}
	return nil
}
