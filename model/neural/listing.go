package neural

import (
	"slices"

	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/grammar"
	"github.com/neuraldbg/neuraldbg/statetree/source"
)

// listing is a program as its syntax tree and control flow tell it. It knows
// which states an action can lead to, and where a state is whose text names
// only its source line. Lines are those of the program's code, from 1; line 0 is
// the call of a module.
type listing struct {
	program statetree.Program
	lines   []string
	// file and flow are nil when the code does not parse. Such code is no
	// error: its states are limited by the rules of the state tree alone.
	file *source.File
	flow *source.Flow
}

func newListing(program statetree.Program) *listing {
	l := &listing{program: program, lines: program.Lines()}
	if flow, err := source.NewFlow(program); err == nil {
		l.flow, l.file = flow, flow.File()
	}
	return l
}

// options are the outcomes that an action can have.
type options struct {
	action     statetree.Action
	trail      source.Trail // of the state before
	candidates []source.Candidate
	exits      []statetree.Exit
	// anywhere says that the candidates are not all there may be.
	anywhere bool
	events   []statetree.Event
	// inside is the code object that is gone on with, unless it calls another;
	// nil when it is left or not known.
	inside *source.Function
	// known are names that LOCALS may list whatever the code says, since they
	// are there.
	known statetree.Locals
}

// options returns what an action can lead to from a state with the given
// history and place.
func (l *listing) options(h grammar.History, from place, a statetree.Action) options {
	events, exits := statetree.Possible(h.Event(), a.Kind)
	if l.flow == nil {
		return options{anywhere: a.Kind != statetree.Breakpoint, events: events, exits: exits,
			candidates: l.breakpointCandidates(a)}
	}
	o := narrow(from.trail.Targets(a), events, exits)
	if len(o.candidates) == 0 && len(o.exits) == 0 {
		// The position cannot be: a user's edit may have made it. Then the model
		// may go wherever the rules of the tree let it.
		from.trail = l.flow.Begin(source.Position{Event: h.Event()}, false, nil)
		o = narrow(from.trail.Targets(a), events, exits)
	}
	o.action, o.trail = a, from.trail
	// The return of an activation leaves it; going backward its call does, and
	// calls are entered from the line that made them.
	leaves := h.Event() == statetree.Return || h.Event() == statetree.InvCall
	enters := h.Event() == statetree.InvLineCall && a.Kind == statetree.InvStepInto
	if !leaves && !enters && a.Kind != statetree.Breakpoint {
		o.inside = from.function
	}
	o.known = h.Base(a.Kind).Locals
	return o
}

// narrow keeps of targets what the rules of the tree allow.
func narrow(targets source.Targets, events []statetree.Event, exits []statetree.Exit) options {
	o := options{events: events}
	for _, c := range targets.Candidates {
		if slices.Contains(events, c.Event) && !slices.Contains(o.candidates, c) {
			o.candidates = append(o.candidates, c)
		}
	}
	for _, exit := range exits {
		possible := slices.Contains(targets.Exits, exit)
		switch exit {
		case statetree.ExitEntry:
			possible = targets.Exit
		case statetree.ExitNever: // what does not end cannot be told from the code
			possible = true
		}
		if possible {
			o.exits = append(o.exits, exit)
		}
	}
	return o
}

func isCall(e statetree.Event) bool { return e == statetree.Call || e == statetree.InvCall }

// breakpointCandidates are the targets of a breakpoint in code that does not
// parse.
func (l *listing) breakpointCandidates(a statetree.Action) []source.Candidate {
	if a.Kind != statetree.Breakpoint {
		return nil
	}
	var all []source.Candidate
	for i, text := range l.lines {
		if text == a.Source {
			all = append(all, source.Candidate{Event: statetree.Line, Line: i + 1, Source: text},
				source.Candidate{Event: statetree.Call, Line: i + 1, Source: text})
		}
	}
	return all
}

// expect is what a parser is to expect of the outcome.
func (o options) expect() *grammar.Expect {
	e := &grammar.Expect{Exits: grammar.NewSet(o.exits...)}
	if o.anywhere {
		e.Events = grammar.NewSet(o.events...)
		return e
	}
	e.Events = grammar.NewSet(eventsOf(o.candidates)...)
	e.Sources = map[statetree.Event][]string{}
	for _, c := range o.candidates {
		if !slices.Contains(e.Sources[c.Event], c.Source) {
			e.Sources[c.Event] = append(e.Sources[c.Event], c.Source)
		}
	}
	return e
}

// place is where in the code a state is: the lines that it may be at, several
// when identical ones cannot be told apart, and the code object of the first of
// them, nil when it is not known. Where the code parses, trail is how the program
// came there.
type place struct {
	source.Position
	function *source.Function
	trail    source.Trail
}

// begin returns where a state is that a session begins with: at its line if it
// has one, else at all lines with its source.
func (l *listing) begin(s *statetree.State) place {
	p := place{Position: l.position(s)}
	if l.flow != nil {
		// A function's call that a session begins with is its entry, and so is the
		// return that one backward begins with.
		rooted := s.Event == statetree.Call || s.Event == statetree.InvReturn
		p.trail = returning(l.flow.Begin(p.Position, rooted, namesOf(s)), s)
	}
	l.setFunction(&p, s)
	return p
}

// place returns where a given state is that an action has led to from another.
func (l *listing) place(from place, a statetree.Action, s *statetree.State) place {
	p := place{Position: l.position(s)}
	if l.flow != nil {
		p.trail = returning(from.trail.After(a, p.Position, namesOf(s)), s)
		p.Position = p.trail.Position()
	}
	l.setFunction(&p, s)
	return p
}

