package adapter_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/google/go-dap"

	"github.com/neuraldbg/neuraldbg/adapter"
	"github.com/neuraldbg/neuraldbg/model"
)

// TestManyRequestsAtOnce: a client that sends requests of all kinds without
// waiting gets one answer to each, and the session lives.
func TestManyRequestsAtOnce(t *testing.T) {
	program := testdata(t, "count_berry.py")
	thread := map[string]any{"threadId": 1}
	requests := []struct {
		command   string
		arguments func(r *rand.Rand) any
	}{
		{"next", func(*rand.Rand) any { return thread }},
		{"stepIn", func(*rand.Rand) any { return thread }},
		{"stepOut", func(*rand.Rand) any { return thread }},
		{"stepBack", func(*rand.Rand) any { return thread }},
		{"continue", func(*rand.Rand) any { return thread }},
		{"reverseContinue", func(*rand.Rand) any { return thread }},
		{"pause", func(*rand.Rand) any { return thread }},
		{"restart", func(*rand.Rand) any { return nil }},
		{"stackTrace", func(*rand.Rand) any { return thread }},
		{"restartFrame", func(r *rand.Rand) any { return map[string]any{"frameId": r.IntN(50)} }},
		{"scopes", func(r *rand.Rand) any { return map[string]any{"frameId": r.IntN(50)} }},
		{"variables", func(r *rand.Rand) any { return map[string]any{"variablesReference": r.IntN(50)} }},
		{"setVariable", func(r *rand.Rand) any {
			return map[string]any{"variablesReference": r.IntN(50), "name": "n", "value": "7"}
		}},
		{"evaluate", func(*rand.Rand) any { return map[string]any{"expression": "s[0]"} }},
		{"cancel", func(r *rand.Rand) any { return map[string]any{"requestId": r.IntN(500)} }},
		{"setBreakpoints", func(r *rand.Rand) any {
			lines := make([]dap.SourceBreakpoint, r.IntN(3))
			for i := range lines {
				lines[i].Line = r.IntN(10)
			}
			return map[string]any{"source": map[string]any{"path": program}, "breakpoints": lines}
		}},
	}
	for seed := range uint64(3) {
		r := rand.New(rand.NewPCG(seed, 0))
		s := connect(t, func(ctx context.Context, c adapter.LaunchConfig) (model.Predictor, error) {
			return replaying(t, "main()")(ctx, c)
		})
		s.Initialize()
		s.Launch(map[string]any{"program": program, "entry": "main()"})
		s.ConfigurationDone()
		sent := map[int]string{}
		for range 300 {
			request := requests[r.IntN(len(requests))]
			seq, err := s.Client.Send(request.command, request.arguments(r))
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			sent[seq] = request.command
		}
		s.Request("threads", nil)
		s.Disconnect()
		answers := map[int]int{}
		for i, m := range s.Client.Transcript() {
			if m.GetSeq() != i+1 {
				t.Fatalf("seed %d: message %d has seq %d", seed, i+1, m.GetSeq())
			}
			if response, ok := m.(dap.ResponseMessage); ok {
				answers[response.GetResponse().RequestSeq]++
			}
		}
		for seq, command := range sent {
			if n := answers[seq]; n != 1 {
				t.Errorf("seed %d: request %d, %s, was answered %d times", seed, seq, command, n)
			}
		}
	}
}
