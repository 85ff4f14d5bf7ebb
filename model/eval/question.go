package eval

import (
	"context"
	"iter"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// Measure names one of the things that are measured.
type Measure string

// The measures.
const (
	NextState  Measure = "next-state"
	Output     Measure = "output"     // of a call, by step_return
	Breakpoint Measure = "breakpoint" // output of a call, by a breakpoint at its return line
	Input      Measure = "input"      // of a call, by inv_step_call
	Horizon    Measure = "horizon"
)

// Key names a question among all of an evaluation. It is the same in every run.
type Key struct {
	Measure Measure `json:"measure"`
	// Data is the name of the set.
	Data string `json:"data"`
	// ID is the name of the question within the set, such as "4711/2/5": the
	// program, and what of it.
	ID string `json:"id"`
	// Unconstrained says that the predictor was free to write anything.
	Unconstrained bool `json:"unconstrained,omitempty"`
	// Sample is 0 for the greedy prediction and counts sampled ones from 1.
	Sample int `json:"sample,omitempty"`
}

// Question is one prediction to be made, with what was recorded.
type Question struct {
	Key
	// Program identifies the program by the dataset.Key of its source. Questions
	// about one program are not independent of each other.
	Program string
	// Context and Action are what the predictor is given.
	Context model.Context
	Action  statetree.Action
	// Want is the recorded outcome.
	Want statetree.Outcome
	// Skipped is the share of the states from the function's call to its return
	// that the action skips, for Horizon.
	Skipped float64

	recorded recorded
	// check, where it is not nil, judges a prediction otherwise than by comparing
	// texts.
	check check
}

// Questions is a stream of questions. An error ends it.
type Questions = iter.Seq2[Question, error]

// Unconstrained makes questions whose predictor may write anything.
func Unconstrained(questions Questions) Questions {
	return func(yield func(Question, error) bool) {
		for q, err := range questions {
			q.Unconstrained, q.Context.Sampling.Unconstrained = true, true
			if !yield(q, err) {
				return
			}
		}
	}
}

// Passed is the verdict of a check.
type Passed string

// The verdicts.
const (
	NotChecked Passed = ""
	Yes        Passed = "yes"
	No         Passed = "no"
	// Unknown: not even the recorded outcome passes, as where a value's repr is
	// no expression.
	Unknown Passed = "unknown"
)

// check judges a predicted outcome. The reason tells why it does not pass.
type check func(ctx context.Context, got statetree.Outcome) (passed Passed, reason string, err error)

// Answer is what came of a Question: one line of a Log.
type Answer struct {
	Key
	Program string               `json:"program"`
	Action  statetree.ActionKind `json:"action"`
	// Grades are those of the prediction, Baseline those of a predictor that says
	// the last state again.
	Grades   Grades `json:"grades,omitempty"`
	Baseline Grades `json:"baseline,omitempty"`
	// Passed is the verdict of the question's check, Reason why it is not Yes.
	Passed Passed `json:"passed,omitempty"`
	Reason string `json:"reason,omitempty"`
	// Confidence has the components that the prediction has.
	Confidence map[Component]float64 `json:"confidence,omitempty"`
	// TooLong says that nothing was predicted, since the history fills the model's
	// context.
	TooLong bool `json:"too_long,omitempty"`
	// Error is why a prediction failed; it counts as wrong.
	Error string `json:"error,omitempty"`
	// Mistake shows a greedy prediction that is wrong.
	Mistake *Mistake `json:"mistake,omitempty"`
	Skipped float64  `json:"skipped,omitempty"`
	Tokens  int      `json:"tokens,omitempty"`
	Seconds float64  `json:"seconds,omitempty"`
}

// confidences are those of the components that an outcome has.
func confidences(p *model.Prediction) map[Component]float64 {
	all := map[Component]float64{Event: p.Confidence.Event, Whole: p.Confidence.State}
	if p.Ended() {
		return all
	}
	all[Source] = p.Confidence.Source
	if p.State.Event.HasLocals() {
		all[Locals] = p.Confidence.Values
	}
	if p.State.Event.HasArg() {
		all[Args] = p.Confidence.Values
	}
	return all
}

// contextOf is the context after the first steps of a trajectory.
func contextOf(t *statetree.Trajectory, steps int) model.Context {
	c := model.Context{Program: t.Program, Direction: t.Direction, Start: t.Start}
	for _, s := range t.Steps[:steps] {
		c.History = append(c.History, model.Step{Action: s.Action, Outcome: s.Outcome})
	}
	return c
}
