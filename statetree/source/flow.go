package source

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/neuraldbg/neuraldbg/statetree"
)

// Flow answers which states can follow a state of a program, for every
// debugger action. It never leaves out what can happen in CPython 3.11, and
// includes as little else as the code alone allows: see calls for what is
// assumed about who calls whom.
//
// Lines are lines of Program.Code. A Flow does not change and may be used by
// several goroutines.
type Flow struct {
	file    *File
	calls   *calls
	graphs  []*graph // one for each code object that can have states
	ofUnit  map[*unit]*graph
	points  map[*unit][]suspension // where a code object may be called
	bottoms map[*unit]bool         // that can be what a run begins with
	roots   map[*unit]bool         // that have nothing below when they are
	quits   bool                   // the program may raise SystemExit
	// reflective says that the program may bind names that its syntax hides.
	reflective bool
}

// Position is a state as far as it is known: its event and the lines that it
// may be on. A text form knows the line's text only, which several lines may
// share.
type Position struct {
	Event statetree.Event
	Lines []int
}

// Candidate is a state that can follow. Line is 0, and Source empty, for the
// call of the module. A call that resumes a generator has the line of the yield.
type Candidate struct {
	Event  statetree.Event
	Line   int
	Source string
}

// Targets are the states that an action can lead to.
type Targets struct {
	// Candidates are sorted by line, then event, without duplicates.
	Candidates []Candidate
	// Exit says that the action can lead to the end of the run; in the inverse
	// direction, to the entry.
	Exit bool
	// Exits says, forward, in which ways: normally or with an error. That a run
	// may never end is left open.
	Exits []statetree.Exit
}

// NewFlow analyses the code of a program. The error is the code's
// *SyntaxError.
func NewFlow(program statetree.Program) (*Flow, error) {
	file, err := Parse("code", []byte(program.Code))
	if err != nil {
		return nil, fmt.Errorf("analysing a program's control flow: %w", err)
	}
	f := &Flow{file: file, calls: newCalls(file), ofUnit: map[*unit]*graph{}, points: map[*unit][]suspension{},
		bottoms: map[*unit]bool{}, roots: map[*unit]bool{}, quits: file.mayQuit(),
		reflective: file.isReflective()}
	for _, u := range file.units {
		if f.runs(u, program.Entry) {
			g := newGraph(u, f.calls)
			f.graphs, f.ofUnit[u] = append(f.graphs, g), g
		}
		if u.Name == program.Entry.Driver || u.QualifiedName == program.Entry.Function {
			f.bottoms[u] = true
			f.roots[u] = program.Entry.Driver == "" || u.Name == program.Entry.Driver
		}
	}
	for _, g := range f.graphs {
		for i := range g.states {
			for _, instruction := range g.states[i].calls {
				for _, u := range g.callees[instruction].units {
					f.points[u] = append(f.points[u], suspension{g, i, instruction})
				}
			}
		}
	}
	return f, nil
}

// File returns the code of the program, parsed.
func (f *Flow) File() *File { return f.file }

// Function returns the function, class or module that a line of the code is in.
func (f *Flow) Function(line int) *Function { return f.file.FunctionAt(line) }

// runs reports whether a code object has states in recordings of the entry:
// module level and the class bodies in it run before a function is called.
func (f *Flow) runs(u *unit, entry statetree.Entry) bool {
	if entry.Kind == statetree.ModuleEntry {
		return true
	}
	for ; u != nil; u = u.owner {
		if u.Kind == FunctionCode || u.Kind == LambdaCode {
			return true
		}
	}
	return false
}

// Locate returns the position of a state of which the text of its line is
// known: the lines with that text on which the program can have the event, or
// all lines with it when there is none.
func (f *Flow) Locate(event statetree.Event, source string) Position {
	p := Position{Event: event}
	for i, line := range f.file.lines {
		if line == source {
			p.Lines = append(p.Lines, i+1)
		}
	}
	if source == "" && (event == statetree.Call || event == statetree.InvCall) {
		p.Lines = append(p.Lines, 0)
	}
	possible := slices.DeleteFunc(slices.Clone(p.Lines), func(line int) bool {
		return len(f.find(Position{event, []int{line}})) == 0
	})
	if len(possible) > 0 {
		p.Lines = possible
	}
	return p
}

