package stepwise

import (
	"slices"

	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/source"
)

// listing is a program as its control flow tells it: what a line may enter.
type listing struct {
	program statetree.Program
	lines   []string
	flow    *source.Flow // nil when the code does not parse
}

func newListing(program statetree.Program) *listing {
	l := &listing{program: program, lines: program.Lines()}
	l.flow, _ = source.NewFlow(program)
	return l
}

// mayCome reports whether a line which is about to run may enter a function in
// which a breakpoint on a line with the given text can stop. Where the code does
// not tell, it may.
func (l *listing) mayCome(s *statetree.State, text string) bool {
	if l.flow == nil {
		return true
	}
	functions, known := l.flow.Entered(source.LocateState(l.program, l.lines, l.flow, s))
	return !known || slices.ContainsFunc(functions, func(f *source.Function) bool {
		return l.line(f.Line) == text || slices.ContainsFunc(f.Lines, func(line int) bool { return l.line(line) == text })
	})
}

func (l *listing) line(n int) string {
	if n < 1 || n > len(l.lines) {
		return ""
	}
	return l.lines[n-1]
}
