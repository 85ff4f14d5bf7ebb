package adapter_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/neuraldbg/neuraldbg/adapter"
	"github.com/neuraldbg/neuraldbg/adapter/daptest"
	"github.com/neuraldbg/neuraldbg/adapter/timeline"
	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// diver is a predictor of a recursion: step_into calls the function again, to a
// depth; there the frame has many variables and every other step counts i up.
type diver struct{ depth, variables int }

const diving = "def f(n):\n    i = 0\n    return f(n)\n"

func (diver) Info() model.Info { return model.Info{Name: "diver"} }
func (diver) Close() error     { return nil }

func (p diver) Open(_ context.Context, c model.Context) (model.Session, model.Prediction, error) {
	s := &diverSession{diver: p, start: c.Start}
	for i := range p.variables {
		s.locals = append(s.locals, statetree.Local{Name: fmt.Sprintf("v%05d", i), Repr: "[1, 'two', {3: 4.0}]"})
	}
	return s, model.Prediction{Outcome: statetree.Outcome{State: c.Start}, Confidence: model.Certain()}, nil
}

type diverSession struct {
	diver
	start  statetree.State
	locals statetree.Locals
	steps  int
}

func (s *diverSession) Predict(context.Context, statetree.Action) (model.Prediction, error) {
	s.steps++
	state := s.start
	if s.steps < s.depth {
		state.Locals = statetree.Locals{{Name: "n", Repr: fmt.Sprint(s.steps)}}
		return model.Prediction{Outcome: statetree.Outcome{State: state}, Confidence: model.Certain()}, nil
	}
	state.Event, state.Line, state.Source = statetree.Line, 2+s.steps%2, []string{"    i = 0", "    return f(n)"}[s.steps%2]
	state.Locals = append(slices.Clone(s.locals), statetree.Local{Name: "i", Repr: fmt.Sprint(s.steps)})
	return model.Prediction{Outcome: statetree.Outcome{State: state}, Confidence: model.Certain()}, nil
}

func (s *diverSession) Adopt(model.Step) error     { s.steps++; return nil }
func (s *diverSession) Rewind(n int) error         { s.steps -= n; return nil }
func (s *diverSession) Edit(statetree.State) error { return nil }
func (s *diverSession) Close() error               { return nil }

// dive begins a session at the bottom of a recursion.
func dive(b *testing.B, p diver) *daptest.Script {
	b.Helper()
	server := &adapter.Server{Log: zerolog.Nop(), Factory: func(context.Context, adapter.LaunchConfig) (model.Predictor, error) { return p, nil }}
	client := daptest.Serve(context.Background(), server.Serve)
	client.Timeout = 5 * time.Minute
	b.Cleanup(func() { client.Close() })
	s := daptest.NewScript(b, client)
	written(b, diving, "f").launch(s, map[string]any{"arguments": map[string]string{"n": "1"}, "continueStrategy": "step", "maxSteps": p.depth})
	s.Continue()
	s.ExpectStopped("")
	return s
}

// BenchmarkRequests measures requests that need no prediction, with a stack of
// 1,000 frames and 10,000 variables in the innermost.
func BenchmarkRequests(b *testing.B) {
	s := dive(b, diver{depth: 1000, variables: 10000})
	frame := s.StackTrace()[0].Id
	scopes, err := s.Client.Scopes(frame)
	if err != nil {
		b.Fatal(err)
	}
	locals := scopes[0].VariablesReference
	for _, request := range []struct {
		name, command string
		arguments     map[string]any
	}{
		{"threads", "threads", nil},
		{"top", "stackTrace", map[string]any{"threadId": 1, "levels": 1}},
		{"page", "stackTrace", map[string]any{"threadId": 1, "startFrame": 1, "levels": 19}},
		{"stack", "stackTrace", map[string]any{"threadId": 1}},
		{"scopes", "scopes", map[string]any{"frameId": frame}},
		{"variables", "variables", map[string]any{"variablesReference": locals, "start": 5000, "count": 100}},
		{"all variables", "variables", map[string]any{"variablesReference": locals}},
		{"evaluate", "evaluate", map[string]any{"expression": "v09999[1]", "context": "watch", "frameId": frame}},
		{"hover", "evaluate", map[string]any{"expression": "v00001", "context": "hover", "frameId": frame}},
		{"completions", "completions", map[string]any{"text": "v0", "column": 3, "frameId": frame}},
	} {
		b.Run(request.name, func(b *testing.B) {
			for b.Loop() {
				s.Request(request.command, request.arguments)
			}
		})
	}
}

// BenchmarkMemory measures what a state on a timeline takes, over 10,000 steps.
func BenchmarkMemory(b *testing.B) {
	const steps = 10_000
	for _, p := range []diver{{depth: 2, variables: 10}, {depth: 50, variables: 10}} {
		b.Run(fmt.Sprintf("depth %d", p.depth), func(b *testing.B) {
			for b.Loop() {
				target, err := timeline.Load(timeline.Launch{Path: written(b, diving, "f").path, Entry: "f", Arguments: map[string]string{"n": "1"}})
				if err != nil {
					b.Fatal(err)
				}
				before := heap()
				tl := timeline.New(p, target, timeline.Options{})
				if _, err := tl.Open(context.Background()); err != nil {
					b.Fatal(err)
				}
				for range steps {
					if _, err := tl.StepInstruction(context.Background()); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(heap()-before)/steps, "B/state")
				runtime.KeepAlive(tl)
			}
		})
	}
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
