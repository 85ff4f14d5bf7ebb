package cwm

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/model/neural"
	"github.com/neuraldbg/neuraldbg/model/tokenizer"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// fixture is the program of figure C.1, what really happens in it, and an engine
// that knows its traces by heart.
type fixture struct {
	program    statetree.Program
	states     []statetree.State // step by step, from main's call
	tree       *statetree.Tree
	tok        *tokenizer.Tokenizer
	vocabulary *vocabulary
	engine     *byHeart
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	text, err := os.ReadFile("../../statetree/grammar/testdata/count_berry.recording.json")
	if err != nil {
		t.Fatal(err)
	}
	var r statetree.Recording
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	f := &fixture{program: r.Program}
	if f.tree, err = statetree.NewTree(r); err != nil {
		t.Fatal(err)
	}
	run := statetree.WalkAll(f.tree.Cursor(statetree.Whole), r.Program, statetree.StepInto)
	f.states = append(f.states, run.Start)
	for _, step := range run.Steps {
		if !step.Outcome.Ended() {
			f.states = append(f.states, step.Outcome.State)
		}
	}
	if f.tok, err = tokenizer.Train(slices.Values([]string{r.Program.Code, r.Program.Code}), 256+20+reservedCount, ReservedTokens()); err != nil {
		t.Fatal(err)
	}
	if f.vocabulary, err = newVocabulary(f.tok); err != nil {
		t.Fatal(err)
	}
	f.engine = &byHeart{vocab: f.tok.Size() + 3, documents: [][]int32{f.trace(f.states)}}
	return f
}

// trace is the text of states as CWM writes it.
func (f *fixture) trace(states []statetree.State) []int32 {
	code := strings.Replace(f.program.Code, "def main():", "def main():"+StartMark, 1)
	ids := f.vocabulary.appendPrompt(nil, code)
	for _, s := range f.written(states) {
		source := s.Source
		if source == "def main():" {
			source += StartMark
		}
		ids = f.vocabulary.appendFrame(ids, &s, source)
	}
	return append(ids, f.vocabulary.specials[endOfText])
}

// written has the states with "..", where a value is that of the line before.
func (f *fixture) written(states []statetree.State) []statetree.State {
	var out []statetree.State
	shown := map[string]statetree.Locals{}
	for _, s := range states {
		full := s.Locals
		if s.Event == statetree.Line {
			s.Locals = slices.Clone(s.Locals)
			for i, l := range s.Locals {
				if old, ok := shown[s.Function].Get(l.Name); ok && old == l.Repr {
					s.Locals[i].Repr = unchanged
				}
			}
		}
		if s.Event.HasLocals() {
			shown[s.Function] = full
		}
		out = append(out, s)
	}
	return out
}

