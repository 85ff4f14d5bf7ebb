package dataset

import (
	"fmt"

	"github.com/neuraldbg/neuraldbg/statetree"
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
	subject := statetree.Subject{Tree: tree, Whole: listing(r.Program, file)}
	level, ok := tree.EntryLevel()
	if !ok {
		return subject, nil
	}
	entry, err := source.ParseEntry(r.Program.Entry.Function, file)
	if err != nil || entry.Kind != statetree.FunctionEntry {
		return subject, nil // such as a class or a lambda: there is no function to show
	}
	program, err := source.Context(file, entry)
	if err != nil {
		return statetree.Subject{}, err
	}
	subject.Function, subject.Level = listing(program, file), level
	return subject, nil
}

// listing finds the executable lines of a program: those of its file, and the
// line with which a driver calls.
func listing(p statetree.Program, file *source.File) statetree.Listing {
	executable := make(map[int]bool)
	for _, n := range file.Module().Lines {
		executable[n] = true
	}
	for f := range file.Functions() {
		for _, n := range f.Lines {
			executable[n] = true
		}
	}
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
