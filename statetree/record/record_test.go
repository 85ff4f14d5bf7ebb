package record

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/neuraldbg/neuraldbg/statetree"
)

var update = flag.Bool("update", false, "write the goldens anew")

// python is the interpreter that the tests run; RECORD_TEST_PYTHON names
// another one.
func python() string { return os.Getenv("RECORD_TEST_PYTHON") }

// write puts a program in a file of the test's own.
func write(t testing.TB, source string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "app.py")
	if err := os.WriteFile(path, []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// run records a program, with its trace file, and checks that the file says the
// same as the recording.
func run(t testing.TB, source string, o Options) (Result, error) {
	t.Helper()
	o.File = write(t, source)
	o.Python = python()
	o.Trace = filepath.Join(filepath.Dir(o.File), "app.trace")
	result, err := Run(context.Background(), o)
	if err != nil {
		return result, err
	}
	trace, err := OpenTrace(o.Trace)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasPrefix(result.Recording.Cut, "the limit of") && trace.Recording.Cut == CutShort {
		trace.Recording.Cut = result.Recording.Cut // a killed program says nothing
	}
	if !reflect.DeepEqual(trace, result.Trace) {
		t.Errorf("the trace file says something else than the recording")
	}
	return result, nil
}

// brief writes states down, one a line, with paths left out.
func brief(states []statetree.Recorded) string {
	var b strings.Builder
	for _, s := range states {
		fmt.Fprintf(&b, "%d %s %d %s", s.Activation, s.Event, s.Line, s.Function)
		if s.Event.HasArg() {
			fmt.Fprintf(&b, " %s", s.Arg)
		}
		for _, l := range s.Locals {
			fmt.Fprintf(&b, " %s=%s", l.Name, l.Repr)
		}
		fmt.Fprintf(&b, " | %s\n", s.Source)
	}
	return b.String()
}

func TestGolden(t *testing.T) {
	// Which lines of a decorated class or a finally are visited differs by minor
	// version; these goldens are of one.
	const minor = "3.11."
	for _, c := range []struct{ name, file, entry string }{
		{"count_berry", "count_berry.py", "main()"},
		{"generator", "generator.py", "main()"},
		{"classes", "classes.py", ""},
		{"exceptions", "exceptions.py", `parse(["1", "x"])`},
	} {
		t.Run(c.name, func(t *testing.T) {
			result, err := Run(context.Background(), Options{Python: python(), File: "testdata/" + c.file, Entry: c.entry})
			if err != nil {
				t.Fatal(err)
			}
			if c.name != "count_berry" && !strings.HasPrefix(result.Python, minor) {
				t.Skipf("the golden is of Python %s*, this is %s", minor, result.Python)
			}
			recording := result.Recording
			var got bytes.Buffer
			encoder := json.NewEncoder(&got)
			encoder.SetEscapeHTML(false)
			encoder.SetIndent("", " ")
			if err := encoder.Encode(recording); err != nil {
				t.Fatal(err)
			}
			path := "testdata/" + c.name + ".golden.json"
			if *update {
				if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if got.String() != string(want) {
				t.Errorf("the recording differs from %s (-update writes it anew); it is\n%s", path, brief(recording.States))
			}
		})
	}
}

func TestRecordings(t *testing.T) {
	for _, c := range []struct {
		name, source, entry string
		options             Options
		exit                statetree.Exit
		want                string
	}{
		{
			name: "comprehensions belong to their line", entry: "f(2)", exit: statetree.ExitNormal,
			source: "def g(x):\n    return x * 2\n\ndef f(n):\n    a = [g(i) for i in range(n)]\n    b = sum(i for i in a)\n    return b, {k: [v for v in a] for k in a}\n",
			want: `0 call 1 main | def main():
0 line 2 main |     return f(2)
1 call 4 f n=2 | def f(n):
1 line 5 f n=2 |     a = [g(i) for i in range(n)]
2 call 1 g x=0 | def g(x):
2 line 2 g x=0 |     return x * 2
2 return 2 g 0 |     return x * 2
3 call 1 g x=1 | def g(x):
3 line 2 g x=1 |     return x * 2
3 return 2 g 2 |     return x * 2
1 line 6 f n=2 a=[0, 2] |     b = sum(i for i in a)
1 line 7 f n=2 a=[0, 2] b=2 |     return b, {k: [v for v in a] for k in a}
1 return 7 f (2, {0: [0, 2], 2: [0, 2]}) |     return b, {k: [v for v in a] for k in a}
0 return 2 main (2, {0: [0, 2], 2: [0, 2]}) |     return f(2)
`,
		},
		{
			name: "a decorated function's call is at its def", entry: "f(1)", exit: statetree.ExitNormal,
			source: "import functools\n@functools.lru_cache\n@functools.lru_cache\ndef f(n):\n    return n\n",
			want: `0 call 1 main | def main():
0 line 2 main |     return f(1)
1 call 4 f n=1 | def f(n):
1 line 5 f n=1 |     return n
1 return 5 f 1 |     return n
0 return 2 main 1 |     return f(1)
`,
		},
		{
			name: "addresses", entry: "f(object(), len)", exit: statetree.ExitNormal,
			source: "def f(o, text):\n    text = 'at 0x12ab>'\n    return f\n",
			want: `0 call 1 main | def main():
0 line 2 main |     return f(object(), len)
1 call 1 f o=<object object> text=<built-in function len> | def f(o, text):
1 line 2 f o=<object object> text=<built-in function len> |     text = 'at 0x12ab>'
1 line 3 f o=<object object> text='at 0x12ab>' |     return f
1 return 3 f <function f> |     return f
0 return 2 main <function f> |     return f(object(), len)
`,
		},
		{
			name: "values that change in place, names that vanish and come back", entry: "f([1])", exit: statetree.ExitNormal,
			source: "def f(a):\n    a.append([])\n    b = a[1]\n    b.append(a)\n    del b\n    b = 'tab\\t\\\\\\n'\n    return b\n",
			want: `0 call 1 main | def main():
0 line 2 main |     return f([1])
1 call 1 f a=[1] | def f(a):
1 line 2 f a=[1] |     a.append([])
1 line 3 f a=[1, []] |     b = a[1]
1 line 4 f a=[1, []] b=[] |     b.append(a)
1 line 5 f a=[1, [[...]]] b=[[1, [...]]] |     del b
1 line 6 f a=[1, [[...]]] |     b = 'tab\t\\\n'
1 line 7 f a=[1, [[...]]] b='tab\t\\\n' |     return b
1 return 7 f 'tab\t\\\n' |     return b
0 return 2 main 'tab\t\\\n' |     return f([1])
`,
		},
		{
			name: "reprs that fail, and odd ones", entry: "f(A(), B(), C(), D())", exit: statetree.ExitNormal,
			source: `class A:
    def __repr__(self):
        raise KeyError('no')
class B:
    def __repr__(self):
        return repr([self.__class__(), self])
class C:
    def __repr__(self):
        return 'two\nlines\tof \\text \ud800'
class D:
    def __repr__(self):
        raise SystemExit(3)
def f(a, b, c, d):
    return 1
`,
			want: `0 call 1 main | def main():
0 line 2 main |     return f(A(), B(), C(), D())
1 call 13 f a=<unrepresentable A: KeyError> b=<unrepresentable B: RecursionError> c=two
lines	of \text \ud800 d=<unrepresentable D: SystemExit> | def f(a, b, c, d):
1 line 14 f a=<unrepresentable A: KeyError> b=<unrepresentable B: RecursionError> c=two
lines	of \text \ud800 d=<unrepresentable D: SystemExit> |     return 1
1 return 14 f 1 |     return 1
0 return 2 main 1 |     return f(A(), B(), C(), D())
`,
		},
		{
			name: "long reprs are cut", entry: "f('abcdefghijkl')", exit: statetree.ExitNormal, options: Options{Limits: Limits{Repr: 8}},
			source: "def f(s):\n    s += s\n    return s\n",
			want: `0 call 1 main | def main():
0 line 2 main |     return f('abcdefghijkl')
1 call 1 f s='abcdefg… | def f(s):
1 line 2 f s='abcdefg… |     s += s
1 line 3 f s='abcdefg… |     return s
1 return 3 f 'abcdefg… |     return s
0 return 2 main 'abcdefg… |     return f('abcdefghijkl')
`,
		},
		{
			name: "lambdas, closures, star arguments", entry: "f(1, 2, k=3)", exit: statetree.ExitNormal,
			source: "def f(*a, **k):\n    n = 1\n    g = lambda x: x + n\n    return g(a[0])\n",
			want: `0 call 1 main | def main():
0 line 2 main |     return f(1, 2, k=3)
1 call 1 f a=(1, 2) k={'k': 3} | def f(*a, **k):
1 line 2 f a=(1, 2) k={'k': 3} |     n = 1
1 line 3 f a=(1, 2) k={'k': 3} n=1 |     g = lambda x: x + n
1 line 4 f a=(1, 2) k={'k': 3} g=<function f.<locals>.<lambda>> n=1 |     return g(a[0])
2 call 3 f.<locals>.<lambda> x=1 n=1 |     g = lambda x: x + n
2 line 3 f.<locals>.<lambda> x=1 n=1 |     g = lambda x: x + n
2 return 3 f.<locals>.<lambda> 2 |     g = lambda x: x + n
1 return 4 f 2 |     return g(a[0])
0 return 2 main 2 |     return f(1, 2, k=3)
`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := c.options
			o.Entry = c.entry
			result, err := run(t, c.source, o)
			if err != nil {
				t.Fatal(err)
			}
			got := brief(result.Recording.States)
			if c.name == "lambdas, closures, star arguments" {
				// Where a name that a closure holds comes differs by version.
				got = strings.ReplaceAll(got, " n=1 g=<function f.<locals>.<lambda>>", " g=<function f.<locals>.<lambda>> n=1")
			}
			if got != c.want {
				t.Errorf("recorded\n%s\nwant\n%s", got, c.want)
			}
			if result.Recording.Exit != c.exit || result.Recording.Cut != "" {
				t.Errorf("exit %v, cut %q", result.Recording.Exit, result.Recording.Cut)
			}
		})
	}
}

// TestInlinedComprehensions records comprehensions of several lines. Which lines
// of the statement show up differs by version (3.12 and later inline them), but
// never what happens inside.
func TestInlinedComprehensions(t *testing.T) {
	const source = `def f(nums):
    x = 7
    a = [
        x
        for x in nums
        if x > 1
    ]
    try:
        b = {x: [y for y in range(x)] for x in sorted(
            nums
        )}
        c = [
            1 // x for x in nums
        ]
    except ZeroDivisionError:
        c = None
    finally:
        d = [x for x in nums for y in nums]
    return a, b, c, x
`
	result, err := run(t, source, Options{Entry: "f([2, 0])"})
	if err != nil {
		t.Fatal(err)
	}
	last, visited := 0, map[int]bool{}
	for _, s := range result.Recording.States {
		if x, ok := s.Locals.Get("x"); ok && x != "7" {
			t.Errorf("line %d shows the comprehension's x, %s", s.Line, x)
		}
		if _, ok := s.Locals.Get("y"); ok {
			t.Errorf("line %d shows the comprehension's y", s.Line)
		}
		if s.Event == statetree.Line && (s.Line == 4 || s.Line == 6) {
			t.Errorf("line %d is inside a comprehension", s.Line)
		}
		if s.Function == "f" {
			last = s.Line
			visited[s.Line] = true
		}
	}
	final := result.Recording.States[len(result.Recording.States)-1]
	if want := "([2], {0: [], 2: [0, 1]}, None, 7)"; final.Arg != want || last != 19 {
		t.Errorf("returned %s at line %d, want %s", final.Arg, last, want)
	}
	for _, line := range []int{2, 8, 9, 15, 16, 18, 19} {
		if !visited[line] {
			t.Errorf("line %d is missing", line)
		}
	}
	if n := len(result.Recording.States); n > 30 {
		t.Errorf("%d states:\n%s", n, brief(result.Recording.States))
	}
}

// TestKeepAddresses needs a value of its own, since addresses differ.
func TestKeepAddresses(t *testing.T) {
	result, err := run(t, "def f(o):\n    return 1\n", Options{Entry: "f(object())", KeepAddresses: true})
	if err != nil {
		t.Fatal(err)
	}
	repr, _ := result.Recording.States[2].Locals.Get("o")
	if !regexp.MustCompile(`^<object object at 0x[0-9a-f]+>$`).MatchString(repr) {
		t.Errorf("repr %q has no address", repr)
	}
}

// TestShortenedIsFlagged looks for the flag of a repr that was cut.
func TestShortenedIsFlagged(t *testing.T) {
	result, err := run(t, "def f(s):\n    t = s\n    del t\n    return s\n", Options{Entry: "f('abcdefghijkl')", Limits: Limits{Repr: 5}})
	if err != nil {
		t.Fatal(err)
	}
	if result.Shortened < 4 {
		t.Errorf("%d reprs are flagged as cut, want s, t and two results at least", result.Shortened)
	}
}

// independent is another, simpler reading of sys.settrace: the test's oracle.
const independent = `
import sys, json, re
path, entry = sys.argv[1:3]
source = open(path).read()
names = {"__name__": "app"}
exec(compile(source, path, "exec"), names)
rows = []
def show(v):
    return re.sub(" at 0x[0-9a-f]+>", ">", repr(v))
def trace(frame, event, arg):
    code = frame.f_code
    if code.co_filename != path or code.co_name in ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"):
        return None
    line = source.split("\n")[frame.f_lineno - 1]
    if event in ("call", "line"):
        rows.append([event, line, {k: show(v) for k, v in frame.f_locals.items()}])
    else:
        rows.append([event, line, show(arg if event == "return" else arg[1])])
    return trace
sys.settrace(trace)
try:
    eval(entry, names)
except BaseException:
    pass
sys.settrace(None)
json.dump(rows, sys.stdout)
`

func TestAgainstAnotherReading(t *testing.T) {
	for _, c := range []struct{ file, entry string }{
		{"count_berry.py", "main()"},
		{"generator.py", "main()"},
		{"exceptions.py", `parse(["1", "x"])`},
		{"exceptions.py", `parse(["1", "20", ""])`},
		{"sorting.py", `bubble([5, 3, 8, 1])`},
	} {
		t.Run(c.file+" "+c.entry, func(t *testing.T) {
			name := python()
			if name == "" {
				name = DefaultPython
			}
			out, err := exec.Command(name, "-c", independent, "testdata/"+c.file, c.entry).Output()
			if err != nil {
				t.Fatal(err)
			}
			var rows [][]any
			if err := json.Unmarshal(out, &rows); err != nil {
				t.Fatal(err)
			}
			recording, err := Record(context.Background(), Options{Python: python(), File: "testdata/" + c.file, Entry: c.entry})
			if err != nil {
				t.Fatal(err)
			}
			var states []statetree.Recorded
			for _, s := range recording.States {
				if s.File != statetree.DriverFile {
					states = append(states, s)
				}
			}
			if len(states) != len(rows) {
				t.Fatalf("%d states, the other reading has %d", len(states), len(rows))
			}
			for i, s := range states {
				got := []any{s.Event.String(), s.Source, any(s.Arg)}
				if s.Event.HasLocals() {
					locals := map[string]any{}
					for _, l := range s.Locals {
						locals[l.Name] = l.Repr
					}
					got[2] = locals
				}
				if !reflect.DeepEqual(got, rows[i]) {
					t.Fatalf("state %d is %v, the other reading has %v", i, got, rows[i])
				}
			}
		})
	}
}

// lost is LOST of tracer.py.
const lost = "the program reached the recursion limit or replaced the trace function"

// TestEndings runs programs that end in all the ways there are.
func TestEndings(t *testing.T) {
	for _, c := range []struct {
		name, source, entry string
		limits              Limits
		exit                statetree.Exit
		cut                 string
		code                int
		stdout, stderr      string
		least               int
	}{
		{name: "normal", source: "print('hello')\n", exit: statetree.ExitNormal, stdout: "hello\n", least: 3},
		{name: "exit 0", source: "import sys\nsys.exit()\n", exit: statetree.ExitNormal, least: 5},
		{name: "exit 3", source: "import sys\nsys.exit(3)\n", exit: statetree.ExitError, code: 3, least: 5},
		{name: "exit message", source: "import sys\nsys.exit('so long')\n", exit: statetree.ExitError, code: 1, stderr: "so long\n", least: 5},
		{name: "uncaught", source: "x = 1\nx[0]\n", exit: statetree.ExitError, code: 1,
			stderr: "Traceback (most recent call last):\n  File \"app.py\", line 2, in <module>\n    x[0]\n    ~^^^\nTypeError: 'int' object is not subscriptable\n", least: 5},
		{name: "leaves Python", source: "import os\nprint('x', flush=True)\nos._exit(4)\n", cut: CutShort, code: 4, stdout: "x\n", least: 4},
		{name: "kills itself", source: "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n", cut: CutShort, code: -1, least: 3},
		{name: "never ends", source: "while True:\n    x = 1\n", limits: Limits{Events: 100}, cut: "the limit of 100 events", code: 1, least: 100},
		{name: "hangs", source: "x = 1\nimport time\ntime.sleep(60)\n", limits: Limits{Time: time.Second}, cut: "the limit of 1s", code: -1, least: 4},
		{name: "repr hangs", source: "class A:\n    def __repr__(self):\n        while True: pass\na = A()\nb = 1\n", limits: Limits{Time: time.Second}, cut: "the limit of 1s", code: -1, least: 3},
		{name: "too much", source: "x = []\nfor i in range(10**6):\n    x.append(i)\n", limits: Limits{Bytes: 100_000}, cut: "the limit of 100000 bytes", code: 1, least: 100},
		{name: "closes its output", source: "import sys, os\nsys.stdout.close()\nos.close(2)\nx = 2\n", exit: statetree.ExitNormal, least: 6},
		{name: "closes everything", source: "import os\nos.closerange(3, 256)\nx = 2\n", cut: CutShort, least: 3},
		{name: "forks", source: "import os\nif os.fork() == 0:\n    x = 1\n    os._exit(0)\nos.wait()\ny = 2\n", exit: statetree.ExitNormal, least: 6},
		{name: "replaces the trace function", source: "import sys\nsys.settrace(None)\nx = 2\n", cut: lost, least: 3},
		{name: "catches RecursionError", source: "def f(n):\n    return f(n + 1)\ntry:\n    f(0)\nexcept RecursionError:\n    print('deep')\n",
			cut: lost, stdout: "deep\n", least: 1900},
		{name: "threads", source: "import threading\ndef f():\n    print('thread')\nt = threading.Thread(target=f)\nt.start()\nt.join()\n", exit: statetree.ExitNormal, stdout: "thread\n", least: 7},
	} {
		t.Run(c.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			result, err := run(t, c.source, Options{Entry: c.entry, Limits: c.limits, Stdout: &stdout, Stderr: &stderr})
			if err != nil {
				t.Fatal(err)
			}
			r := result.Recording
			if r.Exit != c.exit || r.Cut != c.cut || result.ExitCode != c.code || len(r.States) < c.least {
				t.Errorf("exit %v, cut %q, code %d, %d states; want %v, %q, %d, at least %d\n%s", r.Exit, r.Cut, result.ExitCode, len(r.States), c.exit, c.cut, c.code, c.least, brief(r.States[:min(20, len(r.States))]))
			}
			errors := regexp.MustCompile(`File ".*app.py"`).ReplaceAllString(stderr.String(), `File "app.py"`)
			carets := regexp.MustCompile(`(?m)^ *[~^]+\n`)
			if stdout.String() != c.stdout || carets.ReplaceAllString(errors, "") != carets.ReplaceAllString(c.stderr, "") {
				t.Errorf("stdout %q, stderr %q; want %q, %q", &stdout, errors, c.stdout, c.stderr)
			}
		})
	}
}

