package timeline_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/neuraldbg/neuraldbg/adapter/timeline"
	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/model/replay"
	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/record"
)

const countBerry = "testdata/count_berry.py"

// fixture is a timeline over the replay of a program.
type fixture struct {
	*timeline.Timeline
	t *testing.T
}

// replaying opens a timeline over a recording of launch.
func replaying(t *testing.T, launch timeline.Launch) *fixture {
	t.Helper()
	return replayingCall(t, launch, launch.Entry)
}

// replayingCall records a call and opens the timeline with another launch.
func replayingCall(t *testing.T, launch timeline.Launch, call string) *fixture {
	t.Helper()
	recording, err := record.Record(context.Background(), record.Options{File: launch.Path, Entry: call})
	if err != nil {
		t.Fatal(err)
	}
	p, err := replay.New(recording)
	if err != nil {
		t.Fatal(err)
	}
	return opened(t, p, launch, timeline.Options{})
}

func opened(t *testing.T, p model.Predictor, launch timeline.Launch, o timeline.Options) *fixture {
	t.Helper()
	target, err := timeline.Load(launch)
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{Timeline: timeline.New(p, target, o), t: t}
	t.Cleanup(func() { f.Close() })
	f.do("open", f.Open)
	return f
}

func (f *fixture) do(name string, move func(context.Context) (timeline.Stop, error)) timeline.Stop {
	f.t.Helper()
	s, err := move(context.Background())
	if err != nil {
		f.t.Fatalf("%s: %v", name, err)
	}
	return s
}

// breakAt sets breakpoints on executable lines of the program.
func (f *fixture) breakAt(lines ...int) []timeline.Breakpoint {
	return f.Breakpoints().Set(f.Target().File.Path(), lines, func(line int) (timeline.Snapped, error) {
		return timeline.Snapped{Line: line}, nil
	})
}

// where renders the position in one line: event, stack with lines, locals.
func (f *fixture) where() string {
	e := f.Current()
	if e.Ended() {
		return "exit " + e.Exit.String()
	}
	frames := make([]string, len(e.Stack))
	for i, frame := range e.Stack {
		frames[i] = frame.Function
		if !frame.Label {
			frames[i] = fmt.Sprintf("%s:%d", frame.Function, frame.Line)
		}
		if frame.Assumed {
			frames[i] += "?"
		}
	}
	s := e.State.Event.String() + " " + strings.Join(frames, " < ")
	for _, l := range e.State.Locals {
		s += " " + l.Name + "=" + l.Repr
	}
	if v, ok := e.ReturnValue(); ok {
		s += " -> " + v
	}
	if v, ok := e.Exception(); ok {
		s += " ! " + v
	}
	if e.Unwinding {
		s += " unwinding"
	}
	return s
}

// script runs moves by their names and compares where each leads.
func (f *fixture) script(steps ...[2]string) {
	f.t.Helper()
	moves := map[string]func(context.Context) (timeline.Stop, error){
		"into": f.StepInto, "over": f.StepOver, "out": f.StepOut, "continue": f.Continue, "instruction": f.StepInstruction,
		"back":         func(ctx context.Context) (timeline.Stop, error) { return f.StepBack(ctx, timeline.Statement) },
		"back into":    func(ctx context.Context) (timeline.Stop, error) { return f.StepBack(ctx, timeline.Instruction) },
		"reverse":      f.ReverseContinue,
		"stay":         func(context.Context) (timeline.Stop, error) { return timeline.Stop{}, nil },
		"to the start": func(context.Context) (timeline.Stop, error) { return f.Go(f.First()) },
	}
	for i, step := range steps {
		f.do(step[0], moves[step[0]])
		if got := f.where(); got != step[1] {
			f.t.Errorf("step %d, %s: at %s; want %s", i, step[0], got, step[1])
		}
	}
}

