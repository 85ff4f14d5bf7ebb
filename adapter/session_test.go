package adapter_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-dap"
	"github.com/rs/zerolog"

	"github.com/neuraldbg/neuraldbg/adapter"
	"github.com/neuraldbg/neuraldbg/adapter/daptest"
	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/model/replay"
	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/record"
)

// recordings are made once for all tests.
var recordings sync.Map

func recordOnce(t testing.TB, file, entry string) statetree.Recording {
	t.Helper()
	key := file + "\x00" + entry
	if r, ok := recordings.Load(key); ok {
		return r.(statetree.Recording)
	}
	r, err := record.Record(context.Background(), record.Options{File: file, Entry: entry})
	if err != nil {
		t.Fatal(err)
	}
	recordings.Store(key, r)
	return r
}

// replaying is a factory whose predictors replay a recording of a call in the
// launched program.
func replaying(t testing.TB, call string) adapter.PredictorFactory {
	return func(_ context.Context, c adapter.LaunchConfig) (model.Predictor, error) {
		return replay.New(recordOnce(t, c.Program, call))
	}
}

// connect starts a session over an in-memory connection. When the test ends, the
// session must have left nothing behind.
func connect(t *testing.T, factory adapter.PredictorFactory) *daptest.Script {
	t.Helper()
	server := &adapter.Server{Factory: factory, Log: zerolog.Nop()}
	client := daptest.Serve(context.Background(), server.Serve)
	t.Cleanup(func() {
		if err := client.Close(); err != nil {
			t.Errorf("the session ended with %v", err)
		}
		checkLeaks(t)
	})
	return daptest.NewScript(t, client)
}

func checkLeaks(t *testing.T) {
	t.Helper()
	for _, stack := range daptest.Leaks("neuraldbg/adapter") {
		t.Errorf("left behind:\n%s", stack)
	}
}

