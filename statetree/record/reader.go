package record

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"github.com/neuraldbg/neuraldbg/internal/regularfile"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// Reader reads a trace state by state. Its memory does not grow with the trace.
type Reader struct {
	decoder *decoder
	lines   *bufio.Reader
	file    io.Closer // nil unless the reader opened it
	state   statetree.Recorded
	code    *tracedCode
	emitted bool
	// roots follows the activations without a caller, for the exit of a thread.
	roots rootExit
}

// OpenReader opens a trace file.
func OpenReader(path string) (*Reader, error) {
	file, err := regularfile.Open(path)
	if err != nil {
		return nil, fmt.Errorf("opening the trace: %w", err)
	}
	r, err := NewReader(file)
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("reading the trace %s: %w", path, err)
	}
	r.file = file
	return r, nil
}

// NewReader begins to read a trace from its compressed form.
func NewReader(r io.Reader) (*Reader, error) {
	unzipped, err := gzip.NewReader(r)
	if err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, errCutOff
		}
		return nil, fmt.Errorf("it is not a trace file: %w", err)
	}
	return newReader(unzipped), nil
}

// newReader reads a trace that is not compressed.
func newReader(r io.Reader) *Reader {
	reader := &Reader{lines: bufio.NewReaderSize(r, 1<<16)}
	reader.decoder = newDecoder(func(s statetree.Recorded, code *tracedCode) {
		reader.state, reader.code, reader.emitted = s, code, true
	})
	return reader
}

// Close closes the file that OpenReader opened.
func (r *Reader) Close() error {
	if r.file == nil {
		return nil
	}
	return r.file.Close()
}

// Next returns the next state. The error is io.EOF at the end, wherever the
// trace was cut off; End then says how it ended. The state's Locals are shared
// with others and must not be written to.
func (r *Reader) Next() (statetree.Recorded, error) {
	for r.emitted = false; !r.emitted; {
		line, err := r.lines.ReadString('\n')
		if err != nil {
			// A part of a record, or a damaged end: what came before counts.
			return statetree.Recorded{}, io.EOF
		}
		if err := r.decoder.line(line[:len(line)-1]); err != nil {
			return statetree.Recorded{}, err
		}
	}
	if r.decoder.meta.Kind == threadKind {
		r.roots.add(&r.state)
	}
	return r.state, nil
}

// End says how the run ended, as in statetree.Recording. The exit of a thread is
// that of the last activation without a caller.
func (r *Reader) End() (exit statetree.Exit, cut string) {
	exit, cut = r.decoder.end()
	if exit == statetree.ExitNormal && r.roots.failed {
		exit = statetree.ExitError
	}
	return exit, cut
}

// Source returns the text of a file as it was recorded; "" for one that has not
// come yet.
func (r *Reader) Source(file string) string {
	for _, f := range r.decoder.files {
		if f.path == file {
			return f.text
		}
	}
	return ""
}

// rootExit finds out whether an exception that nobody catches has left the last
// activation without a caller.
type rootExit struct {
	depth   int
	root    int // its activation
	leaving statetree.Leaving
	failed  bool
}

func (x *rootExit) add(s *statetree.Recorded) {
	switch s.Event {
	case statetree.Call:
		if x.depth == 0 {
			*x = rootExit{root: s.Activation}
		}
		x.depth++
	case statetree.Return:
		if s.Activation == x.root {
			byException, sure := x.leaving.Return(&s.State)
			x.failed = sure && byException && !statetree.NormalExit(x.leaving.Raised())
		}
		x.depth = max(0, x.depth-1)
		return
	}
	if s.Activation == x.root {
		x.leaving.Add(&s.State)
	}
}
