package adapter_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-dap"

	"github.com/neuraldbg/neuraldbg/adapter"
	"github.com/neuraldbg/neuraldbg/adapter/daptest"
	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/model/replay"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// console types lines into the debug console and compares the answers; "!"
// before an answer says that it is an error's.
func console(t *testing.T, s *daptest.Script, lines ...[2]string) {
	t.Helper()
	for _, line := range lines {
		got, err := s.Client.Evaluate(line[0], "repl")
		want, fails := strings.CutPrefix(line[1], "!")
		switch {
		case fails && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: got %q, %v; want an error with %q", line[0], got.Result, err, want)
		case !fails && (err != nil || got.Result != want):
			t.Errorf("%s: got %q, %v; want %q", line[0], got.Result, err, want)
		}
	}
}

// inCount begins a session that is stopped in count, at the given line.
func inCount(t *testing.T, line int) *daptest.Script {
	t.Helper()
	s := launchCount(t, line)
	s.Continue()
	s.ExpectStopped("breakpoint")
	return s
}

func TestConsoleCommands(t *testing.T) {
	s := inCount(t, 4)
	console(t, s,
		[2]string{"n", "0"}, // the variable, not the command
		[2]string{"s", "'berry'"},
		[2]string{"p c + t", "'br'"},
		[2]string{"pp {'long key %d' % i: 'long value' * 2 for i in range(3)}",
			"{'long key 0': 'long valuelong value',\n 'long key 1': 'long valuelong value',\n 'long key 2': 'long valuelong value'}"},
		[2]string{"p", "!p wants expression"},
		[2]string{"p nope", "!NameError"},
		[2]string{"w", "  count_berry.py(7)main()\n-> def main():\n  [callers not predicted]\n> count_berry.py(4)count()\n-> n += int(c == t)"},
		[2]string{"a", "s = 'berry'\nt = 'r'\nn = 0\nc = 'b'"},
		[2]string{"l 1", "   1     def count(s, t):\n   2         n = 0\n   3         for c in s:\n   4 B->         n += int(c == t)\n   5         return n\n   6"},
		[2]string{"l 99", "!no line"},
		[2]string{"help pp", "pp EXPRESSION                            the value, with a line for each part of a long one"},
		[2]string{"help zz", "!no command"},
		[2]string{"print(n, c)", "0 b"},
		[2]string{"d", "!no frame beyond"},
		[2]string{"!n + 1", "1"},
		[2]string{"n + 1", "1"},
		[2]string{"c == 'b'", "True"},
		[2]string{"n is None", "False"},
	)
	if got := s.Evaluate("help", "repl"); !strings.Contains(got.Result, "infer from here") || strings.Contains(got.Result, "quit") {
		t.Errorf("help is %q", got.Result)
	}
	for _, line := range []string{"next", "step"} {
		console(t, s, [2]string{line, ""})
		s.ExpectStopped("")
	}
	s.ExpectLocal("c", "'e'")
	console(t, s, [2]string{"back", ""})
	s.ExpectStopped("")
	s.ExpectLocal("c", "'b'")
	console(t, s, [2]string{"continue", ""})
	s.ExpectStopped("breakpoint")
	console(t, s, [2]string{"rc", ""})
	s.ExpectStopped("")
	console(t, s, [2]string{"return", ""})
	s.ExpectStopped("")
	s.Disconnect()
}

func TestConsoleFrames(t *testing.T) {
	s := launchCount(t)
	s.Next()
	s.ExpectStopped("step")
	s.StepIn()
	s.ExpectStopped("step")
	console(t, s,
		[2]string{"len(s)", "5"},
		[2]string{"u", "> count_berry.py(8)main()\n-> return count(\"berry\", \"r\")"},
		[2]string{"len(s)", "!NameError"},
		[2]string{"u", "!no frame beyond"},
		[2]string{"t = 1", "!only the names of the innermost frame"},
		[2]string{"d", "> count_berry.py(2)count()\n-> n = 0"},
		[2]string{"len(s)", "5"},
		[2]string{"inputs", "count(s='berry', t='r')  (predicted, 100 %)"},
	)
	s.ExpectLine(2)
	s.Disconnect()
}