// TestOutputIsTheProgramsOwn compares a recorded run with a plain one.
func TestOutputIsTheProgramsOwn(t *testing.T) {
	path := write(t, "import sys\nprint(__name__, sys.argv[1:], __file__ == sys.argv[0])\nfor line in sys.stdin:\n    print(line.upper(), end='')\nprint('x' * 3_000_000)\nsys.exit(len(sys.path[0]) % 7)\n")
	input := "one\ntwo\n"
	var plain, recorded bytes.Buffer
	name := python()
	if name == "" {
		name = DefaultPython
	}
	command := exec.Command(name, path, "a", "b c")
	command.Stdin, command.Stdout = strings.NewReader(input), &plain
	_ = command.Run()
	result, err := Run(context.Background(), Options{Python: python(), File: path, Args: []string{"a", "b c"}, Stdin: strings.NewReader(input), Stdout: &recorded})
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(plain.Bytes(), recorded.Bytes()) {
		t.Errorf("the output differs: %d and %d bytes, %.80q and %.80q", plain.Len(), recorded.Len(), &plain, &recorded)
	}
	if code := command.ProcessState.ExitCode(); code != result.ExitCode {
		t.Errorf("exit code %d, plainly %d", result.ExitCode, code)
	}
}

func TestBadInput(t *testing.T) {
	for _, c := range []struct {
		name, source, entry string
		options             Options
		want                string
	}{
		{name: "does not parse", source: "x = = 1\n", want: "app.py:1:5: invalid syntax: x = = 1"},
		{name: "no such function", source: "def f(): pass\n", entry: "g()", want: "has no function g"},
		{name: "no call", source: "def f(n): pass\n", entry: "f", want: "entry f: recording needs a call with arguments, such as f(1)"},
		{name: "fails before", source: "1 / 0\ndef f(): pass\n", entry: "f()", want: "app.py ended before the entry could be called: ZeroDivisionError: division by zero"},
		{name: "no file", options: Options{File: "no/such.py"}, want: "reading the program: open no/such.py: no such file or directory"},
		{name: "no Python", options: Options{Python: "no-python", File: "x.py"}, want: `no Python interpreter "no-python": install Python 3.9 or later, or name another interpreter`},
		{name: "not Python", source: "x = 1\n", options: Options{Python: "/bin/true"}, want: "did not run the tracer (Python 3.9 or later is needed)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := c.options
			o.Entry = c.entry
			if o.Python == "" {
				o.Python = python()
			}
			var stderr bytes.Buffer
			o.Stderr = &stderr
			if o.File == "" {
				o.File = write(t, c.source)
			}
			_, err := Run(context.Background(), o)
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %v, want one line with %q", err, c.want)
			}
			if stderr.Len() > 0 {
				t.Errorf("stderr has %q", &stderr)
			}
		})
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	start := time.Now()
	_, err := Run(ctx, Options{Python: python(), File: write(t, "import time\ntime.sleep(60)\n")})
	if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > 10*time.Second {
		t.Errorf("error %v after %v", err, time.Since(start))
	}
}

