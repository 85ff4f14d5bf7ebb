package record

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/neuraldbg/neuraldbg/statetree"
)

// interpreter is the Python that a command's test names.
func interpreter() string {
	if name := python(); name != "" {
		return name
	}
	return DefaultPython
}

// tree writes files below a new folder and returns it.
func tree(t testing.TB, files map[string]string) string {
	t.Helper()
	folder, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// calls lists the functions that the traces of a folder have calls of, each with
// its file and how often, in order, over all traces.
func calls(t testing.TB, folder string) []string {
	t.Helper()
	paths, err := Traces(folder)
	if err != nil {
		return nil
	}
	entries, err := Entries(paths...)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		list = append(list, fmt.Sprintf("%s %s %d", e.File, e.Name, e.Calls+e.Resumes))
	}
	return list
}

func TestCommand(t *testing.T) {
	const worker = "def work(n):\n    return n * 2\n"
	for _, c := range []struct {
		name    string
		files   map[string]string
		command []string // after the interpreter
		options CommandOptions
		calls   []string
		traces  int
		stdout  string
		code    int
	}{
		{
			name:  "a file and what it imports",
			files: map[string]string{"app.py": "import lib\nprint(lib.work(1), __name__)\n", "lib.py": worker}, command: []string{"app.py"},
			calls: []string{"app.py <module> 1", "lib.py <module> 1", "lib.py work 1"}, traces: 1, stdout: "2 __main__\n",
		},
		{
			name:  "a module, with arguments",
			files: map[string]string{"pack/__init__.py": "", "pack/__main__.py": "import sys\nsys.exit(len(sys.argv))\n"}, command: []string{"-m", "pack", "a"},
			calls: []string{"pack/__init__.py <module> 1", "pack/__main__.py <module> 1"}, traces: 1, code: 2,
		},
		{
			name:  "threads",
			files: map[string]string{"app.py": "import threading\ndef work(n):\n    return n\nthreads = [threading.Thread(target=work, args=(i,)) for i in range(3)]\nfor t in threads: t.start()\nfor t in threads: t.join()\n"}, command: []string{"app.py"},
			calls: []string{"app.py <module> 1", "app.py work 3"}, traces: 4,
		},
		{
			name: "forks",
			files: map[string]string{"app.py": `import os
def work(n):
    return n
def child():
    work(1)
    os._exit(0)
def main():
    if os.fork() == 0:
        child()
    os.wait()
    work(2)
main()
`}, command: []string{"app.py"},
			calls: []string{"app.py <module> 1", "app.py work 2", "app.py child 1", "app.py main 1"}, traces: 2,
		},
		{
			name:    "forks beyond a limit",
			files:   map[string]string{"app.py": "import os\ndef work(n):\n    return n\nwork(1)\nif os.fork() == 0:\n    work(2)\n    os._exit(0)\nos.wait()\n"},
			command: []string{"app.py"}, options: CommandOptions{Limits: Limits{Events: 6}},
			calls: []string{"app.py <module> 1", "app.py work 2"}, traces: 2,
		},
		{
			name: "multiprocessing",
			files: map[string]string{"app.py": `import multiprocessing, sys
def work(n):
    return n * n
if __name__ == "__main__":
    for method in ("fork", "spawn"):
        context = multiprocessing.get_context(method)
        process = context.Process(target=work, args=(3,))
        process.start()
        process.join()
        print(process.exitcode)
`}, command: []string{"app.py"},
			calls: []string{"app.py <module> 2", "app.py work 2"}, traces: 3, stdout: "0\n0\n",
		},
		{
			name:  "subprocesses",
			files: map[string]string{"app.py": "import subprocess, sys\nsys.exit(subprocess.call([sys.executable, 'lib.py']))\n", "lib.py": worker + "work(4)\nraise SystemExit(3)\n"}, command: []string{"app.py"},
			calls: []string{"app.py <module> 1", "lib.py <module> 1", "lib.py work 1"}, traces: 2, code: 3,
		},
		{
			name:  "included and excluded",
			files: map[string]string{"app.py": "import a.one, a.two, b.three\n", "a/one.py": "x = 1\n", "a/two.py": "x = 2\n", "b/three.py": "x = 3\n"}, command: []string{"app.py"},
			options: CommandOptions{Include: []string{"a", "b/three.py"}, Exclude: []string{"a/two.py"}},
			calls:   []string{"a/one.py <module> 1", "b/three.py <module> 1"}, traces: 1,
		},
		{
			name:  "installed packages",
			files: map[string]string{"app.py": "import sys\nsys.path.append('v/site-packages')\nimport one, two\n", "v/site-packages/one.py": "x = 1\n", "v/site-packages/two.py": "x = 1\n"}, command: []string{"app.py"},
			options: CommandOptions{Include: []string{".", "v/site-packages/two.py"}},
			calls:   []string{"app.py <module> 1", "v/site-packages/two.py <module> 1"}, traces: 1,
		},
		{
			name: "leaves its folder, deletes its file, closes its output",
			files: map[string]string{"app.py": `import os, sys
import lib
os.remove("app.py")
os.chdir("/")
sys.stdout.close()
lib.work(1)
`, "lib.py": worker}, command: []string{"app.py"},
			calls: []string{"app.py <module> 1", "lib.py <module> 1", "lib.py work 1"}, traces: 1,
		},
		{
			name:  "its own trace function",
			files: map[string]string{"app.py": "import sys\ndef work(n): pass\nwork(1)\nsys.settrace(lambda *a: print(a[1]))\nwork(2)\nsys.settrace(None)\n"}, command: []string{"app.py"},
			calls: []string{"app.py <module> 1", "app.py work 1"}, traces: 1, stdout: "call\n",
		},
		{
			name:  "becomes another program",
			files: map[string]string{"app.py": "import os, sys\nos.execv(sys.executable, [sys.executable, 'lib.py'])\n", "lib.py": worker + "print(work(2))\n"}, command: []string{"app.py"},
			calls: []string{"app.py <module> 1", "lib.py <module> 1", "lib.py work 1"}, traces: 2, stdout: "4\n",
		},
		{
			name:  "no room for the trace at the end",
			files: map[string]string{"app.py": emptyFiles + "import lib\nlib.work(1)\n", "lib.py": worker}, command: []string{"app.py"},
			calls: []string{"app.py <module> 1", "lib.py <module> 1", "lib.py work 1"}, traces: 1,
		},
		{
			name:  "out of reach",
			files: map[string]string{"app.py": "print(1)\n"}, command: []string{"-E", "app.py"}, stdout: "1\n",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var stdout, stderr bytes.Buffer
			o := c.options
			o.Dir = tree(t, c.files)
			o.Folder = filepath.Join(t.TempDir(), "traces")
			o.Command = append([]string{interpreter()}, c.command...)
			o.Stdout, o.Stderr = &stdout, &stderr
			result, err := Command(context.Background(), o)
			if err != nil {
				t.Fatal(err)
			}
			if got := calls(t, o.Folder); !slices.Equal(got, c.calls) || len(result.Traces) != c.traces {
				t.Errorf("%d traces, calls %q; want %d, %q", len(result.Traces), got, c.traces, c.calls)
			}
			if stdout.String() != c.stdout || stderr.Len() > 0 || result.ExitCode != c.code || result.Cut != "" {
				t.Errorf("stdout %q, stderr %q, exit code %d, cut %q; want %q, code %d", &stdout, &stderr, result.ExitCode, result.Cut, c.stdout, c.code)
			}
			if left, _ := filepath.Glob(filepath.Join(o.Folder, "*[^e]")); len(left) > 0 {
				t.Errorf("left behind: %q", left)
			}
			for _, trace := range result.Traces {
				recording, err := OpenTrace(trace.Path)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := statetree.NewTree(recording.Recording); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// TestCommandLimits has commands that meet a limit: their traces are valid and say so.
func TestCommandLimits(t *testing.T) {
	const loop = "def step(i):\n    return i + 1\ni = 0\nwhile i < 30000:\n    i = step(i)\nprint('done')\n"
	for _, c := range []struct {
		name, source string
		limits       Limits
		cut, end     string // of the command, of its trace
		stdout       string
		code, least  int
	}{
		{name: "events", source: loop, limits: Limits{Events: 5000}, end: "the limit of 5000 events", stdout: "done\n", least: 5000},
		{name: "bytes", source: loop, limits: Limits{Bytes: 100_000}, end: "the limit of 100000 bytes", stdout: "done\n", least: 2000},
		{name: "time", source: "while True:\n    x = 1\n", limits: Limits{Time: 4 * time.Second}, cut: "the limit of 4s", end: CutShort, code: 137, least: 100},
		{name: "disk", source: smallFiles + loop, end: fullDisk, stdout: "done\n", least: 10_000},
		{name: "killed", source: "import os\nx = 1\nos.kill(os.getpid(), 9)\n", end: CutShort, code: 137, least: 4},
		{name: "left", source: "import os\nx = 1\nos._exit(3)\n", end: CutShort, code: 3, least: 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var stdout, stderr bytes.Buffer
			o := CommandOptions{Dir: tree(t, map[string]string{"app.py": c.source}), Folder: filepath.Join(t.TempDir(), "traces"),
				Command: []string{interpreter(), "app.py"}, Limits: c.limits, Stdout: &stdout, Stderr: &stderr}
			result, err := Command(context.Background(), o)
			if err != nil {
				t.Fatal(err)
			}
			if len(result.Traces) != 1 {
				t.Fatalf("%d traces", len(result.Traces))
			}
			trace := result.Traces[0]
			if result.Cut != c.cut || trace.Cut != c.end || result.ExitCode != c.code || stdout.String() != c.stdout || trace.States < c.least {
				t.Errorf("cut %q, the trace's %q, exit code %d, stdout %q, %d states; want %q, %q, %d, %q, at least %d",
					result.Cut, trace.Cut, result.ExitCode, &stdout, trace.States, c.cut, c.end, c.code, c.stdout, c.least)
			}
			if stderr.Len() > 0 {
				t.Errorf("stderr %q", &stderr)
			}
		})
	}
}

// TestCommandWithoutRoom: a process that cannot make a trace says so, runs as ever, and
// leaves nothing behind.
func TestCommandWithoutRoom(t *testing.T) {
	var stdout, stderr bytes.Buffer
	o := CommandOptions{Dir: tree(t, map[string]string{"app.py": "print('done')\n"}), Folder: filepath.Join(t.TempDir(), "traces"),
		Command: []string{"sh", "-c", "ulimit -f 10; exec " + interpreter() + " app.py"}, Stdout: &stdout, Stderr: &stderr}
	result, err := Command(context.Background(), o)
	if err != nil || result.ExitCode != 0 || stdout.String() != "done\n" || len(result.Traces) > 0 {
		t.Errorf("%+v, stdout %q, error %v", result, &stdout, err)
	}
	if said := stderr.String(); !strings.HasPrefix(said, "neuraldbg: no further trace of process ") || !strings.HasSuffix(said, ": OSError: [Errno 27] File too large\n") {
		t.Errorf("stderr %q", said)
	}
	if left, err := os.ReadDir(o.Folder); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, error %v", left, err)
	}
}

// TestComplaintsSpareOtherFiles: what a program has put in the place of standard error is
// not written to.
func TestComplaintsSpareOtherFiles(t *testing.T) {
	const app = `import os
os.close(2)
assert os.open("mine", os.O_WRONLY | os.O_CREAT) == 2
os.write(2, b"mine")
def work():
    pass
work()
`
	var stderr bytes.Buffer
	dir := tree(t, map[string]string{"app/app.py": app, "main.py": app[:strings.Index(app, "def")] + "import app.app\n"})
	o := CommandOptions{Dir: dir, Folder: filepath.Join(t.TempDir(), "traces"), Include: []string{"app"},
		Command: []string{"sh", "-c", "ulimit -f 10; exec " + interpreter() + " main.py"}, Stderr: &stderr}
	result, err := Command(context.Background(), o)
	if err != nil || result.ExitCode != 0 || len(result.Traces) > 0 {
		t.Errorf("%+v, error %v", result, err)
	}
	if said := stderr.String(); strings.Count(said, "\n") != 1 || !strings.HasPrefix(said, "neuraldbg: no further trace of process ") {
		t.Errorf("stderr %q", said)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "mine")); err != nil || string(text) != "mine" {
		t.Errorf("the program's file has %q, %v", text, err)
	}
}

// TestCommandWithoutDescriptors: a thread that begins when the process can open no more
// files has no trace, which the process says once.
func TestCommandWithoutDescriptors(t *testing.T) {
	const app = `import os, threading
def work(n):
    pass
def threads():
    for n in range(2):
        t = threading.Thread(target=work, args=(n,))
        t.start()
        t.join()
work(0)
taken = []
try:
    while True:
        taken.append(os.dup(0))
except OSError:
    pass
threads()
for d in taken:
    os.close(d)
`
	var stderr bytes.Buffer
	o := CommandOptions{Dir: tree(t, map[string]string{"app.py": app}), Folder: filepath.Join(t.TempDir(), "traces"),
		Command: []string{"sh", "-c", "ulimit -n 64; exec " + interpreter() + " app.py"}, Stderr: &stderr}
	result, err := Command(context.Background(), o)
	if err != nil || result.ExitCode != 0 || len(result.Traces) != 1 || result.Traces[0].Exit != statetree.ExitNormal {
		t.Errorf("%+v, error %v", result, err)
	}
	if said := stderr.String(); strings.Count(said, "\n") != 1 || !strings.Contains(said, "no further trace of process") || !strings.Contains(said, "Too many open files") {
		t.Errorf("stderr %q", said)
	}
}

// TestCommandOfNothing: the trace of a process that was killed before its first record
// is no trace, and the others count.
func TestCommandOfNothing(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "traces")
	script := "touch " + folder + "/7-1.trace.part " + folder + "/7-1.trace.tail; exec " + interpreter() + " app.py"
	result, err := Command(context.Background(), CommandOptions{Dir: tree(t, map[string]string{"app.py": "x = 1\n"}), Folder: folder, Command: []string{"sh", "-c", script}})
	if err != nil || len(result.Traces) != 1 || result.Traces[0].States == 0 {
		t.Errorf("%+v, error %v", result, err)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) != 1 {
		t.Errorf("the folder has %v, error %v", left, err)
	}
}

