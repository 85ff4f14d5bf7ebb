package adapter_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-dap"

	"github.com/neuraldbg/neuraldbg/adapter/daptest"
)

// countBerry is the paper's example.
func countBerry(t *testing.T) subject { return subject{testdata(t, "count_berry.py"), "main()"} }

// TestConditions: a breakpoint stops where its condition holds, whatever the
// strategy of continue.
func TestConditions(t *testing.T) {
	p := countBerry(t)
	p.overTransports(t, func(t *testing.T, s *daptest.Script) {
		p.launch(s)
		for _, strategy := range []string{"auto", "jump", "step"} {
			s.Request("restart", map[string]any{"arguments": map[string]any{"program": p.path, "entry": p.call, "continueStrategy": strategy}})
			s.ExpectStopped("entry")
			set := p.set(s, map[string]any{"line": 4, "condition": "n == 1 and c in 'rst'"})
			s.Continue()
			if stop := s.ExpectStopped("breakpoint"); !slices.Equal(stop.HitBreakpointIds, []int{set[0].Id}) {
				t.Errorf("%s: hit %v; want %d", strategy, stop.HitBreakpointIds, set[0].Id)
			}
			s.ExpectLocal("n", "1")
			s.ExpectLocal("c", "'r'")
			s.Continue()
			s.ExpectStopped("pause") // the exit
		}
		s.Disconnect()
	})
}

// TestConditionsThatCannotBeComputed: one that does not parse is not set, one
// that fails stops, and the console says where.
func TestConditionsThatCannotBeComputed(t *testing.T) {
	p := countBerry(t)
	p.overTransports(t, func(t *testing.T, s *daptest.Script) {
		p.launch(s)
		set := p.set(s, map[string]any{"line": 3, "condition": "n =="}, map[string]any{"line": 4, "condition": "n / 0 > 1"})
		if set[0].Verified || set[0].Message == "" || set[0].Line != 3 || !set[1].Verified {
			t.Errorf("answered %+v", set)
		}
		s.Continue()
		s.ExpectStopped("breakpoint")
		s.ExpectLine(4)
		if got := output(s, "console"); !strings.Contains(got, "count_berry.py:4: the condition n / 0 > 1 cannot be computed: ZeroDivisionError") {
			t.Errorf("the console says %q", got)
		}
		s.Disconnect()
	})
}

// TestHitConditions: which of the five visits of a line stop. Stepping back does
// not change what visit one is at.
func TestHitConditions(t *testing.T) {
	p := countBerry(t)
	p.overTransports(t, func(t *testing.T, s *daptest.Script) {
		p.launch(s)
		for condition, want := range map[string]string{
			"2": "e", "== 4": "r", ">3": "ry", ">= 3": "rry", "<3": "be", "<= 1": "b", "%2": "er", " 5 ": "y", "6": "",
		} {
			s.Request("restart", nil)
			s.ExpectStopped("entry")
			if set := p.set(s, map[string]any{"line": 4, "hitCondition": condition}); !set[0].Verified {
				t.Errorf("%q: %+v", condition, set[0])
			}
			got := ""
			for s.Continue(); s.ExpectStopped("").Reason == "breakpoint"; s.Continue() {
				got += strings.Trim(s.Locals()["c"], "'")
			}
			if got != want {
				t.Errorf("%q stops at %q; want %q", condition, got, want)
			}
			if want != "" { // the last stop is a stop backward too
				s.ReverseContinue()
				s.ExpectStopped("breakpoint")
				s.ExpectLocal("c", "'"+want[len(want)-1:]+"'")
			}
		}
		for _, condition := range []string{"often", "= 2", "!= 2", "-1", "% 0", "2.5", ">"} {
			if set := p.set(s, map[string]any{"line": 4, "hitCondition": condition}); set[0].Verified || !strings.Contains(set[0].Message, "hit condition") {
				t.Errorf("%q: %+v", condition, set[0])
			}
		}
		s.Disconnect()
	})
}

// TestConditionAndHitCondition: visits count where the condition holds.
func TestConditionAndHitCondition(t *testing.T) {
	p := countBerry(t)
	s := connect(t, replaying(t, p.call))
	p.launch(s)
	p.set(s, map[string]any{"line": 4, "condition": "c == 'r'", "hitCondition": "2"})
	s.Continue()
	s.ExpectStopped("breakpoint")
	s.ExpectLocal("n", "1")
	s.Disconnect()
}

// TestLogPoints write and never stop; conditions hold for them.
func TestLogPoints(t *testing.T) {
	p := countBerry(t)
	p.overTransports(t, func(t *testing.T, s *daptest.Script) {
		p.launch(s)
		set := p.set(s,
			map[string]any{"line": 4, "logMessage": "n is {n}, $c, {c!r}", "condition": "n < 2"},
			map[string]any{"line": 5, "logMessage": "at the end {n + 1"},
		)
		if !set[0].Verified || set[1].Verified || set[1].Message == "" {
			t.Errorf("answered %+v", set)
		}
		s.Continue()
		if stop := s.ExpectStopped("pause"); stop.Description != "Predicted exit: normal" {
			t.Errorf("stopped for %q", stop.Description)
		}
		want := "n is 0, $c, 'b'\nn is 0, $c, 'e'\nn is 0, $c, 'r'\nn is 1, $c, 'r'\n"
		if got := output(s, "console"); !strings.Contains(got, want) || strings.Contains(got, "'y'") {
			t.Errorf("the console says %q; want %q in it", got, want)
		}
		s.Disconnect()
	})
}

func TestFunctionBreakpointsWithConditions(t *testing.T) {
	p := subject{testdata(t, "twins.py"), "main()"}
	p.overTransports(t, func(t *testing.T, s *daptest.Script) {
		p.launch(s)
		r := s.Request("setFunctionBreakpoints", map[string]any{"breakpoints": []any{
			map[string]any{"name": "fib", "condition": "n < 2", "hitCondition": ">= 2"},
			map[string]any{"name": "fib", "condition": "n <"},
		}}).(*dap.SetFunctionBreakpointsResponse)
		if b := r.Body.Breakpoints; !b[0].Verified || b[1].Verified || b[1].Message == "" || b[0].Id == b[1].Id {
			t.Errorf("answered %+v", b)
		}
		var got []string
		for s.Continue(); s.ExpectStopped("").Reason == "function breakpoint"; s.Continue() {
			got = append(got, s.Locals()["n"])
		}
		if want := []string{"0", "1"}; !slices.Equal(got, want) { // fib(3) calls fib(2), fib(1), fib(0), fib(1)
			t.Errorf("stopped with n = %v; want %v", got, want)
		}
		s.Disconnect()
	})
}

// TestBreakpointsKeepTheirCount when the client sends the set again.
func TestBreakpointsKeepTheirCount(t *testing.T) {
	p := countBerry(t)
	s := connect(t, replaying(t, p.call))
	p.launch(s)
	third := map[string]any{"line": 4, "hitCondition": "3"}
	p.set(s, third, map[string]any{"line": 3, "hitCondition": "2"})
	s.Continue()
	s.ExpectStopped("breakpoint")
	s.ExpectLine(3)
	p.set(s, third)
	s.Continue()
	s.ExpectStopped("breakpoint")
	s.ExpectLine(4)
	s.ExpectLocal("c", "'r'")
	s.Disconnect()
}
