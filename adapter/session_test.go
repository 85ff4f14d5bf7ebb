package adapter_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
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

// patience is how long a test waits for what will come unless there is a bug.
const patience = time.Minute

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

func checkLeaks(t testing.TB) {
	t.Helper()
	for _, stack := range daptest.Leaks("neuraldbg/adapter") {
		t.Errorf("left behind:\n%s", stack)
	}
}

// testdata returns the path of one of the programs that the timeline's tests use
// too.
func testdata(t testing.TB, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("timeline", "testdata", name))
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
	s.ExpectError("setBreakpoints", map[string]any{"source": "x"}, "arguments.source is a string; it must be an object")
	s.ExpectError("setBreakpoints", []int{1}, "arguments is an array; it must be an object")
	s.ExpectError("setBreakpoints", map[string]any{"source": map[string]any{"path": program}, "breakpoints": []any{map[string]any{"line": 1.5}}},
		"line is 1.5; it must be a whole number")
	s.ExpectError("launch", map[string]any{"program": program, "from": map[string]any{"event": 7}}, "from.event is a number; it must be a string")
	s.ExpectError("launch", map[string]any{"program": program, "seed": -1}, "seed is -1; it must be a whole number from 0")
	s.Launch(map[string]any{"program": program, "entry": "main()"})
	s.ExpectError("launch", map[string]any{"program": program}, "twice")
	s.ConfigurationDone()
	s.ExpectStopped("entry")
	s.ExpectError("stackTrace", map[string]any{"threadId": 99}, "no thread 99")
	s.ExpectError("continue", map[string]any{}, "no thread 0")
	s.ExpectError("restart", map[string]any{"arguments": []int{1}}, "must be an object")
	s.ExpectError("restart", "nonsense", "must be an object")
	s.ExpectError("scopes", map[string]any{"frameId": 99}, "not valid any more")
	s.ExpectError("variables", map[string]any{"variablesReference": 99}, "not valid any more")
	s.ExpectError("variables", map[string]any{"variablesReference": "1"}, "variablesReference is a string; it must be a whole number")
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
	other := map[string]any{"path": testdata(t, "exceptions.py")}
	s.ExpectError("source", map[string]any{"sourceReference": 0, "source": other}, "not part of the program")
	s.Disconnect()
}

// TestFilesThatAreNotOrdinary are refused: reading a pipe would hold up the
// session for ever.
func TestFilesThatAreNotOrdinary(t *testing.T) {
	s := connect(t, replaying(t, "main()"))
	s.Initialize()
	for path, why := range map[string]string{os.DevNull: "not an ordinary file", t.TempDir(): "is a folder"} {
		s.ExpectError("launch", map[string]any{"program": path}, why)
		if b := s.SetBreakpoints(path, 1); b[0].Verified || !strings.Contains(b[0].Message, why) {
			t.Errorf("a breakpoint in %s: %+v", path, b[0])
		}
	}
	large := filepath.Join(t.TempDir(), "large.py")
	if err := os.WriteFile(large, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(large, 1<<30); err != nil {
		t.Fatal(err)
	}
	s.ExpectError("launch", map[string]any{"program": large}, "are not read")
	s.Disconnect()
}
