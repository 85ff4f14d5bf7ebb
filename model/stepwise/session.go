package stepwise

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// session is one model.Session, forward. The inner session has the same history:
// what is predicted on the way to a target is taken back, and the target adopted.
type session struct {
	inner   model.Session
	options Options
	listing *listing
	// parameters is how many weights the model has; 0 where that is not known.
	parameters func() int64
	// outcomes are the start and what each action led to.
	outcomes []statetree.Outcome
}

// begin takes over the context that the inner session was opened with.
func (s *session) begin(c model.Context, first model.Prediction) {
	s.outcomes = []statetree.Outcome{{State: c.Start}}
	for i := range c.History {
		s.outcomes = append(s.outcomes, c.History[i].Outcome)
	}
	*s.last() = first.Outcome // the start may be a proposal
}

func (s *session) last() *statetree.Outcome { return &s.outcomes[len(s.outcomes)-1] }

// Predict implements model.Session.
func (s *session) Predict(ctx context.Context, a statetree.Action) (model.Prediction, error) {
	p, err := s.reach(ctx, a)
	if err != nil {
		return model.Prediction{}, err
	}
	s.outcomes = append(s.outcomes, p.Outcome)
	return p, nil
}

// reach predicts the target of an action and makes it the last outcome of the
// inner session, which is where it was after an error.
func (s *session) reach(ctx context.Context, a statetree.Action) (model.Prediction, error) {
	if !s.walks(a) {
		return s.inner.Predict(ctx, a)
	}
	began := time.Now()
	if s.options.Jumps == Steps {
		p, err := s.walk(ctx, a, limits{tokens: math.MaxInt})
		if errors.Is(err, errGivenUp) {
			return s.inner.Predict(ctx, a)
		}
		p.Elapsed = time.Since(began)
		return p, s.adopt(a, p, err)
	}
	p, err := s.inner.Predict(ctx, a)
	if err != nil {
		return p, err
	}
	// The inner predictor is asked only now: one in another process may know its
	// size only after it has predicted something.
	tokens := s.options.Jumps.allowance(s.parameters())
	if p.Confidence.State >= sure || p.Tokens >= tokens {
		return p, nil
	}
	if err := s.inner.Rewind(1); err != nil {
		return p, fmt.Errorf("going back from a jump: %w", err)
	}
	walked, err := s.walk(ctx, a, limits{tokens: tokens, certainty: p.Confidence.State})
	switch {
	case err == nil:
		p = walked
	case errors.Is(err, errGivenUp):
		err = nil
	}
	p.Elapsed = time.Since(began)
	return p, s.adopt(a, p, err)
}

// adopt makes a prediction the last outcome of the inner session, unless there is
// an error already.
func (s *session) adopt(a statetree.Action, p model.Prediction, err error) error {
	if err != nil {
		return err
	}
	if err := s.inner.Adopt(model.Step{Action: a, Outcome: p.Outcome}); err != nil {
		return fmt.Errorf("taking over the target of %s: %w", a.Kind, err)
	}
	return nil
}

// Adopt implements model.Session.
func (s *session) Adopt(known model.Step) error {
	if err := s.inner.Adopt(known); err != nil {
		return err
	}
	s.outcomes = append(s.outcomes, known.Outcome)
	return nil
}

// Rewind implements model.Session.
func (s *session) Rewind(n int) error {
	if n < 0 || n > len(s.outcomes)-1 {
		return fmt.Errorf("rewinding %d of %d steps", n, len(s.outcomes)-1)
	}
	if err := s.inner.Rewind(n); err != nil {
		return err
	}
	s.outcomes = slices.Delete(s.outcomes, len(s.outcomes)-n, len(s.outcomes))
	return nil
}

// Edit implements model.Session.
func (s *session) Edit(state statetree.State) error {
	if err := s.inner.Edit(state); err != nil {
		return err
	}
	s.last().State = state
	return nil
}

// Close implements model.Session.
func (s *session) Close() error { return s.inner.Close() }
