package record

import (
	"bufio"
	"context"
	_ "embed" // the worker
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"
)

//go:embed python/worker.py
var workerScript string

// Job is one program for a Worker.
type Job struct {
	// Path is the File of the program's states. No such file needs to exist.
	Path string
	// Source is the program, with "\n" as line end and without NUL.
	Source string
	// Entry is as in Options.
	Entry string
	// Module is the dotted name of the module that the program is, so that it can
	// import its neighbours; its package is imported first. Empty is the name of
	// a module that belongs to no package.
	Module string
}

// WorkerOptions say how a Worker records. Zero fields have defaults.
type WorkerOptions struct {
	// Python is as in Options.
	Python string
	// Limits are those of one program. Defaults here: 1,000 events, 2 seconds,
	// reprs of 4,096 characters, traces of 4 MiB.
	Limits Limits
	// Memory is the address space of the process in bytes; default 1 GiB.
	Memory int64
	// KeepAddresses is as in Options.
	KeepAddresses bool
	// CPU is how long the processor may work on one program; 0 is as long as
	// Limits.Time lets it. Unlike that it does not depend on what else the
	// machine does.
	CPU time.Duration
	// Prologue is Python that a process runs before its first program, such as
	// one that confines it. Its names are its own.
	Prologue string
}

// startTime is how long an interpreter may take to start.
const startTime = time.Minute

// ErrWorkerDied is what Worker.Record returns for a program that took its
// process with it, or held it beyond all limits.
var ErrWorkerDied = errors.New("the program ended its Python process or could not be stopped")

// Worker records many programs, one after the other, in one Python process that
// it replaces when a program breaks it. The programs must be trusted; their
// output is thrown away. A Worker serves one goroutine at a time.
type Worker struct {
	options WorkerOptions
	python  string
	process *exec.Cmd
	input   io.WriteCloser
	output  *bufio.Reader
	started int // how many processes there have been
	// patience is how long a process may stay silent beyond its time limit.
	patience time.Duration
}

// NewWorker finds the interpreter. The process starts with the first Record.
func NewWorker(o WorkerOptions) (*Worker, error) {
	python, err := findPython(o.Python)
	if err != nil {
		return nil, err
	}
	if o.Limits.Events <= 0 {
		o.Limits.Events = 1000
	}
	if o.Limits.Time <= 0 {
		o.Limits.Time = 2 * time.Second
	}
	if o.Limits.Bytes <= 0 {
		o.Limits.Bytes = 4 << 20
	}
	if o.Memory <= 0 {
		o.Memory = 1 << 30
	}
	o.Limits = o.Limits.withDefaults()
	return &Worker{options: o, python: python, patience: 2 * time.Second}, nil
}

// Record runs one program. A program that cannot be recorded (it does not
// compile, it lacks the entry) is an error, ErrWorkerDied another one; the
// worker is of use afterwards in either case.
func (w *Worker) Record(ctx context.Context, job Job) (Trace, error) {
	if err := ctx.Err(); err != nil {
		return Trace{}, err
	}
	program, driver, err := prepare(job.Path, []byte(job.Source), job.Entry)
	if err != nil {
		return Trace{}, err
	}
	if w.process == nil {
		if err := w.start(); err != nil {
			w.kill()
			return Trace{}, err
		}
	}
	entry := newEntrySettings(program.Entry, driver)
	answer, err := w.exchange(ctx, strings.Join([]string{
		job.Path, job.Source, job.Module, entry.Kind, entry.Text, entry.Function, entry.Driver, entry.DriverSource,
	}, "\x00"))
	if err != nil {
		w.kill()
		if ctx.Err() != nil {
			return Trace{}, ctx.Err()
		}
		return Trace{}, ErrWorkerDied
	}
	reader := newReader(strings.NewReader(answer))
	reader.decoder.lines = 1 // an answer has no header
	trace, err := reader.run()
	if err != nil {
		return Trace{}, err
	}
	trace.Recording.Program = program
	return trace, nil
}

// Close ends the process.
func (w *Worker) Close() error {
	w.kill()
	return nil
}

type workerSettings struct {
	Events        int     `json:"events"`
	Seconds       float64 `json:"seconds"`
	Repr          int     `json:"repr"`
	Bytes         int64   `json:"bytes"`
	Memory        int64   `json:"memory"`
	KeepAddresses bool    `json:"keep_addresses"`
	CPU           float64 `json:"cpu"`
	Prologue      string  `json:"prologue"`
}

func (w *Worker) start() error {
	limits := w.options.Limits
	told, err := json.Marshal(workerSettings{
		Events: limits.Events, Seconds: limits.Time.Seconds(), Repr: limits.Repr,
		Bytes: limits.Bytes, Memory: w.options.Memory, KeepAddresses: w.options.KeepAddresses,
		CPU: w.options.CPU.Seconds(), Prologue: w.options.Prologue,
	})
	if err != nil {
		return fmt.Errorf("preparing the tracer: %w", err)
	}
	process := exec.Command(w.python, "-c", bootScript, tracerScript+workerScript, string(told))
	process.Env = environment(nil)
	input, err := process.StdinPipe()
	if err != nil {
		return fmt.Errorf("opening a pipe to Python: %w", err)
	}
	output, err := process.StdoutPipe()
	if err != nil {
		return fmt.Errorf("opening a pipe from Python: %w", err)
	}
	if err := process.Start(); err != nil {
		return fmt.Errorf("starting %s: %w", w.python, err)
	}
	w.process, w.input, w.output = process, input, bufio.NewReaderSize(output, 1<<16)
	w.started++
	// The first answer, an empty one, says that the process is there.
	slow := time.AfterFunc(startTime, func() { process.Process.Kill() })
	defer slow.Stop()
	if answer, err := w.receive(); err != nil || answer != "" {
		return fmt.Errorf("%s did not run the tracer (Python 3.9 or later is needed)", w.python)
	}
	return nil
}

// exchange sends a request and waits for its answer, but not much longer than the
// time limit.
func (w *Worker) exchange(ctx context.Context, payload string) (string, error) {
	process := w.process.Process
	overdue := time.AfterFunc(w.options.Limits.Time+w.patience, func() { process.Kill() })
	defer overdue.Stop()
	stop := context.AfterFunc(ctx, func() { process.Kill() })
	defer stop()

	request := binary.LittleEndian.AppendUint32(make([]byte, 0, 4+len(payload)), uint32(len(payload)))
	if _, err := w.input.Write(append(request, payload...)); err != nil {
		return "", err
	}
	return w.receive()
}

// receive reads one answer.
func (w *Worker) receive() (string, error) {
	var length [4]byte
	if _, err := io.ReadFull(w.output, length[:]); err != nil {
		return "", err
	}
	answer := make([]byte, binary.LittleEndian.Uint32(length[:]))
	if _, err := io.ReadFull(w.output, answer); err != nil {
		return "", err
	}
	return string(answer), nil
}

func (w *Worker) kill() {
	if w.process == nil {
		return
	}
	w.input.Close()
	w.process.Process.Kill()
	w.process.Wait()
	w.process = nil
}
