package source

import (
	"slices"

	"github.com/neuraldbg/neuraldbg/statetree"
)

// suspension is where in a state its frame stands: at the beginning, or in a call
// that one of its instructions made.
type suspension struct {
	graph       *graph
	state       int
	instruction int32 // atBeginning, or the instruction that called
}

// atBeginning is the instruction of a suspension before a state's first one.
const atBeginning = -1

// outcome is how an instruction that called goes on.
type outcome uint8

const (
	anyOutcome outcome = iota
	returned           // the callee has returned
	threw              // an exception has left the callee
)

// walk is what a frame can do from where it stands until its next state.
type walk struct {
	next  []int   // states that can follow on this level
	calls []int32 // instructions that may call before
	// returns and unwinds say how a Return among next can come about.
	returns, unwinds bool
}

// from walks on from a suspension. blocks says of an instruction that it calls
// and that the call does not come back before what is looked for; nil blocks
// nothing. The instruction that the frame is suspended in has called already, so
// it is not asked about.
func (s suspension) from(o outcome, blocks func(*graph, int32) bool) walk {
	var w walk
	g, at := s.graph, &s.graph.states[s.state]
	visited := make([]uint64, (2*len(g.code.instructions))/64+1)
	var work []step
	push := func(to step) {
		bit := 2 * int(to.instruction)
		if to.mode != runs {
			bit++
		}
		if visited[bit/64]&(1<<(bit%64)) == 0 {
			visited[bit/64] |= 1 << (bit % 64)
			work = append(work, to)
		}
	}
	for _, begin := range s.steps(at) {
		push(begin)
	}
	for len(work) > 0 {
		to := work[len(work)-1]
		work = work[:len(work)-1]
		suspended := to.mode == runs && to.instruction == s.instruction
		completes := true
		switch {
		case to.mode == runs && len(g.callees[to.instruction].units) > 0:
			w.calls = append(w.calls, to.instruction)
			completes = suspended || blocks == nil || !blocks(g, to.instruction)
		case to.mode == raised && len(g.callees[g.dropping()].units) > 0 && !slices.Contains(w.calls, g.dropping()):
			w.calls = append(w.calls, g.dropping())
		}
		// What a definite call comes to is what its instruction comes to.
		certain := suspended && o != anyOutcome && g.callees[to.instruction].definite
		g.leads(to, at.line, completes && !(certain && o == threw), func(e edge) {
			switch {
			case e.event == statetree.NoEvent:
				push(e.to)
				return
			case certain && o == returned && e.event == statetree.Exception:
				return
			case e.event == statetree.Return:
				w.returns, w.unwinds = w.returns || !e.unwinds, w.unwinds || e.unwinds
			}
			if next := g.find(e.event, e.line); next >= 0 && !slices.Contains(w.next, next) {
				w.next = append(w.next, next)
			}
		})
	}
	if s.instruction == atBeginning && s.state == 0 && g.lazy() {
		// One that ends before it began is closed on its first line.
		if closed := g.find(statetree.Exception, g.unit.First); closed >= 0 && !slices.Contains(w.next, closed) {
			w.next = append(w.next, closed)
		}
	}
	return w
}

// steps returns the steps with which a suspended state goes on.
func (s suspension) steps(at *flowState) []step {
	switch {
	case s.instruction == atBeginning:
		return at.begins
	case s.instruction == s.graph.dropping():
		var raisers []step
		for _, begin := range at.begins {
			if begin.mode == raised {
				raisers = append(raisers, begin)
			}
		}
		return raisers
	}
	return []step{{s.state, s.instruction, runs}}
}

// definite blocks calls that certainly enter a function of the program.
func definite(g *graph, instruction int32) bool { return g.callees[instruction].definite }