func TestStepping(t *testing.T) {
	f := replaying(t, timeline.Launch{Path: countBerry, Entry: "main()"})
	f.script(
		[2]string{"stay", "call main:7"},
		[2]string{"over", "line main:8"},
		[2]string{"into", "line count:2 < main:8 s='berry' t='r'"},
		[2]string{"over", "line count:3 < main:8 s='berry' t='r' n=0"},
		[2]string{"into", "line count:4 < main:8 s='berry' t='r' n=0 c='b'"},
		[2]string{"out", "return main:8 -> 2"},
		[2]string{"over", "exit normal"},
		[2]string{"back", "return main:8 -> 2"},
		[2]string{"back", "return count:5 < main:8 -> 2"},
		[2]string{"back", "line count:4 < main:8 s='berry' t='r' n=0 c='b'"},
	)
}

func TestStepOverNeverGoesDeeper(t *testing.T) {
	f := replaying(t, timeline.Launch{Path: countBerry, Entry: "main()"})
	f.script(
		[2]string{"over", "line main:8"},
		[2]string{"over", "return main:8 -> 2"},
		[2]string{"over", "exit normal"},
	)
	if _, err := f.StepOver(context.Background()); !errors.Is(err, model.ErrExited) {
		t.Errorf("stepping on after the exit: %v; want ErrExited", err)
	}
}

func TestContinue(t *testing.T) {
	for _, test := range []struct {
		name  string
		lines []int
		steps [][2]string
	}{
		{"without a breakpoint the values returned are on the timeline", nil, [][2]string{
			{"continue", "exit normal"}, {"back", "return main:8 -> 2"}, {"back", "call main:7"}}},
		{"with one", []int{4}, [][2]string{
			{"continue", "line count:4 < [callers not predicted] < main:7 s='berry' t='r' n=0 c='b'"},
			{"continue", "line count:4? < [callers not predicted] < main:7 s='berry' t='r' n=0 c='e'"}}},
		{"with one that is hit no more", []int{5}, [][2]string{
			{"continue", "line count:5 < [callers not predicted] < main:7 s='berry' t='r' n=2 c='y'"},
			{"continue", "exit normal"}, {"back", "return main:8 -> 2"},
			{"back", "return count:5 < [callers not predicted] < main:7 -> 2"}}},
		{"with several", []int{2, 5}, [][2]string{
			{"continue", "line count:2 < main:8 s='berry' t='r'"},
			{"continue", "line count:5 < main:8 s='berry' t='r' n=2 c='y'"},
			{"continue", "exit normal"}}},
		{"on a def line it stops at the call", []int{1}, [][2]string{
			{"continue", "call count:1 < [callers not predicted] < main:7 s='berry' t='r'"}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := replaying(t, timeline.Launch{Path: countBerry, Entry: "main()"})
			f.breakAt(test.lines...)
			f.script(test.steps...)
		})
	}
}

// TestBreakpointOnOneOfIdenticalLines goes on until the wanted line is reached.
func TestBreakpointOnOneOfIdenticalLines(t *testing.T) {
	path := write(t, "def f(x):\n    x += 1\n    x *= 2\n    x += 1\n    return x\n")
	f := replaying(t, timeline.Launch{Path: path, Entry: "f(3)"})
	f.breakAt(4)
	f.script(
		[2]string{"continue", "line f:4? < [callers not predicted] < main:1 x=8"},
		[2]string{"reverse", "call main:1"},
	)
}

func TestFunctionBreakpoint(t *testing.T) {
	f := replaying(t, timeline.Launch{Path: countBerry, Entry: "main()"})
	f.Breakpoints().SetFunctions([]timeline.FunctionRequest{{Name: "count"}})
	f.script(
		[2]string{"continue", "call count:1 < [callers not predicted] < main:7 s='berry' t='r'"},
		[2]string{"continue", "exit normal"},
	)
}

