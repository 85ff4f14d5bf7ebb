// Package judge decides by running a Python program whether predicted arguments
// give a result, or predicted locals the value that is returned: several inputs
// may lead to one output, so comparing them with the recorded ones is not enough
// (CruxEval, arXiv 2401.03065, judges inputs so).
//
// The programs are those of an evaluation, but they run with values that a model
// made up. So each job runs in a process of its own, forked from a Python process
// that does nothing else. It has limits of time and memory, an empty environment
// and an empty working folder; it cannot
// write files, start processes or open sockets (an audit hook and resource limits
// refuse it); and, on Linux where user namespaces are allowed, it has no network at
// all. This bounds accidents. It is no wall against programs written to break out.
//
// The package knows nothing of models; values are reprs, as in a State.
package judge

import (
	"cmp"
	"context"
	_ "embed" // the script
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
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

	mu   sync.Mutex
	idle []*court
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
	// Entry is the call that was recorded, and Arguments are the reprs of its
	// arguments by parameter. A candidate's repr that is no expression, such as
	// that of a function, stands for the recorded argument that has the same name
	// and the same repr. Both may be empty.
	Entry     string
	Arguments statetree.Locals
}

// job is what judge.py is told.
type job struct {
	Source    string      `json:"source"`
	Output    string      `json:"output"`
	Entry     string      `json:"entry"`
	Arguments [][2]string `json:"arguments"`
	Seconds   float64     `json:"seconds"`
	Memory    int64       `json:"memory"`
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

// Close ends the processes and removes the folder in which they run. No job may
// be under way.
func (j *Judge) Close() error {
	for _, c := range j.idle {
		c.close()
	}
	j.idle = nil
	return os.Remove(j.dir)
}

// Call judges arguments: whether the function with this qualified name, called
// with each of the candidates, returns the program's output. The function is one
// of the module or of a class in it.
func (j *Judge) Call(ctx context.Context, p Program, function string, candidates ...statetree.Locals) ([]Verdict, error) {
	return j.run(ctx, p, job{Function: function}, candidates)
}

// Return judges locals: whether the expression of the return statement at a line
// of the program has its output as value over each of the candidates.
func (j *Judge) Return(ctx context.Context, p Program, line int, candidates ...statetree.Locals) ([]Verdict, error) {
	return j.run(ctx, p, job{Line: line}, candidates)
}

// run judges all candidates. A process that ends early is followed by another
// for those after the one that ended it.
func (j *Judge) run(ctx context.Context, p Program, told job, candidates []statetree.Locals) ([]Verdict, error) {
	told.Source, told.Output, told.Entry, told.Arguments = p.Source, p.Output, p.Entry, pairs(p.Arguments)
	told.Seconds, told.Memory = j.options.Time.Seconds(), j.options.Memory
	var verdicts []Verdict
	for len(verdicts) < len(candidates) {
		rest := candidates[len(verdicts):]
		told.Candidates = make([][][2]string, len(rest))
		for i, locals := range rest {
			told.Candidates[i] = pairs(locals)
		}
		done, err := j.ask(ctx, &told)
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

// pairs returns names with reprs as judge.py reads them.
func pairs(l statetree.Locals) [][2]string {
	list := make([][2]string, len(l))
	for i := range l {
		list[i] = [2]string{l[i].Name, l[i].Repr}
	}
	return list
}

// ask gives a job to an idle court, or to a new one.
func (j *Judge) ask(ctx context.Context, told *job) ([]Verdict, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var c *court
	j.mu.Lock()
	if n := len(j.idle); n > 0 {
		c, j.idle = j.idle[n-1], j.idle[:n-1]
	}
	j.mu.Unlock()
	if c == nil {
		var err error
		if c, err = j.open(); err != nil {
			return nil, err
		}
	}
	// Beyond its own limits a job has the time in which a busy machine starts it.
	limit := startTime + 2*time.Duration(len(told.Candidates))*j.options.Time
	timed, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	verdicts, err := c.try(timed, told)
	switch {
	case err == nil:
		j.mu.Lock()
		j.idle = append(j.idle, c)
		j.mu.Unlock()
	case ctx.Err() != nil:
		c.close()
		return nil, ctx.Err()
	case timed.Err() != nil: // what it has said so far counts
		c.close()
	default:
		c.close()
		return nil, err
	}
	return verdicts, nil
}
