package eval

import (
	"math"

	"github.com/neuraldbg/neuraldbg/statetree"
)

// Component is a part of an outcome that is compared by itself
// (arXiv 2603.09951, section 5.1).
type Component string

// The components. An exit has only an event, and a state has locals or args by
// its event.
const (
	Event  Component = "event"  // the same event, or the same exit
	Source Component = "source" // the source line
	Locals Component = "locals" // all names with their values
	Args   Component = "args"   // the returned value, or the exception
	Whole  Component = "whole"  // all of it
)

// Components lists them in the order of the tables.
var Components = []Component{Event, Source, Locals, Args, Whole}

// Grades say of the components of a true outcome whether a prediction has them
// right.
type Grades map[Component]bool

// grade compares a predicted outcome with the true one.
func grade(want, got statetree.Outcome) Grades {
	if want.Ended() {
		right := got.Exit == want.Exit
		return Grades{Event: right, Whole: right}
	}
	w, g := want.State, got.State
	state := !got.Ended()
	grades := Grades{
		Event:  state && g.Event == w.Event,
		Source: state && g.Source == w.Source,
		Whole:  state && g.Matches(w),
	}
	if w.Event.HasLocals() {
		grades[Locals] = state && g.Event.HasLocals() && g.Partial == w.Partial && g.Locals.Equal(w.Locals)
	}
	if w.Event.HasArg() {
		grades[Args] = state && g.Event.HasArg() && g.Arg == w.Arg
	}
	return grades
}

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
// interval). It takes the predictions to be independent of each other.
func (s Score) Interval() (low, high float64) {
	const z = 1.959964
	n, p := float64(s.Of), s.Share()
	middle := p + z*z/(2*n)
	half := z * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return (middle - half) / (1 + z*z/n), (middle + half) / (1 + z*z/n)
}

// Scores are the scores of components. A component that was never asked for has
// none.
type Scores map[Component]Score

func (s Scores) count(g Grades) {
	for c, right := range g {
		score := s[c]
		score.count(right)
		s[c] = score
	}
}
