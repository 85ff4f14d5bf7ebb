package completions

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/model/neural"
	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/grammar"
)

// TestPredictsUnderTheGrammar steps through the program of figure C.1 with a
// model on a server that knows it by heart, but often finds something else, which
// the grammar forbids, the most probable.
func TestPredictsUnderTheGrammar(t *testing.T) {
	for _, form := range []string{"vllm", "openai", "llama.cpp"} {
		t.Run(form, func(t *testing.T) {
			s := newTestServer(t, form, nil)
			run := recordedRun(t)
			s.document = s.tokens(&run)
			frame, _ := s.tok.Special("<|frame_sep|>")
			for at := 120; at < len(s.document); at += 37 {
				if s.document[at] != frame {
					s.unsure[at] = frame // cannot be within a text
				}
			}
			e := s.open(t, nil)
			p, err := neural.NewPredictor(e, s.tok, neural.Options{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { p.Close() })
			session, _, err := p.Open(t.Context(), model.Context{Program: run.Program, Start: run.Start})
			if err != nil {
				t.Fatal(err)
			}
			tokens := 0
			for i, step := range run.Steps {
				got, err := session.Predict(t.Context(), step.Action)
				if err != nil {
					t.Fatalf("step %d: %v", i+1, err)
				}
				if got.Exit != step.Outcome.Exit || !got.State.Matches(step.Outcome.State) {
					t.Fatalf("step %d:\n got %+v\nwant %+v", i+1, got.Outcome, step.Outcome)
				}
				if c := got.Confidence.State; !(c > 0 && c <= 1) {
					t.Errorf("step %d: confidence %g", i+1, c)
				}
				tokens += got.Tokens
			}
			if n := int(e.requests.Load()); n > tokens/3 {
				t.Errorf("%d requests for %d tokens", n, tokens)
			}
		})
	}
}

func recordedRun(t *testing.T) statetree.Trajectory {
	t.Helper()
	text, err := os.ReadFile("../../statetree/grammar/testdata/count_berry.recording.json")
	if err != nil {
		t.Fatal(err)
	}
	var r statetree.Recording
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	tree, err := statetree.NewTree(r)
	if err != nil {
		t.Fatal(err)
	}
	return statetree.WalkAll(tree.Cursor(statetree.Whole), r.Program, statetree.StepInto)
}

// tokens is the text of a trajectory.
func (s *testServer) tokens(run *statetree.Trajectory) []int32 {
	var ids []int32
	var w grammar.Writer
	for _, segment := range w.AppendTrajectory(nil, run) {
		if segment.Special == grammar.NoSpecial {
			ids = s.tok.Encode(ids, segment.Text)
		} else {
			id, _ := s.tok.Special(segment.Special.String())
			ids = append(ids, id)
		}
	}
	return slices.Clip(ids)
}
