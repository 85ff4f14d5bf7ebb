package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/neuraldbg/neuraldbg/statetree"
)

// The header is the first line of every trace; its number is the format's
// version. Version 1 had no lines of definitions in K records.
const (
	headerPrefix = "neuraldbg-trace "
	header       = headerPrefix + "2"
	headerBefore = headerPrefix + "1"
)

// decoder turns records into states, one line at a time. What it keeps does not
// grow with the number of states: files, code objects, and the locals of the
// activations that are open.
type decoder struct {
	// emit is given each state, with its code object.
	emit func(statetree.Recorded, *tracedCode)

	meta  meta
	files []tracedFile
	codes []tracedCode
	// called is how many activations there have been, open those that have not
	// returned.
	called int
	open   map[int]*activation

	exit      statetree.Exit
	cut       string
	ended     bool
	states    int
	shortened int
	lines     int
}

type tracedFile struct {
	path, text string
	lines      []string
}

// tracedCode is a code object. Its line is that of its def, 0 for a module, -1
// where the trace does not say.
type tracedCode struct {
	file     int
	function string
	line     int
}

// activation is the state of one activation: what its next line record adds to.
type activation struct {
	code   int
	locals statetree.Locals
}

func newDecoder(emit func(statetree.Recorded, *tracedCode)) *decoder {
	return &decoder{emit: emit, open: make(map[int]*activation)}
}

// end says how the trace ended.
func (d *decoder) end() (statetree.Exit, string) {
	if !d.ended {
		return statetree.NoExit, CutShort
	}
	return d.exit, d.cut
}

// line decodes one line.
func (d *decoder) line(line string) error {
	d.lines++
	if d.lines == 1 {
		return checkHeader(line)
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
		d.code(&fields)
	case 'F':
		fields.number(len(d.files), len(d.files)+1)
		// The path is kept by who keeps a state, and must not keep the text, which
		// the record has too.
		path, text := strings.Clone(fields.text()), fields.text()
		d.files = append(d.files, tracedFile{path: path, text: text, lines: strings.Split(text, "\n")})
	case 'P':
		if err := json.Unmarshal([]byte(fields.text()), &d.meta); err != nil {
			return d.malformed(line)
		}
	case 'X':
		d.ended = true
		if err := d.exit.UnmarshalText([]byte(fields.text())); err != nil {
			return d.malformed(line)
		}
	case 'Z':
		d.ended = true
		d.cut = fields.text()
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

func checkHeader(line string) error {
	switch {
	case line == header || line == headerBefore:
		return nil
	case strings.HasPrefix(line, headerPrefix):
		return fmt.Errorf("it is of format %q, this program reads %q; record it again", line, header)
	}
	return errors.New("it is not a trace file")
}

func (d *decoder) code(fields *fieldReader) {
	fields.number(len(d.codes), len(d.codes)+1)
	code := tracedCode{file: fields.number(0, len(d.files)), line: -1}
	code.function = fields.text()
	if fields.more() {
		code.line = fields.number(0, 1<<31)
	}
	if !fields.bad {
		d.codes = append(d.codes, code)
	}
}

// state decodes one of the five records that are states.
func (d *decoder) state(kind byte, fields *fieldReader) {
	s := statetree.Recorded{}
	a := &activation{}
	if kind == 'C' {
		s.Activation = fields.number(d.called, d.called+1)
		a.code = fields.number(0, len(d.codes))
	} else {
		s.Activation = fields.number(0, d.called)
		if a = d.open[s.Activation]; a == nil {
			fields.bad = true
		}
	}
	s.Line = fields.number(0, 1<<31)
	if fields.bad {
		return
	}
	code := &d.codes[a.code]
	file := &d.files[code.file]
	s.File, s.Function = file.path, code.function
	switch kind {
	case 'C':
		s.Event = statetree.Call
		d.called++
		d.open[s.Activation] = a
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
		s.Event = statetree.Exception
		if kind == 'R' {
			s.Event = statetree.Return
			delete(d.open, s.Activation)
		}
		s.Arg = fields.text()
		if fields.more() && fields.text() == "~" {
			d.shortened++
		}
	}
	if !fields.valid() {
		fields.bad = true
		return
	}
	if s.Line > 0 && s.Line <= len(file.lines) {
		s.Source = file.lines[s.Line-1]
	}
	d.states++
	d.emit(s, code)
}

// locals returns base with the names that follow. base is left as it is, and
// returned itself when nothing follows.
func (d *decoder) locals(base statetree.Locals, fields *fieldReader) statetree.Locals {
	out := base
	for fields.more() {
		name, repr := fields.text(), fields.text()
		if strings.HasPrefix(name, "~") {
			name = name[1:]
			d.shortened++
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
	// Of a thread:
	Process int      `json:"process"`
	Thread  string   `json:"thread"`
	Command []string `json:"command"`
}

// The kinds of entry in a P record.
const (
	callKind   = "call"
	moduleKind = "module"
	threadKind = "thread"
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
