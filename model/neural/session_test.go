package neural

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// A model that knows the truth by heart predicts it, and writes exactly the
// tokens that it would be trained on.
func TestPredictsWhatTheModelKnows(t *testing.T) {
	f := newFixture(t)
	into, over, ret := action(statetree.StepInto), action(statetree.StepOver), action(statetree.StepReturn)
	for _, tt := range []struct {
		name       string
		trajectory statetree.Trajectory
	}{
		{"every step", f.stepInto()},
		{"step_over and step_return", f.walk(over, over, over)},
		{"into and out", f.walk(into, into, into, over, over, ret, over, over)},
		{"breakpoints", f.walk(breakpoint("    for c in s:"), breakpoint("        n += int(c == t)"), into,
			breakpoint("    return n"), into, breakpoint("    return n"))},
		{"a call as breakpoint", f.walk(breakpoint("def count(s, t):"), into, into)},
		{"continue", f.walk(into, action(statetree.Continue))},
		{"inverse, every step", statetree.WalkAll(f.tree.Invert().Cursor(f.level), f.function, statetree.InvStepInto)},
		{"inverse, to the inputs", f.walkBack(action(statetree.InvStepOver), action(statetree.InvStepOver), action(statetree.InvStepCall), action(statetree.InvStepInto))},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := f.byHeart(tt.trajectory)
			s := f.open(f.predictor(e), &tt.trajectory, model.Sampling{})
			asText := f.readBack(&tt.trajectory)
			for i, step := range tt.trajectory.Steps {
				p := f.predict(s, step.Action)
				where := step.Outcome.State
				step.Outcome = asText.Steps[i].Outcome
				if p.Exit != step.Outcome.Exit || !p.State.Matches(step.Outcome.State) {
					t.Fatalf("step %d, %v: predicted %+v, want %+v", i, step.Action, p.Outcome, step.Outcome)
				}
				if got := p.State; !p.Ended() && (got.Function != where.Function || got.Line != where.Line || got.File != where.File) {
					t.Errorf("step %d: at %s %s:%d, want %s %s:%d", i, got.Function, got.File, got.Line, where.Function, where.File, where.Line)
				}
				if p.Confidence.State < .99 || p.Confidence.State > 1 {
					t.Errorf("step %d: confidence %v of what is known by heart", i, p.Confidence.State)
				}
			}
			if want := f.tokens(&tt.trajectory); !slices.Equal(s.sequence.ids, want) {
				t.Errorf("tokens:\n%s\nwant:\n%s", f.tokenizer.Decode(s.sequence.ids), f.tokenizer.Decode(want))
			}
		})
	}
}

// What is not a choice does not get a pass of its own, and nothing is computed
// twice.
func TestForcedTokensShareAPass(t *testing.T) {
	f := newFixture(t)
	whole := f.stepInto()
	e := f.byHeart(whole)
	s := f.open(f.predictor(e), &whole, model.Sampling{})
	choices := 0
	for _, step := range whole.Steps {
		before := e.passes.Load()
		f.predict(s, step.Action)
		choices += int(e.passes.Load() - before)
	}
	tokens := len(s.sequence.ids)
	if positions := int(e.positions.Load()); positions > tokens {
		t.Errorf("%d positions were computed for %d tokens", positions, tokens)
	}
	if predicted := tokens - s.steps[1].from; choices > predicted/2 {
		t.Errorf("%d passes for %d predicted tokens", choices, predicted)
	}
	// The start's own tokens and the code are in the first pass.
	if s.steps[1].from < 60 {
		t.Errorf("the prompt has only %d tokens", s.steps[1].from)
	}
}

