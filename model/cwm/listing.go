package cwm

import (
	"errors"
	"slices"
	"strings"

	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/source"
)

// listing is a program as its syntax tree and control flow tell it, with the line
// that bears the mark.
type listing struct {
	program statetree.Program
	lines   []string
	flow    *source.Flow // nil when the code does not parse
	marked  int          // the line with the mark, from 1
}

// newListing finds the line at which the trace begins: the def line of the
// function that start is in, or that the program's entry calls.
func newListing(program statetree.Program, start *statetree.State) (*listing, error) {
	l := &listing{program: program, lines: program.Lines()}
	l.flow, _ = source.NewFlow(program)
	at := l.position(start)
	switch {
	case start.Event == statetree.NoEvent && l.flow != nil:
		if f := l.flow.File().FunctionNamed(program.Entry.Function); f != nil {
			l.marked = f.Line
		}
	case start.Event == statetree.Call && len(at.Lines) > 0:
		l.marked = at.Lines[0]
	case l.flow != nil && len(at.Lines) > 0:
		l.marked = l.flow.Function(at.Lines[0]).Line
	}
	if l.marked < 1 || l.marked > len(l.lines) || l.lines[l.marked-1] == "" {
		return nil, errors.New("this model's traces begin at a function: give an entry such as f(x)")
	}
	return l, nil
}

// code is CODE with the mark.
func (l *listing) code() string {
	lines := slices.Clone(l.lines)
	lines[l.marked-1] += StartMark
	return strings.Join(lines, "\n") + "\n"
}

// written is a line as frames have it.
func (l *listing) written(line string) string {
	if line == l.lines[l.marked-1] {
		return line + StartMark
	}
	return line
}

// position is where a state can be.
func (l *listing) position(s *statetree.State) source.Position {
	return source.LocateState(l.program, l.lines, l.flow, s)
}

// begin is the trail of a first state.
func (l *listing) begin(s *statetree.State) source.Trail {
	if l.flow == nil {
		return source.Trail{}
	}
	return l.flow.Begin(l.position(s), s.Event == statetree.Call, namesOf(s))
}

// after is the trail with one more state.
func (l *listing) after(t source.Trail, a statetree.ActionKind, s *statetree.State) source.Trail {
	if l.flow == nil {
		return t
	}
	return t.After(statetree.Action{Kind: a}, l.position(s), namesOf(s))
}

func namesOf(s *statetree.State) []string {
	if !s.Event.HasLocals() {
		return nil
	}
	names := make([]string, len(s.Locals))
	for i, local := range s.Locals {
		names[i] = local.Name
	}
	return names
}

// place fills in where a predicted state is, as the trail knows it.
func (l *listing) place(s *statetree.State, t source.Trail) {
	if l.flow == nil {
		return
	}
	at := t.Position()
	if len(at.Lines) == 0 {
		return
	}
	line := at.Lines[0]
	if line < 1 || line > len(l.program.Origins) {
		return
	}
	s.File, s.Line = l.program.Origins[line-1].File, l.program.Origins[line-1].Line
	if f := t.Function(); f != nil {
		s.Function = f.QualifiedName
	} else {
		s.Function = l.flow.Function(line).QualifiedName
	}
}

// options are what the next frame can be.
type options struct {
	candidates []source.Candidate
	// anything says that the code tells nothing.
	anything bool
	exit     bool
}

// options of the frame that follows, by step_into or, with a call that is gone
// over, by step_return.
func (l *listing) options(t source.Trail, a statetree.ActionKind) options {
	if l.flow == nil {
		return options{anything: true}
	}
	candidates := t.Targets(statetree.Action{Kind: a}).Candidates
	return options{candidates: candidates, anything: len(candidates) == 0}
}

// events are those that the next frame can have.
func (o options) events() []statetree.Event {
	if o.anything {
		return []statetree.Event{statetree.Call, statetree.Line, statetree.Return, statetree.Exception}
	}
	var events []statetree.Event
	for _, c := range o.candidates {
		if !slices.Contains(events, c.Event) {
			events = append(events, c.Event)
		}
	}
	return events
}

// sources are the lines that a frame of an event can be at; all lines when
// nothing is known.
func (l *listing) sources(o options, e statetree.Event) []string {
	var sources []string
	add := func(s string) {
		if s != "" && !slices.Contains(sources, s) {
			sources = append(sources, s)
		}
	}
	for _, c := range o.candidates {
		if c.Event == e {
			add(c.Source)
		}
	}
	if len(sources) == 0 {
		for _, line := range l.lines {
			add(line)
		}
	}
	return sources
}

// names are those that LOCALS of an event can have; nil when any can.
func (l *listing) names(o options, e statetree.Event) []string {
	var names []string
	for _, c := range o.candidates {
		if c.Event != e {
			continue
		}
		more := l.namesAt(c)
		if more == nil {
			return nil
		}
		names = append(names, more...)
	}
	return names
}

// namesAt are the names that a frame can have: at a call its parameters and what
// it takes from the functions around it.
func (l *listing) namesAt(c source.Candidate) []string {
	f, file := l.flow.Function(c.Line), l.flow.File()
	all := file.Locals(f)
	if c.Event != statetree.Call || all == nil || f.Line != c.Line || f.Generator {
		return all
	}
	if f.Parent.Kind == source.ModuleCode {
		return append([]string{}, f.Parameters...)
	}
	return append(slices.Clone(f.Parameters), file.Locals(f.Parent)...)
}
