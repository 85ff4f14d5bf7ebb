package neural

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/model/tokenizer"
	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/grammar"
)

// fixture is the program of figure C.1: what really happens in it, and a
// tokenizer that was trained on its text.
type fixture struct {
	testing.TB
	tree      *statetree.Tree
	program   statetree.Program // with the driver
	function  statetree.Program // without it
	level     int               // count's activation
	tokenizer *tokenizer.Tokenizer
}

func newFixture(t testing.TB) fixture {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "statetree", "grammar", "testdata", "count_berry.recording.json"))
	if err != nil {
		t.Fatal(err)
	}
	var r statetree.Recording
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	f := fixture{TB: t, program: r.Program}
	if f.tree, err = statetree.NewTree(r); err != nil {
		t.Fatal(err)
	}
	f.level, _ = f.tree.EntryLevel()
	code, _, _ := strings.Cut(r.Program.Code, "\ndef main():")
	f.function = statetree.Program{
		Code: code, Origins: r.Program.Origins[:strings.Count(code, "\n")],
		Entry: statetree.Entry{Kind: statetree.FunctionEntry, Text: "count", Function: "count"},
	}
	var texts, specials []string
	forward := f.stepInto()
	backward := statetree.WalkAll(f.tree.Invert().Cursor(f.level), f.function, statetree.InvStepInto)
	var w grammar.Writer
	for _, t := range []*statetree.Trajectory{&forward, &backward} {
		for _, s := range w.AppendTrajectory(nil, t) {
			if s.Special == grammar.NoSpecial {
				texts = append(texts, s.Text)
			}
		}
	}
	for _, s := range grammar.Specials() {
		specials = append(specials, s.String())
	}
	if f.tokenizer, err = tokenizer.Train(slices.Values(texts), 256+20+len(specials), specials); err != nil {
		t.Fatal(err)
	}
	return f
}

// stepInto is the whole run, step by step.
func (f fixture) stepInto() statetree.Trajectory {
	return statetree.WalkAll(f.tree.Cursor(statetree.Whole), f.program, statetree.StepInto)
}

// walk takes actions from the beginning of the run.
func (f fixture) walk(actions ...statetree.Action) statetree.Trajectory {
	return walk(f.tree.Cursor(statetree.Whole), f.program, actions)
}

// walkBack takes inverse actions from count's return.
func (f fixture) walkBack(actions ...statetree.Action) statetree.Trajectory {
	return walk(f.tree.Invert().Cursor(f.level), f.function, actions)
}

func walk(c statetree.Cursor, program statetree.Program, actions []statetree.Action) statetree.Trajectory {
	return statetree.Walk(c, program, 0, func(*statetree.Cursor) (a statetree.Action, ok bool) {
		if len(actions) == 0 {
			return a, false
		}
		a, actions = actions[0], actions[1:]
		return a, true
	})
}

// tokens is the text of a trajectory as a model is trained on it.
func (f fixture) tokens(t *statetree.Trajectory) []int32 {
	f.Helper()
	v, err := newVocabulary(f.tokenizer)
	if err != nil {
		f.Fatal(err)
	}
	var w grammar.Writer
	return v.appendSegments(nil, w.AppendTrajectory(nil, t))
}

// readBack is a trajectory as its text tells it. Backward a text says less than
// the recording: values that did not change yet are not known.
func (f fixture) readBack(t *statetree.Trajectory) statetree.Trajectory {
	f.Helper()
	var w grammar.Writer
	read, err := grammar.Parse(w.AppendTrajectory(nil, t))
	if err != nil {
		f.Fatal(err)
	}
	return read
}

// engine returns a mock engine for the fixture's tokenizer.
func (f fixture) engine(logits func([]int32) []float32) *mockEngine {
	return &mockEngine{vocab: f.tokenizer.Size(), context: 4096, logits: logits}
}

// byHeart returns an engine that knows trajectories by heart.
func (f fixture) byHeart(trajectories ...statetree.Trajectory) *mockEngine {
	var documents [][]int32
	for i := range trajectories {
		documents = append(documents, f.tokens(&trajectories[i]))
	}
	return f.engine(byHeart(f.tokenizer.Size(), 20, documents...))
}

func (f fixture) predictor(e Engine) *Predictor {
	f.Helper()
	// States of this program are short; a mock engine that is lost may go on and on.
	p, err := NewPredictor(e, f.tokenizer, Options{Info: model.Info{Name: "mock"}, MaxStateTokens: 300})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { p.Close() })
	return p
}

// open begins a session where a trajectory begins.
func (f fixture) open(p *Predictor, t *statetree.Trajectory, sampling model.Sampling) *session {
	f.Helper()
	s, _, err := p.Open(f.Context(), model.Context{
		Program: t.Program, Direction: t.Direction, Start: t.Start, Sampling: sampling,
	})
	if err != nil {
		f.Fatal(err)
	}
	return s.(*session)
}

// predict takes one action.
func (f fixture) predict(s model.Session, a statetree.Action) model.Prediction {
	f.Helper()
	p, err := s.Predict(f.Context(), a)
	if err != nil {
		f.Fatalf("%v: %v", a, err)
	}
	return p
}

// action is a shorthand.
func action(kind statetree.ActionKind) statetree.Action { return statetree.Action{Kind: kind} }

func breakpoint(source string) statetree.Action {
	return statetree.Action{Kind: statetree.Breakpoint, Source: source}
}