func TestConsoleBreakpoints(t *testing.T) {
	s := launchCount(t)
	console(t, s, [2]string{"b", "No breakpoints"}, [2]string{"b 5", "Breakpoint 1 at line 5"})
	e, err := s.Client.Event("breakpoint")
	if err != nil {
		t.Fatal(err)
	}
	if b := e.(*dap.BreakpointEvent).Body; b.Reason != "new" || b.Breakpoint.Line != 5 || !b.Breakpoint.Verified {
		t.Errorf("the client is told of %+v", b)
	}
	console(t, s, [2]string{"b", "Breakpoint 1 at line 5: return n"}, [2]string{"b 99", "!no line"}, [2]string{"b x", "!no line"}, [2]string{"b 6", "Breakpoint 2 at line 7"}, [2]string{"cl 7", "Cleared 1"})
	console(t, s, [2]string{"c", ""})
	s.ExpectStopped("breakpoint")
	s.ExpectLine(5)
	console(t, s, [2]string{"cl 5", "Cleared 1"}, [2]string{"cl", "!no breakpoint"}, [2]string{"b", "No breakpoints"})
	s.Disconnect()
}

// TestConsoleAssigns edits the state as setVariable does.
func TestConsoleAssigns(t *testing.T) {
	overWalker(t, func(t *testing.T, s *daptest.Script, p subject) {
		atLine(s, p, nil)
		console(t, s,
			[2]string{"x = 40 + 2", "42"},
			[2]string{"x", "42"},
			[2]string{"x += 1", "43"},
			[2]string{"point[1]['a'] = [x]", "[43]"},
			[2]string{"set x 8", "8"},
			[2]string{"set x", "!set wants a name and a value"},
			[2]string{"zz = 1", "!no local variable"},
			[2]string{"x = ", "!invalid syntax"},
			[2]string{"x = 1 / 0", "!ZeroDivisionError"},
			[2]string{"(x, y) = 1, 2", "!no expression"},
		)
		if _, err := s.Client.Event("invalidated"); err != nil {
			t.Error(err)
		}
		s.ExpectLocal("x", "8")
		s.ExpectLocal("point", "[7, {'a': [43]}]")
		next(s)
		s.ExpectLocal("x", "8")
		s.Disconnect()
	})
}

// answering is a predictor that gives one answer to whatever it is asked to
// evaluate, and replays a recording otherwise.
type answering struct {
	model.Predictor
	answer string
	asked  *[]string
}

func (p answering) Open(ctx context.Context, c model.Context) (model.Session, model.Prediction, error) {
	if strings.Contains(c.Program.Code, "def evaluate(") {
		*p.asked = append(*p.asked, c.Program.Code+c.Start.Locals[0].Repr)
		return answer{p.answer}, model.Prediction{Outcome: statetree.Outcome{State: c.Start}}, nil
	}
	return p.Predictor.Open(ctx, c)
}

type answer struct{ repr string }

func (a answer) Predict(context.Context, statetree.Action) (model.Prediction, error) {
	if a.repr == "" {
		return model.Prediction{}, errors.New("no idea")
	}
	return model.Prediction{
		Outcome:    statetree.Outcome{State: statetree.State{Event: statetree.Return, Arg: a.repr}},
		Confidence: model.Confidence{State: 0.8},
	}, nil
}
func (answer) Adopt(model.Step) error     { return nil }
func (answer) Rewind(int) error           { return nil }
func (answer) Edit(statetree.State) error { return nil }
func (answer) Close() error               { return nil }

// TestConsoleAsksTheModel asks it for what cannot be computed, in the console
// alone.
func TestConsoleAsksTheModel(t *testing.T) {
	for want, reply := range map[string]string{"[2]  (predicted, 80 %)": "[2]", "!no idea": ""} {
		var asked []string
		s := connect(t, func(_ context.Context, c adapter.LaunchConfig) (model.Predictor, error) {
			p, err := replay.New(recordOnce(t, c.Program, "main()"))
			return answering{p, reply, &asked}, err
		})
		program := testdata(t, "count_berry.py")
		s.Initialize()
		s.Launch(map[string]any{"program": program, "entry": "main()"})
		s.SetBreakpoints(program, 4)
		s.ConfigurationDone()
		s.ExpectStopped("entry")
		s.Continue()
		s.ExpectStopped("breakpoint")
		for _, context := range []string{"watch", "hover", "clipboard", "variables"} {
			if _, err := s.Client.Evaluate("count(s, 'e')", context); err == nil || len(asked) > 0 {
				t.Errorf("%s: %v; asked %q", context, err, asked)
			}
		}
		console(t, s, [2]string{"p count(s, 'e')", want}, [2]string{"typo(s)", "!NameError"}, [2]string{"1 / 0", "!ZeroDivisionError"})
		if len(asked) != 1 || !strings.Contains(asked[0], "def count(s, t):") || !strings.HasSuffix(asked[0], "def evaluate(s):\n    return count(s, 'e')\n'berry'") {
			t.Errorf("the model was asked %q", asked)
		}
		s.ExpectLocal("n", "0") // the session is where it was
		s.Next()
		s.ExpectStopped("step")
		s.Disconnect()
	}
}

