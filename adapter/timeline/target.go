package timeline

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sort"
	"strings"

	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/repr"
	"github.com/neuraldbg/neuraldbg/statetree/source"
)

// Target is what a timeline debugs: a program and the state it begins with.
type Target struct {
	// File is the snapshot of the source that was taken when it was loaded.
	File    *source.File
	Program statetree.Program
	// Start is the first state. The zero State asks the predictor to propose
	// the arguments of Program.Entry.Function.
	Start statetree.State
	// Scope returns the program that a function is predicted backward in: its
	// own code without the driver. Without it Program is used.
	Scope func(function string) (statetree.Program, error)
}

// Launch says what to debug.
type Launch struct {
	// Path is the Python file.
	Path string
	// Entry is a call, a function's name, or "" for the whole file; see
	// source.ParseEntry.
	Entry string
	// Arguments are the reprs of the arguments of an Entry that is a function's
	// name. Without any, the predictor proposes them.
	Arguments map[string]string
	// From begins at a state inside the function in place of its call.
	From *From
}

// From is a state that a user says a function to be in: `return 2` at line 5,
// or at line 4 with some values. What was before it can be predicted backward.
type From struct {
	// Event is Call, Line, Return or Exception.
	Event statetree.Event `json:"event"`
	Line  int             `json:"line"`
	// Locals are the reprs of the frame's values, for a line or a call.
	Locals map[string]string `json:"locals,omitempty"`
	// Value is the repr of what is returned or raised.
	Value string `json:"value,omitempty"`
}

// Load reads the file and returns the target. Its errors are one line each and
// name what is wrong with the launch.
func Load(l Launch) (Target, error) {
	file, err := ReadFile(l.Path)
	if err != nil {
		return Target{}, err
	}
	return NewTarget(file, l)
}

// maxFile is the largest file that is read, in bytes. It is far beyond what
// anybody writes, and is parsed while the user waits.
const maxFile = 4 << 20

// maxEntry is the longest entry that is read, in bytes. It is part of the code that
// a model is shown, and beyond what fits.
const maxEntry = 64 << 10

// ReadFile reads and parses a Python file. What is no ordinary file is refused,
// since reading a pipe or a device may never end. Its errors are one line.
func ReadFile(path string) (*source.File, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
	case info.IsDir():
		return nil, fmt.Errorf("%s is a folder; give a Python file", path)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not an ordinary file; give a Python file", path)
	case info.Size() > maxFile:
		return nil, fmt.Errorf("%s has %d bytes; files above %d are not read", path, info.Size(), maxFile)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		if where := new(fs.PathError); errors.As(err, &where) {
			err = where.Err // without the path, and the system call's name
		}
		return nil, fmt.Errorf("cannot read %s: %w", path, err)
	}
	return source.Parse(path, text)
}

// NewTarget returns the target for a file that is parsed already.
func NewTarget(file *source.File, l Launch) (Target, error) {
	if n := len(l.Entry); n > maxEntry {
		return Target{}, fmt.Errorf("the entry has %d bytes; those of more than %d are not read", n, maxEntry)
	}
	entry, err := source.ParseEntry(l.Entry, file)
	if err != nil {
		return Target{}, err
	}
	if len(l.Arguments) > 0 && entry.Kind != statetree.FunctionEntry {
		return Target{}, fmt.Errorf("arguments need an entry that is a function's name, such as %q", nameExample(entry))
	}
	t := Target{File: file, Scope: func(function string) (statetree.Program, error) { return scope(file, function) }}
	if l.From != nil {
		t.Start, err = fromState(file, entry, *l.From)
		if err != nil {
			return Target{}, err
		}
		t.Program, err = scope(file, t.Start.Function)
		return t, err
	}
	if t.Program, err = source.Context(file, entry); err != nil {
		return Target{}, err
	}
	t.Start, err = startState(file, entry, l.Arguments)
	return t, err
}

func nameExample(e statetree.Entry) string {
	if e.Kind == statetree.ModuleEntry {
		return "count"
	}
	return e.Function
}

// scope returns the program of one function without a driver.
func scope(file *source.File, function string) (statetree.Program, error) {
	if function == statetree.ModuleFunction {
		return source.Context(file, statetree.Entry{Kind: statetree.ModuleEntry, Function: function})
	}
	return source.Context(file, statetree.Entry{Kind: statetree.FunctionEntry, Text: function, Function: function})
}

// startState returns the state that an entry begins with.
func startState(file *source.File, e statetree.Entry, arguments map[string]string) (statetree.State, error) {
	s := statetree.State{Event: statetree.Call, File: file.Path(), Function: e.Function}
	switch {
	case e.Kind == statetree.ModuleEntry:
		return s, nil
	case e.Driver != "":
		s.File, s.Line, s.Function = statetree.DriverFile, 1, e.Driver
		s.Source, _, _ = strings.Cut(source.DriverSource(e), "\n")
		return s, nil
	}
	f := file.FunctionNamed(e.Function)
	if f == nil {
		return s, fmt.Errorf("%s has no function %s", file.Path(), e.Function)
	}
	s.Line, s.Source = f.Line, file.Line(f.Line)
	if len(f.Parameters) > 0 && len(arguments) == 0 {
		return statetree.State{}, nil // which they are is for the predictor to propose
	}
	locals, err := argumentLocals(f, arguments)
	s.Locals = locals
	return s, err
}