// LocateState returns where a state can be in a program whose code has the given
// lines: at its own line, where the program knows its place and the text agrees,
// and else wherever the text can be. flow is nil for code that does not parse.
func LocateState(program statetree.Program, lines []string, flow *Flow, s *statetree.State) Position {
	p := Position{Event: s.Event}
	if s.Line > 0 {
		origin := statetree.Origin{File: s.File, Line: s.Line}
		for i, o := range program.Origins {
			if o == origin && i < len(lines) && lines[i] == s.Source {
				p.Lines = append(p.Lines, i+1)
				return p
			}
		}
	}
	if flow != nil {
		return flow.Locate(s.Event, s.Source)
	}
	for i, text := range lines {
		if text == s.Source {
			p.Lines = append(p.Lines, i+1)
		}
	}
	return p
}

// place is a state of the flow graph.
type place struct {
	graph *graph
	state int
}

func (p place) flowState() *flowState { return &p.graph.states[p.state] }

// find returns the states of the graph that a position may stand for. For
// InvLineCall these are the states that own the calls.
func (f *Flow) find(at Position) []place {
	event := at.Event
	if event.Direction() == statetree.Inverse {
		event = event.Inverse()
	}
	var places []place
	for _, g := range f.graphs {
		for i := range g.states {
			s := &g.states[i]
			if slices.Contains(at.Lines, s.line) && (s.event == event || event == statetree.InvLineCall && g.hasCallees(s)) {
				places = append(places, place{g, i})
			}
		}
	}
	return places
}

// Targets returns the states that an action can lead to from a position. A
// position that the program cannot have constrains nothing: all states are
// returned. Breakpoints need their line: see BreakpointTargets; here a
// Breakpoint is one on any line.
func (f *Flow) Targets(kind statetree.ActionKind, at Position) Targets {
	if kind == statetree.Breakpoint {
		t := newTargetSet(f)
		t.exits.add(anyOutcome)
		for _, g := range f.graphs {
			for i := range g.states {
				if g.states[i].event.StopsAtBreakpoint() {
					t.add(place{g, i})
				}
			}
		}
		return t.targets()
	}
	return f.Begin(at, false, nil).Targets(statetree.Action{Kind: kind})
}

// BreakpointTargets returns the states that a breakpoint on a line with the
// given text can lead to: line states with it, and calls on it: of the function
// whose def line it is, or that resume a generator there.
func (f *Flow) BreakpointTargets(source string) Targets {
	t := newTargetSet(f)
	t.exits.add(anyOutcome)
	for _, g := range f.graphs {
		for i := range g.states {
			s := &g.states[i]
			if s.event.StopsAtBreakpoint() && f.file.Line(s.line) == source {
				t.add(place{g, i})
			}
		}
	}
	return t.targets()
}

// graphOf returns the graph of a code object, nil when it has no states.
func (f *Flow) graphOf(u *unit) *graph {
	return f.ofUnit[u]
}

// targetSet gathers candidates.
type targetSet struct {
	flow  *Flow
	seen  map[Candidate]bool
	exits exitSet
}

func newTargetSet(f *Flow) *targetSet { return &targetSet{flow: f, seen: map[Candidate]bool{}} }

func (t *targetSet) addEvent(event statetree.Event, line int) {
	t.seen[Candidate{event, line, t.flow.file.Line(line)}] = true
}

func (t *targetSet) add(p place) { t.addEvent(p.flowState().event, p.flowState().line) }

func (t *targetSet) addInverse(p place) {
	t.addEvent(p.flowState().event.Inverse(), p.flowState().line)
}

// everything adds all states of the program.
func (t *targetSet) everything(direction statetree.Direction) {
	t.exits.add(anyOutcome)
	for _, g := range t.flow.graphs {
		for i := range g.states {
			if direction == statetree.Forward {
				t.add(place{g, i})
				continue
			}
			t.addInverse(place{g, i})
			if g.hasCallees(&g.states[i]) {
				t.addEvent(statetree.InvLineCall, g.states[i].line)
			}
		}
	}
}

func (t *targetSet) targets() Targets {
	out := Targets{Exits: t.flow.exits(t.exits), Candidates: make([]Candidate, 0, len(t.seen))}
	out.Exit = len(out.Exits) > 0
	for c := range t.seen {
		out.Candidates = append(out.Candidates, c)
	}
	slices.SortFunc(out.Candidates, func(a, b Candidate) int {
		return cmp.Or(a.Line-b.Line, int(a.Event)-int(b.Event))
	})
	return out
}
