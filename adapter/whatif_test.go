package adapter_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-dap"

	"github.com/neuraldbg/neuraldbg/adapter"
	"github.com/neuraldbg/neuraldbg/adapter/daptest"
	"github.com/neuraldbg/neuraldbg/model"
)

// atLine begins a session at a line of straight, with values.
func atLine(s *daptest.Script, p subject, more map[string]any) {
	p.launch(s, map[string]any{"from": map[string]any{"event": "line", "line": 3,
		"locals": map[string]string{"x": "7", "point": "[7, {'a': 1}]"}}}, more)
}

func next(s *daptest.Script) {
	s.Next()
	s.ExpectStopped("")
}

// TestWhatIf: a value that was edited is in what is predicted from there, and
// the console says that the future was cut.
func TestWhatIf(t *testing.T) {
	overWalker(t, func(t *testing.T, s *daptest.Script, p subject) {
		atLine(s, p, nil)
		next(s)
		next(s)
		s.StepBack()
		s.ExpectStopped("step")
		if v, err := s.Client.SetVariable("x", "x * 6"); err != nil || v != "42" {
			t.Fatalf("an expression as value: %q, %v", v, err)
		}
		if got := output(s, "console"); !strings.Contains(got, "The future was cut: the state that followed is dropped") {
			t.Errorf("the console says %q", got)
		}
		s.ExpectLocal("x", "42")
		next(s)
		s.ExpectLine(5)
		s.ExpectLocal("x", "42")
		s.StepBack()
		s.ExpectStopped("step")
		s.StepBack()
		s.ExpectStopped("step")
		s.ExpectLocal("x", "7") // what was before stays
		s.Disconnect()
	})
}

// TestSetPart changes a part of a value, by its variable and as an expression.
func TestSetPart(t *testing.T) {
	overWalker(t, func(t *testing.T, s *daptest.Script, p subject) {
		atLine(s, p, nil)
		point := s.Evaluate("point", "watch")
		parts, err := s.Client.Variables(point.VariablesReference)
		if err != nil {
			t.Fatal(err)
		}
		r := s.Request("setVariable", map[string]any{"variablesReference": parts[1].VariablesReference, "name": "'a'", "value": "[2]"}).(*dap.SetVariableResponse)
		if r.Body.Value != "[2]" || r.Body.VariablesReference == 0 {
			t.Errorf("set to %+v", r.Body)
		}
		s.ExpectLocal("point", "[7, {'a': [2]}]")
		e := s.Request("setExpression", map[string]any{"expression": ` point[1]["a"][0]`, "value": "x + 1"}).(*dap.SetExpressionResponse)
		if e.Body.Value != "8" {
			t.Errorf("set to %+v", e.Body)
		}
		s.ExpectLocal("point", "[7, {'a': [8]}]")
		s.Request("setExpression", map[string]any{"expression": "point[-1]", "value": "None", "frameId": s.StackTrace()[0].Id})
		s.ExpectLocal("point", "[7, None]")
		for expression, want := range map[string]string{"nothing": "no local", "point[2]": "no part", "x +": "not a name", "": "not a name", "point.y": "no part", "f(1)": "not a name"} {
			s.ExpectError("setExpression", map[string]any{"expression": expression, "value": "1"}, want)
		}
		s.ExpectError("setExpression", map[string]any{"expression": "x", "value": ""}, "value is missing")
		s.ExpectError("setExpression", map[string]any{"expression": "x", "value": "nothing"}, "nothing")
		s.ExpectError("setExpression", map[string]any{"expression": "x", "value": "1", "frameId": 999}, "not valid any more")
		s.ExpectLocal("x", "7")
		s.Disconnect()
	})
}

