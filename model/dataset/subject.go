package dataset

import (
	"fmt"

	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/record"
	"github.com/neuraldbg/neuraldbg/statetree/source"
)

// NewSubject prepares a recording for sampling: its tree, the whole program, and
// the function that its entry calls, if it calls one. Text is the source of the
// recording's file.
func NewSubject(r statetree.Recording, path, text string) (statetree.Subject, error) {
	tree, err := statetree.NewTree(r)
	if err != nil {
		return statetree.Subject{}, fmt.Errorf("build the state tree: %w", err)
	}
	file, err := source.Parse(path, []byte(text))
	if err != nil {
		return statetree.Subject{}, err
	}
	executable := executableLines(file)
	subject := statetree.Subject{Tree: tree, Whole: listing(r.Program, file, executable)}
	level, ok := tree.EntryLevel()
	if !ok {
		return subject, nil
	}
	name := calledFunction(tree, level, file)
	if name == "" {
		return subject, nil // such as a lambda: there is no function to show
	}
	program, err := source.Context(file, statetree.Entry{Kind: statetree.FunctionEntry, Text: name, Function: name})
	if err != nil {
		return statetree.Subject{}, err
	}
	subject.Function, subject.Level = listing(program, file, executable), level
	return subject, nil
}

// calledFunction returns the qualified name of the function that an entry calls, ""
// when the file has none of that name. An expression such as Stack([1]).pop() does
// not name it; the state of its call does.
func calledFunction(tree *statetree.Tree, level int, file *source.File) string {
	called := tree.State(tree.Level(level).First)
	for _, name := range []string{tree.Recording().Program.Entry.Function, called.Function} {
		if f := file.FunctionNamed(name); f != nil && f.Kind == source.FunctionCode {
			return name
		}
	}
	return ""
}

// subjects prepares the activations of one trace. It looks at each file and each
// function once.
type subjects struct {
	files    map[string]*fileFacts
	listings map[record.Function]statetree.Listing
}

// fileFacts are what all activations of a file need to know of it.
type fileFacts struct {
	executable map[int]bool
	key        uint64
}

func newSubjects() *subjects {
	return &subjects{files: map[string]*fileFacts{}, listings: map[record.Function]statetree.Listing{}}
}

func (s *subjects) file(x *record.Extracted) *fileFacts {
	f := s.files[x.File]
	if f == nil {
		f = &fileFacts{key: Key(x.Source), executable: executableLines(x.Parsed)}
		s.files[x.File] = f
	}
	return f
}

// key is the Key of the file of an activation.
func (s *subjects) key(x *record.Extracted) uint64 { return s.file(x).key }

// activation prepares one activation: it is shown without a driver.
func (s *subjects) activation(x *record.Extracted) (statetree.Subject, error) {
	tree, err := statetree.NewTree(x.Recording)
	if err != nil {
		return statetree.Subject{}, fmt.Errorf("build the state tree: %w", err)
	}
	l, ok := s.listings[x.Function]
	if !ok {
		l = listing(x.Recording.Program, x.Parsed, s.file(x).executable)
		s.listings[x.Function] = l
	}
	return statetree.Subject{Tree: tree, Function: l}, nil
}

// executableLines are the numbers of the lines of a file that are run.
func executableLines(file *source.File) map[int]bool {
	executable := make(map[int]bool)
	for _, n := range file.Module().Lines {
		executable[n] = true
	}
	for f := range file.Functions() {
		for _, n := range f.Lines {
			executable[n] = true
		}
	}
	return executable
}

// listing finds the executable lines of a program: those of its file, and the
// line with which a driver calls.
func listing(p statetree.Program, file *source.File, executable map[int]bool) statetree.Listing {
	l := statetree.Listing{Program: p}
	seen := make(map[string]bool)
	for i, line := range p.Lines() {
		origin := p.Origins[i]
		driver := origin.File == statetree.DriverFile && origin.Line > 1
		if (driver || origin.File == file.Path() && executable[origin.Line]) && !seen[line] {
			seen[line] = true
			l.Lines = append(l.Lines, line)
		}
	}
	return l
}
