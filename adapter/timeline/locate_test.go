package timeline_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/neuraldbg/neuraldbg/adapter/timeline"
	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/model/replay"
	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/record"
)

// textOnly is a predictor whose states say what the text form says: no file, no
// line, no function. It keeps the whole of the last one.
type textOnly struct {
	model.Predictor
	truth statetree.State
	ended bool
}

func (p *textOnly) Open(ctx context.Context, c model.Context) (model.Session, model.Prediction, error) {
	session, first, err := p.Predictor.Open(ctx, c)
	return &textOnlySession{session, p}, first, err
}

type textOnlySession struct {
	model.Session
	predictor *textOnly
}

func (s *textOnlySession) Predict(ctx context.Context, a statetree.Action) (model.Prediction, error) {
	p, err := s.Session.Predict(ctx, a)
	s.predictor.truth, s.predictor.ended = p.State, p.Ended()
	p.State.File, p.State.Line, p.State.Function = "", 0, ""
	return p, err
}

// TestPlacesOfStatesWithoutLines walks at random through programs with identical
// lines, and compares where the timeline says each state is with where it was.
func TestPlacesOfStatesWithoutLines(t *testing.T) {
	for _, file := range []string{"testdata/count_berry.py", "testdata/ledger.py", "testdata/twins.py"} {
		recording, err := record.Record(context.Background(), record.Options{File: file, Entry: "main()"})
		if err != nil {
			t.Fatal(err)
		}
		states := 0
		for seed := range uint64(40) {
			inner, err := replay.New(recording)
			if err != nil {
				t.Fatal(err)
			}
			p := &textOnly{Predictor: inner}
			f := opened(t, p, timeline.Launch{Path: file, Entry: "main()"}, timeline.Options{})
			random := rand.New(rand.NewPCG(seed, 1))
			for !p.ended {
				move := f.StepInstruction
				switch n := random.IntN(12); {
				case n == 0:
					move = f.StepOut
				case n < 4:
					move = f.StepOver
				}
				if _, err := move(context.Background()); errors.Is(err, model.ErrExited) {
					break
				} else if err != nil {
					t.Fatal(err)
				}
				if got := f.Current().State; !p.ended && (got.Line != p.truth.Line || got.Function != p.truth.Function || got.File != p.truth.File) {
					t.Fatalf("%s, seed %d: %s state %q is placed at %s:%d in %s; it was at %s:%d in %s", file, seed,
						got.Event, got.Source, got.File, got.Line, got.Function, p.truth.File, p.truth.Line, p.truth.Function)
				}
				states++
			}
		}
		t.Logf("%s: %d states placed", file, states)
	}
}

// TestDepthIsThatOfTheRecording: step_into all through, the depth of the stack
// is the number of activations open.
func TestDepthIsThatOfTheRecording(t *testing.T) {
	const file = "testdata/twins.py"
	recording, err := record.Record(context.Background(), record.Options{File: file, Entry: "main()"})
	if err != nil {
		t.Fatal(err)
	}
	f := replaying(t, timeline.Launch{Path: file, Entry: "main()"})
	depth := 0
	for i, state := range recording.States {
		if state.Event == statetree.Call {
			depth++
		}
		e := f.Current()
		if len(e.Stack) != depth || e.Stack[0].Function != state.Function || e.Stack[0].Line != state.Line {
			t.Fatalf("state %d, %s:%d: the stack has %d frames, at %s:%d; want %d",
				i, state.Function, state.Line, len(e.Stack), e.Stack[0].Function, e.Stack[0].Line, depth)
		}
		if state.Event == statetree.Return {
			depth--
		}
		f.do("instruction", f.StepInstruction)
	}
	if e := f.Current(); e.Exit != statetree.ExitNormal {
		t.Errorf("the run ends with %s; want a normal exit", e.Exit)
	}
}
