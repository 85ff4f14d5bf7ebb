package judge

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/neuraldbg/neuraldbg/statetree"
)

func newJudge(t *testing.T) *Judge {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("judging needs python3")
	}
	j, err := New(context.Background(), Options{Time: 500 * time.Millisecond, Memory: 512 << 20})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	})
	return j
}

func locals(pairs ...string) statetree.Locals {
	var l statetree.Locals
	for i := 0; i < len(pairs); i += 2 {
		l = append(l, statetree.Local{Name: pairs[i], Repr: pairs[i+1]})
	}
	return l
}

func TestCall(t *testing.T) {
	j := newJudge(t)
	const count = "def f(s, t):\n    return s.count(t)\n"
	const rich = `
from dataclasses import dataclass
import functools
@dataclass
class Point:
    x: int
    def shift(self, by=1):
        return Point(self.x + by)
@functools.lru_cache
def star(a, /, *rest, k, **more):
    return a, rest, k, more
def counts(c, d):
    return c['a'] + d[0]
`
	for _, test := range []struct {
		name, source, function, output string
		arguments                      statetree.Locals
		reason                         string // empty: passes
	}{
		{"right", count, "f", "2", locals("s", "'berry'", "t", "'r'"), ""},
		{"another right", count, "f", "2", locals("s", "'aa'", "t", "'a'"), ""},
		{"wrong", count, "f", "2", locals("s", "'aaa'", "t", "'a'"), "gives 3"},
		{"equal but of another type", count, "f", "2.0", locals("s", "'aa'", "t", "'a'"), ""},
		{"missing", count, "f", "2", locals("s", "'aa'"), "raises KeyError: 't'"},
		{"too many", count, "f", "2", locals("s", "'aa'", "t", "'a'", "u", "1"), "no parameter u"},
		{"no literal", count, "f", "2", locals("s", "<object>", "t", "'a'"), "SyntaxError"},
		{"of a wrong type", count, "f", "2", locals("s", "7", "t", "'a'"), "raises AttributeError"},
		{"a method", rich, "Point.shift", "Point(x=3)", locals("self", "Point(x=1)", "by", "2"), ""},
		{"all kinds of parameters", rich, "star", "(1, (2, 3), 4, {'z': 5})",
			locals("a", "1", "rest", "(2, 3)", "k", "4", "more", "{'z': 5}"), ""},
		{"reprs of collections", rich, "counts", "7", locals("c", "Counter({'a': 3})", "d", "deque([4])"), ""},
		{"nan", "def f(x):\n    return x\n", "f", "nan", locals("x", "nan"), ""},
		{"an exception", "def f(x):\n    raise ValueError(x)\n", "f", "None", locals("x", "1"), "raises ValueError: 1"},
		{"an exit", "import sys\ndef f(x):\n    sys.exit(0)\n", "f", "None", locals("x", "1"), "raises SystemExit"},
	} {
		got, err := j.Call(t.Context(), Program{Source: test.source, Output: test.output}, test.function, test.arguments)
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		if got[0].Passed != (test.reason == "") || !strings.Contains(got[0].Reason, test.reason) {
			t.Errorf("%s: %+v, want %q", test.name, got[0], test.reason)
		}
	}
}

// Each candidate has a verdict of its own, whatever the others do.
func TestCandidatesAreIndependent(t *testing.T) {
	j := newJudge(t)
	p := Program{Output: "[1]", Source: `
import os
seen = []
def f(n):
    if n == 2:
        while True:
            pass
    if n == 3:
        while True:
            try:
                while True:
                    pass
            except BaseException:
                pass
    if n == 4:
        return [0] * 10**10
    seen.append(n)
    return seen
`}
	var candidates []statetree.Locals
	for _, n := range []string{"1", "2", "4", "1"} {
		candidates = append(candidates, locals("n", n))
	}
	got, err := j.Call(t.Context(), p, "f", candidates...)
	if err != nil {
		t.Fatal(err)
	}
	want := []Verdict{{Passed: true}, {Reason: "takes too long"}, {Reason: "takes too much memory"}, {Passed: true}}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("candidate %d: %+v, want %+v", i, got[i], want[i])
		}
	}
	// A program that cannot be stopped from within is ended by its limit of time.
	got, err = j.Call(t.Context(), p, "f", locals("n", "3"), locals("n", "1"))
	if err != nil {
		t.Fatal(err)
	}
	if got[0].Passed || !got[1].Passed {
		t.Errorf("%+v", got)
	}
}

