package record

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/neuraldbg/neuraldbg/statetree"
)

// Summary is what is to be said of a trace without its states.
type Summary struct {
	// States is their number, Shortened that of the reprs that were cut.
	States, Shortened int
	// Exit and Cut are as in statetree.Recording.
	Exit statetree.Exit
	Cut  string
	// ExitCode is as in Result; Summarize does not know it.
	ExitCode int
}

// Summarize reads a trace file through. It counts states without looking at their
// values, which takes a small part of the time of reading them.
func Summarize(path string) (Summary, error) {
	r, err := OpenReader(path)
	if err != nil {
		return Summary{}, err
	}
	defer r.Close()
	s, err := r.summarize()
	if err != nil {
		return Summary{}, fmt.Errorf("reading the trace %s: %w", path, err)
	}
	return s, nil
}

// summarize reads the whole trace.
func (r *Reader) summarize() (s Summary, err error) {
	for {
		line, err := r.lines.ReadSlice('\n')
		for errors.Is(err, bufio.ErrBufferFull) {
			var more []byte
			line = bytes.Clone(line)
			more, err = r.lines.ReadSlice('\n')
			line = append(line, more...)
		}
		if err != nil {
			break
		}
		line = line[:len(line)-1]
		if len(line) > 1 && line[1] == '\t' && bytes.IndexByte([]byte("CLMRE"), line[0]) >= 0 {
			s.add(r, line)
		} else if err := r.decoder.line(string(line)); err != nil {
			return Summary{}, err
		}
	}
	if len(r.decoder.files) == 0 {
		return Summary{}, errCutOff
	}
	s.Exit, s.Cut = r.End()
	return s, nil
}

// add counts the record of a state.
func (s *Summary) add(r *Reader, line []byte) {
	s.States++
	kind := line[0]
	if bytes.Contains(line, []byte("\t~")) {
		s.Shortened += shortenedIn(kind, string(line[2:]))
	}
	if r.decoder.meta.Kind != threadKind {
		return
	}
	fields := fieldReader{rest: string(line[2:])}
	state := statetree.Recorded{Activation: fields.number(0, 1<<31)}
	switch kind {
	case 'C':
		state.Event = statetree.Call
	case 'L', 'M':
		state.Event = statetree.Line
	case 'R', 'E':
		state.Event = statetree.Exception
		if kind == 'R' {
			state.Event = statetree.Return
		}
		fields.raw()
		state.Arg = fields.text()
	}
	r.roots.add(&state)
}

// shortenedIn counts the reprs that a state's record flags as cut.
func shortenedIn(kind byte, record string) (n int) {
	fields := fieldReader{rest: record}
	fields.raw()
	fields.raw()
	switch kind {
	case 'C':
		fields.raw()
	case 'R', 'E':
		fields.raw()
		if fields.more() && fields.raw() == "~" {
			return 1
		}
		return 0
	}
	for fields.more() {
		if strings.HasPrefix(fields.raw(), "~") {
			n++
		}
		fields.raw()
	}
	return n
}