// A command whose time is over before it began has no trace.
func TestCommandWithoutTime(t *testing.T) {
	o := CommandOptions{Dir: tree(t, map[string]string{"app.py": "x = 1\n"}), Folder: filepath.Join(t.TempDir(), "traces"),
		Command: []string{interpreter(), "app.py"}, Limits: Limits{Time: time.Nanosecond}}
	result, err := Command(context.Background(), o)
	if err != nil || LimitOf(result.Cut) != TimeLimit || len(result.Traces) > 0 {
		t.Errorf("%+v, error %v", result, err)
	}
}

func TestCommandErrors(t *testing.T) {
	folder := tree(t, map[string]string{"old/1-1.trace": ""})
	for _, c := range []struct {
		name    string
		options CommandOptions
		want    string
	}{
		{"no command", CommandOptions{Folder: "new"}, "there is no command to record"},
		{"no program", CommandOptions{Folder: "new", Command: []string{"no-such-program"}}, `no program "no-such-program": executable file not found in $PATH`},
		{"traces", CommandOptions{Folder: "old", Command: []string{"true"}}, "old has traces already, such as 1-1.trace; name another folder"},
		{"no path", CommandOptions{Folder: "new", Command: []string{"true"}, Include: []string{"nowhere"}}, "nowhere: no such file or directory"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.options.Folder = filepath.Join(folder, c.options.Folder)
			_, err := Command(context.Background(), c.options)
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %v, want one line with %q", err, c.want)
			}
		})
	}
	if _, err := os.Stat(filepath.Join(folder, "new")); err == nil {
		t.Error("a command that cannot be run leaves a folder behind")
	}
}