// TestGoto makes another line the next to run; the values stay.
func TestGoto(t *testing.T) {
	overWalker(t, func(t *testing.T, s *daptest.Script, p subject) {
		atLine(s, p, nil)
		next(s)
		targets := func(line int) []dap.GotoTarget {
			return s.Request("gotoTargets", map[string]any{"source": map[string]any{"path": p.path}, "line": line}).(*dap.GotoTargetsResponse).Body.Targets
		}
		if none := targets(99); len(none) != 0 {
			t.Errorf("targets at line 99: %+v", none)
		}
		to := targets(2)
		if len(to) != 1 || to[0].Line != 2 || !strings.HasPrefix(to[0].Label, "point =") {
			t.Fatalf("targets at line 2: %+v", to)
		}
		before := len(s.Client.Transcript())
		s.Request("goto", map[string]any{"threadId": 1, "targetId": to[0].Id})
		s.ExpectStopped("goto")
		s.ExpectStack("f:2")
		s.ExpectLocal("x", "7")
		names := daptest.Names(s.Client.Transcript()[before:])
		if response, stopped := slices.Index(names, "response:goto"), slices.Index(names, "event:stopped"); response < 0 || stopped < response {
			t.Errorf("the order is %q", names)
		}
		next(s)
		s.ExpectLine(3)
		s.ExpectError("goto", map[string]any{"threadId": 1, "targetId": to[0].Id}, "not valid any more")
		def := targets(1) // the def line is not one of the function's own
		s.ExpectError("goto", map[string]any{"threadId": 1, "targetId": def[0].Id}, "not one of f")
		s.Disconnect()
	})
}

// TestGotoTargets offers the beginning of the statement that a line is in, once.
func TestGotoTargets(t *testing.T) {
	p := written(t, `def f(x):
    y = f(
        x,
        1)

    x = 1; y = [
        2]
    return y
`, "f")
	s := connect(t, func(context.Context, adapter.LaunchConfig) (model.Predictor, error) { return walker{}, nil })
	p.launch(s, map[string]any{"from": map[string]any{"event": "line", "line": 2, "locals": map[string]string{"x": "7"}}})
	for line, want := range map[int][2]int{2: {2, 4}, 3: {2, 4}, 4: {2, 4}, 5: {6, 7}, 6: {6, 7}, 7: {6, 7}, 8: {8, 0}} {
		got := s.Request("gotoTargets", map[string]any{"source": map[string]any{"path": p.path}, "line": line}).(*dap.GotoTargetsResponse).Body.Targets
		if len(got) != 1 || [2]int{got[0].Line, got[0].EndLine} != want {
			t.Errorf("targets at line %d: %+v, want %v", line, got, want)
		}
	}
	s.Disconnect()
}

// TestRestartFrameCutsTheFuture, which the console says.
func TestRestartFrameCutsTheFuture(t *testing.T) {
	s := launchCount(t, 4)
	s.Next()
	s.ExpectStopped("step")
	s.StepIn()
	s.ExpectStopped("step")
	s.Continue()
	s.ExpectStopped("breakpoint")
	s.Request("restartFrame", map[string]any{"frameId": s.StackTrace()[0].Id})
	s.ExpectStopped("goto")
	s.ExpectStack("count (call):1", "main:8")
	if got := output(s, "console"); !strings.Contains(got, "The future was cut: the 2 states that followed") {
		t.Errorf("the console says %q", got)
	}
	s.Continue()
	s.ExpectStopped("breakpoint")
	s.ExpectLocal("c", "'b'")
	s.Disconnect()
}

// TestRestartFrameOfAFrameThatWasJumpedInto is refused with the reason.
func TestRestartFrameOfAFrameThatWasJumpedInto(t *testing.T) {
	s := launchCount(t, 4)
	s.Continue()
	s.ExpectStopped("breakpoint")
	s.ExpectError("restartFrame", map[string]any{"frameId": s.StackTrace()[0].Id}, "was not shown")
	s.Disconnect()
}

