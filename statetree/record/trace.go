package record

import (
	"errors"
	"fmt"
	"io"

	"github.com/neuraldbg/neuraldbg/statetree"
)

var (
	errCutOff  = errors.New("it is cut off before its first record")
	errNoEntry = errors.New("it is of a command, which has no one entry; record a file or a call in it")
)

// Trace is what a trace file holds.
type Trace struct {
	// Recording is the run. Its Locals are shared between states: they must not
	// be written to.
	Recording statetree.Recording
	// Python is the version of the interpreter, such as "3.12.1".
	Python string
	// Path and Source are the entry's file: its path as the user gave it and
	// its text, with line ends as Python reads them. The trace of a thread has no
	// entry; there they are the first file's.
	Path, Source string
	// Shortened counts the reprs that were cut at Limits.Repr.
	Shortened int
}

// Open reads a trace file of one entry. A file that is cut off gives what it has,
// with the reason in Cut.
func Open(path string) (statetree.Recording, error) {
	trace, err := OpenTrace(path)
	if err == nil && trace.Recording.Program.Code == "" && trace.Path != "" {
		return statetree.Recording{}, fmt.Errorf("reading the trace %s: %w", path, errNoEntry)
	}
	return trace.Recording, err
}

// Check reads the beginning of a trace file. It says what is wrong with a file that
// Open would refuse, as far as that tells, in a time that does not grow with it.
func Check(path string) error {
	reader, err := OpenReader(path)
	if err != nil {
		return err
	}
	defer reader.Close()
	_, err = reader.Next()
	switch {
	case errors.Is(err, io.EOF) && len(reader.decoder.files) == 0:
		err = errCutOff
	case errors.Is(err, io.EOF):
		err = errors.New("it has no state")
	case err == nil && reader.decoder.meta.Kind == threadKind:
		err = errNoEntry
	}
	if err != nil {
		return fmt.Errorf("reading the trace %s: %w", path, err)
	}
	return nil
}

// OpenTrace is Open with all that the file says, and for the trace of a thread
// too.
func OpenTrace(path string) (Trace, error) {
	reader, err := OpenReader(path)
	if err != nil {
		return Trace{}, err
	}
	defer reader.Close()
	trace, err := reader.trace()
	if err != nil {
		return Trace{}, fmt.Errorf("reading the trace %s: %w", path, err)
	}
	return trace, nil
}

// ReadTrace reads a trace from its compressed form. The trace of a thread, which
// has many roots and no entry, has an empty Program.
func ReadTrace(r io.Reader) (Trace, error) {
	reader, err := NewReader(r)
	if err != nil {
		return Trace{}, err
	}
	return reader.trace()
}

// trace reads a whole trace and makes its program.
func (r *Reader) trace() (Trace, error) {
	trace, err := r.run()
	meta := &r.decoder.meta
	if err != nil || meta.Kind == threadKind {
		return trace, err
	}
	program, _, err := prepare(trace.Path, []byte(trace.Source), meta.Text)
	if err != nil {
		return Trace{}, err
	}
	program.Entry = meta.entry()
	trace.Recording.Program = program
	return trace, nil
}

// run reads a whole trace, but for its program.
func (r *Reader) run() (Trace, error) {
	var states []statetree.Recorded
	for {
		s, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return Trace{}, err
		}
		states = append(states, s)
	}
	d := r.decoder
	if len(d.files) == 0 {
		return Trace{}, errCutOff
	}
	trace := Trace{Python: d.meta.Python, Path: d.files[0].path, Source: d.files[0].text, Shortened: d.shortened}
	trace.Recording.States = states
	trace.Recording.Exit, trace.Recording.Cut = r.End()
	return trace, nil
}

// ProgramError says that a program cannot be recorded: it does not parse, it
// has no such entry, or it ends before the entry is reached. It is one line.
type ProgramError struct {
	// Reason is for the user.
	Reason string
	// Err is what reading the program gave, if anything.
	Err error
}

// Error returns the reason.
func (e *ProgramError) Error() string { return e.Reason }

// Unwrap returns Err.
func (e *ProgramError) Unwrap() error { return e.Err }