// argumentLocals returns the locals of a call state in the parameters' order.
func argumentLocals(f *source.Function, arguments map[string]string) (statetree.Locals, error) {
	var locals statetree.Locals
	for _, name := range f.Parameters {
		text, ok := arguments[name]
		if !ok {
			return nil, fmt.Errorf("argument %q of %s is missing; give its value as repr writes it", name, f.QualifiedName)
		}
		value, err := canonicalRepr(text)
		if err != nil {
			return nil, fmt.Errorf("argument %q of %s: %w", name, f.QualifiedName, err)
		}
		locals = append(locals, statetree.Local{Name: name, Repr: value})
	}
	for _, name := range sortedNames(arguments) {
		if _, ok := locals.Get(name); !ok {
			return nil, fmt.Errorf("%s has no parameter %q; it has %s", f.QualifiedName, name, strings.Join(f.Parameters, ", "))
		}
	}
	return locals, nil
}

// fromState returns the state that a From describes.
func fromState(file *source.File, e statetree.Entry, from From) (statetree.State, error) {
	s := statetree.State{Event: from.Event, File: file.Path(), Line: from.Line}
	switch {
	case from.Event == statetree.NoEvent:
		return s, errors.New(`from: event is missing; it is one of "call", "line", "return", "exception"`)
	case from.Event.Direction() != statetree.Forward:
		return s, fmt.Errorf(`from: event %q is none of "call", "line", "return", "exception"`, from.Event)
	}
	f, err := fromFunction(file, e, &s)
	if err != nil {
		return s, err
	}
	s.Function, s.Source = f.QualifiedName, file.Line(s.Line)
	switch {
	case from.Event == statetree.Call:
		s.Locals, err = argumentLocals(f, from.Locals)
	case from.Event == statetree.Line:
		s.Locals, err = lineLocals(file, f, from.Locals)
	case from.Value == "":
		err = fmt.Errorf("from: %q needs the value, as repr writes it", from.Event)
	default:
		s.Arg, err = canonicalRepr(from.Value)
	}
	return s, err
}

// fromFunction returns the function that a state is in, and fills in its line
// where there is only one that it can be.
func fromFunction(file *source.File, e statetree.Entry, s *statetree.State) (*source.Function, error) {
	f := file.FunctionNamed(e.Function)
	if s.Line == 0 && f != nil {
		switch {
		case s.Event == statetree.Call:
			s.Line = f.Line
		case s.Event == statetree.Return && len(f.Returns) == 1:
			s.Line = f.Returns[0]
		}
	}
	if s.Line == 0 {
		return nil, fmt.Errorf("from: %q needs the line of the state in %s", s.Event, file.Path())
	}
	f = file.FunctionAt(s.Line)
	if s.Event == statetree.Call && f.Line == s.Line || s.Event != statetree.Call && f.Executable(s.Line) {
		return f, nil
	}
	return nil, fmt.Errorf("from: %s has no %s state at line %d; give a line that runs, or for a call the line of the def", file.Path(), s.Event, s.Line)
}

// lineLocals returns the locals of a line state: parameters first, then the
// other names in alphabetical order.
func lineLocals(file *source.File, f *source.Function, values map[string]string) (statetree.Locals, error) {
	var locals statetree.Locals
	possible := file.Locals(f) // nil: any name
	for _, name := range append(append([]string{}, f.Parameters...), sortedNames(values)...) {
		text, ok := values[name]
		if _, known := locals.Get(name); known || !ok {
			continue
		}
		if possible != nil && !slices.Contains(possible, name) {
			return nil, fmt.Errorf("from: %s has no local %q; it has %s", f.QualifiedName, name, strings.Join(possible, ", "))
		}
		value, err := canonicalRepr(text)
		if err != nil {
			return nil, fmt.Errorf("from: local %q: %w", name, err)
		}
		locals = append(locals, statetree.Local{Name: name, Repr: value})
	}
	return locals, nil
}

// canonicalRepr returns a value that a user wrote as Python's repr writes it.
// What repr never writes, such as an expression, is refused: nothing would
// compute it.
func canonicalRepr(text string) (string, error) {
	text = strings.TrimSpace(text)
	value := repr.Parse(text)
	if value.Cut || value.Kind == repr.Text && !strings.HasPrefix(text, "<") {
		return "", fmt.Errorf("%.80s is not a value as Python's repr writes it, such as 7, 'text' or [1, 2]; expressions are not computed", strings.Join(strings.Fields(text), " "))
	}
	return value.String(), nil
}

func sortedNames(m map[string]string) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// definedAt returns the qualified name of the function whose def is at a place.
func (t *Target) definedAt(place statetree.Origin) (string, bool) {
	if place.File == statetree.DriverFile {
		return t.Program.Entry.Driver, place.Line == 1
	}
	if t.File == nil {
		return "", false
	}
	for f := range t.File.Functions() {
		if f.Kind == source.FunctionCode && f.Line == place.Line {
			return f.QualifiedName, true
		}
	}
	return "", false
}
