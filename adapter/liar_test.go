package adapter_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// liar is a predictor whose predictions have nothing to do with the program:
// lines that are not there, values that are none, exits, errors, panics.
type liar struct {
	mu sync.Mutex
	r  *rand.Rand
}

func newLiar(seed uint64) *liar { return &liar{r: rand.New(rand.NewPCG(seed, 7))} }

func (*liar) Info() model.Info { return model.Info{Name: "liar\nof two lines"} }
func (*liar) Close() error     { return errors.New("it does not close") }

func (p *liar) Open(_ context.Context, c model.Context) (model.Session, model.Prediction, error) {
	first := model.Prediction{Outcome: statetree.Outcome{State: c.Start}, Confidence: model.Certain()}
	if c.Start.Event == statetree.NoEvent {
		first.State = p.state(c.Direction)
	}
	return &liarSession{p, c.Direction}, first, nil
}

type liarSession struct {
	p         *liar
	direction statetree.Direction
}

func (s *liarSession) Predict(context.Context, statetree.Action) (model.Prediction, error) {
	s.p.mu.Lock()
	defer s.p.mu.Unlock()
	switch s.p.r.IntN(30) {
	case 0:
		return model.Prediction{}, model.ErrNoTarget
	case 1:
		return model.Prediction{}, model.ErrContextFull
	case 2:
		return model.Prediction{}, model.ErrUnavailable
	case 3:
		return model.Prediction{Outcome: statetree.Outcome{Exit: pick(s.p.r, statetree.ExitNormal, statetree.ExitError, statetree.ExitNever, statetree.ExitEntry)}}, nil
	case 4:
		return model.Prediction{}, nil
	}
	p := model.Prediction{Outcome: statetree.Outcome{State: s.p.state(s.direction)}}
	p.Confidence = model.Confidence{State: pick(s.p.r, 0, 0.5, 1, -3, 1e300), Locals: map[string]float64{"n": 2}}
	for range s.p.r.IntN(3) {
		p.Alternatives = append(p.Alternatives, model.Alternative{Outcome: statetree.Outcome{State: s.p.state(s.direction)}})
	}
	return p, nil
}

func (s *liarSession) Adopt(model.Step) error {
	return pick(s.p.r, nil, nil, errors.New("not what I said"))
}
func (s *liarSession) Rewind(int) error { return pick(s.p.r, nil, nil, errors.New("no way back")) }
func (s *liarSession) Edit(statetree.State) error {
	return pick(s.p.r, nil, nil, errors.New("no edits"))
}
func (s *liarSession) Close() error { return nil }

// state returns any state, of any direction now and then.
func (p *liar) state(d statetree.Direction) statetree.State {
	if p.r.IntN(10) == 0 {
		d = statetree.Inverse - d
	}
	s := statetree.State{Event: pick(p.r, statetree.Call, statetree.Line, statetree.Line, statetree.Return, statetree.Exception)}
	if d == statetree.Inverse {
		s.Event = pick(p.r, statetree.InvCall, statetree.InvLine, statetree.InvReturn, statetree.InvException, statetree.InvLineCall)
	}
	s.Source = pick(p.r, "", "def f(x):", "    return n", "    print(n, sep=n)", "\x00", "what")
	s.Line = pick(p.r, 0, 1, 2, 3, 4, 5, 99, -1, 1<<40)
	s.File = pick(p.r, "", "", "other.py", statetree.DriverFile)
	s.Function = pick(p.r, "", "", "f", "main", "nothing", statetree.ModuleFunction)
	s.Partial = p.r.IntN(4) == 0
	s.Arg = pick(p.r, "None", "", "ValueError('no')", "(", "[[[")
	if p.r.IntN(4) > 0 {
		s.Locals = statetree.Locals{{Name: "n", Repr: pick(p.r, "0", "'x", "", "[1, [2]]", "\xff", "{1: {")}, {Name: pick(p.r, "", "n", "a b", "x"), Repr: "1"}}
	}
	return s
}

func pick[T any](r *rand.Rand, choices ...T) T { return choices[r.IntN(len(choices))] }