// TestHostileExpressions: whatever is evaluated, in whatever context, there is an
// answer of one line or a value, and the session goes on.
func TestHostileExpressions(t *testing.T) {
	p := written(t, "def f(x, point, text, data, deep):\n    y = x\n    return y\n", "f")
	factory := func(context.Context, adapter.LaunchConfig) (model.Predictor, error) { return walker{}, nil }
	overTransports(t, walks, "", factory, func(t *testing.T, s *daptest.Script) {
		p.launch(s, map[string]any{"from": map[string]any{"event": "line", "line": 3, "locals": map[string]string{
			"x": "nan", "point": "[inf, -inf, -0.0, 5e-324, 1e308]", "text": `'\ud800é\x00\\\'"'`, "data": `b'\x00\xff\\\'"'`,
			"deep": strings.Repeat("(", 3000) + ")" + strings.Repeat(",)", 2999),
		}}}, nil)
		for text, want := range map[string]string{
			"x": "nan", "x == x": "False", "point[2]": "-0.0", "0.0 == point[2]": "True", "str(point[2])": "'-0.0'", "point[1] < point[0]": "True",
			"text": `'\ud800é\x00\\\'"'`, "text[1]": "'é'", "len(text)": "6", "data[1]": "255", "data + b'\\''": `b'\x00\xff\\\'"\''`, "[text][0] == text": "True",
			"point[3] / 2": "0.0", "point[4] * 10": "inf",
			"repr(text)[0]": `"'"`, "'%r' % x": "'nan'", "f'{point[2]:.1f}'": "'-0.0'", "{x for _ in ()}": "set()", "round(point[2])": "0",
		} {
			if got, err := s.Client.Evaluate(text, "watch"); err != nil || got.Result != want {
				t.Errorf("%s is %q, %v; want %q", text, got.Result, err, want)
			}
		}
		for _, text := range []string{
			"\x00", "\x00\x01\x02", "\ufeff", "\u202e", "é(", "x\n+1", "x\r\n", "'''", `"""`, "\\", "`x`", "x x", "x;x", "lambda", "lambda:", "*", "**x", "x if", "not", ":=",
			"yield x", "await x", "import os", "del x", "def f(): pass", "class A: pass", "return 1", "print", "exec('1')", "eval('1')", "__import__('os')", "open('/etc/passwd')",
			"x.__class__.__bases__", "().__class__", "text.__doc__", "globals()", "text.join", "{x: 1}", "{point: 1}", "deep == deep", "str(deep)[0]",
			"int('9' * 5000)", "'x' * 10 ** 9", "10 ** 10 ** 10", "[0] * 10 ** 12", "range(10 ** 30)",
			"[y for y in range(10 ** 12)]", "(lambda f: f(f))(lambda f: f(f))", "f'{x:{x}}'", "f'{x!z}'", "'{'.format()", "'%' % x", "'%(' % {}", "1_", "0b2", "1e", "0x",
			"'\\ud800'", "'\\N{X}'", "b'é'", "x" + strings.Repeat("[0]", 900), strings.Repeat("(", 90_000), strings.Repeat("-", 5000) + "1", strings.Repeat("x+", 30_000) + "x",
			strings.Repeat("é", 70_000), "b", "b -1", "b 1e9", "b ,", "b , x", "b f, (", "cl nothing", "u 0", "u -1", "u 99999999999999999999", "l -1", "l ,", "set", "set x", "p", "pp", "pp (",
			"help help help", "!", "!!", "! ", "j", "j 0", "j 99", "x =", "= 1", "x == = 1", "x, point = 1, 2", "x = y = 1", "x: int = 3", "x.y = 1", "x[0] = 1", "point[99] = 1", "f() = 1",
		} {
			for _, context := range []string{"watch", "hover", "repl", "clipboard", "variables", "", "nonsense"} {
				if _, err := s.Client.Evaluate(text, context); err != nil && strings.Contains(err.Error(), "\n") || err != nil && strings.Contains(err.Error(), "internal error") {
					t.Errorf("%.40q in %s: %v", text, context, err)
				}
			}
		}
		if got := s.Evaluate("1 + 1", "watch").Result; got != "2" {
			t.Errorf("in the end 1 + 1 is %s", got)
		}
		s.Disconnect()
	})
}