func TestRewindComputesNothingAgain(t *testing.T) {
	f := newFixture(t)
	whole := f.stepInto()
	e := f.byHeart(whole)
	s := f.open(f.predictor(e), &whole, model.Sampling{})
	for _, step := range whole.Steps[:6] {
		f.predict(s, step.Action)
	}
	if err := s.Rewind(2); err != nil {
		t.Fatal(err)
	}
	begin, positions := s.steps[4].answer, e.positions.Load()
	for _, step := range whole.Steps[4:] {
		p := f.predict(s, step.Action)
		if p.Exit != step.Outcome.Exit || !p.State.Matches(step.Outcome.State) {
			t.Fatalf("after rewinding: %+v, want %+v", p.Outcome, step.Outcome)
		}
	}
	if got, most := e.positions.Load()-positions, int64(len(s.sequence.ids)-begin); got > most {
		t.Errorf("%d positions were computed for at most %d new tokens", got, most)
	}
	if _, err := s.Predict(t.Context(), action(statetree.StepInto)); !errors.Is(err, model.ErrExited) {
		t.Errorf("after the exit: %v", err)
	}
	if err := s.Rewind(1); err != nil {
		t.Fatal(err)
	}
	if p := f.predict(s, action(statetree.StepInto)); p.Exit != statetree.ExitNormal {
		t.Errorf("the exit again: %+v", p.Outcome)
	}
	for _, n := range []int{-1, len(whole.Steps) + 1} {
		if s.Rewind(n) == nil {
			t.Errorf("rewound %d of %d steps", n, len(whole.Steps))
		}
	}
}

// An edited state is what the model sees, in full.
func TestEditCutsTheFuture(t *testing.T) {
	f := newFixture(t)
	whole := f.stepInto()
	s := f.open(f.predictor(f.byHeart(whole)), &whole, model.Sampling{})
	for _, step := range whole.Steps[:5] {
		f.predict(s, step.Action)
	}
	edited := s.last().outcome.State
	edited.Locals = edited.Locals.Set("n", "41")
	if err := s.Edit(edited); err != nil {
		t.Fatal(err)
	}
	const want = `<|line_sep|><|arg_sep|>{"s": "'berry'", "t": "'r'", "n": "41", "c": "'b'"}<|src_sep|>        n += int(c == t)<|action_sep|>`
	if text := f.tokenizer.Decode(s.sequence.ids); !strings.HasSuffix(text, want) {
		t.Errorf("the model sees %q", text[len(text)-len(want)-20:])
	}
	p := f.predict(s, action(statetree.StepInto))
	if n, _ := p.State.Locals.Get("n"); n != "41" {
		t.Errorf("after the edit n = %s, want 41, as nothing was said to change", n)
	}
	if err := s.Rewind(5); err != nil {
		t.Errorf("steps before an edit are gone: %v", err)
	}
	if s.Rewind(2) == nil {
		t.Error("rewound beyond the start")
	}
	if err := s.Edit(statetree.State{Event: statetree.InvLine}); err == nil {
		t.Error("an inverse state was accepted in a forward session")
	}
}

// A history given at the beginning is the same as one that was predicted, edits
// included.
func TestOpenWithHistory(t *testing.T) {
	f := newFixture(t)
	whole := f.stepInto()
	p := f.predictor(f.byHeart(whole))
	live := f.open(p, &whole, model.Sampling{})
	c := model.Context{Program: whole.Program, Start: whole.Start}
	for i, step := range whole.Steps {
		out := f.predict(live, step.Action).Outcome
		known := model.Step{Action: step.Action, Outcome: out}
		if i == 6 {
			known.Outcome.State.Locals = known.Outcome.State.Locals.Set("n", "7")
			known.Edited = true
			if err := live.Edit(known.Outcome.State); err != nil {
				t.Fatal(err)
			}
		}
		c.History = append(c.History, known)
		if i == 10 {
			break
		}
	}
	reopened, first, err := p.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if !first.State.Matches(live.last().outcome.State) {
		t.Errorf("opened at %+v", first.State)
	}
	if got, want := reopened.(*session).sequence.ids, live.sequence.ids; !slices.Equal(got, want) {
		t.Errorf("tokens:\n%s\nwant:\n%s", f.tokenizer.Decode(got), f.tokenizer.Decode(want))
	}
	if err := reopened.Rewind(11); err != nil {
		t.Errorf("a given history cannot be rewound: %v", err)
	}
}

