package record

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/neuraldbg/neuraldbg/statetree"
)

// header is the first line of every trace; its number is the format's version.
const header = "neuraldbg-trace 1"

var errCutOff = errors.New("it is cut off before its first record")

// Trace is what a trace file holds.
type Trace struct {
	// Recording is the run. Its Locals are shared between states: they must not
	// be written to.
	Recording statetree.Recording
	// Python is the version of the interpreter, such as "3.12.1".
	Python string
	// Path and Source are the entry's file: its path as the user gave it and
	// its text, with line ends as Python reads them.
	Path, Source string
	// Shortened counts the reprs that were cut at Limits.Repr.
	Shortened int
}

// Open reads a trace file. A file that is cut off gives what it has, with the
// reason in Cut.
func Open(path string) (statetree.Recording, error) {
	trace, err := OpenTrace(path)
	return trace.Recording, err
}

// OpenTrace is Open with all that the file says.
func OpenTrace(path string) (Trace, error) {
	file, err := os.Open(path)
	if err != nil {
		return Trace{}, fmt.Errorf("opening the trace: %w", err)
	}
	defer file.Close()
	trace, err := ReadTrace(file)
	if err != nil {
		return Trace{}, fmt.Errorf("reading the trace %s: %w", path, err)
	}
	return trace, nil
}

// ReadTrace reads a trace from its compressed form.
func ReadTrace(r io.Reader) (Trace, error) {
	unzipped, err := gzip.NewReader(r)
	if err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return Trace{}, errCutOff
		}
		return Trace{}, fmt.Errorf("it is not a trace file: %w", err)
	}
	d := newDecoder()
	if err := d.readAll(unzipped); err != nil {
		return Trace{}, err
	}
	trace, err := d.finish()
	if err != nil {
		return Trace{}, err
	}
	program, _, err := prepare(trace.Path, []byte(trace.Source), trace.Recording.Program.Entry.Text)
	if err != nil {
		return Trace{}, err
	}
	program.Entry = trace.Recording.Program.Entry
	trace.Recording.Program = program
	return trace, nil
}

// decoder turns records into a Trace, one line at a time.
type decoder struct {
	trace       Trace
	files       []tracedFile
	codes       []tracedCode
	activations []activation
	ended       bool
	lines       int
	// began is called once, when the header has come.
	began func()
}

type tracedFile struct {
	path  string
	lines []string
}

type tracedCode struct {
	file     int
	function string
}

// activation is the state of one activation: what its next line record adds to.
type activation struct {
	code   int
	locals statetree.Locals
}

func newDecoder() *decoder { return &decoder{} }

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

// readAll decodes records until r ends, however it ends. What follows the end
// record is ignored.
func (d *decoder) readAll(r io.Reader) error {
	lines := bufio.NewReaderSize(r, 1<<16)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			// A part of a record, or a damaged end: what came before counts.
			return nil
		}
		if err := d.line(line[:len(line)-1]); err != nil {
			return err
		}
	}
}

// finish returns the decoded trace, but for its program.
func (d *decoder) finish() (Trace, error) {
	if len(d.files) == 0 {
		return Trace{}, errCutOff
	}
	if !d.ended {
		d.trace.Recording.Cut = CutShort
	}
	return d.trace, nil
}

// line decodes one line.
func (d *decoder) line(line string) error {
	d.lines++
	if d.lines == 1 {
		if line == header {
			if d.began != nil {
				d.began()
			}
			return nil
		}
		if strings.HasPrefix(line, "neuraldbg-trace ") {
			return fmt.Errorf("it is of format %q, this program reads %q; record it again", line, header)
		}
		return errors.New("it is not a trace file")
	}
	if d.ended {
		return nil
	}
	kind, rest, ok := strings.Cut(line, "\t")
	if !ok || len(kind) != 1 {
		return d.malformed(line)
	}
	fields := fieldReader{rest: rest}
	switch kind[0] {
	case 'C', 'L', 'M', 'R', 'E':
		d.state(kind[0], &fields)
	case 'K':
		fields.number(len(d.codes), len(d.codes)+1)
		code := tracedCode{file: fields.number(0, len(d.files))}
		code.function = fields.text()
		d.codes = append(d.codes, code)
	case 'F':
		fields.number(len(d.files), len(d.files)+1)
		path, source := fields.text(), fields.text()
		if len(d.files) == 0 {
			d.trace.Path, d.trace.Source = path, source
		}
		d.files = append(d.files, tracedFile{path: path, lines: strings.Split(source, "\n")})
	case 'P':
		var m meta
		if err := json.Unmarshal([]byte(fields.text()), &m); err != nil {
			return d.malformed(line)
		}
		d.trace.Python = m.Python
		d.trace.Recording.Program.Entry = m.entry()
	case 'X':
		d.ended = true
		if err := d.trace.Recording.Exit.UnmarshalText([]byte(fields.text())); err != nil {
			return d.malformed(line)
		}
	case 'Z':
		d.ended = true
		d.trace.Recording.Cut = fields.text()
	case '!':
		return &ProgramError{Reason: fields.text()}
	default:
		return d.malformed(line)
	}
	if !fields.valid() {
		return d.malformed(line)
	}
	return nil
}

