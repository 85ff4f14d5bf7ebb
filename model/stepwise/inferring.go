package stepwise

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/repr"
)

// inferring is a model.Session backward, that checks the inputs which it infers:
// the predictor itself runs them forward.
type inferring struct {
	inner     model.Session
	predictor *Predictor
	// context has the start and all that followed.
	context model.Context
}

func newInferring(p *Predictor, inner model.Session, c model.Context, first model.Prediction) *inferring {
	c.History = slices.Clone(c.History)
	if len(c.History) == 0 {
		c.Start = first.State
	}
	return &inferring{inner: inner, predictor: p, context: c}
}

// candidate is one way in which a call may have been made.
type candidate struct {
	model.Alternative
	// confirmed says that its call is predicted to return what is known, with this
	// certainty.
	confirmed bool
	certainty float64
}

// Predict implements model.Session.
func (s *inferring) Predict(ctx context.Context, a statetree.Action) (model.Prediction, error) {
	began := time.Now()
	p, err := s.inner.Predict(ctx, a)
	if err != nil {
		return p, err
	}
	if returned, known := s.returned(); known && a.Kind == statetree.InvStepCall && !p.Ended() {
		if err := s.check(ctx, &p, returned); err != nil {
			if failure := s.inner.Rewind(1); failure != nil {
				err = fmt.Errorf("going back from inputs that were not checked: %w", failure)
			}
			return model.Prediction{}, err
		}
		p.Elapsed = time.Since(began)
	}
	s.context.History = append(s.context.History, model.Step{Action: a, Outcome: p.Outcome})
	return p, nil
}

// check puts in the place of a call, the last prediction, the candidate that is most
// certainly predicted to return what is known. Where none is, the prediction stays.
func (s *inferring) check(ctx context.Context, p *model.Prediction, returned string) error {
	candidates, err := s.candidates(ctx, p)
	if err != nil {
		return err
	}
	if len(candidates) < 2 {
		return nil // there is no choice
	}
	for i := range candidates {
		c := &candidates[i]
		if c.confirmed, c.certainty, err = s.confirm(ctx, c.State, returned); err != nil {
			return err
		}
		model.ReportProgress(ctx, i+1)
	}
	slices.SortStableFunc(candidates, func(x, y candidate) int { return cmp.Compare(y.evidence(), x.evidence()) })
	best := candidates[0]
	if !best.State.Matches(p.State) {
		if err := s.inner.Edit(best.State); err != nil {
			return fmt.Errorf("choosing the inputs of a call: %w", err)
		}
	}
	p.Outcome, p.Confidence, p.Alternatives = best.Outcome, best.Confidence, nil
	for _, other := range candidates[1:min(len(candidates), 1+s.context.Sampling.Alternatives)] {
		p.Alternatives = append(p.Alternatives, other.Alternative)
	}
	return nil
}

// candidates are the prediction of a call and its alternatives. Where the session
// was not asked for enough of them, another one is.
func (s *inferring) candidates(ctx context.Context, p *model.Prediction) ([]candidate, error) {
	alternatives := p.Alternatives
	if others := s.predictor.options.Candidates - 1; s.context.Sampling.Alternatives < others {
		c := s.context
		c.Sampling.Alternatives = others
		session, _, err := s.predictor.inner.Open(ctx, c)
		if err != nil {
			return nil, err
		}
		defer session.Close()
		again, err := session.Predict(ctx, statetree.Action{Kind: statetree.InvStepCall})
		if err != nil {
			return nil, err
		}
		alternatives = again.Alternatives
	}
	all := []candidate{{Alternative: model.Alternative{Outcome: p.Outcome, Confidence: p.Confidence}}}
	for _, other := range alternatives {
		if !other.Ended() {
			all = append(all, candidate{Alternative: other})
		}
	}
	return all, nil
}

// evidence orders candidates: those that are confirmed, the most certain first,
// before all that are not, which stay in their order.
func (c *candidate) evidence() float64 {
	if c.confirmed {
		return c.certainty
	}
	return -1
}

// confirm predicts what a call returns, and reports whether it is the known value.
// What cannot be predicted is not confirmed.
func (s *inferring) confirm(ctx context.Context, call statetree.State, returned string) (confirmed bool, certainty float64, err error) {
	call.Event = call.Event.Inverse()
	c := model.Context{Program: s.context.Program, Start: call, Sampling: s.context.Sampling}
	c.Sampling.Alternatives = 0
	quiet := model.WithProgress(ctx, func(int) {}) // progress counts candidates
	open := s.predictor.Open
	if s.predictor.options.Jumps == Auto { // what one jump each is worth was measured
		open = s.predictor.inner.Open
	}
	forward, _, err := open(quiet, c)
	if err == nil {
		defer forward.Close()
		var p model.Prediction
		p, err = forward.Predict(quiet, statetree.Action{Kind: statetree.StepReturn})
		confirmed = !p.Ended() && p.State.Event == statetree.Return && repr.Equal(repr.Parse(p.State.Arg), repr.Parse(returned))
		certainty = p.Confidence.State
	}
	if err != nil && ctx.Err() == nil {
		return false, 0, nil
	}
	return confirmed, certainty, err
}

// returned is what the running activation is known to have returned.
func (s *inferring) returned() (value string, known bool) {
	values := []string{""} // of the activations that were entered; "" is not known
	next := func(state *statetree.State) {
		switch {
		case state.Event.Enters():
			values = append(values, state.Arg)
		case state.Event.Leaves() && len(values) > 1:
			values = values[:len(values)-1]
		}
	}
	next(&s.context.Start)
	for i := range s.context.History {
		next(&s.context.History[i].Outcome.State)
	}
	value = values[len(values)-1]
	return value, value != ""
}

// Adopt implements model.Session.
func (s *inferring) Adopt(known model.Step) error {
	if err := s.inner.Adopt(known); err != nil {
		return err
	}
	s.context.History = append(s.context.History, known)
	return nil
}

// Rewind implements model.Session.
func (s *inferring) Rewind(n int) error {
	if err := s.inner.Rewind(n); err != nil {
		return err
	}
	s.context.History = s.context.History[:len(s.context.History)-n]
	return nil
}

// Edit implements model.Session.
func (s *inferring) Edit(state statetree.State) error {
	if err := s.inner.Edit(state); err != nil {
		return err
	}
	if n := len(s.context.History); n > 0 {
		s.context.History[n-1].Outcome, s.context.History[n-1].Edited = statetree.Outcome{State: state}, true
	} else {
		s.context.Start = state
	}
	return nil
}

// Close implements model.Session.
func (s *inferring) Close() error { return s.inner.Close() }
