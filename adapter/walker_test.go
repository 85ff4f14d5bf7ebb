package adapter_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/neuraldbg/neuraldbg/adapter"
	"github.com/neuraldbg/neuraldbg/adapter/daptest"
	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// walker is a predictor that answers what-ifs: forward it goes from line to line
// of the code, backward to the call, and all values stay as they are. So what a
// user edits is seen in all that follows.
type walker struct{}

func (walker) Info() model.Info { return model.Info{Name: "walker"} }
func (walker) Close() error     { return nil }

func (walker) Open(_ context.Context, c model.Context) (model.Session, model.Prediction, error) {
	s := &walkerSession{context: c, outcomes: []statetree.Outcome{{State: c.Start}}}
	for _, step := range c.History {
		s.outcomes = append(s.outcomes, step.Outcome)
	}
	return s, s.prediction(), nil
}

type walkerSession struct {
	context  model.Context
	outcomes []statetree.Outcome
}

func (s *walkerSession) last() *statetree.Outcome { return &s.outcomes[len(s.outcomes)-1] }

func (s *walkerSession) prediction() model.Prediction {
	return model.Prediction{Outcome: *s.last(), Confidence: model.Certain()}
}

func (s *walkerSession) Predict(_ context.Context, a statetree.Action) (model.Prediction, error) {
	here := *s.last()
	switch {
	case here.Ended():
		return model.Prediction{}, model.ErrExited
	case a.Kind.Direction() == statetree.Inverse:
		return s.backward(), nil
	case a.Kind == statetree.Breakpoint:
		for i, text := range s.context.Program.Lines() {
			if text == a.Source {
				here.State = s.lineAt(i)
			}
		}
	case here.State.Event == statetree.Return:
		here = statetree.Outcome{Exit: statetree.ExitNormal}
	default:
		here = s.next(here.State)
	}
	s.outcomes = append(s.outcomes, here)
	return s.prediction(), nil
}

// next returns the line after a state's, or the return at the end of the code.
func (s *walkerSession) next(from statetree.State) statetree.Outcome {
	for i, origin := range s.context.Program.Origins {
		if origin.Line > from.Line {
			return statetree.Outcome{State: s.lineAt(i)}
		}
	}
	from.Event, from.Locals, from.Arg = statetree.Return, nil, "None"
	return statetree.Outcome{State: from}
}

func (s *walkerSession) lineAt(i int) statetree.State {
	program := s.context.Program
	return statetree.State{
		Event: statetree.Line, File: program.Origins[i].File, Line: program.Origins[i].Line, Source: program.Lines()[i],
		Function: s.context.Start.Function, Locals: s.last().State.Locals,
	}
}

// backward returns the call of the function, with as many alternatives as were
// asked for: x is 1, 2 and so on, each less likely than the one before.
func (s *walkerSession) backward() model.Prediction {
	inputs := func(x int) statetree.Outcome {
		return statetree.Outcome{State: statetree.State{
			Event: statetree.InvCall, File: s.context.Program.Origins[0].File, Line: s.context.Program.Origins[0].Line,
			Source: s.context.Program.Lines()[0], Function: s.context.Start.Function,
			Locals: statetree.Locals{{Name: "x", Repr: fmt.Sprint(x)}},
		}}
	}
	confidence := func(rank int) model.Confidence {
		return model.Confidence{State: 0.5 / float64(rank), Event: 1, Source: 1, Values: 0.5 / float64(rank)}
	}
	p := model.Prediction{Outcome: inputs(1), Confidence: confidence(1)}
	for rank := 2; rank <= s.context.Sampling.Alternatives+1; rank++ {
		p.Alternatives = append(p.Alternatives, model.Alternative{Outcome: inputs(rank), Confidence: confidence(rank)})
	}
	s.outcomes = append(s.outcomes, p.Outcome)
	return p
}

func (s *walkerSession) Adopt(known model.Step) error {
	s.outcomes = append(s.outcomes, known.Outcome)
	return nil
}

func (s *walkerSession) Rewind(n int) error {
	s.outcomes = s.outcomes[:len(s.outcomes)-n]
	return nil
}

func (s *walkerSession) Edit(state statetree.State) error {
	*s.last() = statetree.Outcome{State: state}
	return nil
}

func (*walkerSession) Close() error { return nil }

// straight is a function that the walker can walk through.
const straight = `def f(x):
    point = [x, {'a': 1}]
    text = 'abc'
    done = True
    return point
`

// overWalker has a conversation about straight, with f called with x = 7.
func overWalker(t *testing.T, talk func(t *testing.T, s *daptest.Script, p subject)) {
	t.Helper()
	p := written(t, straight, "f")
	factory := func(context.Context, adapter.LaunchConfig) (model.Predictor, error) { return walker{}, nil }
	overTransports(t, walks, "", factory, func(t *testing.T, s *daptest.Script) { talk(t, s, p) })
}
