package stepwise

import (
	"fmt"
	"slices"
)

// Jumps says how the targets of jumps are predicted.
type Jumps uint8

// The ways.
const (
	// Direct asks the inner predictor for the target at once.
	Direct Jumps = iota
	// Steps walks to the target.
	Steps
	// Surer does both, and takes the prediction with the higher confidence.
	Surer
)

var jumpsNames = [...]string{Direct: "direct", Steps: "stepwise", Surer: "surer"}

// String returns "direct", "stepwise" or "surer".
func (j Jumps) String() string { return jumpsNames[j] }

// MarshalText makes Jumps a plain string in JSON.
func (j Jumps) MarshalText() ([]byte, error) { return []byte(j.String()), nil }

// UnmarshalText accepts what MarshalText writes.
func (j *Jumps) UnmarshalText(text []byte) error {
	i := slices.Index(jumpsNames[:], string(text))
	if i < 0 {
		return fmt.Errorf(`jumps %q are none of "direct", "stepwise", "surer"`, text)
	}
	*j = Jumps(i)
	return nil
}