// Steps that are adopted are the same as predicted ones, and cost no pass; what
// cannot follow leaves no trace.
func TestAdopt(t *testing.T) {
	f := newFixture(t)
	whole := f.stepInto()
	jump := f.walk(whole.Steps[0].Action, action(statetree.StepReturn), action(statetree.StepOver), action(statetree.Continue))
	for name, trajectory := range map[string]statetree.Trajectory{"steps": whole, "jumps": jump} {
		e := f.byHeart(trajectory)
		p := f.predictor(e)
		live, adopting := f.open(p, &trajectory, model.Sampling{}), f.open(p, &trajectory, model.Sampling{})
		for i, step := range trajectory.Steps {
			f.predict(live, step.Action)
			before, ids := e.passes.Load(), slices.Clone(adopting.sequence.ids)
			for _, wrong := range []model.Step{
				{Action: step.Action, Outcome: statetree.Outcome{State: statetree.State{Event: statetree.InvLine}}},
				{Action: action(statetree.InvStepInto), Outcome: step.Outcome},
				{Action: action(statetree.Breakpoint), Outcome: step.Outcome},
			} {
				if adopting.Adopt(wrong) == nil || !slices.Equal(adopting.sequence.ids, ids) {
					t.Fatalf("%s: step %d: %+v was adopted", name, i, wrong)
				}
			}
			if err := adopting.Adopt(model.Step{Action: step.Action, Outcome: step.Outcome}); err != nil {
				t.Fatalf("%s: step %d: %v", name, i, err)
			}
			if e.passes.Load() != before {
				t.Errorf("%s: step %d was computed", name, i)
			}
			if !slices.Equal(adopting.sequence.ids, live.sequence.ids) {
				t.Fatalf("%s: the tokens are\n%s\nwant\n%s", name, f.tokenizer.Decode(adopting.sequence.ids), f.tokenizer.Decode(live.sequence.ids))
			}
		}
		last := trajectory.Steps[len(trajectory.Steps)-1]
		if err := adopting.Adopt(model.Step{Action: last.Action, Outcome: last.Outcome}); !errors.Is(err, model.ErrExited) {
			t.Errorf("%s: after the exit: %v", name, err)
		}
		if err := adopting.Rewind(2); err != nil {
			t.Fatal(err)
		}
		for _, step := range trajectory.Steps[len(trajectory.Steps)-2:] {
			if p := f.predict(adopting, step.Action); p.Exit != step.Outcome.Exit || !p.State.Matches(step.Outcome.State) {
				t.Errorf("%s: after rewinding: %+v, want %+v", name, p.Outcome, step.Outcome)
			}
		}
	}
}

// Cancelling within a state stops before the next pass and leaves no trace.
func TestCancelLeavesTheHistory(t *testing.T) {
	f := newFixture(t)
	whole := f.stepInto()
	e := f.byHeart(whole)
	s := f.open(f.predictor(e), &whole, model.Sampling{})
	f.predict(s, whole.Steps[0].Action)
	ids := slices.Clone(s.sequence.ids)
	for after := 1; after <= 3; after++ {
		ctx, cancel := context.WithCancel(t.Context())
		passes := 0
		e.onPass = func() {
			if passes++; passes == after {
				cancel()
			}
		}
		_, err := s.Predict(ctx, whole.Steps[1].Action)
		e.onPass = nil
		cancel()
		if err == nil {
			if after == 1 {
				t.Fatal("a cancelled prediction succeeded")
			}
			break // the state needs fewer passes
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("cancelled in pass %d: %v", after, err)
		}
		if passes != after {
			t.Errorf("cancelled in pass %d, stopped after %d", after, passes)
		}
		if !slices.Equal(s.sequence.ids, ids) || len(s.steps) != 2 {
			t.Fatal("the history has changed")
		}
	}
	if err := s.Rewind(len(s.steps) - 2); err != nil {
		t.Fatal(err)
	}
	for _, step := range whole.Steps[1:] {
		if p := f.predict(s, step.Action); !p.State.Matches(step.Outcome.State) {
			t.Fatalf("after cancelling: %+v, want %+v", p.State, step.Outcome.State)
		}
	}
}

// A session can begin with a proposed call.
func TestProposesTheCall(t *testing.T) {
	f := newFixture(t)
	cursor := f.tree.Cursor(f.level)
	start := cursor.State()
	trajectory := statetree.Trajectory{Program: f.function, Start: start, ProposeStart: true}
	p := f.predictor(f.byHeart(trajectory))
	s, first, err := p.Open(t.Context(), model.Context{Program: f.function})
	if err != nil {
		t.Fatal(err)
	}
	if !first.State.Matches(start) || first.State.Function != "count" || first.State.Line != 1 {
		t.Errorf("proposed %+v, want %+v", first.State, start)
	}
	if got, want := s.(*session).sequence.ids, f.tokens(&trajectory); !slices.Equal(got, want) {
		t.Errorf("tokens %q, want %q", f.tokenizer.Decode(got), f.tokenizer.Decode(want))
	}
	if _, _, err := p.Open(t.Context(), model.Context{Program: f.function, Direction: statetree.Inverse}); err == nil {
		t.Error("proposed the end of a run")
	}
	if e := p.engine.(*mockEngine); e.open.Load() != 1 {
		t.Errorf("%d caches are open, want that of one session", e.open.Load())
	}
}

