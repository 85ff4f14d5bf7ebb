package timeline

import (
	"context"
	"strings"

	"github.com/neuraldbg/neuraldbg/adapter/expr"
	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/source"
)

// printing is a statement that is nothing but a call of print.
type printing struct {
	first, last int // its lines
	call        *expr.Expression
}

// printBetween shows what was printed between two entries, as far as the states
// there are known.
func (t *Timeline) printBetween(before, e *Entry) {
	for i := range e.passed {
		t.print(before, &e.passed[i])
		before = &e.passed[i]
	}
	t.print(before, e)
	e.passed = nil
}

// print shows what a print statement wrote that was run between two entries, the
// first time that the position comes to the later one. Only lines that hold
// nothing but a call of print are considered, and only arguments whose values
// are known.
func (t *Timeline) print(before, e *Entry) {
	if e.printed || before.Ended() || before.State.Event != statetree.Line {
		return
	}
	e.printed = true
	statement := t.printingAt(&before.State)
	if statement == nil || !statement.leftBy(before, e) {
		return
	}
	var written strings.Builder
	scope := before.scope(0)
	scope.Print = func(text string) { written.WriteString(text) }
	if _, err := statement.call.Eval(context.Background(), scope); err == nil {
		t.listener.output(written.String(), &before.State)
	}
}

// printingAt returns the print statement that a state is about to run, nil when
// that line is another one.
func (t *Timeline) printingAt(s *statetree.State) *printing {
	file := t.target.File
	if file == nil || s.File != file.Path() || !strings.HasPrefix(strings.TrimLeft(s.Source, " \t"), "print(") {
		return nil
	}
	statement, known := t.printings[s.Line]
	if !known {
		statement = printStatement(file, s.Line)
		t.printings[s.Line] = statement
	}
	return statement
}

// printStatement returns the print statement that begins on a line, nil when
// there is none, or one that cannot be evaluated.
func printStatement(file *source.File, line int) *printing {
	text := file.Line(line)
	indent := len(text) - len(strings.TrimLeft(text, " \t"))
	for _, call := range file.CallSites(line) {
		if call.Name != "print" || call.Column != indent+1 || len(call.Callees) > 0 {
			continue
		}
		lines := append([]string{}, file.Lines()[call.Line-1:call.EndLine]...)
		last := &lines[len(lines)-1]
		if rest := strings.TrimSpace((*last)[call.EndColumn-1:]); rest != "" && rest[0] != '#' {
			return nil // more than the call
		}
		*last = (*last)[:call.EndColumn-1]
		x, err := expr.Parse(strings.TrimSpace(strings.Join(lines, "\n")))
		if err != nil {
			return nil
		}
		return &printing{first: call.Line, last: call.EndLine, call: x}
	}
	return nil
}

// leftBy reports whether the statement was run to its end between an entry in it
// and a later one.
func (p *printing) leftBy(before, e *Entry) bool {
	if e.Ended() {
		return e.Exit == statetree.ExitNormal
	}
	if len(before.Stack) == 0 || len(e.Stack) == 0 {
		return false
	}
	same := before.Stack[0].Activation == e.Stack[0].Activation
	switch e.State.Event {
	case statetree.Line:
		return !same || e.State.Line <= p.first || e.State.Line > p.last
	case statetree.Return:
		return same && !e.Unwinding
	}
	return false // into a call that the statement makes, or an exception
}