// returning adds to a trail what the value tells that a state returns.
func returning(t source.Trail, s *statetree.State) source.Trail {
	if s.Event == statetree.Return {
		return t.Returning(s.Arg)
	}
	return t
}

// namesOf returns the names of a state's LOCALS, nil when they are not all known.
func namesOf(s *statetree.State) []string {
	if !s.Event.HasLocals() || s.Partial || s.Event.Direction() == statetree.Inverse {
		return nil
	}
	names := make([]string, len(s.Locals))
	for i, local := range s.Locals {
		names[i] = local.Name
	}
	return names
}

// setFunction fills in the code object that a state is in.
func (l *listing) setFunction(p *place, s *statetree.State) {
	if len(p.Lines) == 0 {
		return
	}
	line := p.Lines[0]
	if p.function = p.trail.Function(); p.function != nil {
		return
	}
	p.function = l.function(s.Event, line)
	if l.file != nil && s.Function != "" {
		if named := l.file.FunctionNamed(s.Function); named != nil && (named.Executable(line) || named.Line == line) {
			p.function = named
		}
	}
}

func (l *listing) position(s *statetree.State) source.Position {
	return source.LocateState(l.program, l.lines, l.flow, s)
}

// locate fills in where a predicted state is: at the candidates with its event
// and source. The first of them counts where there are several.
func (l *listing) locate(s *statetree.State, o options) place {
	p := place{Position: source.Position{Event: s.Event}}
	for _, c := range o.candidates {
		if c.Event == s.Event && c.Source == s.Source {
			p.Lines = append(p.Lines, c.Line)
		}
	}
	if len(p.Lines) == 0 {
		p.Position = l.position(s)
	}
	if l.flow != nil {
		if o.action.Kind == statetree.NoAction {
			p.trail = l.flow.Begin(p.Position, true, namesOf(s))
		} else {
			p.trail = returning(o.trail.After(o.action, p.Position, namesOf(s)), s)
		}
		p.Position = p.trail.Position()
	}
	if len(p.Lines) == 0 {
		return p
	}
	line := p.Lines[0]
	if line > 0 && line <= len(l.program.Origins) {
		origin := l.program.Origins[line-1]
		s.File, s.Line = origin.File, origin.Line
	}
	p.function = p.trail.Function()
	switch {
	case p.function != nil:
	case o.inside != nil && !isCall(s.Event) && o.inside.Executable(line):
		p.function = o.inside
	default:
		p.function = l.function(s.Event, line)
	}
	if p.function != nil {
		s.Function = p.function.QualifiedName
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
	if isCall(event) {
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

// eventsOf lists the events of candidates, each once.
func eventsOf(candidates []source.Candidate) []statetree.Event {
	var out []statetree.Event
	for _, c := range candidates {
		if !slices.Contains(out, c.Event) {
			out = append(out, c.Event)
		}
	}
	return out
}

// lineNames returns the names that LOCALS may have in a line state that comes of
// the options, nil when any may be, and those that it has for certain.
func (l *listing) lineNames(o options) source.Names {
	if l.flow == nil || !o.trail.Known() {
		return source.Names{Allowed: l.names(statetree.Line, nil, o)}
	}
	names := o.trail.Names(o.action)
	if names.Allowed != nil {
		for _, k := range o.known {
			if !slices.Contains(names.Allowed, k.Name) {
				names.Allowed = append(names.Allowed, k.Name)
			}
		}
	}
	return names
}

// names returns the names that LOCALS may list for a state of an event at one of
// the candidates, and with a source if src is given; nil when any may be.
func (l *listing) names(event statetree.Event, src *string, o options) []string {
	var names []string // not nil once a candidate was found
	for _, c := range o.candidates {
		if c.Event != event || src != nil && c.Source != *src {
			continue
		}
		f := l.function(c.Event, c.Line)
		if f == nil {
			return nil
		}
		more := l.namesOf(f, event)
		if more == nil {
			return nil
		}
		if names == nil {
			names = []string{}
		}
		for _, name := range more {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	if names != nil && !isCall(event) {
		for _, k := range o.known {
			if !slices.Contains(names, k.Name) {
				names = append(names, k.Name)
			}
		}
	}
	return names
}

// namesOf returns the names that a frame of a function can have at an event, nil
// when any may be. A call has its parameters and what the function takes from
// those around it; a generator that is resumed has all.
func (l *listing) namesOf(f *source.Function, event statetree.Event) []string {
	names := l.file.Locals(f)
	if names == nil || !isCall(event) || f.Generator {
		return names
	}
	if f.Parent.Kind == source.ModuleCode {
		return f.Parameters
	}
	if outer := l.file.Locals(f.Parent); outer != nil {
		return append(slices.Clone(f.Parameters), outer...)
	}
	return append(slices.Clone(f.Parameters), names...)
}

// required returns the names that a call of the function at a source line always
// has.
func (l *listing) required(src string, o options) []string {
	for _, c := range o.candidates {
		if isCall(c.Event) && c.Source == src {
			if f := l.function(c.Event, c.Line); f != nil {
				return f.Parameters
			}
		}
	}
	return nil
}

// proposals are the call states with which a session can begin on its own.
func (l *listing) proposals() []source.Candidate {
	if l.file == nil {
		return nil
	}
	f := l.file.FunctionNamed(l.program.Entry.Function)
	if f == nil || f.Line < 1 || f.Line > len(l.lines) {
		return nil
	}
	return []source.Candidate{{Event: statetree.Call, Line: f.Line, Source: l.lines[f.Line-1]}}
}