func testdata(t testing.TB, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// launchCount begins a session on count_berry.py that is stopped at its entry.
func launchCount(t *testing.T, breakpoints ...int) *daptest.Script {
	t.Helper()
	s := connect(t, replaying(t, "main()"))
	program := testdata(t, "count_berry.py")
	s.Initialize()
	s.Launch(map[string]any{"program": program, "entry": "main()"})
	s.SetBreakpoints(program, breakpoints...)
	s.ConfigurationDone()
	s.ExpectStopped("entry")
	return s
}

func TestSteps(t *testing.T) {
	s := launchCount(t)
	s.ExpectStack("main (call):7")
	s.Next()
	s.ExpectStopped("step")
	s.ExpectStack("main:8")
	s.StepIn()
	s.ExpectStopped("step")
	s.ExpectStack("count:2", "main:8")
	s.ExpectLocal("s", "'berry'")
	s.Next()
	s.ExpectStopped("step")
	s.ExpectStack("count:3", "main:8")
	s.ExpectLocal("n", "0")
	s.StepOut()
	s.ExpectStopped("step")
	s.ExpectStack("main (return):8")
	s.ExpectLocal("(return) main", "2")
	s.StepBack()
	s.ExpectStopped("step")
	s.ExpectStack("count (return):5", "main:8")
	s.ExpectLocal("(return) count", "2")
	s.ExpectLocal("n", "0") // the locals of the last line that was shown
	s.Disconnect()
}

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

func TestContinueToBreakpoints(t *testing.T) {
	s := launchCount(t, 4)
	for _, c := range []string{"'b'", "'e'", "'r'", "'r'", "'y'"} {
		s.Continue()
		if stop := s.ExpectStopped("breakpoint"); !slices.Equal(stop.HitBreakpointIds, []int{1}) {
			t.Errorf("hit %v; want [1]", stop.HitBreakpointIds)
		}
		s.ExpectLine(4)
		s.ExpectLocal("c", c)
	}
	s.ReverseContinue()
	s.ExpectStopped("breakpoint")
	s.ExpectLocal("n", "1")
	s.ReverseContinue()
	s.ExpectStopped("breakpoint")
	s.ExpectLocal("n", "0")
	s.Disconnect()
}

// TestBreakpointsAreMoved to executable lines, and the answer says so, in the
// order of the request.
func TestBreakpointsAreMoved(t *testing.T) {
	s := launchCount(t)
	program := testdata(t, "count_berry.py")
	set := s.SetBreakpoints(program, 5, 1, 6, 99, 2)
	for i, want := range []struct {
		line     int
		verified bool
		message  string
	}{
		{5, true, ""},
		{1, true, ""},
		{7, true, "line 6 is blank; moved to line 7"},
		{99, false, "there is no line 99"},
		{2, true, ""},
	} {
		b := set[i]
		if b.Line != want.line || b.Verified != want.verified || !strings.Contains(b.Message, want.message) || (want.message == "") != (b.Message == "") {
			t.Errorf("breakpoint %d: %+v; want %+v", i, b, want)
		}
		if b.Source == nil || b.Source.Path != program {
			t.Errorf("breakpoint %d is in %+v; want the client's path", i, b.Source)
		}
	}
	again := s.SetBreakpoints(program, 1, 5)
	if again[0].Id != set[1].Id || again[1].Id != set[0].Id {
		t.Errorf("ids changed from %d, %d to %d, %d", set[1].Id, set[0].Id, again[0].Id, again[1].Id)
	}
	if other := s.SetBreakpoints(program+".none", 1); other[0].Verified || other[0].Message == "" {
		t.Errorf("in a file that is not there: %+v", other[0])
	}
	s.Continue()
	if stop := s.ExpectStopped("breakpoint"); !slices.Equal(stop.HitBreakpointIds, []int{again[0].Id}) {
		t.Errorf("hit %v; want %d", stop.HitBreakpointIds, again[0].Id)
	}
	s.ExpectStack("count (call):1", "main:8")
	s.Disconnect()
}

// TestPathsThroughLinks: a breakpoint set through a link is the program's,
// whether it is set before the launch or after.
func TestPathsThroughLinks(t *testing.T) {
	program := testdata(t, "count_berry.py")
	link := filepath.Join(t.TempDir(), "link.py")
	if err := os.Symlink(program, link); err != nil {
		t.Skip(err)
	}
	for _, before := range []bool{true, false} {
		s := connect(t, replaying(t, "main()"))
		s.Initialize()
		if before {
			s.SetBreakpoints(link, 4)
		}
		s.Launch(map[string]any{"program": program, "entry": "main()"})
		if !before {
			s.SetBreakpoints(link, 4)
		}
		s.ConfigurationDone()
		s.ExpectStopped("entry")
		s.Continue()
		s.ExpectStopped("breakpoint")
		s.ExpectLine(4)
		s.Disconnect()
	}
}

func TestLinesFromZero(t *testing.T) {
	s := connect(t, replaying(t, "main()"))
	if _, err := s.Client.InitializeAs(map[string]any{"adapterID": "x", "linesStartAt1": false, "columnsStartAt1": false}); err != nil {
		t.Fatal(err)
	}
	program := testdata(t, "count_berry.py")
	s.Launch(map[string]any{"program": program, "entry": "main()", "stopOnEntry": false})
	if b := s.SetBreakpoints(program, 5); b[0].Line != 6 {
		t.Errorf("the blank line 5 was moved to %d; want 6", b[0].Line)
	}
	s.SetBreakpoints(program, 1)
	s.ConfigurationDone()
	s.ExpectStopped("breakpoint")
	if frame := s.StackTrace()[0]; frame.Line != 1 || frame.Column != 0 {
		t.Errorf("at line %d, column %d; want 1, 0", frame.Line, frame.Column)
	}
	s.Disconnect()
}

func TestFunctionBreakpoint(t *testing.T) {
	s := launchCount(t)
	r := s.Request("setFunctionBreakpoints", map[string]any{"breakpoints": []any{
		map[string]any{"name": "count"}, map[string]any{"name": "nothing"}}}).(*dap.SetFunctionBreakpointsResponse)
	if b := r.Body.Breakpoints; len(b) != 2 || !b[0].Verified || b[1].Verified || b[1].Message == "" {
		t.Errorf("answered %+v", b)
	}
	s.Continue()
	s.ExpectStopped("breakpoint")
	s.ExpectStack("count (call):1", "[callers not predicted]:0", "main:7")
	s.ExpectLocal("t", "'r'")
	s.Disconnect()
}

func TestRestartFrame(t *testing.T) {
	s := launchCount(t)
	s.Next()
	s.ExpectStopped("step")
	s.StepIn()
	s.ExpectStopped("step")
	s.Next()
	s.ExpectStopped("step")
	frames := s.StackTrace()
	s.Request("restartFrame", map[string]any{"frameId": frames[0].Id})
	s.ExpectStopped("goto")
	s.ExpectStack("count (call):1", "main:8")
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

func TestBadRequests(t *testing.T) {
	s := connect(t, replaying(t, "main()"))
	program := testdata(t, "count_berry.py")
	s.ExpectError("next", map[string]any{"threadId": 1}, "before initialize")
	s.Initialize()
	s.ExpectError("initialize", map[string]any{"adapterID": "x"}, "twice")
	s.ExpectError("next", map[string]any{"threadId": 1}, "not begun")
	s.ExpectError("launch", nil, "no arguments")
	s.ExpectError("launch", map[string]any{}, "program")
	s.ExpectError("launch", map[string]any{"program": 7}, "program is a number; it must be a string")
	s.ExpectError("launch", map[string]any{"program": program, "temperature": -1}, "temperature")
	s.ExpectError("launch", map[string]any{"program": program, "entry": "nothing(1)"}, "no function nothing")
	s.ExpectError("launch", map[string]any{"program": program + "x"}, "no such file")
	s.ExpectError("frobnicate", nil, "unknown request")
	s.ExpectError("readMemory", map[string]any{"memoryReference": "x", "count": 1}, "not supported")
	s.ExpectError("setBreakpoints", map[string]any{}, "source.path")
	s.ExpectError("setBreakpoints", map[string]any{"source": "x"}, "must be a")
	s.ExpectError("setBreakpoints", "nonsense", "must be a")
	s.Launch(map[string]any{"program": program, "entry": "main()"})
	s.ExpectError("launch", map[string]any{"program": program}, "twice")
	s.ConfigurationDone()
	s.ExpectStopped("entry")
	s.ExpectError("stackTrace", map[string]any{"threadId": 99}, "no thread 99")
	s.ExpectError("scopes", map[string]any{"frameId": 99}, "not valid any more")
	s.ExpectError("variables", map[string]any{"variablesReference": 99}, "not valid any more")
	s.ExpectError("variables", map[string]any{"variablesReference": "1"}, "must be a number")
	s.ExpectError("evaluate", map[string]any{}, "expression is missing")
	s.ExpectError("exceptionInfo", map[string]any{"threadId": 1}, "no exception")
	for _, body := range []string{"{}", "null", "7", "not json!", `{"seq":500,"type":"response"}`, `{"seq":501,"type":"request"}`,
		`{"seq":"x","type":"request","command":"next"}`, `{"seq":502,"type":"request","command":7}`} {
		if err := s.Client.WriteRaw(fmt.Appendf(nil, "content-length:%d\r\nX-Header: y\r\n\r\n%s", len(body), body)); err != nil {
			t.Fatal(err)
		}
	}
	s.Next() // the session lives
	s.ExpectStopped("step")
	s.Disconnect()
}

// TestIDsAreNeverUsedTwice, and one that is stale is refused.
func TestIDsAreNeverUsedTwice(t *testing.T) {
	s := launchCount(t)
	seen := map[int]bool{}
	old := 0
	for range 3 {
		frame := s.StackTrace()[0].Id
		if frame == 0 || seen[frame] {
			t.Errorf("frame id %d: used before, or 0", frame)
		}
		seen[frame] = true
		old = frame
		s.Next()
		s.ExpectStopped("")
	}
	s.ExpectError("scopes", map[string]any{"frameId": old}, "not valid any more")
	s.Disconnect()
}

func TestStackTraceSlices(t *testing.T) {
	s := launchCount(t, 2)
	s.Continue()
	s.ExpectStopped("breakpoint")
	for _, test := range []struct{ start, levels, frames int }{{0, 0, 3}, {0, 1, 1}, {1, 19, 2}, {1, 1, 1}, {3, 1, 0}, {9, 9, 0}} {
		r := s.Request("stackTrace", map[string]any{"threadId": 1, "startFrame": test.start, "levels": test.levels}).(*dap.StackTraceResponse)
		if len(r.Body.StackFrames) != test.frames || r.Body.TotalFrames != 3 {
			t.Errorf("startFrame %d, levels %d: %d of %d frames; want %d of 3",
				test.start, test.levels, len(r.Body.StackFrames), r.Body.TotalFrames, test.frames)
		}
	}
	s.Disconnect()
}

// TestListsAreNeverNull: VS Code hangs on null where it wants a list.
func TestListsAreNeverNull(t *testing.T) {
	conn := &recorder{}
	server := &adapter.Server{Factory: replaying(t, "main()"), Log: zerolog.Nop()}
	client := daptest.Serve(context.Background(), func(ctx context.Context, c io.ReadWriteCloser) error {
		conn.ReadWriteCloser = c
		return server.Serve(ctx, conn)
	})
	s := daptest.NewScript(t, client)
	program := testdata(t, "count_berry.py")
	s.Initialize()
	s.Request("loadedSources", nil)
	s.SetBreakpoints(program)
	s.Request("setExceptionBreakpoints", map[string]any{"filters": []string{}})
	s.Request("setFunctionBreakpoints", map[string]any{"breakpoints": []any{}})
	s.Launch(map[string]any{"program": program, "entry": "main()"})
	s.ConfigurationDone()
	s.ExpectStopped("entry")
	s.Locals()
	s.Disconnect()
	if err := client.Close(); err != nil {
		t.Error(err)
	}
	if text := conn.text(); strings.Contains(text, "null") {
		t.Errorf("null was sent: %s", text)
	}
	checkLeaks(t)
}

// recorder keeps what is written to a connection.
type recorder struct {
	io.ReadWriteCloser
	mu      sync.Mutex
	written []byte
}

func (r *recorder) Write(p []byte) (int, error) {
	r.mu.Lock()
	r.written = append(r.written, p...)
	r.mu.Unlock()
	return r.ReadWriteCloser.Write(p)
}

func (r *recorder) text() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return string(r.written)
}

func TestBackward(t *testing.T) {
	s := connect(t, replaying(t, "main()"))
	s.Initialize()
	s.Launch(map[string]any{"program": testdata(t, "count_berry.py"), "entry": "count",
		"from": map[string]any{"event": "return", "line": 5, "value": "2"}})
	s.ConfigurationDone()
	s.ExpectStopped("entry")
	s.ExpectLocal("(return) count", "2")
	s.StepBack()
	s.ExpectStopped("step")
	s.ExpectLine(5)
	s.ReverseContinue()
	s.ExpectStopped("step")
	s.ExpectLine(1)
	s.ExpectLocal("s", "'berry'")
	if stop := func() dap.StoppedEventBody { s.StepBack(); return s.ExpectStopped("step") }(); !strings.Contains(stop.Description, "before") {
		t.Errorf("at the beginning: %q", stop.Description)
	}
	s.Disconnect()
}

func TestSetVariableOnARecordingIsRefused(t *testing.T) {
	s := launchCount(t, 3)
	s.Continue()
	s.ExpectStopped("breakpoint")
	if _, err := s.Client.SetVariable("n", "7"); err == nil || !strings.Contains(err.Error(), "what-ifs") {
		t.Errorf("got %v; want a refusal", err)
	}
	if v, err := s.Client.SetVariable("n", "0"); err != nil || v != "0" {
		t.Errorf("a change that changes nothing: %q, %v", v, err)
	}
	s.ExpectLocal("n", "0")
	s.Disconnect()
}

func TestSources(t *testing.T) {
	s := connect(t, replaying(t, `count("berry", "r")`))
	program := testdata(t, "count_berry.py")
	s.Initialize()
	s.Launch(map[string]any{"program": program, "entry": `count("berry", "r")`})
	s.ConfigurationDone()
	s.ExpectStopped("entry")
	frame := s.StackTrace()[0]
	if frame.Source == nil || frame.Source.SourceReference == 0 {
		t.Fatalf("the driver's frame has the source %+v; want a reference", frame.Source)
	}
	r := s.Request("source", map[string]any{"sourceReference": frame.Source.SourceReference}).(*dap.SourceResponse)
	if want := "def main_():\n    return count(\"berry\", \"r\")\n"; r.Body.Content != want {
		t.Errorf("the driver's text is %q; want %q", r.Body.Content, want)
	}
	loaded := s.Request("loadedSources", nil).(*dap.LoadedSourcesResponse).Body.Sources
	if len(loaded) != 2 || loaded[0].Path != program {
		t.Errorf("loaded sources: %+v", loaded)
	}
	s.ExpectError("source", map[string]any{"sourceReference": 77}, "no source")
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
	s := connect(t, func(ctx context.Context, c adapter.LaunchConfig) (model.Predictor, error) {
		r, err := record.Record(ctx, record.Options{File: c.Program, Entry: "f(1)"})
		if err != nil {
			return nil, err
		}
		return replay.New(r)
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
	case <-time.After(5 * time.Second):
		t.Error("the server did not stop")
	}
	for _, s := range []*daptest.Script{one, two, broken} {
		s.Client.Close()
	}
	checkLeaks(t)
}