func (f *fixture) open(t *testing.T, o Options, c model.Context) (model.Session, model.Prediction) {
	t.Helper()
	p, err := NewPredictor(f.engine, f.tok, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	s, first, err := p.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return s, first
}

// byHeart is an engine that continues documents: the one that shares the longest
// run of ids with the end of the history says what comes next.
type byHeart struct {
	vocab, context int
	documents      [][]int32
	passes         int
}

func (e *byHeart) VocabSize() int                  { return e.vocab }
func (e *byHeart) MaxContext() int                 { return e.context }
func (e *byHeart) NewCache() (neural.Cache, error) { return &heartCache{engine: e}, nil }
func (e *byHeart) Close() error                    { return nil }

type heartCache struct {
	engine *byHeart
	ids    []int32
}

func (c *heartCache) Len() int                         { return len(c.ids) }
func (c *heartCache) Rewind(n int) error               { c.ids = c.ids[:n]; return nil }
func (c *heartCache) Fork([]int) (neural.Batch, error) { return nil, errors.New("not needed") }
func (c *heartCache) Close() error                     { return nil }

func (c *heartCache) Extend(ctx context.Context, ids []int32, from int) ([]float32, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c.engine.passes++
	c.ids = append(c.ids, ids...)
	if from != len(ids)-1 {
		return nil, errors.New("only the last logits are needed")
	}
	best, next := -1, int32(0)
	for _, doc := range c.engine.documents {
		for end := 1; end < len(doc); end++ {
			n := 0
			for n < end && n < len(c.ids) && doc[end-1-n] == c.ids[len(c.ids)-1-n] {
				n++
			}
			if n > best {
				best, next = n, doc[end]
			}
		}
	}
	logits := make([]float32, c.engine.vocab)
	logits[next] = 12
	return logits, nil
}

func same(a, b statetree.State) bool {
	return a.Event == b.Event && a.Source == b.Source && a.Arg == b.Arg && a.Locals.Equal(b.Locals) && a.Line == b.Line && a.Function == b.Function
}

var (
	stepInto   = statetree.Action{Kind: statetree.StepInto}
	stepOver   = statetree.Action{Kind: statetree.StepOver}
	stepReturn = statetree.Action{Kind: statetree.StepReturn}
	toEnd      = statetree.Action{Kind: statetree.Continue}
)

// TestStepIntoIsTheTrace steps through all frames, back, and through them again.
func TestStepIntoIsTheTrace(t *testing.T) {
	f := newFixture(t)
	s, first := f.open(t, Options{}, model.Context{Program: f.program, Start: f.states[0]})
	if !same(first.State, f.states[0]) {
		t.Errorf("it starts at %+v", first.State)
	}
	for range 2 {
		for i, want := range f.states[1:] {
			p, err := s.Predict(t.Context(), stepInto)
			if err != nil {
				t.Fatalf("step %d: %v", i+1, err)
			}
			if !same(p.State, want) {
				t.Fatalf("step %d:\n got %+v\nwant %+v", i+1, p.State, want)
			}
			if p.Confidence.State < 0.5 || p.Confidence.State > 1 || p.Tokens == 0 {
				t.Errorf("step %d: confidence %+v of %d tokens", i+1, p.Confidence, p.Tokens)
			}
		}
		p, err := s.Predict(t.Context(), stepInto)
		if err != nil || p.Exit != statetree.ExitNormal {
			t.Fatalf("the end is %+v, %v", p.Outcome, err)
		}
		if _, err := s.Predict(t.Context(), stepInto); !errors.Is(err, model.ErrExited) {
			t.Errorf("after the end: %v", err)
		}
		if err := s.Rewind(len(f.states)); err != nil {
			t.Fatal(err)
		}
	}
}

// TestJumps takes the actions that the dialect does not have, and compares with
// the tree of the recording.
func TestJumps(t *testing.T) {
	f := newFixture(t)
	// What the model knows about calls that are gone over: the call, and the
	// return at once.
	var over []statetree.State
	for i, s := range f.states {
		if s.Function == "main" || s.Event == statetree.Call || s.Event == statetree.Return || i == 0 {
			over = append(over, s)
		}
	}
	f.engine.documents = append(f.engine.documents, f.trace(over))
	line := statetree.Action{Kind: statetree.Breakpoint, Source: "        n += int(c == t)"}
	for name, actions := range map[string][]statetree.Action{
		"over the call":         {stepInto, stepOver, stepInto},
		"out of main's call":    {stepReturn},
		"out of count":          {stepInto, stepInto, stepInto, stepReturn, stepOver, stepOver},
		"over the end of count": {stepInto, stepInto, stepReturn, stepOver},
		"breakpoint":            {line, line, stepInto, line},
		"to the end":            {stepInto, toEnd},
		"never reached":         {{Kind: statetree.Breakpoint, Source: "no such line"}},
	} {
		s, _ := f.open(t, Options{}, model.Context{Program: f.program, Start: f.states[0]})
		cursor := f.tree.Cursor(statetree.Whole)
		for i, a := range actions {
			want, err := cursor.Go(a)
			if err != nil {
				t.Fatalf("%s, action %d: %v", name, i+1, err)
			}
			p, err := s.Predict(t.Context(), a)
			if err != nil {
				t.Fatalf("%s, action %d: %v", name, i+1, err)
			}
			if p.Exit != want.Exit || !same(p.State, want.State) {
				t.Errorf("%s, action %d:\n got %v %+v\nwant %v %+v", name, i+1, p.Exit, p.State, want.Exit, want.State)
			}
			if c := p.Confidence.State; !(c > 0 && c <= 1) {
				t.Errorf("%s, action %d: confidence %g", name, i+1, c)
			}
		}
	}
}

func TestLimitAndProgress(t *testing.T) {
	f := newFixture(t)
	s, _ := f.open(t, Options{MaxFrames: 5}, model.Context{Program: f.program, Start: f.states[0]})
	var reported []int
	ctx := model.WithProgress(t.Context(), func(n int) { reported = append(reported, n) })
	_, err := s.Predict(ctx, toEnd)
	if err == nil || !strings.Contains(err.Error(), "within 5 predicted states") {
		t.Errorf("the error is %v", err)
	}
	if !slices.Equal(reported, []int{1, 2, 3, 4, 5}) {
		t.Errorf("progress was %v", reported)
	}
	// The history is as it was.
	if p, err := s.Predict(t.Context(), stepInto); err != nil || !same(p.State, f.states[1]) {
		t.Errorf("after it: %+v, %v", p.State, err)
	}
}

func TestCancel(t *testing.T) {
	f := newFixture(t)
	s, _ := f.open(t, Options{}, model.Context{Program: f.program, Start: f.states[0]})
	ctx, cancel := context.WithCancel(t.Context())
	ctx = model.WithProgress(ctx, func(int) { cancel() })
	passes := f.engine.passes
	if _, err := s.Predict(ctx, toEnd); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	if first := f.engine.passes - passes; first > 100 {
		t.Errorf("%d passes", first)
	}
	if p, err := s.Predict(t.Context(), stepInto); err != nil || !same(p.State, f.states[1]) {
		t.Errorf("after it: %+v, %v", p.State, err)
	}
}

func TestHistoryAndEdit(t *testing.T) {
	f := newFixture(t)
	c := model.Context{Program: f.program, Start: f.states[0]}
	for _, s := range f.states[1:6] {
		c.History = append(c.History, model.Step{Action: stepInto, Outcome: statetree.Outcome{State: s}})
	}
	s, at := f.open(t, Options{}, c)
	if !same(at.State, f.states[5]) || at.Confidence.State != 1 {
		t.Fatalf("it stands at %+v", at.State)
	}
	if p, err := s.Predict(t.Context(), stepInto); err != nil || !same(p.State, f.states[6]) {
		t.Errorf("then %+v, %v", p.State, err)
	}
	edited := f.states[6]
	edited.Locals = edited.Locals.Set("n", "41")
	if err := s.Edit(edited); err != nil {
		t.Fatal(err)
	}
	// What the model writes as unchanged is what the user set.
	p, err := s.Predict(t.Context(), stepInto)
	if n, _ := p.State.Locals.Get("n"); err != nil || n != "41" {
		t.Errorf("after the edit: %+v, %v", p.State, err)
	}
	if err := s.Rewind(7); err != nil {
		t.Fatal(err)
	}
	if p, err := s.Predict(t.Context(), stepInto); err != nil || !same(p.State, f.states[1]) {
		t.Errorf("from the start again: %+v, %v", p.State, err)
	}
	if err := s.Rewind(2); err == nil {
		t.Error("rewound beyond the start")
	}
}

// TestAdopt: adopted steps are written as those of a history are; what cannot
// follow changes nothing.
func TestAdopt(t *testing.T) {
	f := newFixture(t)
	s, _ := f.open(t, Options{}, model.Context{Program: f.program, Start: f.states[0]})
	c := model.Context{Program: f.program, Start: f.states[0]}
	for _, state := range f.states[1:] {
		step := model.Step{Action: stepInto, Outcome: statetree.Outcome{State: state}}
		if err := s.Adopt(model.Step{Action: stepInto, Outcome: statetree.Outcome{State: statetree.State{Event: statetree.InvLine}}}); err == nil {
			t.Fatal("an inverse state was adopted")
		}
		if err := s.Adopt(step); err != nil {
			t.Fatal(err)
		}
		c.History = append(c.History, step)
	}
	exit := model.Step{Action: stepInto, Outcome: statetree.Outcome{Exit: statetree.ExitNormal}}
	if err := s.Adopt(exit); err != nil {
		t.Error(err)
	}
	c.History = append(c.History, exit)
	given, _ := f.open(t, Options{}, c)
	if got, want := s.(*session).sequence.IDs, given.(*session).sequence.IDs; !slices.Equal(got, want) {
		t.Errorf("tokens:\n%s\nwant:\n%s", f.tok.Decode(got), f.tok.Decode(want))
	}
	if err := s.Adopt(exit); !errors.Is(err, model.ErrExited) {
		t.Errorf("after the exit: %v", err)
	}
	passes := f.engine.passes
	if err := s.Rewind(2); err != nil || f.engine.passes != passes {
		t.Errorf("%v, after %d passes; want none", err, f.engine.passes-passes)
	}
	last := f.states[len(f.states)-1]
	if p, err := s.Predict(t.Context(), stepInto); err != nil || !same(p.State, last) {
		t.Errorf("after rewinding: %+v, %v; want %+v", p.State, err, last)
	}
}

// TestProposal asks for count's arguments.
func TestProposal(t *testing.T) {
	f := newFixture(t)
	code, _, _ := strings.Cut(f.program.Code, "\ndef main():")
	program := statetree.Program{
		Code: code, Origins: f.program.Origins[:strings.Count(code, "\n")],
		Entry: statetree.Entry{Kind: statetree.FunctionEntry, Text: "count", Function: "count"},
	}
	called := f.states[slices.IndexFunc(f.states, func(s statetree.State) bool { return s.Function == "count" })]
	document := f.vocabulary.appendPrompt(nil, strings.Replace(code, "(s, t):", "(s, t):"+StartMark, 1))
	f.engine.documents = [][]int32{f.vocabulary.appendFrame(document, &called, called.Source+StartMark)}
	_, first := f.open(t, Options{}, model.Context{Program: program})
	if s, _ := first.State.Locals.Get("s"); s != "'berry'" || first.State.Function != "count" || first.State.Event != statetree.Call {
		t.Errorf("it starts at %+v", first.State)
	}
	if c := first.Confidence.State; !(c > 0 && c < 1) || first.Tokens == 0 {
		t.Errorf("confidence %g of %d tokens", c, first.Tokens)
	}
}

func TestRefusals(t *testing.T) {
	f := newFixture(t)
	p, err := NewPredictor(f.engine, f.tok, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := p.Open(t.Context(), model.Context{Program: f.program, Direction: statetree.Inverse, Start: f.states[0]}); !errors.Is(err, errInverse) {
		t.Errorf("inverse: %v", err)
	}
	s, _, err := p.Open(t.Context(), model.Context{Program: f.program, Start: f.states[0]})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Predict(t.Context(), statetree.Action{Kind: statetree.InvStepInto}); !errors.Is(err, errInverse) {
		t.Errorf("an inverse action: %v", err)
	}
	if _, err := s.Predict(t.Context(), statetree.Action{Kind: statetree.Breakpoint}); err == nil {
		t.Error("a breakpoint without a line")
	}
	module := statetree.Program{Code: "x = 1\n", Entry: statetree.Entry{Function: statetree.ModuleFunction}}
	if _, _, err := p.Open(t.Context(), model.Context{Program: module, Start: statetree.State{Event: statetree.Call}}); err == nil || !strings.Contains(err.Error(), "begin at a function") {
		t.Errorf("a module: %v", err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := p.Open(t.Context(), model.Context{Program: f.program, Start: f.states[0]}); !errors.Is(err, neural.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
	other, err := tokenizer.Train(slices.Values([]string{"x", "x"}), 256+2, []string{beginOfText, endOfText})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewPredictor(f.engine, other, Options{}); err == nil || !strings.Contains(err.Error(), contextStart) {
		t.Errorf("another tokenizer: %v", err)
	}
}

func TestContextFull(t *testing.T) {
	f := newFixture(t)
	f.engine.context = len(f.trace(f.states[:4]))
	s, _ := f.open(t, Options{}, model.Context{Program: f.program, Start: f.states[0]})
	if _, err := s.Predict(t.Context(), toEnd); !errors.Is(err, model.ErrContextFull) {
		t.Errorf("the error is %v", err)
	}
}

// A random model predicts something for every action, and nothing outside the
// code: the constraint is not the model's doing.
func TestRandomModelStaysInTheCode(t *testing.T) {
	f := newFixture(t)
	f.engine.documents = nil // logits without preference
	for seed := range uint64(4) {
		s, _ := f.open(t, Options{MaxFrames: 8, MaxFrameTokens: 60}, model.Context{
			Program: f.program, Start: f.states[0], Sampling: model.Sampling{Temperature: 1, Seed: seed},
		})
		for i := range 6 {
			p, err := s.Predict(t.Context(), []statetree.Action{stepInto, stepOver, stepReturn}[i%3])
			if errors.Is(err, model.ErrExited) || errors.Is(err, model.ErrNoTarget) || errors.Is(err, errTooLong) || err != nil && strings.Contains(err.Error(), "does not come") {
				break
			}
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if !p.Ended() && !slices.Contains(f.program.Lines(), p.State.Source) {
				t.Errorf("seed %d: %q is not in the code", seed, p.State.Source)
			}
			if math.IsNaN(p.Confidence.State) {
				t.Errorf("seed %d: no confidence", seed)
			}
		}
	}
}

func TestReservedTokens(t *testing.T) {
	tokens := ReservedTokens()
	for i, want := range map[int]string{0: beginOfText, 1: endOfText, 2: "<|reserved_special_token_2|>", 100: frameSep, 107: contextStart, 255: "<|reserved_special_token_255|>"} {
		if tokens[i] != want {
			t.Errorf("token %d is %s, want %s", 128000+i, tokens[i], want)
		}
	}
	if len(tokens) != reservedCount {
		t.Errorf("%d tokens", len(tokens))
	}
}
