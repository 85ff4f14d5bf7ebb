package stepwise

import (
	"context"
	"errors"
	"fmt"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// hopeless is the confidence below which a walk is given up. It is the largest that
// left no right walk of nano out, on generated programs, and saves a seventh of
// what walks take.
const hopeless = 0.1

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
	case statetree.StepOver: // of a line that calls a function of the program, perhaps
		return from.State.Event == statetree.Line && s.listing.mayEnter(&from.State, s.listing.any)
	case statetree.StepReturn:
		return true
	case statetree.Breakpoint:
		return a.Source != ""
	}
	return false
}

// limits are where a walk is given up.
type limits struct {
	tokens    int     // that the states on it may have, all together
	certainty float64 // the least that it must have
}

// walk predicts single steps until they have come to the target of an action, or
// to an exit, or beyond the limits. The inner session is where it was after it.
func (s *session) walk(ctx context.Context, a statetree.Action, end limits) (p model.Prediction, err error) {
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
		step := statetree.Action{Kind: s.stride(&plan, &state)}
		p, err = s.inner.Predict(reporting, step)
		switch {
		case err != nil && ctx.Err() != nil, errors.Is(err, model.ErrUnavailable):
			return p, err
		case err != nil: // if the jump fails too, it is for its own reason
			return p, errGivenUp
		}
		taken++
		way.add(step, &p)
		if p.Truncated || way.certainty() < max(end.certainty, hopeless) {
			return p, errGivenUp
		}
		before := plan
		if p.Ended() || plan.Arrive(&p.State) {
			p = way.arrived(p, before)
			p.Forgotten = min(p.Forgotten, len(s.outcomes)) // not those on the way
			return p, nil
		}
		if way.tokens > end.tokens {
			return p, errGivenUp
		}
		state = p.State
		model.ReportProgress(ctx, taken)
	}
	return p, errGivenUp
}

// stride is the kind of the next step: over what the line calls, unless the target
// may be in there or, for a return, whatever it calls of the program's own. To go
// through a call is more often right than to predict at once what comes of it.
func (s *session) stride(p *statetree.Plan, from *statetree.State) statetree.ActionKind {
	if from.Event != statetree.Line {
		return statetree.StepInto // also behind a return, where its caller may make more calls
	}
	wanted := s.listing.any
	if a := p.Action(); a.Kind == statetree.Breakpoint {
		wanted = s.listing.has(a.Source)
	}
	if s.listing.mayEnter(from, wanted) {
		return statetree.StepInto
	}
	return statetree.StepOver
}
