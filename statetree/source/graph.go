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
	callees []callees // by instruction, and one more: see dropping
	work    []step
}

type flowState struct {
	event    statetree.Event
	line     int
	next     []int    // states that can follow on this level
	previous []int    // the inverse of next
	calls    []int32  // instructions that may call before the next state
	visited  []uint64 // instructions followed, a bit each
	raisers  []int32  // of exception states: the instructions followed
}

// step is work to do: follow an instruction as part of a state.
type step struct {
	state       int
	instruction int32
	mode        stepMode
}

// stepMode says how an instruction is followed.
type stepMode uint8

const (
	runs     stepMode = iota // it runs
	raised                   // it has raised
	entering                 // it is the RESUME at the beginning
)

func newGraph(u *unit, calls *calls) *graph {
	g := &graph{unit: u, code: u.code, callees: make([]callees, len(u.code.instructions)+1)}
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
	g.states = append(g.states, flowState{event: statetree.Call, line: u.Line})
	g.work = append(g.work, step{0, int32(u.code.entry), entering})
	if u.Generator || u.Async {
		// One that ends before it began is closed on its first line.
		entry := step{0, int32(u.code.entry), entering}
		g.observe(entry, statetree.Exception, u.First, raised, entry.instruction)
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
	if at.mode == raised {
		g.raise(at, in)
		return
	}
	if at.mode == runs {
		s := &g.states[at.state]
		if s.visited == nil {
			s.visited = make([]uint64, len(g.code.instructions)/64+1)
		}
		word, bit := at.instruction/64, uint64(1)<<(at.instruction%64)
		if s.visited[word]&bit != 0 {
			return
		}
		s.visited[word] |= bit
		if len(g.callees[at.instruction].units) > 0 {
			s.calls = append(s.calls, at.instruction)
		}
		if in.raises {
			g.observe(at, statetree.Exception, s.line, raised, at.instruction)
		}
	}
	switch in.op {
	case returnValue:
		g.observe(at, statetree.Return, g.states[at.state].line, runs, -1)
		return
	case yieldValue:
		line := g.states[at.state].line
		g.observe(at, statetree.Return, line, runs, -1)
		g.state(statetree.Call, line, step{0, at.instruction + 1, runs})
		return
	case raiseException:
		return
	case reraise:
		g.unwind(at, in)
		return
	}
	if in.falls {
		g.move(at, at.instruction+1)
	}
	if in.jump >= 0 {
		g.move(at, in.jump)
	}
}

// raise follows an exception that an instruction has raised.
func (g *graph) raise(at step, in *instruction) {
	if s := &g.states[at.state]; len(g.callees[g.dropping()].units) > 0 && !slices.Contains(s.calls, g.dropping()) {
		s.calls = append(s.calls, g.dropping())
	}
	g.unwind(at, in)
	// The end of an iterator written in Python is seen as an exception, and yet
	// the loop just ends.
	if in.op == forIter || in.op == send {
		g.move(at, in.jump)
	}
}

// unwind goes to the handler of an instruction, or leaves the frame.
func (g *graph) unwind(at step, in *instruction) {
	if in.except < 0 {
		g.observe(at, statetree.Return, g.states[at.state].line, runs, -1)
		return
	}
	g.move(at, in.except)
}

// move goes from one instruction to another. That is a line event when the line
// changes, or when the program jumps back, except in the loop of yield from.
func (g *graph) move(at step, to int32) {
	line := g.lineOf(to)
	back := to < at.instruction && g.code.instructions[to].op != send
	if line != noLine && (line != g.lineOf(at.instruction) || back || at.mode == entering) {
		g.observe(at, statetree.Line, int(line), runs, to)
		return
	}
	g.work = append(g.work, step{at.state, to, runs})
}

// observe notes that a state can follow the one that a step belongs to. The
// new state begins with the given instruction, or ends the level when that is
// negative.
func (g *graph) observe(at step, event statetree.Event, line int, mode stepMode, instruction int32) {
	next := g.state(event, line, step{0, instruction, mode})
	if s := &g.states[at.state]; !slices.Contains(s.next, next) {
		s.next = append(s.next, next)
	}
}

// state returns the state of an event on a line, made if need be, and sees to
// it that its beginning is followed.
func (g *graph) state(event statetree.Event, line int, begin step) int {
	at := slices.IndexFunc(g.states, func(s flowState) bool { return s.event == event && s.line == line })
	if at < 0 {
		at = len(g.states)
		g.states = append(g.states, flowState{event: event, line: line})
	}
	if begin.instruction < 0 {
		return at
	}
	s := &g.states[at]
	begin.state = at
	if begin.mode == raised {
		if slices.Contains(s.raisers, begin.instruction) {
			return at
		}
		s.raisers = append(s.raisers, begin.instruction)
	} else if s.visited != nil && s.visited[begin.instruction/64]&(1<<(begin.instruction%64)) != 0 {
		return at
	}
	g.work = append(g.work, begin)
	return at
}

// from returns what can follow in a state when its instructions up to, but not
// including, the given one have run: the next states and the instructions that
// may call.
func (g *graph) from(state int, instruction int32) (next []int, calls []int32) {
	trial := &graph{unit: g.unit, code: g.code, callees: g.callees}
	trial.states = append(trial.states, flowState{event: g.states[state].event, line: g.states[state].line})
	if instruction == g.dropping() {
		for _, raiser := range g.states[state].raisers {
			trial.work = append(trial.work, step{0, raiser, raised})
		}
	} else {
		trial.work = append(trial.work, step{0, instruction, runs})
	}
	for len(trial.work) > 0 {
		at := trial.work[len(trial.work)-1]
		trial.work = trial.work[:len(trial.work)-1]
		if at.state == 0 {
			trial.follow(at)
		}
	}
	for _, i := range trial.states[0].next {
		s := &trial.states[i]
		at := slices.IndexFunc(g.states, func(o flowState) bool { return o.event == s.event && o.line == s.line })
		if at >= 0 {
			next = append(next, at)
		}
	}
	return next, trial.states[0].calls
}
