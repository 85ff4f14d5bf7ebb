package timeline_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/neuraldbg/neuraldbg/adapter/timeline"
	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// nonsense is a predictor whose predictions have nothing to do with the program:
// lines that are not there, returns from nowhere, exits, errors.
type nonsense struct {
	r     *rand.Rand
	lines []string
}

func (p *nonsense) Info() model.Info { return model.Info{Name: "nonsense"} }
func (p *nonsense) Close() error     { return nil }

func (p *nonsense) Open(_ context.Context, c model.Context) (model.Session, model.Prediction, error) {
	if p.r.IntN(20) == 0 {
		return nil, model.Prediction{}, model.ErrUnavailable
	}
	s := &nonsenseSession{p: p, direction: c.Direction}
	last := statetree.Outcome{State: c.Start}
	if c.Start.Event == statetree.NoEvent {
		last.State = p.state(statetree.Forward)
	}
	s.outcomes = append(s.outcomes, last)
	for _, step := range c.History {
		s.outcomes = append(s.outcomes, step.Outcome)
	}
	return s, model.Prediction{Outcome: s.outcomes[len(s.outcomes)-1], Confidence: model.Certain()}, nil
}

type nonsenseSession struct {
	p         *nonsense
	direction statetree.Direction
	outcomes  []statetree.Outcome
}

func (s *nonsenseSession) Predict(context.Context, statetree.Action) (model.Prediction, error) {
	if s.outcomes[len(s.outcomes)-1].Ended() {
		return model.Prediction{}, model.ErrExited
	}
	var next statetree.Outcome
	switch s.p.r.IntN(30) {
	case 0:
		return model.Prediction{}, model.ErrNoTarget
	case 1:
		return model.Prediction{}, model.ErrContextFull
	case 2:
		return model.Prediction{}, errors.New("the state does not end")
	case 3:
		next.Exit = pick(s.p.r, statetree.ExitNormal, statetree.ExitError, statetree.ExitNever)
		if s.direction == statetree.Inverse {
			next.Exit = statetree.ExitEntry
		}
	default:
		next.State = s.p.state(s.direction)
	}
	s.outcomes = append(s.outcomes, next)
	return model.Prediction{Outcome: next, Confidence: model.Certain()}, nil
}

func (s *nonsenseSession) Adopt(known model.Step) error {
	s.outcomes = append(s.outcomes, known.Outcome)
	return nil
}

func (s *nonsenseSession) Rewind(n int) error {
	s.outcomes = s.outcomes[:len(s.outcomes)-n]
	return nil
}

func (s *nonsenseSession) Edit(state statetree.State) error {
	s.outcomes[len(s.outcomes)-1].State = state
	return nil
}

func (s *nonsenseSession) Close() error { return nil }

// state returns any state of a direction.
func (p *nonsense) state(d statetree.Direction) statetree.State {
	s := statetree.State{Event: pick(p.r, statetree.Call, statetree.Line, statetree.Line, statetree.Return, statetree.Exception)}
	if d == statetree.Inverse {
		s.Event = pick(p.r, statetree.InvCall, statetree.InvLine, statetree.InvReturn, statetree.InvException, statetree.InvLineCall)
	}
	s.Source = pick(p.r, p.lines...)
	s.Line = pick(p.r, 0, 0, 0, 1, 3, 8, 99, -1)
	s.File = pick(p.r, "", "", countBerry, "other.py", statetree.DriverFile)
	s.Function = pick(p.r, "", "", "", "count", "main", "nothing", statetree.ModuleFunction)
	s.Partial = p.r.IntN(4) == 0
	if s.Event.HasArg() {
		s.Arg = pick(p.r, "None", "2", "", "ValueError('no')")
	}
	if s.Event.HasLocals() && p.r.IntN(4) > 0 {
		s.Locals = statetree.Locals{{Name: "n", Repr: pick(p.r, "0", "'x", "", "[1, [2]]")}}
	}
	return s
}

func pick[T any](r *rand.Rand, choices ...T) T { return choices[r.IntN(len(choices))] }

// TestNonsense: whatever a model predicts, the timeline stays a history through
// which one can go: moving on changes nothing before the position, stepping back
// shows what was there, and every state has a stack.
func TestNonsense(t *testing.T) {
	launches := []timeline.Launch{
		{Path: countBerry, Entry: "main()"},
		{Path: countBerry, Entry: `count("a", "b")`},
		{Path: countBerry, Entry: "count"},
		{Path: countBerry},
		{Path: countBerry, Entry: "count", From: &timeline.From{Event: statetree.Return, Value: "2"}},
		{Path: countBerry, Entry: "count", From: &timeline.From{Event: statetree.Line, Line: 4, Locals: map[string]string{"s": "'a'"}}},
	}
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		target, err := timeline.Load(pick(r, launches...))
		if err != nil {
			t.Fatal(err)
		}
		p := &nonsense{r: r, lines: append(target.Program.Lines(), "", "    what is this", "\x00")}
		tl := timeline.New(p, target, timeline.Options{MaxSteps: 20})
		if _, err := tl.Open(context.Background()); err != nil {
			continue
		}
		lines := make([]int, r.IntN(4))
		for i := range lines {
			lines[i] = 1 + r.IntN(8)
		}
		tl.Breakpoints().Set(target.File.Path(), lines, timeline.SnapTo(target.File))
		for step := range 40 {
			if !wander(t, r, tl) {
				t.Fatalf("seed %d, step %d", seed, step)
			}
		}
		if err := tl.Close(); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
}

// wander takes one movement and checks what must hold after it.
func wander(t *testing.T, r *rand.Rand, tl *timeline.Timeline) bool {
	t.Helper()
	before, position, first := tl.Entries(), tl.Position(), tl.First()
	back, edited := false, false
	var err error
	switch ctx := context.Background(); r.IntN(10) {
	case 0:
		_, err = tl.StepInto(ctx)
	case 1:
		_, err = tl.StepOver(ctx)
	case 2:
		_, err = tl.StepOut(ctx)
	case 3:
		_, err = tl.Continue(ctx)
	case 4:
		_, err = tl.StepInstruction(ctx)
	case 5:
		_, err = tl.ReverseContinue(ctx)
	case 6:
		err = tl.Edit(ctx, "n", "7")
		edited = err == nil
	case 7:
		_, err = tl.Go(tl.First() + r.IntN(tl.Last()-tl.First()+1))
	default:
		_, err = tl.StepBack(ctx, pick(r, timeline.Statement, timeline.Instruction))
		back = true
	}
	if tl.Position() < tl.First() || tl.Position() > tl.Last() {
		t.Errorf("position %d outside %d to %d", tl.Position(), tl.First(), tl.Last())
		return false
	}
	if back && err == nil && position > first && tl.Position() != position-1 {
		t.Errorf("stepped back from %d to %d", position, tl.Position())
		return false
	}
	after := tl.Entries()
	known := min(position, tl.Last()) - first // what was before the position
	if edited {
		known--
	}
	for i := 0; i <= known && i < len(before); i++ {
		a, b := before[i], after[i+first-tl.First()]
		a.Unwinding, b.Unwinding = false, false // learnt from what follows
		if !reflect.DeepEqual(a, b) {
			t.Errorf("entry %d of %d changed from %+v to %+v", i+first, tl.Last(), a, b)
			return false
		}
	}
	current := tl.Current()
	if !current.Ended() && len(current.Stack) == 0 {
		t.Errorf("no stack at %+v", current.State)
		return false
	}
	return true
}
