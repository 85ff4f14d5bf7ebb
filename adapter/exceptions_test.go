package adapter_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-dap"

	"github.com/neuraldbg/neuraldbg/adapter/daptest"
)

// TestExceptions: an exception stops a step with its own reason, it can be asked
// about, and the return that unwinds its frame shows no value.
func TestExceptions(t *testing.T) {
	program := filepath.Join(t.TempDir(), "program.py")
	if err := os.WriteFile(program, []byte("def f(x):\n    return 1 // x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := connect(t, replaying(t, "f(0)"))
	s.Initialize()
	s.Launch(map[string]any{"program": program, "entry": "f", "arguments": map[string]string{"x": "0"}})
	s.ConfigurationDone()
	s.ExpectStopped("entry")
	s.Next()
	s.ExpectStopped("step")
	s.Next()
	const zero = "ZeroDivisionError('integer division or modulo by zero')"
	if stop := s.ExpectStopped("exception"); stop.Text != zero || stop.Description != "Predicted exception: "+zero {
		t.Errorf("stopped with %+v", stop)
	}
	s.ExpectLocal("(exception)", zero)
	s.ExpectLocal("x", "0")
	info := s.Request("exceptionInfo", map[string]any{"threadId": 1}).(*dap.ExceptionInfoResponse).Body
	if info.ExceptionId != "ZeroDivisionError" || info.Description != zero || info.Details == nil || info.Details.StackTrace != program+", line 2, in f" {
		t.Errorf("exception info %+v, details %+v", info, info.Details)
	}
	s.Next()
	s.ExpectStopped("step")
	s.ExpectStack("f (return):2")
	if v, ok := s.Locals()["(return) f"]; ok {
		t.Errorf("a frame that an exception leaves shows the value %s", v)
	}
	s.Continue()
	if stop := s.ExpectStopped("pause"); stop.Description != "Predicted exit: error" {
		t.Errorf("at the end: %q", stop.Description)
	}
	s.Continue()
	s.ExpectEnd(1)
	s.Disconnect()
}

// raising has an exception that is handled, one that ends the run, and
// iterators that end.
const raising = `def main():
    seen = [n for n in pairs()]
    found = look(seen, 'x')
    return parse(found)

def pairs():
    yield 1
    yield 2

def look(seen, key):
    try:
        return seen[key]
    except TypeError:
        return '7x'

def parse(text):
    number = convert(text)
    return number

def convert(text):
    if not text.isdigit():
        raise ValueError(text)
    return int(text)
`

func setFilters(s *daptest.Script, filters []string, options ...map[string]any) []dap.Breakpoint {
	r := s.Request("setExceptionBreakpoints", map[string]any{"filters": filters, "filterOptions": options})
	return r.(*dap.SetExceptionBreakpointsResponse).Body.Breakpoints
}

// TestRaised stops where an exception is raised, once for each, and not at the
// ends of iterators.
func TestRaised(t *testing.T) {
	p := written(t, raising, "main()")
	p.overTransports(t, func(t *testing.T, s *daptest.Script) {
		p.launch(s)
		set := setFilters(s, []string{"raised", "caught"})
		if !set[0].Verified || set[1].Verified || set[1].Message == "" {
			t.Errorf("answered %+v", set)
		}
		s.Continue()
		if stop := s.ExpectStopped("exception"); !strings.HasPrefix(stop.Text, "TypeError") || !slices.Equal(stop.HitBreakpointIds, []int{set[0].Id}) {
			t.Errorf("stopped with %+v", stop)
		}
		s.ExpectStack("look (exception):12", "main:3")
		s.Continue()
		s.ExpectStopped("exception")
		s.ExpectStack("convert (exception):22", "parse:17", "main:4")
		s.Continue()
		s.ExpectStopped("pause")
		s.Disconnect()
	})
}

// TestUncaught: at an exit by an exception the session goes back to where that
// was raised, although it had jumped past it.
func TestUncaught(t *testing.T) {
	p := written(t, raising, "main()")
	p.overTransports(t, func(t *testing.T, s *daptest.Script) {
		p.launch(s)
		set := setFilters(s, []string{"uncaught"})
		s.Continue()
		stop := s.ExpectStopped("exception")
		if stop.Text != "ValueError('7x')" || stop.Description != "Predicted uncaught exception: ValueError('7x')" || !slices.Equal(stop.HitBreakpointIds, []int{set[0].Id}) {
			t.Errorf("stopped with %+v", stop)
		}
		s.ExpectStack("convert (exception):22", "parse:17", "main:4")
		info := s.Request("exceptionInfo", map[string]any{"threadId": 1}).(*dap.ExceptionInfoResponse).Body
		if info.BreakMode != "unhandled" || info.ExceptionId != "ValueError" || !strings.Contains(info.Details.StackTrace, "line 4, in main") {
			t.Errorf("exception info %+v", info)
		}
		s.Continue()
		if stop := s.ExpectStopped("pause"); stop.Description != "Predicted exit: error" {
			t.Errorf("stopped for %q", stop.Description)
		}
		s.Disconnect()
	})
}

// TestUncaughtBeyondTheLimit: the console says so, and the session is at the exit.
func TestUncaughtBeyondTheLimit(t *testing.T) {
	p := written(t, raising, "main()")
	s := connect(t, replaying(t, p.call))
	p.launch(s, map[string]any{"maxSteps": 6})
	setFilters(s, []string{"uncaught"})
	s.Continue()
	if stop := s.ExpectStopped("pause"); stop.Description != "Predicted exit: error" {
		t.Errorf("stopped for %q", stop.Description)
	}
	if got := output(s, "console"); !strings.Contains(got, "not reached within 6 predictions") {
		t.Errorf("the console says %q", got)
	}
	s.Disconnect()
}

// TestExceptionConditions see the frame's values and the exception.
func TestExceptionConditions(t *testing.T) {
	p := written(t, raising, "main()")
	s := connect(t, replaying(t, p.call))
	p.launch(s)
	if set := setFilters(s, nil, map[string]any{"filterId": "raised", "condition": "exception_name =="}); set[0].Verified {
		t.Errorf("answered %+v", set)
	}
	setFilters(s, nil, map[string]any{"filterId": "raised", "condition": "exception_name == 'ValueError' and text == '7x'"},
		map[string]any{"filterId": "uncaught", "condition": "exception_name == 'KeyError'"})
	s.Continue()
	s.ExpectStopped("exception")
	s.ExpectStack("convert (exception):22", "parse:17", "main:4")
	setFilters(s, nil, map[string]any{"filterId": "uncaught", "condition": "exception_name == 'KeyError'"})
	s.Continue()
	s.ExpectStopped("pause")
	s.Disconnect()
}