// A repr that is no expression stands for the recorded argument that has it.
func TestRecordedArguments(t *testing.T) {
	j := newJudge(t)
	const lambda = "<function <lambda>>"
	p := Program{
		Source: "def f(key, items, *rest, last=None):\n    return sorted(items, key=key)\n", Output: "[1, 2]",
		Entry: "f(lambda n: n, [2, 1])", Arguments: locals("key", lambda, "items", "[2, 1]", "rest", "()", "last", "None"),
	}
	got, err := j.Call(t.Context(), p, "f",
		locals("key", lambda, "items", "[1, 2]", "rest", "()", "last", "None"),
		locals("key", lambda, "items", "[3]", "rest", "()", "last", "None"),
		locals("key", "<function other>", "items", "[1, 2]", "rest", "()", "last", "None"),
		locals("key", "None", "items", lambda, "rest", "()", "last", "None"))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []bool{true, false, false, false} {
		if got[i].Passed != want {
			t.Errorf("candidate %d: %+v", i, got[i])
		}
	}
}

func TestReturn(t *testing.T) {
	j := newJudge(t)
	p := Program{Output: "[2, 3]", Source: `def f(a, k):
    if not a:
        return
    return [x + k
            for x in a]
`}
	for _, test := range []struct {
		line   int
		locals statetree.Locals
		passed bool
	}{
		{4, locals("a", "[1, 2]", "k", "1"), true},
		{4, locals("a", "[1, 2]", "k", "2"), false},
		{4, locals("a", "[1, 2]"), false},
		{3, locals("a", "[]"), false},
		{2, locals("a", "[]"), false},
	} {
		got, err := j.Return(t.Context(), p, test.line, test.locals)
		if err != nil {
			t.Fatal(err)
		}
		if got[0].Passed != test.passed {
			t.Errorf("line %d over %v: %+v", test.line, test.locals, got[0])
		}
	}
}

// What a program must not do fails, and leaves nothing behind.
func TestSandbox(t *testing.T) {
	j := newJudge(t)
	file := filepath.Join(t.TempDir(), "written")
	bodies := []string{
		"open(path, 'w').write('x')",
		"os.open(path, os.O_CREAT | os.O_WRONLY)",
		"os.mkdir(path)",
		"os.symlink('/', path)",
		"os.system('touch ' + path)",
		"os.fork()",
		"os.kill(os.getppid(), 9)",
		"__import__('subprocess').run(['touch', path])",
		"__import__('socket').create_connection(('127.0.0.1', 1))",
		"__import__('socket').socket()",
		"__import__('ctypes').CDLL(None)",
		"os.remove(script)",
		"os.environ['HOME'].startswith('')",
	}
	source := "import os\npath, script = " + quote(file) + ", " + quote(os.Args[0]) + "\ndef f(n):\n"
	var candidates []statetree.Locals
	for i, body := range bodies {
		source += fmt.Sprintf("    if n == %d:\n        %s\n", i, body)
		candidates = append(candidates, locals("n", strconv.Itoa(i)))
	}
	got, err := j.Call(t.Context(), Program{Source: source + "    return 'done'\n", Output: "'done'"}, "f", candidates...)
	if err != nil {
		t.Fatal(err)
	}
	for i, body := range bodies {
		if got[i].Passed || !strings.HasPrefix(got[i].Reason, "raises PermissionError") && !strings.HasPrefix(got[i].Reason, "raises KeyError") {
			t.Errorf("%s: %+v", body, got[i])
		}
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("a file was written")
	}
	got, err = j.Call(t.Context(), Program{Source: "def f(x):\n    return open('/dev/null').read()\n", Output: "''"}, "f", locals("x", "1"))
	if err != nil || !got[0].Passed {
		t.Errorf("reading: %+v, %v", got, err)
	}
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", "\\'") + "'" }

func TestCancelled(t *testing.T) {
	j := newJudge(t)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	began := time.Now()
	_, err := j.Call(ctx, Program{Source: "def f(x):\n    while True: pass\n", Output: "1"}, "f", locals("x", "1"))
	if err == nil || time.Since(began) > 3*time.Second {
		t.Errorf("%v after %v", err, time.Since(began))
	}
}
