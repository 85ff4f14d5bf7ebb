package eval

import (
	"math"

	"github.com/neuraldbg/neuraldbg/statetree"
)

// Score counts how many of some predictions were right.
type Score struct {
	Correct int `json:"correct"`
	Of      int `json:"of"`
}

func (s *Score) count(correct bool) {
	s.Of++
	if correct {
		s.Correct++
	}
}

// Share returns the share that was right, and NaN of nothing.
func (s Score) Share() float64 { return float64(s.Correct) / float64(s.Of) }

// Interval returns the 95 % confidence interval of the share (Wilson's score
// interval).
func (s Score) Interval() (low, high float64) {
	const z = 1.959964
	n, p := float64(s.Of), s.Share()
	middle := p + z*z/(2*n)
	half := z * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return (middle - half) / (1 + z*z/n), (middle + half) / (1 + z*z/n)
}

// Scores compare predicted outcomes with true ones. Source and Values count
// where the true outcome is a state that has them; an exit has only an event.
type Scores struct {
	// Event: the same event, or the same exit.
	Event  Score `json:"event"`
	Source Score `json:"source"`
	// Values: all names with their values, or the returned value or exception.
	Values Score `json:"values"`
	// Whole: all of it.
	Whole Score `json:"whole"`
}

func (s *Scores) count(want, got statetree.Outcome) {
	if want.Ended() {
		s.Event.count(got.Exit == want.Exit)
		s.Whole.count(got.Exit == want.Exit)
		return
	}
	w, g := want.State, got.State
	state := !got.Ended()
	s.Event.count(state && g.Event == w.Event)
	s.Source.count(state && g.Source == w.Source)
	if w.Event.HasLocals() {
		s.Values.count(state && g.Event.HasLocals() && g.Partial == w.Partial && g.Locals.Equal(w.Locals))
	}
	if w.Event.HasArg() {
		s.Values.count(state && g.Event.HasArg() && g.Arg == w.Arg)
	}
	s.Whole.count(state && g.Matches(w))
}