// TestAlternatives: inputs that were inferred come with others, ranked, and each
// can be put in the place of the one shown.
func TestAlternatives(t *testing.T) {
	overWalker(t, func(t *testing.T, s *daptest.Script, p subject) {
		p.launch(s, map[string]any{"samples": 3, "from": map[string]any{"event": "return", "line": 5, "value": "[7]"}})
		alternatives := func() (dap.Scope, []dap.Variable) {
			scopes, err := s.Client.Scopes(s.StackTrace()[0].Id)
			if err != nil {
				t.Fatal(err)
			}
			for _, scope := range scopes {
				if scope.Name == "Alternatives" {
					variables, err := s.Client.Variables(scope.VariablesReference)
					if err != nil {
						t.Fatal(err)
					}
					return scope, variables
				}
			}
			return dap.Scope{}, nil
		}
		if _, none := alternatives(); none != nil {
			t.Errorf("what the user said has the alternatives %+v", none)
		}
		s.ReverseContinue()
		s.ExpectStopped("step")
		s.ExpectLocal("x", "1")
		scope, list := alternatives()
		var got []string
		for _, v := range list {
			got = append(got, v.Name+": "+v.Value)
		}
		want := []string{"shown: 1", "1: x=1, call def f(x): (50 %)", "2: x=2, call def f(x): (25 %)", "3: x=3, call def f(x): (16.6 %)"}
		if !slices.Equal(got, want) {
			t.Errorf("alternatives %q; want %q", got, want)
		}
		r := s.Request("setVariable", map[string]any{"variablesReference": scope.VariablesReference, "name": "shown", "value": "3"}).(*dap.SetVariableResponse)
		if r.Body.Value != "3" {
			t.Errorf("answered %+v", r.Body)
		}
		s.ExpectStopped("goto")
		s.ExpectLocal("x", "3")
		if _, list := alternatives(); list[0].Value != "3" || !strings.HasPrefix(list[1].Value, "x=1, call def f(x):") {
			t.Errorf("after the choice: %+v", list)
		}
		s.StepIn()
		s.ExpectStopped("step")
		s.ExpectLocal("x", "3") // predicted from the chosen inputs
		s.StepBack()
		s.ExpectStopped("step")
		s.Request("neuraldbg/chooseAlternative", map[string]any{"index": 2})
		s.ExpectStopped("goto")
		s.ExpectLocal("x", "2")
		s.ExpectError("neuraldbg/chooseAlternative", map[string]any{"index": 4}, "there is no alternative 4")
		s.ExpectError("neuraldbg/chooseAlternative", map[string]any{"index": "2"}, "must be a whole number")
		s.Disconnect()
	})
}

// TestWhatIsTooLong is refused with a line that does not repeat it.
func TestWhatIsTooLong(t *testing.T) {
	long := strings.Repeat("x", 2<<20)
	s := connect(t, replaying(t, "main()"))
	s.Initialize()
	program := testdata(t, "count_berry.py")
	for _, launch := range []map[string]any{
		{"program": long}, {"program": program, "entry": long}, {"program": program, "entry": "f", "arguments": map[string]any{long: "1"}},
	} {
		expectShortError(t, s, "launch", launch)
	}
	s.ExpectError("launch", map[string]any{"program": program, "entry": long}, "the entry has 2097152 bytes")
	s.Launch(map[string]any{"program": program, "entry": "main()"})
	s.ConfigurationDone()
	s.ExpectStopped("entry")
	s.StepIn()
	s.ExpectStopped("step")
	s.StepIn()
	s.ExpectStopped("step")
	s.ExpectError("setExpression", map[string]any{"expression": "s", "value": "'" + long + "'"}, "repr has 2097154 bytes")
	for command, arguments := range map[string]map[string]any{
		"setExpression": {"expression": long, "value": "1"},
		"evaluate":      {"expression": long},
		long:            {},
	} {
		expectShortError(t, s, command, arguments)
	}
	s.ExpectLocal("s", "'berry'")
	s.Disconnect()
}

func expectShortError(t *testing.T, s *daptest.Script, command string, arguments map[string]any) {
	t.Helper()
	_, err := s.Client.Request(command, arguments)
	failed, ok := err.(*daptest.ResponseError)
	if !ok || len(failed.Message) > 4096 {
		t.Errorf("%.20s: %.300v", command, err)
	}
}
