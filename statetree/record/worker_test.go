package record

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/neuraldbg/neuraldbg/statetree"
)

// newWorker returns a worker that no busy machine makes impatient.
func newWorker(t *testing.T, limits Limits) *Worker {
	t.Helper()
	w, err := NewWorker(WorkerOptions{Python: python(), Limits: limits})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	w.patience = time.Minute
	return w
}

func TestWorker(t *testing.T) {
	w := newWorker(t, Limits{Events: 50, Time: time.Minute})
	const grow = "def f(n):\n    s = 'a'\n    while True:\n        s += s\n    return s\n"
	for _, c := range []struct {
		name, source, entry string
		exit                statetree.Exit
		cut, err            string
		limit               Limit
		states              int
	}{
		{name: "call", source: "def f(n):\n    return n + 1\n", entry: "f(3)", exit: statetree.ExitNormal, states: 6},
		{name: "module", source: "x = 1\ny = x + 1\n", exit: statetree.ExitNormal, states: 4},
		{name: "error", source: "def f(n):\n    return n[0]\n", entry: "f(3)", exit: statetree.ExitError, states: 8},
		{name: "exit 0", source: "import sys\nsys.exit(0)\n", exit: statetree.ExitNormal, states: 5},
		{name: "exit 2", source: "import sys\nsys.exit(2)\n", exit: statetree.ExitError, states: 5},
		{name: "events", source: "def f(n):\n    while True:\n        n += 1\n", entry: "f(3)", cut: "the limit of 50 events", limit: EventLimit, states: 50},
		{name: "swallowed", source: "def f(n):\n    try:\n        while True:\n            n += 1\n    except:\n        return n\n", entry: "f(3)", cut: "the limit of 50 events", limit: EventLimit, states: 50},
		{name: "dies", source: "import os\nos._exit(3)\n", err: ErrWorkerDied.Error()},
		{name: "no entry", source: "x = 1\n", entry: "g()", err: `entry g(): g is not defined, and p.py has no functions; leave the entry empty to run the file`},
		{name: "syntax", source: "x = = 1\n", entry: "g()", err: `p.py:1:5: invalid syntax: x = = 1`},
		{name: "body raises", source: "x = 1 / 0\ndef g(): pass\n", entry: "g()", err: `p.py ended before the entry could be called: ZeroDivisionError: division by zero`},
		{name: "memory", source: grow, entry: "f(3)", exit: statetree.ExitError},
		{name: "call again", source: "def f(n):\n    return n + 1\n", entry: "f(3)", exit: statetree.ExitNormal, states: 6},
	} {
		t.Run(c.name, func(t *testing.T) {
			trace, err := w.Record(context.Background(), Job{Path: "p.py", Source: c.source, Entry: c.entry})
			if c.err != "" {
				if err == nil || err.Error() != c.err {
					t.Fatalf("error %v, want %s", err, c.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			r := trace.Recording
			if c.name == "memory" { // it stops at whichever limit comes first
				if r.Exit == statetree.ExitNormal {
					t.Errorf("exit %v", r.Exit)
				}
				return
			}
			if r.Exit != c.exit || r.Cut != c.cut || len(r.States) != c.states {
				t.Errorf("exit %v, cut %q, %d states; want %v, %q, %d", r.Exit, r.Cut, len(r.States), c.exit, c.cut, c.states)
			}
			if got := LimitOf(r.Cut); got != c.limit {
				t.Errorf("the cut %q is by limit %d, want %d", r.Cut, got, c.limit)
			}
		})
	}
	if w.started != 2 {
		t.Errorf("%d processes were started, want 2", w.started)
	}
}

func TestWorkerTime(t *testing.T) {
	w := newWorker(t, Limits{Time: time.Second})
	for _, c := range []struct{ name, source, err string }{
		{"in the entry", "def f(n):\n    return sum(1 for i in range(10**12))\n", ""},
		{"in the body", "x = sum(1 for i in range(10**12))\ndef f(n): pass\n", "p.py: the limit of 1 s before the entry could be called"},
	} {
		t.Run(c.name, func(t *testing.T) {
			trace, err := w.Record(context.Background(), Job{Path: "p.py", Source: c.source, Entry: "f(3)"})
			if c.err != "" {
				if err == nil || err.Error() != c.err {
					t.Errorf("error %v, want %s", err, c.err)
				}
				return
			}
			if cut := trace.Recording.Cut; err != nil || cut != "the limit of 1 s" || LimitOf(cut) != TimeLimit {
				t.Errorf("cut %q, %v; want the limit of 1 s", cut, err)
			}
		})
	}
	if w.started != 1 {
		t.Errorf("%d processes were started, want 1", w.started)
	}
}

func TestWorkerReplacesHungProcess(t *testing.T) {
	w := newWorker(t, Limits{Time: 200 * time.Millisecond})
	w.patience = 300 * time.Millisecond
	const stubborn = "x = sum(range(10 ** 12))\n"
	if _, err := w.Record(context.Background(), Job{Path: "p.py", Source: stubborn}); !errors.Is(err, ErrWorkerDied) {
		t.Fatalf("error %v, want ErrWorkerDied", err)
	}
	w.options.Limits.Time, w.patience = time.Minute, time.Minute // of the process that takes its place
	trace, err := w.Record(context.Background(), Job{Path: "p.py", Source: "x = 1\n"})
	if err != nil || trace.Recording.Exit != statetree.ExitNormal {
		t.Fatalf("after a hung program: %v, %v", trace.Recording.Exit, err)
	}
}

func TestWorkerNeedsPython(t *testing.T) {
	_, err := NewWorker(WorkerOptions{Python: "/bin/true"})
	if want := "/bin/true is not a Python interpreter; give one of Python 3.9 or later"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func BenchmarkWorker(b *testing.B) {
	w, err := NewWorker(WorkerOptions{})
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close()
	const source = `def f(s, t):
    n = 0
    out = []
    for c in s:
        if c == t:
            n += 1
        out.append(c + t)
    return n, out
`
	events := 0
	for b.Loop() {
		trace, err := w.Record(context.Background(), Job{Path: "p.py", Source: source, Entry: `f("berry", "r")`})
		if err != nil {
			b.Fatal(err)
		}
		events += len(trace.Recording.States)
	}
	b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
}
