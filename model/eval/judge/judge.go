// Package judge decides by running a Python program whether predicted arguments
// give a result, or predicted locals the value that is returned: several inputs
// may lead to one output, so comparing them with the recorded ones is not enough
// (CruxEval, arXiv 2401.03065, judges inputs so).
//
// The programs are those of an evaluation, but they run with values that a model
// made up. So each job runs in a Python process of its own, that has limits of
// time and memory, an empty environment and an empty working folder; that cannot
// write files, start processes or open sockets (it is refused by an audit hook
// and by resource limits); and, on Linux where user namespaces are allowed, that
// has no network at all. This bounds accidents. It is no wall against programs
// written to break out.
//
// The package knows nothing of models; values are reprs, as in a State.
package judge

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	_ "embed" // the script
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/record"
)

//go:embed judge.py
var script string

// Options bound what a program may use. Zero fields have defaults.
type Options struct {
	// Python is the interpreter, a path or a name on PATH; default
	// record.DefaultPython.
	Python string
	// Time is how long one candidate may run; default 2 seconds.
	Time time.Duration
	// Memory is the address space of the process in bytes; default 1 GiB.
	Memory int64
}

// startTime is how long an interpreter may take to start, and to end.
const startTime = 20 * time.Second

// Judge runs jobs. It may be used by several goroutines at once.
type Judge struct {
	options Options
	python  string // the interpreter itself, not a shim that needs an environment
	dir     string // empty
	// offline says that processes can be given a network namespace without any
	// interface.
	offline bool
}

// Verdict is what came of one candidate.
type Verdict struct {
	Passed bool `json:"passed"`
	// Reason says why it did not pass, in a few words.
	Reason string `json:"reason,omitempty"`
}

// Program is what is run and what it should give.
type Program struct {
	// Source is the program's text.
	Source string
	// Output is the expected value, as a repr or a Python literal.
	Output string
}

// job is what judge.py is told.
type job struct {
	Source     string  `json:"source"`
	Output     string  `json:"output"`
	Descriptor int     `json:"descriptor"`
	Seconds    float64 `json:"seconds"`
	Memory     int64   `json:"memory"`
	// Function is a qualified name; without it the value of the return statement
	// at Line is judged.
	Function string `json:"function"`
	Line     int    `json:"line"`
	// Candidates are names with the reprs of their values.
	Candidates [][][2]string `json:"candidates"`
}

// New finds the interpreter. Close removes what it leaves.
func New(ctx context.Context, o Options) (*Judge, error) {
	o.Python = cmp.Or(o.Python, record.DefaultPython)
	o.Time = cmp.Or(o.Time, 2*time.Second)
	o.Memory = cmp.Or(o.Memory, 1<<30)
	found, err := exec.CommandContext(ctx, o.Python, "-c", "import sys; print(sys.executable)").Output()
	if err != nil {
		return nil, fmt.Errorf("run %s to judge predictions: %w; install Python 3.9 or later", o.Python, err)
	}
	j := &Judge{options: o, python: strings.TrimSpace(string(found))}
	if j.dir, err = os.MkdirTemp("", "neuraldbg-judge-"); err != nil {
		return nil, fmt.Errorf("make a folder to judge predictions in: %w", err)
	}
	j.offline = canGoOffline(ctx, j.python)
	return j, nil
}

// Close removes the folder in which the processes run.
func (j *Judge) Close() error { return os.Remove(j.dir) }

// Call judges arguments: whether the function with this qualified name, called
// with each of the candidates, returns the program's output. The function is one
// of the module or of a class in it.
func (j *Judge) Call(ctx context.Context, p Program, function string, candidates ...statetree.Locals) ([]Verdict, error) {
	return j.run(ctx, job{Source: p.Source, Output: p.Output, Function: function}, candidates)
}

// Return judges locals: whether the expression of the return statement at a line
// of the program has its output as value over each of the candidates.
func (j *Judge) Return(ctx context.Context, p Program, line int, candidates ...statetree.Locals) ([]Verdict, error) {
	return j.run(ctx, job{Source: p.Source, Output: p.Output, Line: line}, candidates)
}

// run judges all candidates. A process that ends early is followed by another
// for those after the one that ended it.
func (j *Judge) run(ctx context.Context, told job, candidates []statetree.Locals) ([]Verdict, error) {
	told.Descriptor = firstExtraFile
	told.Seconds, told.Memory = j.options.Time.Seconds(), j.options.Memory
	var verdicts []Verdict
	for len(verdicts) < len(candidates) {
		rest := candidates[len(verdicts):]
		told.Candidates = make([][][2]string, len(rest))
		for i, locals := range rest {
			told.Candidates[i] = make([][2]string, len(locals))
			for k, l := range locals {
				told.Candidates[i][k] = [2]string{l.Name, l.Repr}
			}
		}
		done, err := j.process(ctx, told)
		if err != nil {
			return nil, fmt.Errorf("judge a prediction: %w", err)
		}
		verdicts = append(verdicts, done...)
		if len(done) < len(rest) {
			verdicts = append(verdicts, Verdict{Reason: "ends its process, or cannot be stopped"})
		}
	}
	return verdicts, nil
}

// firstExtraFile is the descriptor of the first of exec.Cmd's ExtraFiles.
const firstExtraFile = 3

// process runs one process and returns the verdicts that it gave.
func (j *Judge) process(ctx context.Context, told job) ([]Verdict, error) {
	input, err := json.Marshal(told)
	if err != nil {
		return nil, err
	}
	reader, writer, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	limit := startTime + time.Duration(len(told.Candidates))*j.options.Time
	timed, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(timed, j.python, "-s", "-B", "-c", script)
	cmd.Dir = j.dir
	cmd.Env = []string{"PYTHONHASHSEED=0", "PYTHONIOENCODING=utf-8", "LC_ALL=C.UTF-8"}
	cmd.Stdin = bytes.NewReader(input)
	cmd.ExtraFiles = []*os.File{writer}
	cmd.WaitDelay = time.Second
	var complaint bytes.Buffer
	cmd.Stderr = &limitedWriter{&complaint, 1 << 12}
	if j.offline {
		goOffline(cmd)
	}
	err = cmd.Start()
	writer.Close()
	if err != nil {
		return nil, err
	}
	verdicts, readErr := readVerdicts(reader, len(told.Candidates))
	err = cmd.Wait()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case readErr != nil:
		return nil, readErr
	case err != nil && len(verdicts) == 0 && strings.Contains(complaint.String(), "Traceback"):
		return nil, fmt.Errorf("the judging script failed: %s", lastLine(complaint.String()))
	}
	return verdicts, nil
}

func readVerdicts(r io.Reader, most int) ([]Verdict, error) {
	var verdicts []Verdict
	lines := bufio.NewScanner(r)
	for lines.Scan() && len(verdicts) < most {
		var v Verdict
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			return nil, fmt.Errorf("read a verdict: %w", err)
		}
		verdicts = append(verdicts, v)
	}
	if err := lines.Err(); err != nil && !errors.Is(err, os.ErrClosed) {
		return nil, fmt.Errorf("read a verdict: %w", err)
	}
	return verdicts, nil
}

// limitedWriter keeps the first bytes of what is written.
type limitedWriter struct {
	to   *bytes.Buffer
	most int
}

func (w *limitedWriter) Write(p []byte) (int, error) {
	w.to.Write(p[:max(0, min(len(p), w.most-w.to.Len()))])
	return len(p), nil
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}
