package record

import (
	"context"
	_ "embed" // the tracer
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/neuraldbg/neuraldbg/internal/regularfile"
	"github.com/neuraldbg/neuraldbg/statetree"
)

//go:embed python/tracer.py
var tracerScript string

//go:embed python/tracefile.py
var traceFileScript string

//go:embed python/run.py
var runScript string

// bootScript runs the first argument under a name of its own, so that its frames
// can be told from the program's.
const bootScript = `import sys; sys.version_info < (3, 9) and sys.exit(2); exec(compile(sys.argv[1], "<neuraldbg>", "exec"), {"__name__": "<neuraldbg>", "__builtins__": __builtins__})`

// DefaultPython is the interpreter that is run when Options names none.
const DefaultPython = "python3"

// Limits bound a recording. A zero field has its default.
type Limits struct {
	// Events is the number of states recorded; default 100,000. The program is
	// ended when it goes beyond.
	Events int
	// Time is how long the program runs; default a minute. It is killed then.
	Time time.Duration
	// Repr is the number of characters of one repr; default 4,096. A longer one
	// is cut, with an ellipsis.
	Repr int
	// Bytes is the size of the trace before compression; default 256 MiB. The
	// program is ended when it goes beyond.
	Bytes int64
}

// The defaults of Limits.
const (
	DefaultEvents = 100_000
	DefaultTime   = time.Minute
	DefaultRepr   = 4096
	DefaultBytes  = 256 << 20
)

func (l Limits) withDefaults() Limits {
	if l.Events <= 0 {
		l.Events = DefaultEvents
	}
	if l.Time <= 0 {
		l.Time = DefaultTime
	}
	if l.Repr <= 0 {
		l.Repr = DefaultRepr
	}
	if l.Bytes <= 0 {
		l.Bytes = DefaultBytes
	}
	return l
}

// Options say what to run and what of it to record.
type Options struct {
	// Python is the interpreter, a path or a name on PATH; default
	// DefaultPython.
	Python string
	// File is the source file to run, as the user names it: states carry it so.
	// It is relative to Dir when that is set.
	File string
	// Entry is the call expression to run after the module body, such as
	// `count("berry", "r")`. Empty runs the file as a program.
	Entry string
	// Args are the program's arguments, sys.argv[1:].
	Args []string
	// Files are further files whose frames are recorded, and folders, for the
	// files below them. File is always recorded.
	Files []string
	// KeepAddresses leaves memory addresses in reprs.
	KeepAddresses bool
	Limits        Limits
	// Trace is the path of a trace file to write; empty writes none.
	Trace string

	// Dir, Env and the streams are the program's own, as in exec.Cmd: nil is the
	// caller's environment, no input, and output that is thrown away.
	Dir            string
	Env            []string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
}

// Result is a finished run.
type Result struct {
	Trace
	// ExitCode is the program's exit code, as without the recorder; 128 and the
	// signal's number when one ended it. It means nothing when the recording is Cut
	// by a limit, or because the trace could not be written.
	ExitCode int
}

// entrySettings is what a P record says of the entry, and the driver's text.
type entrySettings struct {
	Kind         string `json:"kind"`
	Text         string `json:"text"`
	Function     string `json:"function"`
	Driver       string `json:"driver"`
	DriverSource string `json:"driver_source"`
}

func newEntrySettings(e statetree.Entry, driver string) entrySettings {
	return entrySettings{Kind: entryKind(e), Text: e.Text, Function: e.Function, Driver: e.Driver, DriverSource: driver}
}

// settings is what run.py is told. Its JSON is a Python expression, since it has no
// booleans and no null: what would parse it takes longer to import than that.
type settings struct {
	Trace         string        `json:"trace"`
	Descriptor    int           `json:"descriptor"`
	File          string        `json:"file"`
	Entry         entrySettings `json:"entry"`
	Files         []string      `json:"files"`
	Events        int           `json:"events"`
	Repr          int           `json:"repr"`
	Bytes         int64         `json:"bytes"`
	KeepAddresses int           `json:"keep_addresses"`
}

