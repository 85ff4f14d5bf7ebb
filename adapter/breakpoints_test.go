package adapter_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-dap"
	"github.com/rs/zerolog"

	"github.com/neuraldbg/neuraldbg/adapter"
	"github.com/neuraldbg/neuraldbg/adapter/daptest"
)

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

// TestLineZero: the first line of a file is line 0 for such clients, and is in the
// answer.
func TestLineZero(t *testing.T) {
	conn := &recorder{}
	server := &adapter.Server{Factory: replaying(t, "main()"), Log: zerolog.Nop()}
	client := daptest.Serve(context.Background(), func(ctx context.Context, c io.ReadWriteCloser) error {
		conn.ReadWriteCloser = c
		return server.Serve(ctx, conn)
	})
	s := daptest.NewScript(t, client)
	if _, err := s.Client.InitializeAs(map[string]any{"adapterID": "x", "linesStartAt1": false}); err != nil {
		t.Fatal(err)
	}
	s.SetBreakpoints(testdata(t, "count_berry.py"), 0)
	s.Disconnect()
	if err := client.Close(); err != nil {
		t.Error(err)
	}
	if text := conn.text(); !strings.Contains(text, `"line":0`) {
		t.Errorf("no line 0 in %s", text)
	}
	checkLeaks(t)
}

// TestLinesFromOne is what the protocol wants of a client that does not say.
func TestLinesFromOne(t *testing.T) {
	s := connect(t, replaying(t, "main()"))
	if _, err := s.Client.InitializeAs(map[string]any{"adapterID": "x"}); err != nil {
		t.Fatal(err)
	}
	if b := s.SetBreakpoints(testdata(t, "count_berry.py"), 6); b[0].Line != 7 {
		t.Errorf("the blank line 6 was moved to %d; want 7", b[0].Line)
	}
	s.Disconnect()
}

// TestFunctionBreakpointsBeforeTheLaunch: whether there is such a function is
// told when the program is known.
func TestFunctionBreakpointsBeforeTheLaunch(t *testing.T) {
	s := connect(t, replaying(t, "main()"))
	s.Initialize()
	r := s.Request("setFunctionBreakpoints", map[string]any{"breakpoints": []any{
		map[string]any{"name": "count"}, map[string]any{"name": "nothing"}}}).(*dap.SetFunctionBreakpointsResponse)
	s.Launch(map[string]any{"program": testdata(t, "count_berry.py"), "entry": "main()"})
	e, err := s.Client.Event("breakpoint")
	if err != nil {
		t.Fatal(err)
	}
	if b := e.(*dap.BreakpointEvent).Body.Breakpoint; b.Id != r.Body.Breakpoints[1].Id || b.Verified || b.Message == "" {
		t.Errorf("told about %+v; want the breakpoint on nothing", b)
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
	s.ExpectStopped("function breakpoint")
	s.ExpectStack("count (call):1", "[callers not predicted]:0", "main:7")
	s.ExpectLocal("t", "'r'")
	s.Disconnect()
}