// The parts of a confidence multiply to the whole; forced parts count 1.
func TestConfidenceArithmetic(t *testing.T) {
	f := newFixture(t)
	whole := f.stepInto()
	e := f.byHeart(whole)
	// A margin of 2 makes the known token e² times as likely as each other.
	e.logits = byHeart(f.tokenizer.Size(), 2, f.tokens(&whole))
	s := f.open(f.predictor(e), &whole, model.Sampling{})
	for _, step := range whole.Steps {
		p := f.predict(s, step.Action)
		if p.Ended() {
			break
		}
		c := p.Confidence
		if product := c.Event * c.Source * c.Values; math.Abs(product-c.State) > 1e-9 {
			t.Errorf("parts multiply to %v, state %v", product, c.State)
		}
		for name, v := range c.Locals {
			if _, ok := p.State.Locals.Get(name); !ok {
				t.Errorf("a confidence for %q, which is no local", name)
			}
			if v < c.Values-1e-12 || v > 1 {
				t.Errorf("confidence %v of %s lies outside [%v, 1]", v, name, c.Values)
			}
		}
		if len(c.Locals) != len(p.State.Locals) {
			t.Errorf("%d confidences for %d locals", len(c.Locals), len(p.State.Locals))
		}
	}
}

func TestAlternatives(t *testing.T) {
	f := newFixture(t)
	whole := f.stepInto()
	e := f.byHeart(whole)
	e.logits = byHeart(f.tokenizer.Size(), 6, f.tokens(&whole))
	s := f.open(f.predictor(e), &whole, model.Sampling{Alternatives: 3})
	plain := f.open(f.predictor(e), &whole, model.Sampling{})
	some := 0
	for _, step := range whole.Steps {
		p, q := f.predict(s, step.Action), f.predict(plain, step.Action)
		if !p.State.Matches(q.State) || p.Confidence.State != q.Confidence.State {
			t.Fatalf("alternatives change the prediction: %+v, %+v", p, q)
		}
		some += len(p.Alternatives)
		for i, a := range p.Alternatives {
			if a.Exit == p.Exit && a.State.Matches(p.State) {
				t.Errorf("the prediction is its own alternative: %+v", a)
			}
			if i > 0 && a.Confidence.State > p.Alternatives[i-1].Confidence.State {
				t.Error("alternatives are not sorted")
			}
		}
	}
	if some == 0 {
		t.Error("no alternative was found in the whole run")
	}
	if !slices.Equal(s.sequence.ids, plain.sequence.ids) {
		t.Error("alternatives leave something in the history")
	}
}

// The other outcomes share the cache of what came before: none of it is computed
// again.
func TestAlternativesShareThePrefix(t *testing.T) {
	f := newFixture(t)
	whole := f.stepInto()
	e := f.byHeart(whole)
	e.logits = byHeart(f.tokenizer.Size(), 6, f.tokens(&whole))
	s := f.open(f.predictor(e), &whole, model.Sampling{Alternatives: 3})
	some := 0
	for i, step := range whole.Steps {
		prefix := len(s.sequence.ids)
		e.longest.Store(0)
		p := f.predict(s, step.Action)
		some += len(p.Alternatives)
		// What is forced, and the answer before it, may share a pass; the rest of
		// the history never does.
		if n := int(e.longest.Load()); i > 0 && n > p.Tokens+60 {
			t.Errorf("a pass of %d positions for an answer of %d after %d tokens", n, p.Tokens, prefix)
		}
	}
	if some == 0 {
		t.Error("there were no alternatives")
	}
}

// endless is a model that goes on and on with one letter.
func (f fixture) endless(letter string) *mockEngine {
	id := f.tokenizer.Encode(nil, letter)[0]
	return f.engine(func([]int32) []float32 {
		logits := make([]float32, f.tokenizer.Size())
		logits[id] = 9
		return logits
	})
}

