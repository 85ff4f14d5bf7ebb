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

// mayEnter reports whether a line which is about to run may enter a wanted
// function, at any depth. Where the code does not tell, it may.
func (l *listing) mayEnter(s *statetree.State, wanted func(*source.Function) bool) bool {
	return l.flow == nil || l.flow.MayEnter(source.LocateState(l.program, l.lines, l.flow, s), wanted)
}

// any wants every function.
func (l *listing) any(*source.Function) bool { return true }

// has wants the functions in which a breakpoint on a line with a text can stop.
func (l *listing) has(text string) func(*source.Function) bool {
	return func(f *source.Function) bool {
		return l.line(f.Line) == text || slices.ContainsFunc(f.Lines, func(line int) bool { return l.line(line) == text })
	}
}

func (l *listing) line(n int) string {
	if n < 1 || n > len(l.lines) {
		return ""
	}
	return l.lines[n-1]
}
