package adapter_test

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-dap"
	"github.com/rs/zerolog"

	"github.com/neuraldbg/neuraldbg/adapter"
	"github.com/neuraldbg/neuraldbg/adapter/daptest"
	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/model/replay"
	"github.com/neuraldbg/neuraldbg/statetree/record"
)

func TestExitStaysUntilTheNextContinue(t *testing.T) {
	s := launchCount(t)
	s.Continue()
	if stop := s.ExpectStopped("pause"); stop.Description != "Predicted exit: normal" {
		t.Errorf("description %q", stop.Description)
	}
	s.ExpectStack("main (ended):8")
	s.StepBack()
	s.ExpectStopped("step")
	s.ExpectLocal("(return) main", "2")
	s.Next()
	s.ExpectStopped("pause")
	s.Next() // stays at the exit
	s.ExpectStopped("pause")
	before := len(s.Client.Transcript())
	s.Continue()
	s.ExpectEnd(0)
	got := daptest.Names(s.Client.Transcript()[before:])
	want := []string{"response:threads", "response:continue", "event:output", "event:exited", "event:terminated"}
	if !slices.Equal(got, want) {
		t.Errorf("at the end came %q; want %q", got, want)
	}
	s.ExpectError("next", map[string]any{"threadId": 1}, "ended")
	s.Disconnect()
}

// TestOrder: a response always comes before the events that its request causes.
func TestOrder(t *testing.T) {
	s := launchCount(t, 4)
	s.Next()
	s.ExpectStopped("")
	s.Continue()
	s.ExpectStopped("")
	s.Disconnect()
	names := daptest.Names(s.Client.Transcript())
	var got []string
	for _, n := range names {
		if n != "response:threads" && n != "event:output" {
			got = append(got, n)
		}
	}
	want := []string{"response:initialize", "event:initialized", "response:launch", "event:progressStart", "event:progressEnd",
		"response:setBreakpoints", "response:configurationDone", "event:stopped", "response:next", "event:stopped",
		"response:continue", "event:stopped", "response:disconnect"}
	// The model is loaded while the client configures.
	slices.Sort(got[3:7])
	slices.Sort(want[3:7])
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	for i, m := range s.Client.Transcript() {
		if m.GetSeq() != i+1 {
			t.Fatalf("message %d has seq %d", i+1, m.GetSeq())
		}
	}
}

// TestConfigurationBeforeLaunch: debugging begins when both are there.
func TestConfigurationBeforeLaunch(t *testing.T) {
	s := connect(t, replaying(t, "main()"))
	program := testdata(t, "count_berry.py")
	s.Initialize()
	b := s.SetBreakpoints(program, 4)
	if len(b) != 1 || b[0].Id != 1 {
		t.Errorf("breakpoints before launch: %+v", b)
	}
	s.ConfigurationDone()
	s.Launch(map[string]any{"program": program, "entry": "main()", "stopOnEntry": false, "__sessionId": "VS Code adds keys"})
	s.ExpectStopped("breakpoint")
	s.ExpectLocal("c", "'b'")
	s.Disconnect()
}

func TestRestart(t *testing.T) {
	s := launchCount(t, 4)
	s.Continue()
	s.ExpectStopped("breakpoint")
	s.Request("restart", nil)
	s.ExpectStopped("entry")
	s.ExpectStack("main (call):7")
	s.Continue()
	s.ExpectStopped("breakpoint")
	s.Disconnect()
}

// recorded is a predictor that records a file as it is when a session opens.
type recorded struct{ file, entry string }

func (recorded) Info() model.Info { return model.Info{Name: "recorded"} }
func (recorded) Close() error     { return nil }

func (p recorded) Open(ctx context.Context, c model.Context) (model.Session, model.Prediction, error) {
	r, err := record.Record(ctx, record.Options{File: p.file, Entry: p.entry})
	if err != nil {
		return nil, model.Prediction{}, err
	}
	inner, err := replay.New(r)
	if err != nil {
		return nil, model.Prediction{}, err
	}
	return inner.Open(ctx, c)
}

