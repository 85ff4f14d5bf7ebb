package adapter_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-dap"

	"github.com/neuraldbg/neuraldbg/adapter/daptest"
)

const calls = `def inc(x):
    y = x + 1
    return y

def add(a, b):
    c = a + b
    return c

def never():
    return 0

def run(é):
    r = add(inc(é), inc(inc(2))) or never()
    return r

def main():
    return run(1)
`

// TestStepInTargets: each call of a line can be entered, the others are passed.
func TestStepInTargets(t *testing.T) {
	p := written(t, calls, "main()")
	p.overTransports(t, func(t *testing.T, s *daptest.Script) {
		p.launch(s)
		for i, want := range []struct{ label, local, value string }{
			{"inc(é)", "x", "1"}, {"inc(2)", "x", "2"}, {"inc(inc(2))", "x", "3"}, {"add(inc(é), inc(inc(2)))", "a", "2"}, {"never()", "", ""},
		} {
			s.Request("restart", nil)
			s.ExpectStopped("entry")
			s.SetBreakpoints(p.path, 13)
			s.Continue()
			s.ExpectStopped("breakpoint")
			s.SetBreakpoints(p.path)
			targets := s.Request("stepInTargets", map[string]any{"frameId": s.StackTrace()[0].Id}).(*dap.StepInTargetsResponse).Body.Targets
			if len(targets) != 5 || targets[i].Label != want.label {
				t.Fatalf("targets %+v", targets)
			}
			if i == 0 && (targets[0].Line != 13 || targets[0].Column != 13 || targets[0].EndColumn != 19) {
				t.Errorf("the target is at %+v; want columns 13 to 19", targets[0])
			}
			s.Request("stepIn", map[string]any{"threadId": 1, "targetId": targets[i].Id})
			s.ExpectStopped("step")
			if want.local == "" {
				s.ExpectLine(14)
				if got := output(s, "console"); !strings.Contains(got, "never() was not called") {
					t.Errorf("the console says %q", got)
				}
				continue
			}
			s.ExpectLocal(want.local, want.value)
			s.ExpectError("stepIn", map[string]any{"threadId": 1, "targetId": targets[i].Id}, "not valid any more")
		}
		s.Disconnect()
	})
}

// TestCompletions are the names and parts of values before the cursor, in the
// client's columns.
func TestCompletions(t *testing.T) {
	p := written(t, `def f(point, pointer, ü):
    return point

class Point:
    def __init__(self, x, y):
        self.x, self.xs = x, y
    def __repr__(self):
        return f"Point(x={self.x!r}, xs={self.xs!r})"

def main():
    return f(Point(1, {'key': [1]}), None, {'ö': 1})
`, "main()")
	p.overTransports(t, func(t *testing.T, s *daptest.Script) {
		p.launch(s)
		s.SetBreakpoints(p.path, 2)
		s.Continue()
		s.ExpectStopped("breakpoint")
		frame := s.StackTrace()[0].Id
		for _, test := range []struct {
			text   string
			column int
			want   string // labels, then start and length of the first
		}{
			{"poi", 4, "point pointer 1 3"},
			{"1 + point", 6, "point pointer pow print 5 1"},
			{"ba", 3, "back 1 2"},
			{"point.xs.ke", 12, "keys 10 2"},
			{"point.", 7, "x xs 7 0"},
			{"len(point.xs", 13, "xs 11 2"},
			{"point.xs[", 10, "['key'] 9 1"},
			{"ü", 2, "ü 1 1"},
			{"'𝄞' + ü[", 10, "['ö'] 9 1"},
			{"nothing", 8, ""},
			{"nothing.x", 10, ""},
			{"", 1, "point pointer ü 1 0"},
			{"poi", 99, "point pointer 1 3"},
		} {
			items := s.Request("completions", map[string]any{"text": test.text, "column": test.column, "frameId": frame}).(*dap.CompletionsResponse).Body.Targets
			var got []string
			for _, item := range items {
				got = append(got, item.Label)
			}
			if len(items) > 0 {
				got = append(got, strconv.Itoa(items[0].Start), strconv.Itoa(items[0].Length))
			}
			if strings.Join(got, " ") != test.want {
				t.Errorf("%q, column %d: %q; want %q", test.text, test.column, got, test.want)
			}
		}
		s.ExpectError("completions", map[string]any{"text": "p", "column": 2, "frameId": 999}, "not valid any more")
		s.Disconnect()
	})
}

func TestBreakpointLocations(t *testing.T) {
	s := launchCount(t)
	lines := func(arguments map[string]any) []int {
		arguments["source"] = map[string]any{"path": testdata(t, "count_berry.py")}
		var lines []int
		for _, b := range s.Request("breakpointLocations", arguments).(*dap.BreakpointLocationsResponse).Body.Breakpoints {
			lines = append(lines, b.Line)
		}
		return lines
	}
	if got := lines(map[string]any{"line": 3, "endLine": 7}); !slices.Equal(got, []int{3, 4, 5, 7}) {
		t.Errorf("lines 3 to 7: %v", got)
	}
	if got := lines(map[string]any{"line": 6}); got != nil {
		t.Errorf("the blank line 6: %v", got)
	}
	s.ExpectError("breakpointLocations", map[string]any{"source": map[string]any{"path": "none.py"}, "line": 1}, "none.py")
	s.ExpectError("breakpointLocations", nil, "source.path is missing")
	s.Disconnect()
}
