package stepwise

import (
	"fmt"
	"math"
	"slices"
)

// Jumps says how the targets of jumps are predicted.
type Jumps uint8

// The ways.
const (
	// Auto is Surer as far as a walk is cheap with the model, and Direct beyond.
	Auto Jumps = iota
	// Direct asks the inner predictor for the target at once.
	Direct
	// Steps walks to the target.
	Steps
	// Surer does both, and takes the prediction with the higher confidence.
	Surer
)

var jumpsNames = [...]string{Auto: "auto", Direct: "direct", Steps: "stepwise", Surer: "surer"}

// String returns "auto", "direct", "stepwise" or "surer".
func (j Jumps) String() string { return jumpsNames[j] }

// MarshalText makes Jumps a plain string in JSON.
func (j Jumps) MarshalText() ([]byte, error) { return []byte(j.String()), nil }

// UnmarshalText accepts what MarshalText writes.
func (j *Jumps) UnmarshalText(text []byte) error {
	i := slices.Index(jumpsNames[:], string(text))
	if i < 0 {
		return fmt.Errorf(`jumps %q are none of "auto", "direct", "stepwise", "surer"`, text)
	}
	*j = Jumps(i)
	return nil
}

const (
	// sure is the confidence from which on Auto and Surer take a jump without a
	// walk. Where nano's jumps were as sure, walks made none of them right; without
	// them a breakpoint takes a third less in the median.
	sure = 0.8
	// weights is how much a walk of Auto may cost: tokens times parameters, which
	// is how many weights are read from memory for them, about 4 GB in float32. That
	// is 490 tokens of nano, more than nine in ten of its walks take; a model of 20
	// million weights has two states, one of 50 million none. Time itself would make
	// the prediction depend on what else the machine does.
	weights = 1_000_000_000
)

// allowance is how many tokens a walk may take with a model of so many weights; 0
// for none.
func (j Jumps) allowance(parameters int64) int {
	switch {
	case j != Auto:
		return math.MaxInt
	case parameters <= 0: // a recording, which is never wrong, or a model behind a server
		return 0
	}
	return int(weights / parameters)
}