// TestRestartReadsTheSourceAnew, after the session has told that it changed.
func TestRestartReadsTheSourceAnew(t *testing.T) {
	program := filepath.Join(t.TempDir(), "program.py")
	write := func(text string, at time.Time) {
		if err := os.WriteFile(program, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(program, at, at); err != nil {
			t.Fatal(err)
		}
	}
	write("def f(x):\n    y = x\n    return y\n", time.Unix(1000, 0))
	s := connect(t, func(context.Context, adapter.LaunchConfig) (model.Predictor, error) {
		return recorded{program, "f(1)"}, nil
	})
	s.Initialize()
	s.SetBreakpoints(program, 3)
	s.Launch(map[string]any{"program": program, "entry": "f", "arguments": map[string]string{"x": "1"}})
	s.ConfigurationDone()
	s.ExpectStopped("entry")
	write("def f(x):\n    y = x\n\n    return y\n", time.Unix(2000, 0))
	s.Next()
	s.ExpectStopped("step")
	told := false
	for _, m := range s.Client.Transcript() {
		if o, ok := m.(*dap.OutputEvent); ok && strings.Contains(o.Body.Output, "has changed") {
			told = true
		}
	}
	if !told {
		t.Error("the session did not tell that the file has changed")
	}
	s.Request("restart", nil)
	e, err := s.Client.Event("breakpoint")
	if err != nil {
		t.Fatal(err)
	}
	if b := e.(*dap.BreakpointEvent).Body.Breakpoint; b.Line != 4 || b.Id != 1 {
		t.Errorf("after the restart the breakpoint is %+v; want it at line 4", b)
	}
	s.ExpectStopped("entry")
	s.Disconnect()
}

func TestTerminate(t *testing.T) {
	s := launchCount(t)
	s.Request("terminate", nil)
	if _, err := s.Client.Event("terminated"); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"launch", "restart"} {
		s.ExpectError(command, map[string]any{"program": testdata(t, "count_berry.py")}, "begin a new session")
	}
	s.Disconnect()
}

func TestEndOfInputEndsTheSession(t *testing.T) {
	launchCount(t) // the cleanup closes the connection, and checks
}

// TestTCP: sessions are independent, and one that breaks leaves the others
// alone.
func TestTCP(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	server := &adapter.Server{Factory: replaying(t, "main()"), Log: zerolog.Nop()}
	address := make(chan net.Addr, 1)
	served := make(chan error, 1)
	go func() { served <- server.ListenAndServe(ctx, "127.0.0.1:0", func(a net.Addr) { address <- a }) }()
	addr := (<-address).String()
	dial := func() *daptest.Script {
		c, err := daptest.Dial(ctx, addr)
		if err != nil {
			t.Fatal(err)
		}
		return daptest.NewScript(t, c)
	}
	one, two, broken := dial(), dial(), dial()
	if err := broken.Client.WriteRaw([]byte("GET / HTTP/1.1\r\n\r\n")); err != nil {
		t.Fatal(err)
	}
	if err := broken.Client.WaitClosed(); err != nil {
		t.Error(err)
	}
	program := testdata(t, "count_berry.py")
	for _, s := range []*daptest.Script{one, two} {
		s.Initialize()
		s.Launch(map[string]any{"program": program, "entry": "main()"})
		s.ConfigurationDone()
		s.ExpectStopped("entry")
	}
	one.Next()
	one.ExpectStopped("step")
	one.ExpectLine(8)
	two.ExpectLine(7)
	one.Disconnect()
	two.Next()
	two.ExpectStopped("step")
	cancel()
	if err := two.Client.WaitClosed(); err != nil {
		t.Error(err)
	}
	select {
	case err := <-served:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(patience):
		t.Error("the server did not stop")
	}
	for _, s := range []*daptest.Script{one, two, broken} {
		s.Client.Close()
	}
	checkLeaks(t)
}

// TestAModelThatIsNoneFailsTheLaunch: what the check says answers the launch, and
// the client may launch again.
func TestAModelThatIsNoneFailsTheLaunch(t *testing.T) {
	server := &adapter.Server{
		Check: func(c adapter.LaunchConfig) error {
			if c.Tokenizer == "" {
				return errors.New("no tokenizer")
			}
			return nil
		},
		Factory: replaying(t, "main()"), Log: zerolog.Nop(),
	}
	s := daptest.NewScript(t, daptest.Serve(t.Context(), server.Serve))
	s.Initialize()
	launch := map[string]any{"program": testdata(t, "count_berry.py"), "entry": "main()"}
	s.ExpectError("launch", launch, "no tokenizer")
	launch["tokenizer"] = "folder"
	s.Launch(launch)
	s.ConfigurationDone()
	s.ExpectStopped("entry")
	s.ExpectError("restart", map[string]any{"arguments": map[string]any{"program": launch["program"], "tokenizer": "other"}}, "tokenizer")
	s.Disconnect()
	if err := s.Client.Close(); err != nil {
		t.Error(err)
	}
}
