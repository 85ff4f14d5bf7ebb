package neural

import (
	"slices"
	"strings"

	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/grammar"
	"github.com/neuraldbg/neuraldbg/statetree/source"
)

// listing is a program as its syntax tree and control flow tell it. It knows
// which states an action can lead to, and where a state is whose text names
// only its source line. Lines are those of the program's code, from 1.
type listing struct {
	program statetree.Program
	lines   []string
	file    *source.File // nil when the code does not parse
}

// newListing reads a program. Code that does not parse is no error: its states
// are then limited by the rules of the state tree alone.
func newListing(program statetree.Program) *listing {
	l := &listing{program: program, lines: program.Lines()}
	if file, err := source.Parse("", []byte(program.Code)); err == nil {
		l.file = file
	}
	return l
}

// place is where in the code a state is: all lines that it may be at. Several
// when identical lines cannot be told apart.
type place struct {
	event statetree.Event
	lines []int
}

// candidate is an event at a line that may come next.
type candidate struct {
	event  statetree.Event
	line   int
	source string
}

// options are the outcomes that an action can have.
type options struct {
	candidates []candidate
	exits      []statetree.Exit
}

// options returns what an action can lead to from a state with the given
// history and place.
func (l *listing) options(h grammar.History, from place, a statetree.Action) options {
	events, exits := statetree.Possible(h.Event(), a.Kind)
	var o options
	o.exits = exits
	for _, c := range l.targets(from, a) {
		if slices.Contains(events, c.event) {
			o.candidates = append(o.candidates, c)
		}
	}
	return o
}

// targets returns the candidates by the code alone.
func (l *listing) targets(_ place, a statetree.Action) []candidate {
	var all []candidate
	events := []statetree.Event{statetree.Call, statetree.Line, statetree.Return, statetree.Exception}
	if a.Kind.Direction() == statetree.Inverse {
		events = []statetree.Event{statetree.InvCall, statetree.InvLine, statetree.InvReturn, statetree.InvException, statetree.InvLineCall}
	}
	for i, text := range l.lines {
		for _, event := range events {
			isCall := event == statetree.Call || event == statetree.InvCall
			if isCall && !l.defines(i+1) || strings.TrimSpace(text) == "" {
				continue
			}
			if a.Kind == statetree.Breakpoint && text != a.Source {
				continue
			}
			all = append(all, candidate{event: event, line: i + 1, source: text})
		}
	}
	return all
}

// defines reports whether a function, lambda or class begins at a line.
func (l *listing) defines(line int) bool {
	if l.file == nil {
		return true
	}
	for f := range l.file.Functions() {
		if f.Line == line {
			return true
		}
	}
	return false
}

// place returns where a state is that was given: at its line if it has one, else
// at all lines with its source.
func (l *listing) place(s *statetree.State) place {
	p := place{event: s.Event}
	origin := statetree.Origin{File: s.File, Line: s.Line}
	if s.Line > 0 {
		for i, o := range l.program.Origins {
			if o == origin && i < len(l.lines) && l.lines[i] == s.Source {
				p.lines = append(p.lines, i+1)
				return p
			}
		}
	}
	for i, text := range l.lines {
		if text == s.Source {
			p.lines = append(p.lines, i+1)
		}
	}
	return p
}

// locate fills in where a predicted state is: at the candidates with its event
// and source. The first of them counts where there are several.
func (l *listing) locate(s *statetree.State, candidates []candidate) place {
	p := place{event: s.Event}
	for _, c := range candidates {
		if c.event == s.Event && c.source == s.Source {
			p.lines = append(p.lines, c.line)
		}
	}
	slices.Sort(p.lines)
	p.lines = slices.Compact(p.lines)
	if len(p.lines) == 0 {
		p = l.place(s)
	}
	if len(p.lines) == 0 {
		return p
	}
	line := p.lines[0]
	if line > 0 && line <= len(l.program.Origins) {
		origin := l.program.Origins[line-1]
		s.File, s.Line = origin.File, origin.Line
	}
	if f := l.function(s.Event, line); f != nil {
		s.Function = f.QualifiedName
	}
	return p
}

// function returns the code object that a state of an event at a line belongs
// to, nil when it is not known. A call's line is the one of its def; a line
// event there is the execution of the def statement by the code around it.
func (l *listing) function(event statetree.Event, line int) *source.Function {
	if l.file == nil {
		return nil
	}
	if line == 0 {
		return l.file.Module()
	}
	if event == statetree.Call || event == statetree.InvCall {
		for f := range l.file.Functions() {
			if f.Line == line {
				return f
			}
		}
	}
	f := l.file.FunctionAt(line)
	for f.Parent != nil && line <= f.Line && !f.Executable(line) {
		f = f.Parent
	}
	return f
}

// sources lists the sources of candidates by event.
func sources(candidates []candidate) map[statetree.Event][]string {
	out := map[statetree.Event][]string{}
	for _, c := range candidates {
		if !slices.Contains(out[c.event], c.source) {
			out[c.event] = append(out[c.event], c.source)
		}
	}
	return out
}

// events lists the events of candidates, each once.
func events(candidates []candidate) []statetree.Event {
	var out []statetree.Event
	for _, c := range candidates {
		if !slices.Contains(out, c.event) {
			out = append(out, c.event)
		}
	}
	return out
}

// names returns the names that LOCALS may list for a state of an event at one of
// the candidates, nil when any may be.
func (l *listing) names(event statetree.Event, src *string, candidates []candidate) []string {
	names := []string{}
	for _, c := range candidates {
		if c.event != event || src != nil && c.source != *src {
			continue
		}
		f := l.function(c.event, c.line)
		if f == nil || f.Kind != source.FunctionCode && f.Kind != source.LambdaCode {
			return nil
		}
		more := namesOf(f, event)
		if more == nil {
			return nil
		}
		for _, name := range more {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// namesOf returns the names that a frame of a function can have at an event, nil
// when any may be.
func namesOf(f *source.Function, event statetree.Event) []string {
	if event == statetree.Call || event == statetree.InvCall {
		return f.Parameters
	}
	return nil
}

// required returns the names that a call of the function at a source line always
// has.
func (l *listing) required(src string, candidates []candidate) []string {
	for _, c := range candidates {
		if (c.event == statetree.Call || c.event == statetree.InvCall) && c.source == src {
			if f := l.function(c.event, c.line); f != nil {
				return f.Parameters
			}
		}
	}
	return nil
}

// proposals are the call states with which a session can begin on its own.
func (l *listing) proposals() []candidate {
	if l.file == nil {
		return nil
	}
	f := l.file.FunctionNamed(l.program.Entry.Function)
	if f == nil || f.Line < 1 || f.Line > len(l.lines) {
		return nil
	}
	return []candidate{{event: statetree.Call, line: f.Line, source: l.lines[f.Line-1]}}
}