// TestFiles records a module that the program imports, when asked.
func TestFiles(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{
		"app.py":      "import lib.part\ndef f(n):\n    return lib.part.double(n)\n",
		"lib/part.py": "def double(n):\n    return 2 * n\n",
	} {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		files []string
		want  string
	}{
		{nil, ""},
		{[]string{"lib/part.py"}, "lib/part.py"},
		{[]string{"lib"}, "lib/part.py"},
	} {
		recording, err := Record(context.Background(), Options{Python: python(), Dir: folder, File: "app.py", Entry: "f(2)", Files: c.files})
		if err != nil {
			t.Fatal(err)
		}
		found := ""
		for _, s := range recording.States {
			if s.Function == "double" {
				found = s.File
			}
		}
		if found != c.want {
			t.Errorf("files %q: double is in %q, want %q", c.files, found, c.want)
		}
	}
}

// TestCutAnywhere reads a trace file that ends at every possible byte.
func TestCutAnywhere(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "whole.trace")
	whole, err := Run(context.Background(), Options{Python: python(), File: "testdata/count_berry.py", Entry: "main()", Trace: path})
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	last := 0
	for n := range len(data) {
		trace, err := ReadTrace(bytes.NewReader(data[:n]))
		if err != nil {
			if trace.Recording.States != nil || last > 0 {
				t.Fatalf("%d of %d bytes: %v, after %d states could be read", n, len(data), err, last)
			}
			continue
		}
		states := trace.Recording.States
		if len(states) < last || !reflect.DeepEqual(states, whole.Recording.States[:len(states):len(states)]) && len(states) > 0 {
			t.Fatalf("%d bytes: other states than in the whole trace", n)
		}
		if trace.Recording.Exit == statetree.NoExit && trace.Recording.Cut != CutShort {
			t.Fatalf("%d bytes: neither an exit nor a cut", n)
		}
		last = len(states)
	}
	if last == 0 {
		t.Error("no cut trace could be read")
	}
}

