package stepwise_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/model/stepwise"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// outerCall is how many steps into the recording outer is called: a function of
// two lines, whose return is three steps away.
const outerCall = 5

// TestGivesUp: a walk that does not arrive is taken back, and the jump is asked
// for.
func TestGivesUp(t *testing.T) {
	r := recorded(t)
	for name, test := range map[string]struct {
		options stepwise.Options
		script  func(n int, a statetree.Action, p *model.Prediction) error
	}{
		"at the limit": {options: stepwise.Options{Jumps: stepwise.Steps, MaxSteps: 2}},
		"in a full context": {options: stepwise.Options{Jumps: stepwise.Steps}, script: func(n int, _ statetree.Action, _ *model.Prediction) error {
			if n == 3 {
				return model.ErrContextFull
			}
			return nil
		}},
		"in despair": {options: stepwise.Options{Jumps: stepwise.Steps}, script: func(_ int, a statetree.Action, p *model.Prediction) error {
			if a != leave {
				p.Confidence.State = 0.05
			}
			return nil
		}},
		"at a value without an end": {options: stepwise.Options{Jumps: stepwise.Steps}, script: func(n int, _ statetree.Action, p *model.Prediction) error {
			p.Truncated = n == 3
			return nil
		}},
	} {
		t.Run(name, func(t *testing.T) {
			inner, s := opened(t, r, test.options, outerCall)
			inner.script = test.script
			p, err := s.Predict(t.Context(), leave)
			if err != nil || p.State.Arg != "8" {
				t.Fatalf("got %+v, %v; want the return of 8", p.Outcome, err)
			}
			if inner.asked[statetree.StepReturn] != 1 || inner.held != outerCall+1 {
				t.Errorf("%d jumps were asked for and %d steps are held; want 1 and %d", inner.asked[statetree.StepReturn], inner.held, outerCall+1)
			}
		})
	}
}

// TestFailures: after an error, and after a cancellation, the session is where it
// was and goes on.
func TestFailures(t *testing.T) {
	r := recorded(t)
	broken := errors.New("broken")
	for name, test := range map[string]struct {
		script func(cancel func(), n int) error
		want   error
	}{
		"cancelled": {func(cancel func(), n int) error { cancel(); return nil }, context.Canceled},
		"broken":    {func(_ func(), n int) error { return broken }, broken},
	} {
		t.Run(name, func(t *testing.T) {
			inner, s := opened(t, r, stepwise.Options{Jumps: stepwise.Steps}, outerCall)
			ctx, cancel := context.WithCancel(t.Context())
			inner.script = func(n int, _ statetree.Action, _ *model.Prediction) error {
				if n < 2 {
					return nil
				}
				return test.script(cancel, n)
			}
			if _, err := s.Predict(ctx, leave); !errors.Is(err, test.want) {
				t.Fatalf("got %v; want %v", err, test.want)
			}
			if inner.held != outerCall {
				t.Errorf("%d steps are held; want %d", inner.held, outerCall)
			}
			inner.script = nil
			if p, err := s.Predict(t.Context(), leave); err != nil || p.State.Arg != "8" {
				t.Errorf("after it: %+v, %v", p.Outcome, err)
			}
		})
	}
}

// TestPrediction: the target is as certain as all that led to it, and its length
// is theirs; what the inner predictor has forgotten is told in the states that
// were asked for; progress counts states.
func TestPrediction(t *testing.T) {
	r := recorded(t)
	inner, s := opened(t, r, stepwise.Options{Jumps: stepwise.Steps}, outerCall)
	inner.script = func(n int, _ statetree.Action, p *model.Prediction) error {
		p.Confidence = model.Confidence{State: 0.9, Event: 0.95, Source: 1, Values: 0.9}
		p.Tokens = 10
		return nil
	}
	var reported []int
	ctx := model.WithProgress(t.Context(), func(states int) { reported = append(reported, states) })
	p, err := s.Predict(ctx, leave)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := p.Confidence.State, math.Pow(0.9, 3); math.Abs(got-want) > 1e-9 {
		t.Errorf("confidence %v; want %v", got, want)
	}
	if got, want := p.Confidence.Event, math.Pow(0.95, 3); math.Abs(got-want) > 1e-9 {
		t.Errorf("confidence %v in the event; want %v", got, want)
	}
	if len(p.Way) != 3 || !p.Way[2].Outcome.State.Matches(p.State) || p.Way[0].Action != into {
		t.Errorf("it went %+v", p.Way)
	}
	if p.Tokens != 30 {
		t.Errorf("%d tokens; want 30", p.Tokens)
	}
	if !slices.Equal(reported, []int{1, 2}) {
		t.Errorf("reported %v; want the states on the way", reported)
	}
	if err := s.Rewind(1); err != nil {
		t.Fatal(err)
	}
	inner.script = func(_ int, _ statetree.Action, p *model.Prediction) error {
		p.Forgotten = outerCall + 2 // in the middle of the walk
		return nil
	}
	p, err = s.Predict(t.Context(), leave)
	if err != nil || p.Forgotten != outerCall+1 {
		t.Errorf("%d states are forgotten, %v; want the %d before the walk", p.Forgotten, err, outerCall+1)
	}
}

