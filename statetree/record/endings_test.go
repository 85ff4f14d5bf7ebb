package record

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/neuraldbg/neuraldbg/statetree"
)

// Of tracer.py.
const (
	tooDeep  = "the program reached the recursion limit"
	replaced = "the program replaced the trace function"
)

// TestEndings runs programs that end in all the ways there are.
func TestEndings(t *testing.T) {
	for _, c := range []struct {
		name, source, entry string
		limits              Limits
		exit                statetree.Exit
		cut                 string
		limit               Limit
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
		{name: "kills itself", source: "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n", cut: CutShort, code: 137, least: 3},
		{name: "never ends", source: "while True:\n    x = 1\n", limits: Limits{Events: 100}, cut: "the limit of 100 events", limit: EventLimit, code: 1, least: 100},
		{name: "hangs", source: "x = 1\nimport time\ntime.sleep(60)\n", limits: Limits{Time: 3 * time.Second}, cut: "the limit of 3s", limit: TimeLimit, code: 137, least: 4},
		{name: "repr hangs", source: "class A:\n    def __repr__(self):\n        while True: pass\na = A()\nb = 1\n", limits: Limits{Time: 3 * time.Second}, cut: "the limit of 3s", limit: TimeLimit, code: 137, least: 3},
		{name: "too much", source: "x = []\nfor i in range(10**6):\n    x.append(i)\n", limits: Limits{Bytes: 100_000}, cut: "the limit of 100000 bytes", limit: ByteLimit, code: 1, least: 100},
		{name: "closes its output", source: "import sys, os\nsys.stdout.close()\nos.close(2)\nx = 2\n", exit: statetree.ExitNormal, least: 6},
		{name: "closes everything", source: "import os\nos.closerange(3, 256)\nx = 2\n", exit: statetree.ExitNormal, least: 5},
		{name: "forks", source: "import os\nif os.fork() == 0:\n    x = 1\n    os._exit(0)\nos.wait()\ny = 2\n", exit: statetree.ExitNormal, least: 6},
		{name: "takes the trace function away", source: "import sys\nprint(sys.gettrace())\nsys.settrace(None)\nx = 2\n", exit: statetree.ExitNormal, stdout: "None\n", least: 6},
		{name: "replaces the trace function", source: "import sys\ndef t(*a):\n    print(a[1])\nsys.settrace(t)\ndef f(): pass\nf()\nprint(sys.gettrace() is t)\nsys.settrace(None)\nf()\nprint(sys.gettrace())\n",
			cut: replaced, stdout: "call\nTrue\nNone\n", least: 4},
		{name: "catches RecursionError", source: "def f(n):\n    return f(n + 1)\ntry:\n    f(0)\nexcept RecursionError:\n    print('deep')\n",
			cut: tooDeep, stdout: "deep\n", least: 1900},
		{name: "threads", source: "import threading\ndef f():\n    print('thread')\nt = threading.Thread(target=f)\nt.start()\nt.join()\n", exit: statetree.ExitNormal, stdout: "thread\n", least: 7},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.limits.Time > 0 {
				t.Parallel() // it waits
			}
			var stdout, stderr bytes.Buffer
			result, err := run(t, c.source, Options{Entry: c.entry, Limits: c.limits, Stdout: &stdout, Stderr: &stderr})
			if err != nil {
				t.Fatal(err)
			}
			r := result.Recording
			if r.Exit != c.exit || r.Cut != c.cut || result.ExitCode != c.code || len(r.States) < c.least {
				t.Errorf("exit %v, cut %q, code %d, %d states; want %v, %q, %d, at least %d\n%s", r.Exit, r.Cut, result.ExitCode, len(r.States), c.exit, c.cut, c.code, c.least, brief(r.States[:min(20, len(r.States))]))
			}
			if got := LimitOf(r.Cut); got != c.limit {
				t.Errorf("the cut %q is by limit %d, want %d", r.Cut, got, c.limit)
			}
			errors := regexp.MustCompile(`File ".*app.py"`).ReplaceAllString(stderr.String(), `File "app.py"`)
			carets := regexp.MustCompile(`(?m)^ *[~^]+\n`)
			if stdout.String() != c.stdout || carets.ReplaceAllString(errors, "") != carets.ReplaceAllString(c.stderr, "") {
				t.Errorf("stdout %q, stderr %q; want %q, %q", &stdout, errors, c.stdout, c.stderr)
			}
		})
	}
}

