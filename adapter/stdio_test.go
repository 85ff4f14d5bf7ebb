package adapter_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/rs/zerolog"

	"github.com/neuraldbg/neuraldbg/adapter"
	"github.com/neuraldbg/neuraldbg/adapter/daptest"
	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/model/replay"
	"github.com/neuraldbg/neuraldbg/statetree/record"
)

// asAdapter makes the test binary an adapter on its standard input and output.
const asAdapter = "NEURALDBG_TEST_AS_ADAPTER"

// What such an adapter predicts with.
const (
	replays = "replay"
	walks   = "walker"
)

// traceToReplay names the recording that such an adapter replays; without it, it
// records the launch itself.
const traceToReplay = "NEURALDBG_TEST_TRACE"

func TestMain(m *testing.M) {
	if os.Getenv(asAdapter) != "" {
		os.Exit(serveStdio())
	}
	os.Exit(m.Run())
}

// serveStdio replays a recording, and logs all there is to log, so
// that what does not belong on standard output would be seen there.
func serveStdio() int {
	server := &adapter.Server{
		Factory: func(ctx context.Context, c adapter.LaunchConfig) (model.Predictor, error) {
			if os.Getenv(asAdapter) == walks {
				return walker{}, nil
			}
			if trace := os.Getenv(traceToReplay); trace != "" {
				r, err := record.Open(trace)
				if err != nil {
					return nil, err
				}
				return replay.New(r)
			}
			r, err := record.Record(ctx, record.Options{File: c.Program, Entry: c.Entry})
			if err != nil {
				return nil, err
			}
			return replay.New(r)
		},
		Log: zerolog.New(os.Stderr),
	}
	if err := server.Serve(context.Background(), stdio{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

type stdio struct{}

func (stdio) Read(p []byte) (int, error)  { return os.Stdin.Read(p) }
func (stdio) Write(p []byte) (int, error) { return os.Stdout.Write(p) }
func (stdio) Close() error                { return os.Stdin.Close() }

// TestStdio drives an adapter process; it exits with 0 when the client
// disconnects and when its input ends.
func TestStdio(t *testing.T) {
	t.Setenv(asAdapter, replays)
	for _, disconnect := range []bool{true, false} {
		client, err := daptest.Start(context.Background(), os.Args[0])
		if err != nil {
			t.Fatal(err)
		}
		s := daptest.NewScript(t, client)
		program := testdata(t, "count_berry.py")
		s.Initialize()
		s.Launch(map[string]any{"program": program, "entry": `count("berry", "r")`})
		s.SetBreakpoints(program, 5)
		s.ConfigurationDone()
		s.ExpectStopped("entry")
		s.Continue()
		s.ExpectStopped("breakpoint")
		s.ExpectLocal("n", "2")
		if disconnect {
			s.Disconnect()
		}
		if err := client.Close(); err != nil {
			t.Errorf("disconnect %v: the adapter ended with %v", disconnect, err)
		}
	}
	checkLeaks(t)
}
