package neural

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/grammar"
)

// Whatever the logits are, what comes out is a state that the grammar and the
// code allow, its text reads back to it, and the session goes on.
func TestAnyLogitsGiveValidStates(t *testing.T) {
	f := newFixture(t)
	forward := f.stepInto()
	backward := statetree.Trajectory{Program: f.function, Direction: statetree.Inverse, Start: statetree.State{
		Event: statetree.InvReturn, Source: "    return n", Arg: "2",
	}}
	predicted, truncated := 0, 0
	for _, begin := range []*statetree.Trajectory{&forward, &backward} {
		kinds := statetree.ForwardActions
		if begin.Direction == statetree.Inverse {
			kinds = statetree.InverseActions
		}
		for seed := range uint64(25) {
			rng := rand.New(rand.NewPCG(seed, 3))
			e := f.engine(f.closing(atRandom(f.tokenizer.Size(), seed)))
			sampling := model.Sampling{Temperature: float64(seed%3) / 2, TopP: .95, Seed: seed}
			options := Options{}
			if seed%4 == 0 { // room for little
				e.context, options.MaxStateTokens = 700, 80
			}
			p, err := NewPredictor(e, f.tokenizer, options)
			if err != nil {
				t.Fatal(err)
			}
			s := f.open(p, begin, sampling)
			for range 12 {
				a := statetree.Action{Kind: kinds[rng.IntN(len(kinds))]}
				if a.Kind == statetree.Breakpoint {
					a.Source = begin.Program.Lines()[rng.IntN(5)]
				}
				p, err := s.Predict(t.Context(), a)
				if errors.Is(err, model.ErrNoTarget) {
					continue
				}
				if err != nil {
					t.Fatalf("seed %d, %v: %v", seed, a, err)
				}
				predicted++
				if f.checkConfidence(p); p.Truncated {
					truncated++
				}
				if p.Ended() {
					break
				}
				if !slices.Contains(begin.Program.Lines(), p.State.Source) || p.State.Line == 0 {
					t.Fatalf("seed %d: %q, line %d, is no line of the code", seed, p.State.Source, p.State.Line)
				}
			}
			if s.summarized == 0 {
				f.checkText(s)
			}
		}
	}
	if truncated == 0 || truncated*2 > predicted {
		t.Errorf("%d of %d states were truncated", truncated, predicted)
	}
}

// closing makes the tokens that end things likely enough for an outcome to end,
// whatever else the logits say.
func (f fixture) closing(logits func([]int32) []float32) func([]int32) []float32 {
	quote := f.tokenizer.Encode(nil, `"`)[0]
	brace := f.tokenizer.Encode(nil, `}`)[0]
	return func(history []int32) []float32 {
		out := logits(history)
		switch u := uniform(7, history); {
		case u < .3:
			out[quote] += 20
		case u < .6:
			out[brace] += 20
		}
		return out
	}
}

func (f fixture) checkConfidence(p model.Prediction) {
	f.Helper()
	c := p.Confidence
	all := []float64{c.State, c.Event, c.Source, c.Values}
	for _, v := range c.Locals {
		all = append(all, v)
	}
	for _, v := range all {
		if math.IsNaN(v) || v < 0 || v > 1 {
			f.Fatalf("confidence %+v", c)
		}
	}
}

// checkText parses the tokens of a session and compares them with its states.
func (f fixture) checkText(s *session) {
	f.Helper()
	v := s.predictor.vocabulary
	var parser grammar.Parser
	for i, id := range s.sequence.ids {
		var err error
		if special := v.specials[id]; special != grammar.NoSpecial {
			err = parser.Feed(special)
		} else {
			err = parser.FeedText(v.texts[id])
		}
		if err != nil {
			f.Fatalf("token %d of %q: %v", i, f.tokenizer.Decode(s.sequence.ids), err)
		}
	}
	read, err := parser.Trajectory()
	if err != nil {
		f.Fatal(err)
	}
	if len(read.Steps) != len(s.steps)-1 {
		f.Fatalf("the text has %d steps, the session %d", len(read.Steps), len(s.steps)-1)
	}
	for i, step := range read.Steps {
		got := s.steps[i+1].outcome
		if step.Outcome.Exit != got.Exit || !step.Outcome.State.Matches(got.State) {
			f.Fatalf("step %d: the text says %+v, the session %+v", i, step.Outcome, got)
		}
	}
}

// The same seed gives the same run, whatever happened in between; another seed
// gives another one somewhere.
func TestSeeds(t *testing.T) {
	f := newFixture(t)
	whole := f.stepInto()
	run := func(seed uint64, disturb bool) []statetree.Outcome {
		e := f.engine(f.closing(atRandom(f.tokenizer.Size(), 11)))
		s := f.open(f.predictor(e), &whole, model.Sampling{Temperature: 1, Seed: seed})
		var outcomes []statetree.Outcome
		for range 5 {
			if disturb {
				f.predict(s, action(statetree.StepOver))
				if err := s.Rewind(1); err != nil {
					t.Fatal(err)
				}
			}
			p := f.predict(s, action(statetree.StepInto))
			outcomes = append(outcomes, p.Outcome)
			if p.Ended() {
				break
			}
		}
		return outcomes
	}
	same := func(a, b []statetree.Outcome) bool {
		return slices.EqualFunc(a, b, func(x, y statetree.Outcome) bool { return x.Exit == y.Exit && x.State.Matches(y.State) })
	}
	first := run(1, false)
	if !same(first, run(1, false)) || !same(first, run(1, true)) {
		t.Error("one seed gives two runs")
	}
	if same(first, run(2, false)) && same(first, run(3, false)) {
		t.Error("three seeds give one run")
	}
}
