package adapter_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-dap"

	"github.com/neuraldbg/neuraldbg/adapter/daptest"
)

// loop has two lines that stop, and much to step through before.
const loop = `def work(n):
    total = 0
    for i in range(n):
        total += step(i)
    done = total
    return done

def step(i):
    doubled = i * 2
    return doubled

def main():
    return work(20)
`

// TestStrategies: every strategy of continue reaches the same breakpoints, and
// what is on the timeline between says how.
func TestStrategies(t *testing.T) {
	p := written(t, loop, "main()")
	p.overTransports(t, func(t *testing.T, s *daptest.Script) {
		p.launch(s)
		for _, test := range []struct {
			strategy string
			lines    []int
			stops    []string // where continue stops
			before   string   // where one step back from the last is
		}{
			{"auto", []int{5}, []string{"work:5"}, "main (call):12"},          // a jump
			{"auto", []int{2, 5}, []string{"work:2", "work:5"}, "work:2"},     // steps, then one line is left: a jump
			{"auto", []int{5, 6}, []string{"work:5", "work:6"}, "work:5"},     // steps
			{"jump", []int{5, 6}, []string{"work:5", "work:6"}, "work:5"},     // two jumps
			{"jump", []int{9, 5}, []string{"work:5"}, "main (call):12"},       // the nearest by the control flow: the loop may be empty
			{"step", []int{5}, []string{"work:5"}, "work:3"},                  // every state of the function
			{"step", []int{9}, []string{"step:9", "step:9"}, "step (call):8"}, // and of the callee
		} {
			s.Request("restart", map[string]any{"arguments": map[string]any{"program": p.path, "entry": p.call, "continueStrategy": test.strategy}})
			s.ExpectStopped("entry")
			s.SetBreakpoints(p.path, test.lines...)
			for _, stop := range test.stops {
				s.Continue()
				s.ExpectStopped("breakpoint")
				if got := top(s); got != stop {
					t.Fatalf("%s to %v: at %s; want %s", test.strategy, test.lines, got, stop)
				}
			}
			s.StepBack()
			s.ExpectStopped("")
			if got := top(s); got != test.before {
				t.Errorf("%s to %v: before is %s; want %s", test.strategy, test.lines, got, test.before)
			}
		}
		s.Disconnect()
	})
}

// top renders the innermost frame, without the note that it was assumed.
func top(s *daptest.Script) string {
	frame := s.StackTrace()[0]
	return strings.Replace(frame.Name, " (assumed)", "", 1) + ":" + strconv.Itoa(frame.Line)
}

// TestTheLimitOfSteps: auto jumps on from there and says so; step stops.
func TestTheLimitOfSteps(t *testing.T) {
	p := written(t, loop, "main()")
	p.overTransports(t, func(t *testing.T, s *daptest.Script) {
		p.launch(s, map[string]any{"maxSteps": 10})
		s.SetBreakpoints(p.path, 5, 6)
		s.Continue()
		s.ExpectStopped("breakpoint")
		s.ExpectLine(5)
		if got := output(s, "console"); !strings.Contains(got, "within 10 predictions") || !strings.Contains(got, "maxSteps") {
			t.Errorf("the console says %q", got)
		}
		s.Request("restart", map[string]any{"arguments": map[string]any{"program": p.path, "entry": p.call, "maxSteps": 10, "continueStrategy": "step"}})
		s.ExpectStopped("entry")
		s.Continue()
		if stop := s.ExpectStopped("pause"); !strings.Contains(stop.Description, "within 10 predictions") {
			t.Errorf("stopped for %q", stop.Description)
		}
		s.Disconnect()
	})
}

// TestConditionsAtTheLimit hold for the jumps too.
func TestConditionsAtTheLimit(t *testing.T) {
	p := written(t, loop, "main()")
	s := connect(t, replaying(t, p.call))
	p.launch(s, map[string]any{"maxSteps": 60})
	p.set(s, map[string]any{"line": 9, "condition": "i == 17"}, map[string]any{"line": 10, "condition": "doubled == 999"})
	s.Continue()
	s.ExpectStopped("breakpoint")
	s.ExpectLocal("i", "17")
	s.Disconnect()
}

func TestUnknownStrategy(t *testing.T) {
	s := connect(t, replaying(t, "main()"))
	s.Initialize()
	s.ExpectError("launch", map[string]any{"program": testdata(t, "count_berry.py"), "continueStrategy": "fly"}, `none of "auto", "jump", "step"`)
	s.Disconnect()
}

// TestProgressOfContinue is shown, and cancelling it stops where it has come to.
func TestProgressOfContinue(t *testing.T) {
	p := newSlow()
	s := launchSlow(t, p)
	s.Request("setBreakpoints", map[string]any{"source": map[string]any{"path": testdata(t, "count_berry.py")}, "breakpoints": []any{
		map[string]any{"line": 4, "condition": "False"}, map[string]any{"line": 5},
	}})
	s.Continue()
	for range 6 {
		<-p.asked
		p.release <- struct{}{}
	}
	e, err := s.Client.Event("progressUpdate")
	if err != nil {
		t.Fatal(err)
	}
	body := e.(*dap.ProgressUpdateEvent).Body
	if !strings.Contains(body.Message, "6 states") || body.Percentage != 1 {
		t.Errorf("progress %+v", body)
	}
	<-p.asked
	s.Request("cancel", map[string]any{"progressId": body.ProgressId})
	s.ExpectStopped("pause")
	names := daptest.Names(s.Client.Transcript())
	slices.Reverse(names)
	if end := slices.Index(names, "event:progressEnd"); end < 0 || end > slices.Index(names, "event:progressUpdate") {
		t.Errorf("the progress does not end: %q", names)
	}
	s.Disconnect()
}