// TestMovingOnTheTimeline: what was shown is shown again, and only a step that
// it cannot answer drops what follows.
func TestMovingOnTheTimeline(t *testing.T) {
	f := replaying(t, timeline.Launch{Path: countBerry, Entry: "main()"})
	for range 6 {
		f.do("instruction", f.StepInstruction)
	}
	last := f.Last()
	f.script(
		[2]string{"to the start", "call main:7"},
		[2]string{"over", "line main:8"},
		[2]string{"into", "line count:2 < main:8 s='berry' t='r'"},
		[2]string{"over", "line count:3 < main:8 s='berry' t='r' n=0"},
	)
	if f.Last() != last {
		t.Fatalf("moving along the timeline changed its end from %d to %d", last, f.Last())
	}
	f.script([2]string{"out", "return main:8 -> 2"})
	if want := 6; f.Last() != want {
		t.Errorf("the timeline ends at %d; want %d: the step out replaces what followed", f.Last(), want)
	}
}

func TestBackward(t *testing.T) {
	from := &timeline.From{Event: statetree.Return, Line: 5, Value: "2"}
	launch := timeline.Launch{Path: countBerry, Entry: "count", From: from}
	f := replayingCall(t, launch, "main()")
	f.script(
		[2]string{"stay", "return count:5 -> 2"},
		[2]string{"back", "line count:5 s='berry' t='r' n=2 c='y'"},
		[2]string{"back", "line count:3 s='berry' t='r' n=2 c='y'"},
		[2]string{"reverse", "call count:1 s='berry' t='r'"},
	)
	if !func() bool { e := f.Current(); return e.Inferred() }() {
		t.Error("the call is not marked as inferred")
	}
	s := f.do("reverse", f.ReverseContinue)
	if s.Reason != timeline.ReasonBeginning {
		t.Errorf("before the inputs: stopped for %s; want beginning", s.Reason)
	}
	f.script(
		[2]string{"into", "line count:2 s='berry' t='r'"}, // predicted forward from the inferred inputs
		[2]string{"out", "exit normal"},
		[2]string{"back", "return count:5 -> 2"},
	)
}

func TestBeginning(t *testing.T) {
	f := replaying(t, timeline.Launch{Path: countBerry, Entry: "main()"})
	for _, move := range []string{"back", "reverse"} {
		f.script([2]string{move, "call main:7"})
	}
	if s := f.do("back", func(ctx context.Context) (timeline.Stop, error) { return f.StepBack(ctx, timeline.Statement) }); s.Reason != timeline.ReasonBeginning {
		t.Errorf("stopped for %s; want beginning", s.Reason)
	}
}

func TestExceptions(t *testing.T) {
	path := write(t, `def inner(x):
    return 1 // x

def outer(x):
    try:
        return inner(x)
    except ZeroDivisionError:
        return None
`)
	f := replaying(t, timeline.Launch{Path: path, Entry: "outer(0)"})
	f.script(
		[2]string{"over", "line main:2"},
		[2]string{"into", "line outer:5 < main:2 x=0"},
		[2]string{"over", "line outer:6 < main:2 x=0"},
		[2]string{"into", "line inner:2 < outer:6 < main:2 x=0"},
		[2]string{"over", "exception inner:2 < outer:6 < main:2 ! ZeroDivisionError('integer division or modulo by zero')"},
		[2]string{"over", "return inner:2 < outer:6 < main:2 unwinding"},
		[2]string{"over", "exception outer:6 < main:2 ! ZeroDivisionError('integer division or modulo by zero')"},
		[2]string{"over", "line outer:7 < main:2 x=0"},
		[2]string{"over", "line outer:8 < main:2 x=0"},
		[2]string{"over", "return outer:8 < main:2 -> None"},
		[2]string{"over", "return main:2 -> None"},
	)
}