// state decodes one of the five records that are states.
func (d *decoder) state(kind byte, fields *fieldReader) {
	s := statetree.Recorded{}
	if kind == 'C' {
		s.Activation = fields.number(len(d.activations), len(d.activations)+1)
		code := fields.number(0, len(d.codes))
		if fields.bad {
			return
		}
		d.activations = append(d.activations, activation{code: code})
	} else {
		s.Activation = fields.number(0, len(d.activations))
	}
	s.Line = fields.number(0, 1<<31)
	if fields.bad {
		return
	}
	a := &d.activations[s.Activation]
	code := &d.codes[a.code]
	file := &d.files[code.file]
	s.File, s.Function = file.path, code.function
	switch kind {
	case 'C':
		s.Event = statetree.Call
		a.locals = d.locals(nil, fields)
		s.Locals = a.locals
	case 'L', 'M':
		s.Event = statetree.Line
		if kind == 'M' {
			a.locals = nil
		}
		a.locals = d.locals(a.locals, fields)
		s.Locals = a.locals
	case 'R', 'E':
		s.Event = statetree.Return
		if kind == 'E' {
			s.Event = statetree.Exception
		}
		s.Arg = fields.text()
		if fields.more() && fields.text() == "~" {
			d.trace.Shortened++
		}
	}
	if s.Line > 0 && s.Line <= len(file.lines) {
		s.Source = file.lines[s.Line-1]
	}
	d.trace.Recording.States = append(d.trace.Recording.States, s)
}

// locals returns base with the names that follow. base is left as it is, and
// returned itself when nothing follows.
func (d *decoder) locals(base statetree.Locals, fields *fieldReader) statetree.Locals {
	out := base
	for fields.more() {
		name, repr := fields.text(), fields.text()
		if strings.HasPrefix(name, "~") {
			name = name[1:]
			d.trace.Shortened++
		}
		if len(out) == len(base) && (len(out) == 0 || &out[0] == &base[0]) {
			out = make(statetree.Locals, len(base), len(base)+fields.count()/2+1)
			copy(out, base)
		}
		known := false
		for i := range out {
			if out[i].Name == name {
				out[i].Repr, known = repr, true
				break
			}
		}
		if !known {
			out = append(out, statetree.Local{Name: name, Repr: repr})
		}
	}
	return out
}

func (d *decoder) malformed(line string) error {
	if len(line) > 60 {
		line = line[:60] + "..."
	}
	return fmt.Errorf("line %d is not a record: %q", d.lines, line)
}

// meta is the JSON of a P record.
type meta struct {
	Python   string `json:"python"`
	Kind     string `json:"kind"`
	Text     string `json:"text"`
	Function string `json:"function"`
	Driver   string `json:"driver"`
}

// The kinds of entry in a P record.
const (
	callKind   = "call"
	moduleKind = "module"
)

func entryKind(e statetree.Entry) string {
	if e.Kind == statetree.CallEntry {
		return callKind
	}
	return moduleKind
}

func (m meta) entry() statetree.Entry {
	e := statetree.Entry{Kind: statetree.ModuleEntry, Text: m.Text, Function: m.Function, Driver: m.Driver}
	if m.Kind == callKind {
		e.Kind = statetree.CallEntry
	}
	return e
}

// fieldReader takes a record apart. The first field that is missing or wrong
// makes it bad.
type fieldReader struct {
	rest string
	done bool
	bad  bool
}

func (f *fieldReader) more() bool  { return !f.done && !f.bad }
func (f *fieldReader) count() int  { return strings.Count(f.rest, "\t") + 1 }
func (f *fieldReader) valid() bool { return !f.bad && f.done }

func (f *fieldReader) raw() string {
	if f.done {
		f.bad = true
		return ""
	}
	field, rest, ok := strings.Cut(f.rest, "\t")
	f.rest, f.done = rest, !ok
	return field
}

func (f *fieldReader) text() string { return unescape(f.raw()) }

// number reads an integer of at least low and below limit.
func (f *fieldReader) number(low, limit int) int {
	n, err := strconv.Atoi(f.raw())
	if err != nil || n < low || n >= limit {
		f.bad = true
		return low
	}
	return n
}

// unescape undoes the tracer's escape.
func unescape(field string) string {
	if strings.IndexByte(field, '\\') < 0 {
		return field
	}
	var b bytes.Buffer
	for i := 0; i < len(field); i++ {
		c := field[i]
		if c == '\\' && i+1 < len(field) {
			i++
			switch c = field[i]; c {
			case 'n':
				c = '\n'
			case 't':
				c = '\t'
			}
		}
		b.WriteByte(c)
	}
	return b.String()
}