func TestReadTraceRefuses(t *testing.T) {
	zip := func(text string) []byte {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		w.Write([]byte(text))
		w.Close()
		return b.Bytes()
	}
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"nothing", nil, "it is cut off before its first record"},
		{"text", []byte("hello, world, this is text"), "it is not a trace file"},
		{"another gzip", zip("hello\n"), "it is not a trace file"},
		{"later version", zip("neuraldbg-trace 9\n"), `it is of format "neuraldbg-trace 9", this program reads "neuraldbg-trace 1"; record it again`},
		{"damaged", zip(header + "\nF\t0\ta.py\tx\nL\t7\t1\n"), `line 3 is not a record: "L\t7\t1"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := ReadTrace(bytes.NewReader(c.data))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

func FuzzDecode(f *testing.F) {
	f.Add("P\t{\"kind\":\"call\",\"text\":\"f(1)\"}\nF\t0\ta.py\tdef f(n):\\n    return n\nK\t0\t0\tf\nC\t0\t0\t1\tn\t1\nL\t0\t2\nM\t0\t2\t~n\t2\nE\t0\t2\tValueError()\t~\nR\t0\t2\t1\nX\tnormal\n")
	f.Add("Z\tthe limit\n")
	f.Add("!\tno\\\\\\n\\t\n")
	f.Fuzz(func(t *testing.T, text string) {
		d := newDecoder()
		if err := d.readAll(strings.NewReader(header + "\n" + text)); err != nil {
			return
		}
		trace, err := d.finish()
		if err != nil {
			return
		}
		for _, s := range trace.Recording.States {
			if s.Event == statetree.NoEvent || s.Activation < 0 {
				t.Fatalf("state %+v", s)
			}
		}
	})
}