func TestStepOutOntoAnException(t *testing.T) {
	path := write(t, "def inner(x):\n    y = x\n    return 1 // y\n\ndef outer(x):\n    return inner(x)\n")
	f := replaying(t, timeline.Launch{Path: path, Entry: "outer(0)"})
	f.breakAt(2)
	f.script([2]string{"continue", "line inner:2 < [callers not predicted] < main:1 x=0"})
	if s := f.do("out", f.StepOut); s.Reason != timeline.ReasonException {
		t.Errorf("stopped for %s; want exception", s.Reason)
	}
	f.script(
		[2]string{"stay", "exception outer:6 < [callers not predicted] < main:1 ! ZeroDivisionError('integer division or modulo by zero')"},
		[2]string{"back", "return inner:3 < [callers not predicted] < main:1 unwinding"},
	)
}

func TestEditOfARecordingIsRefused(t *testing.T) {
	f := replaying(t, timeline.Launch{Path: countBerry, Entry: "main()"})
	f.breakAt(3)
	f.do("continue", f.Continue)
	if err := f.Edit(context.Background(), "n", "7"); !errors.Is(err, replay.ErrNotRecorded) {
		t.Errorf("editing: %v; want ErrNotRecorded", err)
	}
	if err := f.Edit(context.Background(), "nothing", "7"); err == nil || !strings.Contains(err.Error(), `"nothing"`) {
		t.Errorf("editing an unknown name: %v", err)
	}
	if v, _ := f.Current().State.Locals.Get("n"); v != "0" {
		t.Errorf("n is %s after a refused edit; want 0", v)
	}
	f.script([2]string{"over", "line count:4 < [callers not predicted] < main:7 s='berry' t='r' n=0 c='b'"})
}

func TestLoadErrors(t *testing.T) {
	for _, test := range []struct {
		name   string
		launch timeline.Launch
		want   string
	}{
		{"no file", timeline.Launch{Path: "testdata/none.py"}, "none.py"},
		{"no such function", timeline.Launch{Path: countBerry, Entry: "cuont"}, "it has count"},
		{"missing argument", timeline.Launch{Path: countBerry, Entry: "count", Arguments: map[string]string{"s": "''"}}, `argument "t" of count is missing`},
		{"unknown argument", timeline.Launch{Path: countBerry, Entry: "count",
			Arguments: map[string]string{"s": "''", "t": "''", "u": "1"}}, `no parameter "u"`},
		{"arguments of a call", timeline.Launch{Path: countBerry, Entry: `count("", "")`, Arguments: map[string]string{"s": "''"}}, "function's name"},
		{"from without a line", timeline.Launch{Path: countBerry, Entry: "count", From: &timeline.From{Event: statetree.Line}}, "needs the line"},
		{"from without a value", timeline.Launch{Path: countBerry, Entry: "count", From: &timeline.From{Event: statetree.Return, Line: 5}}, "needs the value"},
		{"from a line that does not run", timeline.Launch{Path: countBerry, Entry: "count", From: &timeline.From{Event: statetree.Return, Line: 6, Value: "2"}}, "no return state at line 6"},
		{"an argument that is no value", timeline.Launch{Path: countBerry, Entry: "count", Arguments: map[string]string{"s": "berry", "t": "'r'"}}, `"s" of count: berry is not a value`},
		{"an argument of two lines", timeline.Launch{Path: countBerry, Entry: "count", Arguments: map[string]string{"s": "be\nry", "t": "'r'"}}, `be ry is not a value`},
		{"from a local that there is not", timeline.Launch{Path: countBerry, Entry: "count", From: &timeline.From{Event: statetree.Line, Line: 4, Locals: map[string]string{"s": "'a'", "a b": "1"}}}, `count has no local "a b"; it has s, t, c, n`},
		{"from without an event", timeline.Launch{Path: countBerry, Entry: "count", From: &timeline.From{Line: 4}}, "event is missing"},
		{"from an inverse event", timeline.Launch{Path: countBerry, Entry: "count", From: &timeline.From{Event: statetree.InvLine, Line: 5}}, "event"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := timeline.Load(test.launch)
			if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %v; want one line with %q", err, test.want)
			}
		})
	}
}

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program.py")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