func TestDamagedWeights(t *testing.T) {
	f := newFixture(t)
	whole := f.stepInto()
	e := f.engine(func([]int32) []float32 {
		logits := make([]float32, f.tokenizer.Size())
		for i := range logits {
			logits[i] = float32(math.NaN())
		}
		return logits
	})
	s := f.open(f.predictor(e), &whole, model.Sampling{})
	if p, err := s.Predict(t.Context(), action(statetree.StepReturn)); !errors.Is(err, errNotNumbers) {
		t.Errorf("predicted %+v (%v) from NaN", p, err)
	}
}

// A value that does not end is cut, and the state ends.
func TestEndlessValueIsCut(t *testing.T) {
	f := newFixture(t)
	whole := f.stepInto()
	e := f.endless("x")
	const limit = 20
	p, err := NewPredictor(e, f.tokenizer, Options{MaxValueTokens: limit})
	if err != nil {
		t.Fatal(err)
	}
	s := f.open(p, &whole, model.Sampling{})
	got := f.predict(s, action(statetree.StepReturn))
	want := strings.Repeat("x", limit-1) + "…" // the opening quote is a token, too
	if got.State.Event != statetree.Return || got.State.Arg != want {
		t.Errorf("got %+v, want a return of %s", got.State, want)
	}
	if c := got.Confidence; c.Values != 0 || c.State != 0 || c.Event == 0 {
		t.Errorf("the confidence is %+v, want none in the value", c)
	}
}

func TestRefusals(t *testing.T) {
	f := newFixture(t)
	whole := f.stepInto()
	p := f.predictor(f.byHeart(whole))
	s := f.open(p, &whole, model.Sampling{})
	for _, tt := range []struct {
		action statetree.Action
		noExit bool
	}{
		{action: statetree.Action{}},
		{action: action(statetree.InvStepInto)},
		{action: statetree.Action{Kind: statetree.Breakpoint}},
	} {
		if _, err := s.Predict(t.Context(), tt.action); err == nil {
			t.Errorf("%v was accepted", tt.action)
		}
	}
	for i := range 17 {
		f.predict(s, whole.Steps[i].Action)
	}
	if s.last().outcome.State.Event != statetree.Return {
		t.Fatalf("standing on %+v", s.last().outcome.State)
	}
	if _, err := s.Predict(t.Context(), action(statetree.StepReturn)); !errors.Is(err, model.ErrNoTarget) {
		t.Errorf("step_return on a return state: %v", err)
	}
	if _, _, err := p.Open(t.Context(), model.Context{Program: whole.Program, Direction: statetree.Inverse, Start: whole.Start}); err == nil {
		t.Error("a forward state began an inverse session")
	}
	if _, err := NewPredictor(&mockEngine{vocab: 10}, f.tokenizer, Options{}); err == nil {
		t.Error("a tokenizer larger than the model was accepted")
	}
}

// The end of the whole predictor is the end of all caches.
func TestCloseFreesEverything(t *testing.T) {
	f := newFixture(t)
	whole := f.stepInto()
	e := f.byHeart(whole)
	p := f.predictor(e)
	f.open(p, &whole, model.Sampling{})
	s := f.open(p, &whole, model.Sampling{})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if n := e.open.Load(); n != 0 {
		t.Errorf("%d caches are still open", n)
	}
	if _, _, err := p.Open(t.Context(), model.Context{Program: whole.Program, Start: whole.Start}); err == nil {
		t.Error("a closed predictor opened a session")
	}
}

// Code that does not parse limits states by the rules of the tree alone.
func TestCodeThatDoesNotParse(t *testing.T) {
	f := newFixture(t)
	whole := f.stepInto()
	e := f.byHeart(whole)
	whole.Program.Code = strings.Replace(whole.Program.Code, "def count(s, t):", "def count(s, t:", 1)
	s := f.open(f.predictor(e), &whole, model.Sampling{})
	for _, step := range whole.Steps[:4] {
		if p := f.predict(s, step.Action); !p.State.Matches(step.Outcome.State) {
			t.Fatalf("%+v, want %+v", p.State, step.Outcome.State)
		}
	}
}
