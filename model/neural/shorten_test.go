package neural

import (
	"errors"
	"strings"
	"testing"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// shortenedByHeart is a model that knows a run by heart, whole and from every
// state on that a shortened history may end with.
func (f fixture) shortenedByHeart(whole *statetree.Trajectory) *mockEngine {
	f.Helper()
	s := f.open(f.predictor(f.byHeart(*whole)), whole, model.Sampling{})
	for _, step := range whole.Steps {
		f.predict(s, step.Action)
	}
	documents := [][]int32{f.tokens(whole)}
	all := s.steps
	for i := 1; i < len(all)-1; i++ {
		s.steps = all[:i+1]
		states, _ := summary(s.steps, 0)
		ids, _, _ := s.writeKept(s.codeTokens(), states)
		documents = append(documents, append(ids, s.sequence.ids[all[i+1].from:]...))
	}
	s.steps = all
	e := f.byHeart(*whole)
	e.logits = byHeart(f.tokenizer.Size(), 50, documents...)
	e.context = len(f.tokens(whole)) * 2 / 3
	return e
}

// A run that is longer than the context goes on: what was forgotten is told, the
// model is never shown more than fits, and stepping back reaches everything.
func TestHistoryOutgrowsTheContext(t *testing.T) {
	f := newFixture(t)
	whole := f.stepInto()
	e := f.shortenedByHeart(&whole)
	s := f.open(f.predictor(e), &whole, model.Sampling{})
	forgotten := 0
	for i, step := range whole.Steps {
		p := f.predict(s, step.Action)
		if !p.State.Matches(step.Outcome.State) || p.Exit != step.Outcome.Exit {
			t.Fatalf("step %d: %+v, want %+v", i, p.Outcome, step.Outcome)
		}
		if p.Forgotten < forgotten {
			t.Fatalf("step %d: %d states are forgotten, %d were before", i, p.Forgotten, forgotten)
		}
		forgotten = p.Forgotten
		if len(s.sequence.ids) > e.context {
			t.Fatalf("step %d: %d tokens in a context of %d", i, len(s.sequence.ids), e.context)
		}
	}
	if forgotten == 0 {
		t.Fatal("nothing was forgotten")
	}
	text := f.tokenizer.Decode(s.sequence.ids)
	for _, want := range []string{whole.Program.Code, "<|call_sep|><|src_sep|>def main():", `<|breakpoint|>def count(s, t):<|frame_sep|><|call_sep|><|src_sep|>def count(s, t):<|arg_sep|>{"s": "'berry'", "t": "'r'"}`} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not kept in\n%s", want, text)
		}
	}
	for n := len(whole.Steps); n > 0; n-- {
		if err := s.Rewind(1); err != nil {
			t.Fatal(err)
		}
		if n%5 == 1 {
			step := whole.Steps[n-1]
			if p := f.predict(s, step.Action); !p.State.Matches(step.Outcome.State) {
				t.Fatalf("step %d again: %+v, want %+v", n-1, p.State, step.Outcome.State)
			}
			if err := s.Rewind(1); err != nil {
				t.Fatal(err)
			}
		}
	}
	if s.summarized != 0 || len(s.steps) != 1 {
		t.Errorf("at the beginning again: %d steps, %d of them in short", len(s.steps), s.summarized)
	}
}

// A session that is opened with a history longer than the context goes on, too.
func TestOpenWithLongHistory(t *testing.T) {
	f := newFixture(t)
	whole := f.stepInto()
	e := f.shortenedByHeart(&whole)
	n := len(whole.Steps) - 2
	c := model.Context{Program: whole.Program, Start: whole.Start}
	for _, step := range whole.Steps[:n] {
		c.History = append(c.History, model.Step{Action: step.Action, Outcome: step.Outcome})
	}
	s, first, err := f.predictor(e).Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if first.Forgotten == 0 || !first.State.Matches(c.History[n-1].Outcome.State) {
		t.Errorf("opened at %+v", first)
	}
	if p := f.predict(s.(*session), whole.Steps[n].Action); !p.State.Matches(whole.Steps[n].Outcome.State) {
		t.Errorf("predicted %+v, want %+v", p.State, whole.Steps[n].Outcome.State)
	}
}

// What cannot fit is told with what the user can do, in one line.
func TestStartLongerThanTheContext(t *testing.T) {
	f := newFixture(t)
	whole := f.stepInto()
	for _, start := range []statetree.State{whole.Start, {}} {
		e := f.byHeart(whole)
		e.context = 60
		_, _, err := f.predictor(e).Open(t.Context(), model.Context{Program: whole.Program, Start: start})
		if !errors.Is(err, model.ErrContextFull) || !strings.Contains(err.Error(), "the model's context has 60: enter at a function") ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("got %v", err)
		}
	}
}

// Which frames are open follows from the events and actions.
func TestOpenFrames(t *testing.T) {
	f := newFixture(t)
	whole := f.stepInto()
	s := f.open(f.predictor(f.byHeart(whole)), &whole, model.Sampling{})
	for _, step := range whole.Steps[:5] {
		f.predict(s, step.Action)
	}
	open := openFrames(s.steps)
	if len(open) != 2 || open[0].call != 0 || open[1].call != 2 || open[1].function.Name != "count" {
		t.Errorf("open are %+v", open)
	}
	f.predict(s, action(statetree.StepReturn))
	f.predict(s, action(statetree.StepOver))
	if open = openFrames(s.steps); len(open) != 1 || open[0].call != 0 {
		t.Errorf("after the return, open are %+v", open)
	}
}

// A value that the model cannot be shown is refused, and nothing changes by that.
func TestEditLongerThanTheContext(t *testing.T) {
	f := newFixture(t)
	whole := f.stepInto()
	e := f.byHeart(whole)
	e.context = 2 * len(f.tokens(&whole))
	s := f.open(f.predictor(e), &whole, model.Sampling{})
	for i, step := range whole.Steps[:3] {
		state := s.last().outcome.State
		if state.Event.HasLocals() {
			state.Locals = state.Locals.Set("s", "'"+strings.Repeat("x", 100_000)+"'")
		} else {
			state.Arg = strings.Repeat("7", 100_000)
		}
		err := s.Edit(state)
		if err == nil || !strings.Contains(err.Error(), "too long for the model") || !strings.Contains(err.Error(), "give shorter values") {
			t.Fatalf("step %d: the edit returned %v", i, err)
		}
		if p := f.predict(s, step.Action); !p.State.Matches(step.Outcome.State) {
			t.Errorf("step %d: %+v, want %+v", i, p.State, step.Outcome.State)
		}
	}
}
