package source

import (
	"slices"

	"github.com/neuraldbg/neuraldbg/statetree"
)

// graph is the flow of one code object: its possible states and which follows
// which on the same level. A state is one event on one line; the instructions
// that run between two events are followed one by one.
type graph struct {
	unit    *unit
	code    *code
	states  []flowState
	index   map[eventLine]int // of states
	callees []callees         // by instruction, and one more: see dropping
	work    []step
}

// instructionSet is a set of the instructions of a code object. Nearly every state
// follows few of them, however long the code is: a bit for each would make the
// graph of a long module grow with the square of its length.
type instructionSet struct {
	few  []int32
	many map[int32]bool // nil while there are at most fewInstructions
}

// fewInstructions is how many are searched through rather than looked up.
const fewInstructions = 24

// add adds an instruction, and reports whether it is new.
func (s *instructionSet) add(i int32) bool {
	if s.many != nil {
		if s.many[i] {
			return false
		}
		s.many[i] = true
		return true
	}
	if slices.Contains(s.few, i) {
		return false
	}
	if len(s.few) < fewInstructions {
		s.few = append(s.few, i)
		return true
	}
	s.many = map[int32]bool{i: true}
	for _, f := range s.few {
		s.many[f] = true
	}
	s.few = nil
	return true
}

// eventLine names a state of a graph.
type eventLine struct {
	event statetree.Event
	line  int
}

type flowState struct {
	event    statetree.Event
	line     int
	next     []int          // states that can follow on this level
	previous []int          // the inverse of next
	calls    []int32        // instructions that may call before the next state
	visited  instructionSet // instructions followed
	begins   []step         // where the state's instructions begin
}

// step is work to do: follow an instruction as part of a state.
type step struct {
	state       int
	instruction int32
	mode        stepMode
}

// edge is what can come after a step: another instruction of the same state, when
// it has no event, or the first one of a new state. A Return ends the level; it
// has no instruction.
type edge struct {
	event   statetree.Event
	line    int
	to      step
	unwinds bool // of a Return: an exception leaves the frame
}

// stepMode says how an instruction is followed.
type stepMode uint8

const (
	runs     stepMode = iota // it runs
	raised                   // it has raised
	entering                 // it is the RESUME at the beginning
)

func newGraph(u *unit, calls *calls) *graph {
	g := &graph{unit: u, code: u.code, index: map[eventLine]int{}, callees: make([]callees, len(u.code.instructions)+1)}
	for i := range u.code.instructions {
		in := &u.code.instructions[i]
		switch {
		case in.site > 0:
			g.callees[i] = calls.resolve(&u.code.sites[in.site-1], u)
		case in.raises && in.op != raiseException:
			calls.anySpecial(&g.callees[i])
		}
		if in.drops {
			calls.drops(&g.callees[i])
		}
	}
	calls.drops(&g.callees[g.dropping()])
	entry := step{0, int32(u.code.entry), entering}
	g.state(statetree.Call, u.Line, entry)
	if g.lazy() {
		// One that ends before it began is closed on its first line.
		g.observe(0, edge{event: statetree.Exception, line: u.First, to: step{0, entry.instruction, raised}})
	}
	for len(g.work) > 0 {
		next := g.work[len(g.work)-1]
		g.work = g.work[:len(g.work)-1]
		g.follow(next)
	}
	for i := range g.states {
		for _, next := range g.states[i].next {
			g.states[next].previous = append(g.states[next].previous, i)
		}
	}
	return g
}

// lazy reports whether calling the code object runs nothing of it yet.
func (g *graph) lazy() bool { return g.unit.Generator || g.unit.Async }

// dropping is the number of a further instruction, for the calls that an
// exception brings about: it ends the loops that it leaves, and with them their
// generators.
func (g *graph) dropping() int32 { return int32(len(g.code.instructions)) }

func (g *graph) hasCallees(s *flowState) bool {
	return slices.ContainsFunc(s.calls, func(i int32) bool { return len(g.callees[i].units) > 0 })
}

