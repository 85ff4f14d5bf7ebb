package stepwise

import (
	"context"
	"errors"
	"fmt"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// hopeless is the confidence below which a walk is given up. Of nano's walks that
// had come below it, one in twenty was right, and they took a third of the time.
const hopeless = 1e-3

// errGivenUp says that a walk was taken back.
var errGivenUp = errors.New("the walk was given up")

// walks reports whether an action is to be reached by steps from where the
// session is. What the rules do not offer is left to the inner session to refuse.
func (s *session) walks(a statetree.Action) bool {
	from := s.last()
	if from.Ended() || !statetree.Offered(from.State.Event, a.Kind) {
		return false
	}
	switch a.Kind {
	case statetree.StepReturn:
		return true
	case statetree.Breakpoint:
		return a.Source != ""
	}
	return false
}

// walk predicts single steps until they have come to the target of an action, or
// to an exit. Once they are less certain than least, they are given up. The inner
// session is where it was after it.
func (s *session) walk(ctx context.Context, a statetree.Action, least float64) (p model.Prediction, err error) {
	taken := 0
	defer func() {
		if taken > 0 {
			if failure := s.inner.Rewind(taken); failure != nil {
				err = fmt.Errorf("going back from a walk: %w", failure)
			}
		}
	}()
	plan, state, way := statetree.NewPlan(a), s.last().State, newWay()
	for taken < s.options.MaxSteps {
		reporting := model.WithProgress(ctx, func(states int) { model.ReportProgress(ctx, taken+states) })
		p, err = s.inner.Predict(reporting, statetree.Action{Kind: s.stride(&plan, &state)})
		switch {
		case err != nil && ctx.Err() != nil, errors.Is(err, model.ErrUnavailable):
			return p, err
		case err != nil: // if the jump fails too, it is for its own reason
			return p, errGivenUp
		}
		taken++
		way.add(&p)
		if p.Truncated || way.certainty() < max(least, hopeless) {
			return p, errGivenUp
		}
		before := plan
		if p.Ended() || plan.Arrive(&p.State) {
			p = way.arrived(p, before)
			p.Forgotten = min(p.Forgotten, len(s.outcomes)) // not those on the way
			return p, nil
		}
		state = p.State
		model.ReportProgress(ctx, taken)
	}
	return p, errGivenUp
}

// stride is the kind of the next step: over the calls of a line, unless the target
// may be in them.
func (s *session) stride(p *statetree.Plan, from *statetree.State) statetree.ActionKind {
	a := p.Action()
	switch {
	case a.Kind != statetree.Breakpoint:
		return statetree.StepOver
	case from.Event == statetree.Line && !s.listing.mayCome(from, a.Source):
		return statetree.StepOver
	}
	return statetree.StepInto // also behind a return, where its caller may make more calls
}
