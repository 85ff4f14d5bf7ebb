package adapter_test

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-dap"
	"github.com/rs/zerolog"

	"github.com/neuraldbg/neuraldbg/adapter"
	"github.com/neuraldbg/neuraldbg/adapter/daptest"
	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/model/replay"
	"github.com/neuraldbg/neuraldbg/statetree/record"
)

// subject is a program that a test debugs, and the call whose recording answers.
type subject struct {
	path string
	call string
}

// written is a subject with the given text.
func written(t testing.TB, text, call string) subject {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program.py")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return subject{path, call}
}

// overTransports has a conversation with a replaying adapter over its standard
// input and output, and over TCP. After each, nothing may be left behind.
func (p subject) overTransports(t *testing.T, talk func(t *testing.T, s *daptest.Script)) {
	t.Helper()
	trace := filepath.Join(t.TempDir(), "run.trace")
	recording, err := record.Record(context.Background(), record.Options{File: p.path, Entry: p.call, Trace: trace})
	if err != nil {
		t.Fatal(err)
	}
	overTransports(t, replays, trace, func(context.Context, adapter.LaunchConfig) (model.Predictor, error) { return replay.New(recording) }, talk)
}

// overTransports has a conversation with an adapter process, and with a server
// of this one.
func overTransports(t *testing.T, kind, trace string, factory adapter.PredictorFactory, talk func(t *testing.T, s *daptest.Script)) {
	t.Helper()
	t.Run("stdio", func(t *testing.T) {
		t.Setenv(asAdapter, kind)
		t.Setenv(traceToReplay, trace)
		client, err := daptest.Start(context.Background(), os.Args[0])
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := client.Close(); err != nil {
				t.Errorf("the adapter ended with %v", err)
			}
			checkLeaks(t)
		})
		talk(t, daptest.NewScript(t, client))
	})
	t.Run("TCP", func(t *testing.T) { talk(t, dial(t, listen(t, factory))) })
}

// listen starts a server on a TCP address, which it returns. When the test ends,
// it must stop and leave nothing behind.
func listen(t testing.TB, factory adapter.PredictorFactory) (address string) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	server := &adapter.Server{Factory: factory, Log: zerolog.Nop()}
	ready, served := make(chan net.Addr, 1), make(chan error, 1)
	go func() { served <- server.ListenAndServe(ctx, "127.0.0.1:0", func(a net.Addr) { ready <- a }) }()
	t.Cleanup(func() {
		cancel()
		if err := <-served; err != nil {
			t.Error(err)
		}
		checkLeaks(t)
	})
	return (<-ready).String()
}

// dial connects to a server.
func dial(t testing.TB, address string) *daptest.Script {
	t.Helper()
	client, err := daptest.Dial(context.Background(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	return daptest.NewScript(t, client)
}

// launch begins a session that is stopped at its entry. more are launch keys.
func (p subject) launch(s *daptest.Script, more ...map[string]any) {
	config := map[string]any{"program": p.path, "entry": p.call}
	for _, keys := range more {
		for key, value := range keys {
			config[key] = value
		}
	}
	s.Initialize()
	s.Launch(config)
	s.ConfigurationDone()
	s.ExpectStopped("entry")
}

// set sets breakpoints with modifiers and returns the adapter's answers.
func (p subject) set(s *daptest.Script, breakpoints ...map[string]any) []dap.Breakpoint {
	r := s.Request("setBreakpoints", map[string]any{"source": map[string]any{"path": p.path}, "breakpoints": breakpoints})
	return r.(*dap.SetBreakpointsResponse).Body.Breakpoints
}

// output returns what a category of the console has received, one string.
func output(s *daptest.Script, category string) string {
	var b strings.Builder
	for _, m := range s.Client.Transcript() {
		if o, ok := m.(*dap.OutputEvent); ok && o.Body.Category == category {
			b.WriteString(o.Body.Output)
		}
	}
	return b.String()
}