// lineOf returns the line of an instruction, noLine for artificial ones.
func (g *graph) lineOf(i int32) int32 { return g.code.instructions[i].line }

// follow adds what follows from one step.
func (g *graph) follow(at step) {
	in := &g.code.instructions[at.instruction]
	s := &g.states[at.state]
	switch at.mode {
	case runs:
		if !s.visited.add(at.instruction) {
			return
		}
		if len(g.callees[at.instruction].units) > 0 {
			s.calls = append(s.calls, at.instruction)
		}
	case raised:
		if len(g.callees[g.dropping()].units) > 0 && !slices.Contains(s.calls, g.dropping()) {
			s.calls = append(s.calls, g.dropping())
		}
	}
	line := s.line
	g.leads(at, line, true, func(e edge) {
		if e.event == statetree.NoEvent {
			e.to.state = at.state
			g.work = append(g.work, e.to)
			return
		}
		g.observe(at.state, e)
	})
	if at.mode == runs && in.op == yieldValue {
		g.state(statetree.Call, line, step{0, at.instruction + 1, runs})
	}
}

// leads calls yield for all that can come after a step of a state on a line. An
// instruction that does not complete can raise, no more.
func (g *graph) leads(at step, line int, completes bool, yield func(edge)) {
	in := &g.code.instructions[at.instruction]
	if at.mode == raised {
		g.unwind(at, in, line, yield)
		// The end of an iterator written in Python is seen as an exception, and
		// yet the loop just ends.
		if in.op == forIter || in.op == send {
			g.move(at, in.jump, yield)
		}
		return
	}
	if at.mode == runs && in.raises {
		yield(edge{event: statetree.Exception, line: line, to: step{0, at.instruction, raised}})
	}
	if !completes {
		return
	}
	switch in.op {
	case returnValue, yieldValue:
		yield(edge{event: statetree.Return, line: line, to: step{instruction: -1}})
		return
	case raiseException:
		return
	case reraise:
		g.unwind(at, in, line, yield)
		return
	}
	if in.falls {
		g.move(at, at.instruction+1, yield)
	}
	if in.jump >= 0 {
		g.move(at, in.jump, yield)
	}
}

// unwind goes to the handler of an instruction, or leaves the frame.
func (g *graph) unwind(at step, in *instruction, line int, yield func(edge)) {
	if in.except < 0 {
		yield(edge{event: statetree.Return, line: line, to: step{instruction: -1}, unwinds: true})
		return
	}
	g.move(at, in.except, yield)
}

// move goes from one instruction to another. That is a line event when the line
// changes, or when the program jumps back, except in the loop of yield from.
func (g *graph) move(at step, to int32, yield func(edge)) {
	line := g.lineOf(to)
	back := to < at.instruction && g.code.instructions[to].op != send
	e := edge{to: step{0, to, runs}}
	if line != noLine && (line != g.lineOf(at.instruction) || back || at.mode == entering) {
		e.event, e.line = statetree.Line, int(line)
	}
	yield(e)
}

// observe notes that a state can be followed by the one that an edge leads to.
func (g *graph) observe(from int, e edge) {
	next := g.state(e.event, e.line, e.to)
	if s := &g.states[from]; !slices.Contains(s.next, next) {
		s.next = append(s.next, next)
	}
}

// find returns the number of the state of an event on a line, or none.
func (g *graph) find(event statetree.Event, line int) int {
	if at, ok := g.index[eventLine{event, line}]; ok {
		return at
	}
	return none
}

// state returns the state of an event on a line, made if need be, and sees to
// it that its beginning is followed. A negative instruction is no beginning: the
// state ends the level.
func (g *graph) state(event statetree.Event, line int, begin step) int {
	at := g.find(event, line)
	if at < 0 {
		at = len(g.states)
		g.index[eventLine{event, line}] = at
		g.states = append(g.states, flowState{event: event, line: line})
	}
	if begin.instruction < 0 {
		return at
	}
	begin.state = at
	if s := &g.states[at]; !slices.Contains(s.begins, begin) {
		s.begins = append(s.begins, begin)
		g.work = append(g.work, begin)
	}
	return at
}
