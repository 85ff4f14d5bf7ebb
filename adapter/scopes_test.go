package adapter_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-dap"

	"github.com/neuraldbg/neuraldbg/adapter"
	"github.com/neuraldbg/neuraldbg/adapter/daptest"
	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/model/replay"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// scope returns the variables of a scope of a frame, "" for a scope that there
// is not.
func scope(t *testing.T, s *daptest.Script, frame int, name string) string {
	t.Helper()
	scopes, err := s.Client.Scopes(s.StackTrace()[frame].Id)
	if err != nil {
		t.Fatal(err)
	}
	for _, scope := range scopes {
		if scope.Name != name {
			continue
		}
		if variables, err := s.Client.Variables(scope.VariablesReference); err != nil || len(variables) != scope.NamedVariables {
			t.Errorf("%s has %d variables, %v; announced are %d", name, len(variables), err, scope.NamedVariables)
		}
		return unfold(t, s, scope.VariablesReference, "")
	}
	return ""
}

func TestReturnValueScope(t *testing.T) {
	s := inCount(t, 5)
	if got := scope(t, s, 0, "Return value"); got != "" {
		t.Errorf("before the return there is %q", got)
	}
	s.Disconnect()

	program := filepath.Join(t.TempDir(), "twice.py")
	text := "def twice(x):\n    return [x, x]\n\ndef main():\n    a = twice(1)\n    return a\n"
	if err := os.WriteFile(program, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s = connect(t, replaying(t, "main()"))
	s.Initialize()
	s.Launch(map[string]any{"program": program, "entry": "main()"})
	s.SetBreakpoints(program, 2)
	s.ConfigurationDone()
	s.ExpectStopped("entry")
	s.Continue()
	s.ExpectStopped("breakpoint")
	s.StepOut()
	s.ExpectStopped("step")
	s.ExpectLine(6)
	const want = "(return) twice = [1, 1] : list (0 named, 2 indexed)\n  0 = 1 : int\n  1 = 1 : int\n"
	if got := scope(t, s, 0, "Return value"); got != want {
		t.Errorf("stepped out to %q; want %q", got, want)
	}
	s.Disconnect()

	s = connect(t, replaying(t, "main()"))
	s.Initialize()
	s.Launch(map[string]any{"program": program, "entry": "main()"})
	s.ConfigurationDone()
	s.ExpectStopped("entry")
	for _, step := range []func(){s.Next, s.StepIn, s.StepOut} {
		step()
		s.ExpectStopped("step")
	}
	s.ExpectLine(6)
	if got := scope(t, s, 0, "Return value"); got != want {
		t.Errorf("with all frames known, stepped out to %q; want %q", got, want)
	}
	s.Next()
	s.ExpectStopped("step")
	if got := scope(t, s, 0, "Return value"); got != "" {
		t.Errorf("one state later there is %q", got)
	}
	s.Disconnect()
}

func TestGlobalsScope(t *testing.T) {
	program := filepath.Join(t.TempDir(), "module.py")
	text := "limit = 3\n\ndef over(x):\n    return x > limit\n\nover(4)\n"
	if err := os.WriteFile(program, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s := connect(t, replaying(t, ""))
	s.Initialize()
	s.Launch(map[string]any{"program": program})
	s.SetBreakpoints(program)
	s.ConfigurationDone()
	s.ExpectStopped("entry")
	for range 4 { // limit, def, over(4), and into it
		s.StepIn()
		s.ExpectStopped("step")
	}
	s.ExpectLine(4)
	if got, want := scope(t, s, 0, "Globals"), "limit = 3 : int @ limit\n"; got != want {
		t.Errorf("globals of the function: %q; want %q", got, want)
	}
	if got := scope(t, s, 1, "Globals"); got != "" {
		t.Errorf("globals of the module itself: %q", got)
	}
	if got := s.Evaluate("x > limit", "watch").Result; got != "True" {
		t.Errorf("x > limit is %q", got)
	}
	s.Disconnect()
}

// TestThreshold marks values of low confidence, but not where they are copied.
func TestThreshold(t *testing.T) {
	for _, test := range []struct {
		threshold any
		marked    bool
	}{{nil, false}, {0.95, true}, {0.9, false}, {1, true}, {0, false}} {
		s := connect(t, func(_ context.Context, c adapter.LaunchConfig) (model.Predictor, error) {
			p, err := replay.New(recordOnce(t, c.Program, "main()"))
			return unsure{p, "n", 0.9312}, err
		})
		program := testdata(t, "count_berry.py")
		s.Initialize()
		config := map[string]any{"program": program, "entry": "main()"}
		if test.threshold != nil {
			config["confidenceThreshold"] = test.threshold
		}
		s.Launch(config)
		s.SetBreakpoints(program, 4)
		s.ConfigurationDone()
		s.ExpectStopped("entry")
		s.Continue()
		s.ExpectStopped("breakpoint")
		want := "0"
		if test.marked {
			want += " ? 93.1 %"
		}
		s.ExpectLocal("n", want)
		s.ExpectLocal("c", "'b'")
		for _, context := range []string{"watch", "hover", "repl"} {
			if got := s.Evaluate("n", context).Result; got != want {
				t.Errorf("threshold %v: %s shows %q; want %q", test.threshold, context, got, want)
			}
		}
		if got := s.Evaluate("n + 1", "watch").Result; strings.Contains(got, "?") != test.marked {
			t.Errorf("threshold %v: a value computed from it is %q", test.threshold, got)
		}
		for _, context := range []string{"clipboard", "variables"} {
			if got := s.Evaluate("n", context).Result; got != "0" {
				t.Errorf("%s gets %q", context, got)
			}
		}
		if got := scope(t, s, 0, "Prediction"); !strings.Contains(got, "model = replay") {
			t.Errorf("the prediction's facts are %q", got)
		}
		s.Disconnect()
	}
	s := connect(t, replaying(t, "main()"))
	s.Initialize()
	s.ExpectError("launch", map[string]any{"program": testdata(t, "count_berry.py"), "confidenceThreshold": 2}, "confidenceThreshold is 2; it must be from 0 to 1")
	s.Disconnect()
}

// TestSetMarked gives a value back with the mark that the client shows.
func TestSetMarked(t *testing.T) {
	overWalker(t, func(t *testing.T, s *daptest.Script, p subject) {
		atLine(s, p, nil)
		if v, err := s.Client.SetVariable("x", "8 ? 35.1 %"); err != nil || v != "8" {
			t.Errorf("set to %q, %v", v, err)
		}
		s.Disconnect()
	})
}

// TestHex shows ints in base 16 where the client asks for it.
func TestHex(t *testing.T) {
	s := stopAtPass(t, nil, "n = 255", "values = {16: [-1, 2.5, 'x', True]}")
	locals, err := s.Client.LocalsScope()
	if err != nil {
		t.Fatal(err)
	}
	hex := map[string]any{"hex": true}
	response := s.Request("variables", map[string]any{"variablesReference": locals.VariablesReference, "format": hex})
	var got []string
	for _, v := range response.(*dap.VariablesResponse).Body.Variables {
		got = append(got, v.Value)
	}
	if want := "[0xff {0x10: [-0x1, 2.5, 'x', True]}]"; fmt.Sprint(got) != want {
		t.Errorf("got %v; want %s", got, want)
	}
	body := s.Request("evaluate", map[string]any{"expression": "n + 1", "context": "watch", "format": hex}).(*dap.EvaluateResponse).Body
	if body.Result != "0x100" {
		t.Errorf("n + 1 is %s", body.Result)
	}
	s.Disconnect()
}

// TestHugeValues unfolds what is long or deep: nothing hangs, and no list is
// longer than what was asked for.
func TestHugeValues(t *testing.T) {
	overWalker(t, func(t *testing.T, s *daptest.Script, p subject) {
		long := "[" + strings.Repeat("12345, ", 150_000) + "0]"
		deep := strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000)
		text := "'" + strings.Repeat("x", 1<<20) + "'"
		p.launch(s, map[string]any{"from": map[string]any{"event": "line", "line": 3,
			"locals": map[string]string{"x": long, "point": deep, "text": text}}}, nil)
		for name, size := range map[string]int{"x": len(long), "point": len(deep), "text": len(text)} {
			if got := s.Evaluate(name, "clipboard").Result; len(got) != size {
				t.Errorf("%s: %d characters are copied; want %d", name, len(got), size)
			}
			if got := s.Evaluate(name, "watch").Result; len(got) > 11_000 {
				t.Errorf("%s: a watch shows %d characters", name, len(got))
			}
		}
		reference := s.Evaluate("x", "watch").VariablesReference
		page := s.Request("variables", map[string]any{"variablesReference": reference, "start": 149_999, "count": 50}).(*dap.VariablesResponse)
		if n := len(page.Body.Variables); n != 2 || page.Body.Variables[1].Value != "0" {
			t.Errorf("the last page has %d variables", n)
		}
		if got := s.Evaluate("len(x) + len(text) + len(point)", "repl").Result; got != "1198578" {
			t.Errorf("the lengths are %s", got)
		}
		reference = s.Evaluate("point", "watch").VariablesReference
		for range 50 {
			variables, err := s.Client.Variables(reference)
			if err != nil || len(variables) != 1 {
				t.Fatalf("a level has %d variables, %v", len(variables), err)
			}
			reference = variables[0].VariablesReference
		}
		s.Disconnect()
	})
}

// cutting is a predictor whose states do not come to their end by themselves.
type cutting struct{ model.Predictor }

func (p cutting) Open(ctx context.Context, c model.Context) (model.Session, model.Prediction, error) {
	session, first, err := p.Predictor.Open(ctx, c)
	return cuttingSession{session}, first, err
}

type cuttingSession struct{ model.Session }

func (s cuttingSession) Predict(ctx context.Context, a statetree.Action) (model.Prediction, error) {
	p, err := s.Session.Predict(ctx, a)
	p.Truncated, p.Confidence = true, model.Confidence{}
	return p, err
}

// TestStatesThatWereCut say so where they are shown.
func TestStatesThatWereCut(t *testing.T) {
	s := connect(t, func(ctx context.Context, c adapter.LaunchConfig) (model.Predictor, error) {
		inner, err := replaying(t, "main()")(ctx, c)
		return cutting{inner}, err
	})
	s.Initialize()
	s.Launch(map[string]any{"program": testdata(t, "count_berry.py"), "entry": "main()"})
	s.ConfigurationDone()
	if stop := s.ExpectStopped("entry"); strings.Contains(stop.Description, "cut") {
		t.Errorf("the start is %q", stop.Description)
	}
	s.Next()
	if stop := s.ExpectStopped("step"); stop.Description != "Predicted; cut for length" {
		t.Errorf("the line is %q", stop.Description)
	}
	if got := scope(t, s, 0, "Prediction"); !strings.Contains(got, "cut for length = values were cut") {
		t.Errorf("the scope Prediction is %s", got)
	}
	s.Next()
	if stop := s.ExpectStopped("step"); stop.Description != "Predicted return of main: 2; cut for length" {
		t.Errorf("the return is %q", stop.Description)
	}
	s.Disconnect()
}