func asNumber(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Record runs a program and returns what it went through. The program's output
// goes where Options say, its exit code is lost: see Run.
func Record(ctx context.Context, o Options) (statetree.Recording, error) {
	result, err := Run(ctx, o)
	return result.Recording, err
}

// Run is Record with all there is to know about the run. A program that fails
// by itself is no error: its recording ends in statetree.ExitError.
func Run(ctx context.Context, o Options) (result Result, err error) {
	if o.Trace == "" {
		folder, err := os.MkdirTemp("", "neuraldbg-")
		if err != nil {
			return Result{}, fmt.Errorf("making a folder for the trace: %w", err)
		}
		defer os.RemoveAll(folder)
		o.Trace = filepath.Join(folder, "program"+traceExtension)
	}
	program, end, err := o.run(ctx)
	if err != nil {
		return Result{}, err
	}
	reader, err := OpenReader(o.Trace)
	if err != nil {
		return Result{}, err
	}
	defer reader.Close()
	if result.Trace, err = reader.run(); err != nil {
		return Result{}, o.failure(err)
	}
	result.Recording.Program = program
	result.ExitCode = end.code
	result.Recording.Cut = end.cut(result.Recording.Cut)
	return result, nil
}

// Write is Run without the recording, which stays in the trace file that o.Trace
// names: memory does not grow with the run.
func Write(ctx context.Context, o Options) (Summary, error) {
	if _, end, err := o.run(ctx); err != nil {
		return Summary{}, err
	} else if summary, err := Summarize(o.Trace); err != nil {
		return Summary{}, o.failure(err)
	} else {
		summary.ExitCode = end.code
		summary.Cut = end.cut(summary.Cut)
		return summary, nil
	}
}

// failure is the error for a trace that cannot be read, or that says why nothing
// was recorded. There is then no trace file.
func (o *Options) failure(err error) error {
	os.Remove(o.Trace)
	var reason *ProgramError
	if errors.As(err, &reason) {
		return reason
	}
	return fmt.Errorf("recording %s: %w", o.File, err)
}

var errTime = errors.New("the limit of time")

// ending is how a program's process ended.
type ending struct {
	code int
	late bool // by the limit of time
	time time.Duration
}

// cut returns the Cut of a recording whose trace has one.
func (e ending) cut(of string) string {
	if e.late && of == CutShort {
		return limitPrefix + e.time.String()
	}
	return of
}

// run runs the program, and leaves its trace in o.Trace.
func (o *Options) run(ctx context.Context) (statetree.Program, ending, error) {
	limits := o.Limits.withDefaults()
	end := ending{time: limits.Time}
	fail := func(err error) (statetree.Program, ending, error) { return statetree.Program{}, ending{}, err }
	python, err := findPython(o.Python)
	if err != nil {
		return fail(err)
	}
	program, driver, err := o.program()
	if err != nil {
		return fail(err)
	}
	trace, err := filepath.Abs(o.Trace)
	if err != nil {
		return fail(fmt.Errorf("naming the trace file: %w", err))
	}
	if err := clearTrace(trace); err != nil {
		return fail(err)
	}
	told, err := json.Marshal(settings{
		Trace: trace, Descriptor: beginDescriptor, File: o.File, Entry: newEntrySettings(program.Entry, driver), Files: append([]string{}, o.Files...),
		Events: limits.Events, Repr: limits.Repr, Bytes: limits.Bytes, KeepAddresses: asNumber(o.KeepAddresses),
	})
	if err != nil {
		return fail(fmt.Errorf("preparing the tracer: %w", err))
	}

	// The program's time begins when the interpreter has started.
	timed, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	timer := time.AfterFunc(startTime, func() { cancel(errTime) })
	defer timer.Stop()
	command, err := o.start(timed, python, string(told), func() { timer.Reset(limits.Time) })
	if err != nil {
		return fail(err)
	}
	waitErr := command.Wait()
	finished, err := finishTrace(trace)
	switch {
	case err != nil:
		return fail(err)
	case ctx.Err() != nil:
		return fail(fmt.Errorf("recording %s: %w", o.File, ctx.Err()))
	case !finished:
		return fail(fmt.Errorf("recording %s: %s did not run the tracer (Python 3.9 or later is needed)", o.File, python))
	}
	end.code = exitCode(command.ProcessState)
	end.late = context.Cause(timed) == errTime
	var exit *exec.ExitError
	if waitErr != nil && !errors.As(waitErr, &exit) && !errors.Is(waitErr, exec.ErrWaitDelay) && !end.late {
		return fail(fmt.Errorf("running %s: %w", o.File, waitErr))
	}
	return program, end, nil
}

// program reads the file and decides what runs; see prepare.
func (o *Options) program() (program statetree.Program, driver string, err error) {
	path := o.File
	if !filepath.IsAbs(path) {
		path = filepath.Join(o.Dir, path)
	}
	text, err := regularfile.ReadFile(path)
	if err != nil {
		return statetree.Program{}, "", fmt.Errorf("reading the program: %w", err)
	}
	return prepare(o.File, text, o.Entry)
}

// beginDescriptor is the file descriptor at which the program's process has a
// pipe: that of the first of exec.Cmd's ExtraFiles. It writes a byte there, and
// closes it, when the program begins.
const beginDescriptor = 3

// start starts the interpreter with its settings. It calls began when the program
// begins.
func (o *Options) start(ctx context.Context, python, settings string, began func()) (*exec.Cmd, error) {
	reader, writer, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("opening a pipe: %w", err)
	}
	defer writer.Close() // the process has its own
	command := exec.CommandContext(ctx, python,
		append([]string{"-c", bootScript, tracerScript + traceFileScript + runScript, settings}, o.Args...)...)
	command.Dir, command.Env = o.Dir, environment(o.Env)
	command.Stdin, command.Stdout, command.Stderr = o.Stdin, o.Stdout, o.Stderr
	command.ExtraFiles = []*os.File{writer}
	// A child of the program may hold its output open; do not wait for it.
	command.WaitDelay = time.Second
	endTogether(command)
	if err := command.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("starting %s: %w", python, err), reader.Close())
	}
	go func() {
		defer reader.Close()
		if n, _ := reader.Read(make([]byte, 1)); n > 0 {
			began()
		}
	}()
	return command, nil
}

// environment makes string hashes, and with them the order of sets, repeat from
// run to run unless the caller has chosen otherwise.
func environment(env []string) []string {
	if env == nil {
		env = os.Environ()
	}
	for _, e := range env {
		if strings.HasPrefix(e, "PYTHONHASHSEED=") {
			return env
		}
	}
	return append(append([]string{}, env...), "PYTHONHASHSEED=0")
}