// TestHistory: actions are rewound as they were asked for, and an edit replaces
// the state that was shown.
func TestHistory(t *testing.T) {
	r := recorded(t)
	inner, s := opened(t, r, stepwise.Options{Jumps: stepwise.Steps}, 0)
	visit := statetree.Action{Kind: statetree.Breakpoint, Source: "        return 1"}
	p, err := s.Predict(t.Context(), visit)
	if err != nil || p.State.Source != visit.Source {
		t.Fatalf("got %+v, %v", p.Outcome, err)
	}
	held := inner.held
	if err := s.Edit(p.State); err != nil {
		t.Errorf("an edit that changes nothing: %v", err)
	}
	if _, err := s.Predict(t.Context(), toExit); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Predict(t.Context(), into); !errors.Is(err, model.ErrExited) {
		t.Errorf("after the exit: %v", err)
	}
	if err := s.Rewind(1); err != nil || inner.held != held {
		t.Errorf("%d steps are held after going back from the exit, %v; want %d", inner.held, err, held)
	}
	if again, err := s.Predict(t.Context(), leave); err != nil || again.State.Arg != "1" {
		t.Errorf("got %+v, %v; want the return of 1", again.Outcome, err)
	}
	if err := s.Rewind(3); err == nil {
		t.Error("more was rewound than there was")
	}
	if err := s.Rewind(2); err != nil || inner.held != 0 {
		t.Errorf("%d steps are held at the start: %v", inner.held, err)
	}
}

// TestRefuses: what has no target is refused as the inner session does.
func TestRefuses(t *testing.T) {
	r := recorded(t)
	_, s := opened(t, r, stepwise.Options{Jumps: stepwise.Steps}, 4) // the return of inner
	for _, a := range []statetree.Action{leave, {Kind: statetree.InvStepInto}} {
		if _, err := s.Predict(t.Context(), a); !errors.Is(err, model.ErrNoTarget) {
			t.Errorf("%s: %v; want ErrNoTarget", a, err)
		}
	}
}

// TestSurer: of a jump and a walk the one is taken that is surer of itself, and a
// walk that has become less sure ends there. The jump is asked for once, and the
// history has the target alone.
func TestSurer(t *testing.T) {
	r := recorded(t)
	for name, test := range map[string]struct {
		jump, step float64
		asked      int // single steps
	}{
		"the walk":    {jump: 0.5, step: 0.9, asked: 3},
		"the jump":    {jump: 0.5, step: 0.6, asked: 2},
		"a sure jump": {jump: 0.9, step: 0.99, asked: 0},
	} {
		t.Run(name, func(t *testing.T) {
			inner, s := opened(t, r, stepwise.Options{Jumps: stepwise.Surer}, outerCall)
			inner.script = func(_ int, a statetree.Action, p *model.Prediction) error {
				p.Confidence.State = test.step
				if a == leave {
					p.Confidence.State = test.jump
				}
				return nil
			}
			p, err := s.Predict(t.Context(), leave)
			if err != nil || p.State.Arg != "8" {
				t.Fatalf("got %+v, %v", p.Outcome, err)
			}
			if inner.held != outerCall+1 || inner.steps() != test.asked || inner.asked[statetree.StepReturn] != 1 {
				t.Errorf("%d steps are held after %v; want %d after a jump and %d single steps", inner.held, inner.asked, outerCall+1, test.asked)
			}
			want := test.jump
			if test.asked == 3 {
				want = math.Pow(test.step, 3)
			}
			if math.Abs(p.Confidence.State-want) > 1e-9 {
				t.Errorf("confidence %v; want %v", p.Confidence.State, want)
			}
		})
	}
}

