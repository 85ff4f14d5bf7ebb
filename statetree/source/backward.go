package source

import (
	"slices"

	"github.com/neuraldbg/neuraldbg/statetree"
)

// backward returns what precedes a standing; into, calls are entered from their
// end.
func (t Trail) backward(s standing, into bool, exits *exitSet) []standing {
	switch {
	case s.calling && into: // the last call that the line made
		return t.lastCalls(s)
	case s.calling: // the line itself, its calls skipped
		s.calling, s.later = false, none
		return []standing{s}
	case s.flowState().event == statetree.Call:
		var out []standing
		for _, a := range t.flow.callers(s, exits) {
			out = append(out, t.beforeCall(s, a, into)...)
		}
		return out
	}
	var out []standing
	for _, before := range s.flowState().previous {
		from := suspension{s.graph, before, atBeginning}
		p := at(s.graph, before, s.below)
		if slices.Contains(from.from(anyOutcome, definite).next, s.state) {
			out = append(out, p)
		}
		p.calling, p.later = true, s.state
		if len(t.lastCalls(p)) > 0 {
			out = append(out, p)
		}
	}
	return out
}

// lastCalls returns the Return states with which the calls of a line can end: of
// calls after which the line goes on to the state that followed.
func (t Trail) lastCalls(s standing) []standing {
	var out []standing
	for _, instruction := range s.flowState().calls {
		in := suspension{s.graph, s.state, instruction}
		if s.later == none || slices.Contains(in.from(anyOutcome, definite).next, s.later) {
			out = t.leave(out, &activation{suspension: in, below: s.below})
		}
	}
	return out
}

// leave adds the Return states of all that an activation may have called.
func (t Trail) leave(out []standing, caller *activation) []standing {
	for _, u := range caller.graph.callees[caller.instruction].units {
		g := t.flow.graphOf(u)
		if g == nil {
			continue
		}
		for i := range g.states {
			if g.states[i].event == statetree.Return {
				out = append(out, at(g, i, caller))
			}
		}
	}
	return out
}

// beforeCall returns what precedes the call that an activation is suspended in:
// its state, or into, a call that it made before.
func (t Trail) beforeCall(called standing, a *activation, into bool) []standing {
	owner := at(a.graph, a.state, a.below)
	if !into {
		return []standing{owner}
	}
	// What ends with a frame is called from no instruction of its own.
	loose := slices.Contains(t.flow.calls.dropped, called.graph.unit)
	var out []standing
	if first := (suspension{a.graph, a.state, atBeginning}).from(anyOutcome, definite); loose || slices.Contains(first.calls, a.instruction) {
		out = append(out, owner)
	}
	for _, instruction := range a.graph.states[a.state].calls {
		before := suspension{a.graph, a.state, instruction}
		repeats := instruction == a.instruction && a.graph.callees[instruction].repeats
		follows := instruction != a.instruction &&
			slices.Contains(before.from(anyOutcome, definite).calls, a.instruction)
		if loose || repeats || follows {
			out = t.leave(out, &activation{suspension: before, below: a.below})
		}
	}
	return out
}
