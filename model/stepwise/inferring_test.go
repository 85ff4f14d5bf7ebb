package stepwise_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/model/stepwise"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// doubling is a predictor of `def f(x): return 2 * x`. Forward it knows what the
// function returns; backward it guesses.
type doubling struct {
	guesses []string // of x, the likeliest first
	fails   error    // of every prediction forward
	opened  int      // sessions that are not closed
	last    *doublingSession
}

const (
	doublingDef  = "def f(x):"
	doublingLine = "    return 2 * x"
)

func (d *doubling) Info() model.Info { return model.Info{} }
func (d *doubling) Close() error     { return nil }

func (d *doubling) Open(_ context.Context, c model.Context) (model.Session, model.Prediction, error) {
	d.opened++
	s := &doublingSession{of: d, context: c}
	if c.Direction == statetree.Inverse && d.last == nil {
		d.last = s
	}
	return s, model.Prediction{Outcome: statetree.Outcome{State: c.Start}, Confidence: model.Certain()}, nil
}

type doublingSession struct {
	of      *doubling
	context model.Context
	states  []statetree.State
}

func (s *doublingSession) Predict(ctx context.Context, a statetree.Action) (model.Prediction, error) {
	if err := ctx.Err(); err != nil {
		return model.Prediction{}, err
	}
	p := model.Prediction{Confidence: model.Certain()}
	switch {
	case a.Kind == statetree.InvStepOver:
		p.State = statetree.State{Event: statetree.InvLine, Source: doublingLine, Partial: true}
	case a.Kind == statetree.InvStepCall:
		for i, guess := range s.of.guesses[:min(len(s.of.guesses), 1+s.context.Sampling.Alternatives)] {
			o := statetree.Outcome{State: statetree.State{Event: statetree.InvCall, Source: doublingDef, Locals: statetree.Locals{{Name: "x", Repr: guess}}}}
			certainty := model.Confidence{State: 0.5 / float64(1+i)}
			if i == 0 {
				p.Outcome, p.Confidence = o, certainty
			} else {
				p.Alternatives = append(p.Alternatives, model.Alternative{Outcome: o, Confidence: certainty})
			}
		}
	case s.of.fails != nil:
		return p, s.of.fails
	default:
		x, _ := s.context.Start.Locals.Get("x")
		p.State = statetree.State{Event: statetree.Return, Source: doublingLine, Arg: map[string]string{"1": "2", "2": "4", "3": "6"}[x]}
	}
	s.states = append(s.states, p.State)
	return p, nil
}

func (s *doublingSession) Adopt(known model.Step) error {
	s.states = append(s.states, known.Outcome.State)
	return nil
}

func (s *doublingSession) Rewind(n int) error {
	s.states = s.states[:len(s.states)-n]
	return nil
}

func (s *doublingSession) Edit(state statetree.State) error {
	s.states[len(s.states)-1] = state
	return nil
}

func (s *doublingSession) Close() error {
	s.of.opened--
	return nil
}

// infer asks what f was called with when it returned 4, after a step back.
func infer(t *testing.T, d *doubling, o stepwise.Options, c model.Context) model.Prediction {
	t.Helper()
	c.Direction = statetree.Inverse
	p := stepwise.NewPredictor(d, o)
	s, _, err := p.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Predict(t.Context(), statetree.Action{Kind: statetree.InvStepOver}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	call := statetree.Action{Kind: statetree.InvStepCall}
	if _, err := s.Predict(ctx, call); !errors.Is(err, context.Canceled) || len(d.last.states) != 1 {
		t.Errorf("cancelled: %v, with %d states in the history; want 1", err, len(d.last.states))
	}
	got, err := s.Predict(t.Context(), call)
	if err != nil {
		t.Fatal(err)
	}
	if last := d.last.states; len(last) != 2 || !last[1].Matches(got.State) {
		t.Errorf("the inner session goes on from %+v", last)
	}
	return got
}

// TestInferring: the likeliest of the inputs is taken that gives the output.
func TestInferring(t *testing.T) {
	returned := model.Context{Start: statetree.State{Event: statetree.InvReturn, Source: doublingLine, Arg: "4"}}
	inside := model.Context{Start: statetree.State{Event: statetree.InvLine, Source: doublingLine}}
	for name, test := range map[string]struct {
		doubling doubling
		options  stepwise.Options
		context  model.Context
		want     string
	}{
		"the second is right":      {doubling{guesses: []string{"3", "2", "1"}}, stepwise.Options{Candidates: 3}, returned, "2"},
		"the first is right":       {doubling{guesses: []string{"2", "3"}}, stepwise.Options{Candidates: 3}, returned, "2"},
		"it is not among them":     {doubling{guesses: []string{"3", "1", "2"}}, stepwise.Options{Candidates: 2}, returned, "3"},
		"one is no choice":         {doubling{guesses: []string{"3", "2"}}, stepwise.Options{Candidates: 1}, returned, "3"},
		"no output is known":       {doubling{guesses: []string{"3", "2"}}, stepwise.Options{Candidates: 3}, inside, "3"},
		"nothing can be predicted": {doubling{guesses: []string{"3", "2"}, fails: errors.New("broken")}, stepwise.Options{Candidates: 3}, returned, "3"},
	} {
		t.Run(name, func(t *testing.T) {
			d := test.doubling
			p := infer(t, &d, test.options, test.context)
			if x, _ := p.State.Locals.Get("x"); x != test.want {
				t.Errorf("x = %s; want %s", x, test.want)
			}
			if len(p.Alternatives) > 0 {
				t.Errorf("alternatives that nobody asked for: %+v", p.Alternatives)
			}
			if d.opened != 0 {
				t.Errorf("%d sessions are left open", d.opened)
			}
		})
	}
}

// TestInferredAlternatives are those that were not chosen, in the order in which
// they would have been.
func TestInferredAlternatives(t *testing.T) {
	d := &doubling{guesses: []string{"3", "1", "2"}}
	p := infer(t, d, stepwise.Options{Candidates: 3}, model.Context{
		Start:    statetree.State{Event: statetree.InvReturn, Source: doublingLine, Arg: "4"},
		Sampling: model.Sampling{Alternatives: 2},
	})
	var got []string
	for _, a := range append([]model.Alternative{{Outcome: p.Outcome}}, p.Alternatives...) {
		x, _ := a.State.Locals.Get("x")
		got = append(got, x)
	}
	if want := []string{"2", "3", "1"}; !slices.Equal(got, want) {
		t.Errorf("got %v; want %v", got, want)
	}
}