// TestAuto: the larger the model, the less of a walk it takes, and none where its
// size is not known.
func TestAuto(t *testing.T) {
	r := recorded(t)
	for name, test := range map[string]struct {
		parameters int64
		asked      int // single steps
	}{
		"small":             {parameters: 2_000_000, asked: 3},
		"not so small":      {parameters: 20_000_000, asked: 2}, // up to 50 tokens
		"large":             {parameters: 50_000_000, asked: 0}, // less than the jump itself
		"of a size unknown": {},
	} {
		t.Run(name, func(t *testing.T) {
			inner, s := opened(t, r, stepwise.Options{}, outerCall)
			inner.parameters = test.parameters
			inner.script = func(n int, a statetree.Action, p *model.Prediction) error {
				p.Tokens = 30
				return doubtful(n, a, p)
			}
			p, err := s.Predict(t.Context(), leave)
			if err != nil || p.State.Arg != "8" {
				t.Fatalf("got %+v, %v", p.Outcome, err)
			}
			if inner.steps() != test.asked || inner.held != outerCall+1 {
				t.Errorf("%d steps are held after %d single steps; want %d after %d", inner.held, inner.steps(), outerCall+1, test.asked)
			}
			if walked := p.Confidence.State == 1; walked != (test.asked == 3) {
				t.Errorf("confidence %v", p.Confidence.State)
			}
		})
	}
}

// TestStrides: on the way to a return, a step goes into the functions of the
// program and over everything else.
func TestStrides(t *testing.T) {
	r := recorded(t)
	for _, jumps := range []stepwise.Jumps{stepwise.Steps, stepwise.Surer} {
		inner, s := opened(t, r, stepwise.Options{Jumps: jumps}, 1) // the first line of main
		inner.script = doubtful
		if p, err := s.Predict(t.Context(), leave); err != nil || p.Confidence.State != 1 {
			t.Fatalf("%+v, %v", p, err)
		}
		entered := 0
		for _, s := range r.States {
			if s.Event == statetree.Call {
				entered++
			}
		}
		if inner.asked[statetree.StepInto] < entered-1 || inner.asked[statetree.StepOver] == 0 {
			t.Errorf("%s: %v for %d calls", jumps, inner.asked, entered)
		}
	}
}

// TestStepOverWalksThroughCalls: a step over a line that calls a function of the program
// goes through it, one over any other line is asked for at once.
func TestStepOverWalksThroughCalls(t *testing.T) {
	r := recorded(t)
	walked := 0
	for node, s := range r.States[:len(r.States)-1] {
		if s.Event != statetree.Line {
			continue
		}
		inner, session := opened(t, r, stepwise.Options{Jumps: stepwise.Surer}, node)
		inner.script = func(n int, _ statetree.Action, p *model.Prediction) error {
			if n == 1 { // what is asked for at once
				p.Confidence.State = 0.5
			}
			return nil
		}
		p, err := session.Predict(t.Context(), over)
		if err != nil || inner.held != node+1 {
			t.Fatalf("%s: %+v, %v; %d steps are held", s.Source, p.Outcome, err, inner.held)
		}
		into := inner.asked[statetree.StepInto]
		if r.States[node+1].Event == statetree.Call && into == 0 {
			t.Errorf("%s: the call was not walked through", s.Source)
		}
		if into > 0 {
			walked++
			if p.Confidence.State != 1 || len(p.Way) == 0 {
				t.Errorf("%s: the walk was not taken: confidence %v, %d steps on the way", s.Source, p.Confidence.State, len(p.Way))
			}
		}
	}
	if walked == 0 || walked == len(r.States) {
		t.Errorf("%d of %d lines were walked", walked, len(r.States))
	}
}

// TestAlternatives: those of the last step that are no target are none of the jump.
func TestAlternatives(t *testing.T) {
	r := recorded(t)
	inner, s := opened(t, r, stepwise.Options{Jumps: stepwise.Steps}, outerCall)
	inner.script = func(_ int, _ statetree.Action, p *model.Prediction) error {
		p.Confidence.State = 0.5
		for _, event := range []statetree.Event{statetree.Line, statetree.Return} {
			other := model.Alternative{Outcome: statetree.Outcome{State: statetree.State{Event: event}}}
			other.Confidence.State = 0.4
			p.Alternatives = append(p.Alternatives, other)
		}
		return nil
	}
	p, err := s.Predict(t.Context(), leave)
	if err != nil || len(p.Alternatives) != 1 || p.Alternatives[0].State.Event != statetree.Return || math.Abs(p.Alternatives[0].Confidence.State-0.1) > 1e-9 {
		t.Errorf("got %+v, %v; want the other return, with confidence 0.1", p.Alternatives, err)
	}
}
