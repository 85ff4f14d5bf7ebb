package stepwise

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// session is one model.Session, forward. Its history is the actions that it was
// asked for; that of the inner session has the steps which they were made of.
type session struct {
	inner   model.Session
	options Options
	listing *listing
	// steps are the start and the outcome of each action.
	steps []step
}

// step is an outcome, with how many steps of the inner session led to it from the
// start.
type step struct {
	outcome statetree.Outcome
	inner   int
}

// begin takes over the context that the inner session was opened with.
func (s *session) begin(c model.Context, first model.Prediction) {
	s.steps = []step{{outcome: statetree.Outcome{State: c.Start}}}
	for i := range c.History {
		s.steps = append(s.steps, step{c.History[i].Outcome, i + 1})
	}
	s.last().outcome = first.Outcome // the start may be a proposal
}

func (s *session) last() *step { return &s.steps[len(s.steps)-1] }

// Predict implements model.Session.
func (s *session) Predict(ctx context.Context, a statetree.Action) (model.Prediction, error) {
	began := time.Now()
	p, taken, err := s.reach(ctx, a)
	if err != nil {
		return model.Prediction{}, err
	}
	s.steps = append(s.steps, step{p.Outcome, s.last().inner + taken})
	p.Forgotten, p.Elapsed = s.forgotten(p.Forgotten), time.Since(began)
	return p, nil
}

// reach predicts the target of an action. It returns how many steps of the inner
// session it took; after an error that is where it was.
func (s *session) reach(ctx context.Context, a statetree.Action) (p model.Prediction, taken int, err error) {
	if !s.walks(a) {
		p, err = s.inner.Predict(ctx, a)
		return p, 1, err
	}
	least := 0.0
	if s.options.Jumps == Surer {
		if p, err = s.inner.Predict(ctx, a); err != nil {
			return p, 0, err
		}
		least = p.Confidence.State
		if err := s.inner.Rewind(1); err != nil {
			return p, 0, fmt.Errorf("going back from a jump: %w", err)
		}
	}
	if p, taken, err = s.walk(ctx, a, least); !errors.Is(err, errGivenUp) {
		return p, taken, err
	}
	p, err = s.inner.Predict(ctx, a) // the same as before
	return p, 1, err
}

// forgotten counts the session's states among the first n of the inner one.
func (s *session) forgotten(n int) int {
	count := 0
	for count < len(s.steps) && s.steps[count].inner < n {
		count++
	}
	return count
}

// Rewind implements model.Session.
func (s *session) Rewind(n int) error {
	if n < 0 || n > len(s.steps)-1 {
		return fmt.Errorf("rewinding %d of %d steps", n, len(s.steps)-1)
	}
	keep := len(s.steps) - n
	if err := s.inner.Rewind(s.last().inner - s.steps[keep-1].inner); err != nil {
		return err
	}
	s.steps = s.steps[:keep]
	return nil
}

// Edit implements model.Session.
func (s *session) Edit(state statetree.State) error {
	if err := s.inner.Edit(state); err != nil {
		return err
	}
	s.last().outcome.State = state
	return nil
}

// Close implements model.Session.
func (s *session) Close() error { return s.inner.Close() }