// TestSignalHandlers: what a signal handler raises is the program's, whatever the
// signal interrupts, and it interrupts the recorder most of the time.
func TestSignalHandlers(t *testing.T) {
	const source = `import signal
class Late(Exception):
    pass
def on_alarm(*arguments):
    raise Late
signal.signal(signal.SIGALRM, on_alarm)
for n in range(20):
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.01)
        while True:
            x = [n, [n] * 20]
    except Late:
        pass
print("late")
`
	var stdout, stderr bytes.Buffer
	result, err := run(t, source, Options{Stdout: &stdout, Stderr: &stderr, Limits: Limits{Events: 1 << 30}})
	if err != nil {
		t.Fatal(err)
	}
	if cut := result.Recording.Cut; stdout.String() != "late\n" || stderr.Len() > 0 || result.ExitCode != 0 || cut != "" && cut != "a signal handler raised while a state was recorded" {
		t.Errorf("stdout %q, stderr %q, exit code %d, cut %q", &stdout, &stderr, result.ExitCode, cut)
	}
}

// TestTracebackAtTheLimit compares what a program prints that recurses without end.
func TestTracebackAtTheLimit(t *testing.T) {
	path := write(t, "import sys\nsys.setrecursionlimit(sys.getrecursionlimit() + 200)\nprint(sys.getrecursionlimit())\ndef f(n):\n    return f(n + 1)\nf(0)\n")
	for name, record := range map[string]func(out *bytes.Buffer) error{
		"file": func(out *bytes.Buffer) error {
			_, err := Run(context.Background(), Options{Python: python(), File: path, Stdout: out, Stderr: out})
			return err
		},
		"command": func(out *bytes.Buffer) error {
			_, err := Command(context.Background(), CommandOptions{Command: []string{interpreter(), path}, Dir: filepath.Dir(path), Folder: t.TempDir(), Stdout: out, Stderr: out})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			var recorded bytes.Buffer
			if err := record(&recorded); err != nil {
				t.Fatal(err)
			}
			plain, _ := exec.Command(interpreter(), path).CombinedOutput()
			if recorded.String() != string(plain) {
				t.Errorf("output\n%s\nwithout the recorder\n%s", &recorded, plain)
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

// TestChangedBuiltins runs programs that spoil what is built in: the recording goes on
// to their end, and the exit code is theirs.
func TestChangedBuiltins(t *testing.T) {
	const function = "import builtins, sys\nleave = sys.exit\ndef f(n):\n    return [n + 1, 'x' * 3]\n"
	for name, spoil := range map[string]string{
		"cleared":  "vars(builtins).clear()\n",
		"replaced": "set, names = setattr, list(vars(builtins))\nfor name in names:\n    set(builtins, name, None)\n",
		"failing":  "def no(*a): raise KeyError\nbuiltins.len = builtins.repr = builtins.isinstance = builtins.type = no\n",
	} {
		t.Run(name, func(t *testing.T) {
			var ignored bytes.Buffer
			result, err := run(t, function+spoil+"a = f(2)\nleave(7)\n", Options{Stdout: &ignored, Stderr: &ignored})
			if err != nil {
				t.Fatal(err)
			}
			r := result.Recording
			returned := slices.ContainsFunc(r.States, func(s statetree.Recorded) bool {
				return s.Event == statetree.Return && s.Arg == "[3, 'xxx']"
			})
			if r.Exit != statetree.ExitError || r.Cut != "" || result.ExitCode != 7 || !returned {
				t.Errorf("exit %v, cut %q, code %d, f has returned: %v\n%s", r.Exit, r.Cut, result.ExitCode, returned, &ignored)
			}
		})
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
		{name: "trace in no folder", source: "x = 1\n", options: Options{Trace: "no/such/x.trace"}, want: "no/such/x.trace.part: no such file or directory"},
		{name: "trace is a folder", source: "x = 1\n", options: Options{Trace: "."}, want: "is a folder; give the name of a file"},
		{name: "not Python", source: "x = 1\n", options: Options{Python: "/bin/true"}, want: "/bin/true is not a Python interpreter; give one of Python 3.9 or later"},
		{name: "loud", source: "x = 1\n", options: Options{Python: "/bin/ls"}, want: "/bin/ls is not a Python interpreter; give one of Python 3.9 or later"},
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

// TestChildrenEndToo: what the program started does not outlive a limit.
func TestChildrenEndToo(t *testing.T) {
	var stdout bytes.Buffer
	result, err := run(t, `import subprocess
child = subprocess.Popen(["sleep", "1000"], stdout=subprocess.DEVNULL)
print(child.pid, flush=True)
while True:
    pass
`, Options{Limits: Limits{Events: 1 << 30, Time: 2 * time.Second}, Stdout: &stdout})
	if err != nil || LimitOf(result.Recording.Cut) != TimeLimit {
		t.Fatalf("cut by %q, error %v; want the limit of time", result.Recording.Cut, err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(stdout.String()))
	if err != nil {
		t.Fatal(err)
	}
	child, err := os.FindProcess(pid)
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		if child.Signal(syscall.Signal(0)) != nil || isZombie(pid) {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	_ = child.Kill()
	t.Error("the program's child goes on")
}

// Beginnings of programs whose files, such as the trace, do not grow beyond 80 kB, or
// not at all: what a full disk does, too.
const (
	smallFiles = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (80_000, 80_000))\n"
	emptyFiles = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))\n"
)

// fullDisk is the cut of a trace that met such a limit.
const fullDisk = "writing the trace: File too large"

// TestFullDisk: a trace that takes no more has what came before, and says why.
func TestFullDisk(t *testing.T) {
	const loop = "for i in range(300_000):\n    x = str(i * i) * 3\n"
	for _, c := range []struct {
		name, source string
		exit         statetree.Exit
		cut          string
		code, least  int
	}{
		{name: "after some members", source: smallFiles + loop, cut: fullDisk, code: 1, least: 10_000},
		{name: "before the first", source: emptyFiles + loop, cut: fullDisk, code: 1, least: 1000},
		{name: "at the end", source: emptyFiles + "raise SystemExit(3)\n", exit: statetree.ExitError, code: 3, least: 6},
	} {
		t.Run(c.name, func(t *testing.T) {
			var stderr bytes.Buffer
			result, err := run(t, c.source, Options{Limits: Limits{Events: 1 << 30}, Stderr: &stderr})
			r := result.Recording
			if err != nil || r.Exit != c.exit || r.Cut != c.cut || result.ExitCode != c.code || len(r.States) < c.least || stderr.Len() > 0 {
				t.Errorf("exit %v, cut %q, code %d, %d states, stderr %q, error %v; want %v, %q, %d, at least %d",
					r.Exit, r.Cut, result.ExitCode, len(r.States), &stderr, err, c.exit, c.cut, c.code, c.least)
			}
		})
	}
}

// isZombie reports whether a process has ended and waits for its new parent.
func isZombie(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && strings.Contains(string(stat), ") Z ")
}

// TestNoTraceOfNothing: without a recording there is no trace file.
func TestNoTraceOfNothing(t *testing.T) {
	file := write(t, "x = 1\n")
	trace := file + ".trace"
	if _, err := Run(context.Background(), Options{Python: "/bin/true", File: file, Trace: trace}); err == nil {
		t.Error("/bin/true recorded something")
	}
	if _, err := os.Stat(trace); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the trace file: %v; want none", err)
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	start := time.Now()
	_, err := Run(ctx, Options{Python: python(), File: write(t, "import time\ntime.sleep(60)\n")})
	if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > 30*time.Second {
		t.Errorf("error %v after %v", err, time.Since(start))
	}
}
