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
	points  map[*unit][]callPoint
	bottoms map[*unit]bool
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
}

// callPoint is a place that may enter some code object.
type callPoint struct {
	graph       *graph
	state       int
	instruction int32
	repeats     bool
}

// NewFlow analyses the code of a program. The error is the code's
// *SyntaxError.
func NewFlow(program statetree.Program) (*Flow, error) {
	file, err := Parse("code", []byte(program.Code))
	if err != nil {
		return nil, fmt.Errorf("analysing a program's control flow: %w", err)
	}
	f := &Flow{file: file, calls: newCalls(file), points: map[*unit][]callPoint{}, bottoms: map[*unit]bool{}}
	for _, u := range file.units {
		if f.runs(u, program.Entry) {
			f.graphs = append(f.graphs, newGraph(u, f.calls))
		}
		if u.Name == program.Entry.Driver || u.QualifiedName == program.Entry.Function {
			f.bottoms[u] = true
		}
	}
	for _, g := range f.graphs {
		for i := range g.states {
			for _, instruction := range g.states[i].calls {
				into := g.callees[instruction]
				for _, u := range into.units {
					f.points[u] = append(f.points[u], callPoint{g, i, instruction, into.repeats})
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
	t := newTargetSet(f)
	places := f.find(at)
	if len(places) == 0 && kind != statetree.Continue {
		t.everything(kind.Direction())
		return t.targets()
	}
	for _, p := range places {
		switch kind {
		case statetree.StepInto:
			f.stepInto(t, p)
		case statetree.StepOver:
			f.stepOver(t, p)
		case statetree.StepReturn:
			f.stepReturn(t, p)
		case statetree.InvStepInto:
			f.inverseStepInto(t, p, at.Event)
		case statetree.InvStepOver:
			f.inverseStepOver(t, p, at.Event)
		case statetree.InvStepCall:
			for i := range p.graph.states {
				if p.graph.states[i].event == statetree.Call {
					t.addInverse(place{p.graph, i})
				}
			}
		}
	}
	switch kind {
	case statetree.Breakpoint:
		t.exit = true
		for _, g := range f.graphs {
			for i := range g.states {
				if event := g.states[i].event; event == statetree.Line || event == statetree.Call {
					t.add(place{g, i})
				}
			}
		}
	case statetree.Continue:
		t.exit = true
	}
	return t.targets()
}

// BreakpointTargets returns the states that a breakpoint on a line with the
// given text can lead to: line states with it, and calls on it: of the function
// whose def line it is, or that resume a generator there.
func (f *Flow) BreakpointTargets(source string) Targets {
	t := newTargetSet(f)
	t.exit = true
	for _, g := range f.graphs {
		for i := range g.states {
			s := &g.states[i]
			if (s.event == statetree.Line || s.event == statetree.Call) && f.file.Line(s.line) == source {
				t.add(place{g, i})
			}
		}
	}
	return t.targets()
}

// graphOf returns the graph of a code object, nil when it has no states.
func (f *Flow) graphOf(u *unit) *graph {
	for _, g := range f.graphs {
		if g.unit == u {
			return g
		}
	}
	return nil
}

// enter adds the call states of code objects.
func (f *Flow) enter(t *targetSet, units []*unit) {
	for _, u := range units {
		if g := f.graphOf(u); g != nil {
			for i := range g.states {
				if g.states[i].event == statetree.Call {
					t.add(place{g, i})
				}
			}
		}
	}
}

func (f *Flow) stepInto(t *targetSet, p place) {
	s := p.flowState()
	if s.event == statetree.Return {
		f.afterReturn(t, p.graph.unit, true)
		return
	}
	for _, next := range s.next {
		t.add(place{p.graph, next})
	}
	for _, instruction := range s.calls {
		f.enter(t, p.graph.callees[instruction].units)
	}
}

func (f *Flow) stepOver(t *targetSet, p place) {
	s := p.flowState()
	if s.event == statetree.Return {
		f.afterReturn(t, p.graph.unit, false)
		return
	}
	for _, next := range s.next {
		t.add(place{p.graph, next})
	}
}

// afterReturn adds the states that can follow the return of a code object: the
// callers go on from the instruction that called. into says whether further
// calls of the same line are entered.
func (f *Flow) afterReturn(t *targetSet, u *unit, into bool) {
	points := f.points[u]
	t.exit = t.exit || len(points) == 0 || f.bottoms[u]
	if into { // what the frame alone referred to ends with it
		f.enter(t, f.calls.dropped)
	}
	for _, point := range points {
		next, calls := point.graph.from(point.state, point.instruction)
		for _, state := range next {
			t.add(place{point.graph, state})
		}
		if !into {
			continue
		}
		for _, instruction := range calls {
			if instruction != point.instruction || point.repeats {
				f.enter(t, point.graph.callees[instruction].units)
			}
		}
	}
}

// stepReturn adds the returns that can end the level.
func (f *Flow) stepReturn(t *targetSet, p place) {
	if p.flowState().event == statetree.Return {
		return
	}
	seen := make([]bool, len(p.graph.states))
	stack := []int{p.state}
	for len(stack) > 0 {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, next := range p.graph.states[at].next {
			if seen[next] {
				continue
			}
			seen[next] = true
			if p.graph.states[next].event == statetree.Return {
				t.add(place{p.graph, next})
			} else {
				stack = append(stack, next)
			}
		}
	}
}

// inverseStepInto adds what precedes a state when calls are entered backwards.
func (f *Flow) inverseStepInto(t *targetSet, p place, event statetree.Event) {
	switch {
	case event == statetree.InvLineCall: // the last call that the line made
		for _, instruction := range p.flowState().calls {
			for _, u := range p.graph.callees[instruction].units {
				f.addReturns(t, u)
			}
		}
	case p.flowState().event == statetree.Call: // the owner, or its call before
		for _, point := range f.owners(t, p.graph.unit) {
			t.addInverse(place{point.graph, point.state})
			for _, instruction := range point.graph.states[point.state].calls {
				for _, u := range point.graph.callees[instruction].units {
					f.addReturns(t, u)
				}
			}
		}
	default:
		t.addBefore(p)
	}
}

// inverseStepOver adds what precedes a state on the same level.
func (f *Flow) inverseStepOver(t *targetSet, p place, event statetree.Event) {
	switch {
	case event == statetree.InvLineCall: // the line itself, its calls skipped
		t.addInverse(p)
	case p.flowState().event == statetree.Call:
		for _, point := range f.owners(t, p.graph.unit) {
			t.addInverse(place{point.graph, point.state})
		}
	default:
		t.addBefore(p)
	}
}

// owners returns the states that may own a call of u, and notes when u may be
// where the run begins.
func (f *Flow) owners(t *targetSet, u *unit) []callPoint {
	points := f.points[u]
	t.exit = t.exit || len(points) == 0 || f.bottoms[u]
	return points
}

func (f *Flow) addReturns(t *targetSet, u *unit) {
	g := f.graphOf(u)
	if g == nil {
		return
	}
	for i := range g.states {
		if g.states[i].event == statetree.Return {
			t.addInverse(place{g, i})
		}
	}
}

// targetSet gathers candidates.
type targetSet struct {
	flow *Flow
	seen map[Candidate]bool
	exit bool
}

func newTargetSet(f *Flow) *targetSet { return &targetSet{flow: f, seen: map[Candidate]bool{}} }

func (t *targetSet) addEvent(event statetree.Event, line int) {
	t.seen[Candidate{event, line, t.flow.file.Line(line)}] = true
}

func (t *targetSet) add(p place) { t.addEvent(p.flowState().event, p.flowState().line) }

func (t *targetSet) addInverse(p place) {
	t.addEvent(p.flowState().event.Inverse(), p.flowState().line)
}

// addBefore adds the states before p on its level. One that may own calls shows
// them first.
func (t *targetSet) addBefore(p place) {
	for _, before := range p.flowState().previous {
		s := &p.graph.states[before]
		t.addInverse(place{p.graph, before})
		if p.graph.hasCallees(s) {
			t.addEvent(statetree.InvLineCall, s.line)
		}
	}
}

// everything adds all states of the program.
func (t *targetSet) everything(direction statetree.Direction) {
	t.exit = true
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
	out := Targets{Exit: t.exit, Candidates: make([]Candidate, 0, len(t.seen))}
	for c := range t.seen {
		out.Candidates = append(out.Candidates, c)
	}
	slices.SortFunc(out.Candidates, func(a, b Candidate) int {
		return cmp.Or(a.Line-b.Line, int(a.Event)-int(b.Event))
	})
	return out
}
