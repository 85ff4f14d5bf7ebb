package eval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"time"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/model/dataset"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// NextStateOptions say what NextState predicts.
type NextStateOptions struct {
	// Predictions is how many to make for each kind of action, each in another
	// trajectory; default 800, as in the paper.
	Predictions int
	// Actions are the kinds to test; default all.
	Actions []statetree.ActionKind
	// Seed chooses among the actions of a trajectory.
	Seed uint64
	// Sampling is that of the predictor; the zero value is greedy.
	Sampling model.Sampling
	// Progress, if set, is called after every prediction.
	Progress func(done, of int)
}

// NextStateReport is the result of NextState.
type NextStateReport struct {
	Predictor model.Info     `json:"predictor"`
	Rows      []NextStateRow `json:"rows"`
}

// NextStateRow is the result for one kind of action.
type NextStateRow struct {
	Action   statetree.ActionKind `json:"action"`
	Model    Scores               `json:"model"`
	Baseline Scores               `json:"baseline"` // the last state again
	// TooLong counts predictions that were not made, since the history fills
	// the model's context. They are in no score.
	TooLong int `json:"too_long"`
	// Failed counts predictions that ended in an error, the first of which is
	// FirstError. They count as wrong.
	Failed     int    `json:"failed"`
	FirstError string `json:"first_error,omitempty"`
	// Tokens and Elapsed are sums over the predictions.
	Tokens  int           `json:"tokens"`
	Elapsed time.Duration `json:"elapsed"`
}

// NextState predicts one outcome at a time, with the true history, until there
// are enough for every kind of action or the programs end.
func NextState(ctx context.Context, p model.Predictor, programs iter.Seq2[dataset.Sampled, error], o NextStateOptions) (NextStateReport, error) {
	o.Predictions = cmp.Or(o.Predictions, 800)
	if len(o.Actions) == 0 {
		o.Actions = append(append(o.Actions, statetree.ForwardActions...), statetree.InverseActions...)
	}
	report := NextStateReport{Predictor: p.Info(), Rows: make([]NextStateRow, len(o.Actions))}
	for i, k := range o.Actions {
		report.Rows[i].Action = k
	}
	done, of := 0, o.Predictions*len(o.Actions)
	for program, err := range programs {
		if err != nil {
			return report, fmt.Errorf("evaluate next states: %w", err)
		}
		for n := range program.Trajectories {
			trajectory, err := asRead(&program.Trajectories[n])
			if err != nil {
				return report, fmt.Errorf("evaluate next states: program %d: %w", program.Case.Index, err)
			}
			rng := rand.New(rand.NewPCG(o.Seed, program.Case.Index<<8|uint64(n)))
			for i := range report.Rows {
				row := &report.Rows[i]
				step, ok := drawStep(rng, &trajectory, row.Action)
				if !ok || row.Model.Whole.Of >= o.Predictions {
					continue
				}
				if err := row.predict(ctx, p, &trajectory, step, o.Sampling); err != nil {
					return report, fmt.Errorf("evaluate next states: %w", err)
				}
				if done++; o.Progress != nil {
					o.Progress(done, of)
				}
			}
		}
		if report.full(o.Predictions) {
			break
		}
	}
	return report, nil
}

func (r *NextStateReport) full(predictions int) bool {
	for i := range r.Rows {
		if r.Rows[i].Model.Whole.Of < predictions {
			return false
		}
	}
	return true
}

// drawStep draws one of the steps of a trajectory with an action of a kind.
func drawStep(rng *rand.Rand, t *statetree.Trajectory, k statetree.ActionKind) (step int, ok bool) {
	n := 0
	for i := range t.Steps {
		if t.Steps[i].Action.Kind == k {
			if n++; rng.IntN(n) == 0 {
				step = i
			}
		}
	}
	return step, n > 0
}

// predict makes one prediction and counts it. Its errors are those that end the
// evaluation.
func (r *NextStateRow) predict(ctx context.Context, p model.Predictor, t *statetree.Trajectory, step int, sampling model.Sampling) error {
	last := t.Start
	history := make([]model.Step, step)
	for i := range history {
		history[i] = model.Step{Action: t.Steps[i].Action, Outcome: t.Steps[i].Outcome}
		last = t.Steps[i].Outcome.State
	}
	start := time.Now()
	got, err := predictOne(ctx, p, model.Context{
		Program: t.Program, Direction: t.Direction, Start: t.Start, History: history, Sampling: sampling,
	}, t.Steps[step].Action)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, model.ErrUnavailable):
		return err
	case errors.Is(err, model.ErrContextFull):
		r.TooLong++
		return nil
	case err != nil:
		if r.Failed++; r.Failed == 1 {
			r.FirstError = err.Error()
		}
		got = model.Prediction{}
	}
	r.Elapsed += time.Since(start)
	r.Tokens += got.Tokens
	want := t.Steps[step].Outcome
	r.Model.count(want, got.Outcome)
	r.Baseline.count(want, statetree.Outcome{State: last})
	return nil
}

func predictOne(ctx context.Context, p model.Predictor, c model.Context, a statetree.Action) (model.Prediction, error) {
	session, _, err := p.Open(ctx, c)
	if err != nil {
		return model.Prediction{}, err
	}
	got, err := session.Predict(ctx, a)
	return got, errors.Join(err, session.Close())
}
