package record

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

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
			name: "reprs that raise what is no Exception", entry: "f(A(), B())", exit: statetree.ExitNormal,
			source: `class Stop(BaseException):
    __traceback__ = None
class A:
    def __repr__(self):
        raise KeyboardInterrupt
class Named(type):
    @property
    def __name__(cls):
        raise ValueError
class B(metaclass=Named):
    def __repr__(self):
        raise Stop
def f(a, b):
    return 1
`,
			want: `0 call 1 main | def main():
0 line 2 main |     return f(A(), B())
1 call 13 f a=<unrepresentable A: KeyboardInterrupt> b=<unrepresentable B: Stop> | def f(a, b):
1 line 14 f a=<unrepresentable A: KeyboardInterrupt> b=<unrepresentable B: Stop> |     return 1
1 return 14 f 1 |     return 1
0 return 2 main 1 |     return f(A(), B())
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
		{
			name: "every resume of a coroutine is an activation", entry: "asyncio.run(f(1))", exit: statetree.ExitNormal,
			source: "import asyncio\nasync def g(n):\n    await asyncio.sleep(0)\n    return n\nasync def f(n):\n    return await g(n) + 1\n",
			want: `0 call 1 main | def main():
0 line 2 main |     return asyncio.run(f(1))
1 call 5 f n=1 | async def f(n):
1 line 6 f n=1 |     return await g(n) + 1
2 call 2 g n=1 | async def g(n):
2 line 3 g n=1 |     await asyncio.sleep(0)
2 return 3 g None |     await asyncio.sleep(0)
1 return 6 f None |     return await g(n) + 1
3 call 6 f n=1 |     return await g(n) + 1
4 call 3 g n=1 |     await asyncio.sleep(0)
4 exception 3 g StopIteration() |     await asyncio.sleep(0)
4 line 4 g n=1 |     return n
4 return 4 g 1 |     return n
3 exception 6 f StopIteration(1) |     return await g(n) + 1
3 return 6 f 2 |     return await g(n) + 1
0 return 2 main 2 |     return asyncio.run(f(1))
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
