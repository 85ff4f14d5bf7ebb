package record

import (
	"compress/gzip"
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

	"github.com/neuraldbg/neuraldbg/statetree"
)

//go:embed python/tracer.py
var tracerScript string

//go:embed python/run.py
var runScript string

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
	// ExitCode is the program's exit code, as without the recorder; -1 when a
	// signal ended it. It means nothing when the recording is Cut by a limit.
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

// settings is what run.py is told.
type settings struct {
	Descriptor    int           `json:"descriptor"`
	File          string        `json:"file"`
	Entry         entrySettings `json:"entry"`
	Files         []string      `json:"files"`
	Events        int           `json:"events"`
	Repr          int           `json:"repr"`
	Bytes         int64         `json:"bytes"`
	KeepAddresses bool          `json:"keep_addresses"`
}

// Record runs a program and returns what it went through. The program's output
// goes where Options say, its exit code is lost: see Run.
func Record(ctx context.Context, o Options) (statetree.Recording, error) {
	result, err := Run(ctx, o)
	return result.Recording, err
}

var errTime = errors.New("the limit of time")

// Run is Record with all there is to know about the run. A program that fails
// by itself is no error: its recording ends in statetree.ExitError.
func Run(ctx context.Context, o Options) (result Result, err error) {
	limits := o.Limits.withDefaults()
	python, err := findPython(o.Python)
	if err != nil {
		return Result{}, err
	}
	program, driver, err := o.program()
	if err != nil {
		return Result{}, err
	}
	told, err := json.Marshal(settings{
		Descriptor: traceDescriptor, File: o.File, Entry: newEntrySettings(program.Entry, driver), Files: append([]string{}, o.Files...),
		Events: limits.Events, Repr: limits.Repr, Bytes: limits.Bytes, KeepAddresses: o.KeepAddresses,
	})
	if err != nil {
		return Result{}, fmt.Errorf("preparing the tracer: %w", err)
	}

	// The program's time begins when the interpreter has started.
	timed, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	timer := time.AfterFunc(startTime, func() { cancel(errTime) })
	defer timer.Stop()
	command, reader, err := o.start(timed, python, string(told))
	if err != nil {
		return Result{}, err
	}
	defer reader.Close()
	stopReading := context.AfterFunc(timed, func() { reader.SetReadDeadline(time.Now().Add(time.Second)) })
	defer stopReading()

	d := newDecoder()
	d.began = func() { timer.Reset(limits.Time) }
	decodeErr := receive(d, reader, o.Trace)
	if decodeErr != nil {
		cancel(nil)
	}
	waitErr := command.Wait()
	if ctx.Err() != nil {
		return Result{}, fmt.Errorf("recording %s: %w", o.File, ctx.Err())
	}
	if decodeErr != nil {
		return Result{}, decodeErr
	}
	result.Trace, err = d.finish()
	if errors.Is(err, errCutOff) {
		if o.Trace != "" {
			os.Remove(o.Trace) // there is nothing in it
		}
		return Result{}, fmt.Errorf("recording %s: %s did not run the tracer (Python 3.9 or later is needed)", o.File, python)
	}
	if err != nil {
		return Result{}, err
	}
	result.Recording.Program = program
	result.ExitCode = command.ProcessState.ExitCode()
	late := context.Cause(timed) == errTime
	if late && result.Recording.Cut == CutShort {
		result.Recording.Cut = limitPrefix + limits.Time.String()
	}
	var exit *exec.ExitError
	if waitErr != nil && !errors.As(waitErr, &exit) && !errors.Is(waitErr, exec.ErrWaitDelay) && !late {
		return Result{}, fmt.Errorf("running %s: %w", o.File, waitErr)
	}
	return result, nil
}

// program reads the file and decides what runs; see prepare.
func (o *Options) program() (program statetree.Program, driver string, err error) {
	path := o.File
	if !filepath.IsAbs(path) {
		path = filepath.Join(o.Dir, path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return statetree.Program{}, "", fmt.Errorf("reading the program: %w", err)
	}
	return prepare(o.File, text, o.Entry)
}

// traceDescriptor is the file descriptor at which the program's process has the
// pipe for the trace: that of the first of exec.Cmd's ExtraFiles.
const traceDescriptor = 3

// start starts the interpreter with its settings, and returns the pipe from which
// the trace comes.
func (o *Options) start(ctx context.Context, python, settings string) (*exec.Cmd, *os.File, error) {
	reader, writer, err := os.Pipe()
	if err != nil {
		return nil, nil, fmt.Errorf("opening a pipe for the trace: %w", err)
	}
	defer writer.Close() // the process has its own
	command := exec.CommandContext(ctx, python,
		append([]string{"-c", tracerScript + "\n\n" + runScript, settings}, o.Args...)...)
	command.Dir, command.Env = o.Dir, environment(o.Env)
	command.Stdin, command.Stdout, command.Stderr = o.Stdin, o.Stdout, o.Stderr
	command.ExtraFiles = []*os.File{writer}
	// A child of the program may hold its output open; do not wait for it.
	command.WaitDelay = time.Second
	endTogether(command)
	if err := command.Start(); err != nil {
		return nil, nil, errors.Join(fmt.Errorf("starting %s: %w", python, err), reader.Close())
	}
	return command, reader, nil
}

// receive decodes the records that come from the program and writes them to the
// trace file. The file never holds less than what was decoded.
func receive(d *decoder, r io.Reader, path string) (err error) {
	if path == "" {
		return d.readAll(r)
	}
	file, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("creating the trace file: %w", err)
	}
	zipped := gzip.NewWriter(file)
	tee := &teeReader{r: r, w: zipped}
	err = d.readAll(tee)
	for _, done := range []error{tee.err, zipped.Close(), file.Close()} {
		if err == nil && done != nil {
			err = fmt.Errorf("writing the trace file: %w", done)
		}
	}
	var reason *ProgramError
	if errors.As(err, &reason) {
		os.Remove(path)
	}
	return err
}

// teeReader is io.TeeReader, but it remembers that writing failed.
type teeReader struct {
	r   io.Reader
	w   io.Writer
	err error
}

func (t *teeReader) Read(p []byte) (int, error) {
	n, err := t.r.Read(p)
	if n > 0 && t.err == nil {
		if _, t.err = t.w.Write(p[:n]); t.err != nil {
			return n, t.err
		}
	}
	return n, err
}

func findPython(name string) (string, error) {
	if name == "" {
		name = DefaultPython
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("no Python interpreter %q: install Python 3.9 or later, or name another interpreter", name)
	}
	return path, nil
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
