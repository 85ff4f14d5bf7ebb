package source

import (
	"slices"

	"github.com/neuraldbg/neuraldbg/statetree"
)

// reaching looks for the first visit of a line, from a trail on: in the running
// frame, in what it calls, and in the frames that it returns to.
type reaching struct {
	trail  Trail
	source string
	exits  *exitSet
	found  []arrival
	// passes are the code objects that can return without a visit. Whether they
	// can raise before one does not matter: that is an edge of the call.
	passes map[*unit]bool
	walks  map[suspension]walk // from where nothing is known of a call's outcome
	// seen are the states of frames that are not known that were followed.
	seen map[*graph][]bool
	// called and left are the code objects that were followed because something
	// calls them, and because they return to callers that are not known.
	called, left map[*unit]bool
}

// reach returns the states at which a breakpoint on a line with the given text
// can stop, and adds the exits of runs that do not come to it.
func (t Trail) reach(source string, exits *exitSet) []arrival {
	r := &reaching{
		trail: t, source: source, exits: exits,
		passes: map[*unit]bool{}, seen: map[*graph][]bool{}, called: map[*unit]bool{}, left: map[*unit]bool{},
	}
	r.findPasses()
	r.walks = map[suspension]walk{} // passes will not change any more
	if len(t.standings) == 0 {      // anywhere
		exits.add(anyOutcome)
		for _, g := range t.flow.graphs {
			r.call(g.unit)
		}
	}
	for _, s := range t.standings {
		r.followUp(s)
	}
	return r.found
}

// stops reports whether a breakpoint stops at a state.
func (r *reaching) stops(g *graph, state int) bool {
	s := &g.states[state]
	return s.event.StopsAtBreakpoint() && r.trail.flow.file.Line(s.line) == r.source
}

// blocks reports whether an instruction makes a call that a visit is in for
// certain.
func (r *reaching) blocks(g *graph, instruction int32) bool {
	c := &g.callees[instruction]
	return c.definite && !r.passes[c.units[0]]
}

// findPasses finds the code objects that can be run through: the smallest set
// that has all which need no others than those in it.
func (r *reaching) findPasses() {
	for changed := true; changed; {
		changed = false
		for _, g := range r.trail.flow.graphs {
			if r.passes[g.unit] {
				continue
			}
			for i := range g.states {
				if g.states[i].event != statetree.Call || r.stops(g, i) {
					continue
				}
				if r.explore(suspension{g, i, atBeginning}, anyOutcome).returns {
					r.passes[g.unit], changed = true, true
					break
				}
			}
		}
	}
}

// exploration is what a level can come to from where it stands.
type exploration struct {
	visits           []int // states at which the breakpoint stops
	calls            []*unit
	returns, unwinds bool
}

// explore follows a level up to visits.
func (r *reaching) explore(from suspension, o outcome) exploration {
	return r.exploreUnseen(from, o, make([]bool, len(from.graph.states)))
}

// exploreUnseen is explore without the states that were seen before.
func (r *reaching) exploreUnseen(from suspension, o outcome, seen []bool) exploration {
	var e exploration
	g := from.graph
	work := []suspension{from}
	for len(work) > 0 {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		w := r.walk(at, o)
		o = anyOutcome // only of the first
		e.returns, e.unwinds = e.returns || w.returns, e.unwinds || w.unwinds
		for _, instruction := range w.calls {
			c := &g.callees[instruction]
			if instruction == at.instruction && !c.repeats {
				continue
			}
			e.calls = append(e.calls, c.units...)
		}
		for _, next := range w.next {
			switch {
			case seen[next] || g.states[next].event == statetree.Return:
			case r.stops(g, next):
				e.visits = append(e.visits, next)
			default:
				work = append(work, suspension{g, next, atBeginning})
			}
			seen[next] = true
		}
	}
	return e
}

// walk is suspension.from, remembered.
func (r *reaching) walk(from suspension, o outcome) walk {
	if r.walks == nil || o != anyOutcome {
		return from.from(o, r.blocks)
	}
	w, known := r.walks[from]
	if !known {
		w = from.from(o, r.blocks)
		r.walks[from] = w
	}
	return w
}

// followUp follows a standing, and then those that it returns to.
func (r *reaching) followUp(s standing) {
	if s.flowState().event == statetree.Return {
		r.leave(s)
		return
	}
	r.follow(&activation{s.begun(), s.below, r.trail.locals}, anyOutcome)
}

// follow follows an activation from where it is suspended.
func (r *reaching) follow(a *activation, o outcome) {
	e := r.explore(a.suspension, o)
	for _, visit := range e.visits {
		r.found = append(r.found, arrival{
			standing: at(a.graph, visit, a.below), from: a.suspension, locals: a.locals, stops: r.stops,
		})
	}
	for _, u := range e.calls {
		r.call(u)
	}
	if e.returns || e.unwinds {
		end := at(a.graph, a.state, a.below)
		end.leaving = walk{returns: e.returns, unwinds: e.unwinds}.leaving()
		r.leave(end)
	}
}

// leave follows the callers of a level that ends, all of them when the one is
// not known.
func (r *reaching) leave(s standing) {
	if s.below == nil {
		callers := r.trail.flow.callers(s, r.exits)
		if r.left[s.graph.unit] {
			return
		}
		r.left[s.graph.unit] = true
		for _, a := range callers {
			r.followUnknown(a.suspension)
		}
	} else {
		for _, a := range r.trail.flow.callers(s, r.exits) {
			r.follow(a, r.trail.flow.leaving(s, a))
		}
	}
	for _, u := range r.trail.flow.calls.dropped {
		r.call(u)
	}
}

// followUnknown follows a frame that something may have returned to. Of its names
// nothing is known.
func (r *reaching) followUnknown(from suspension) {
	g := from.graph
	if r.seen[g] == nil {
		r.seen[g] = make([]bool, len(g.states))
	}
	e := r.exploreUnseen(from, anyOutcome, r.seen[g])
	for _, visit := range e.visits {
		r.found = append(r.found, arrival{standing: at(g, visit, nil), anyway: true})
	}
	for _, u := range e.calls {
		r.call(u)
	}
	if e.returns || e.unwinds {
		end := at(g, from.state, nil)
		end.leaving = walk{returns: e.returns, unwinds: e.unwinds}.leaving()
		r.leave(end)
	}
}

// call follows a code object that is called from somewhere. What is below it is
// not kept.
func (r *reaching) call(u *unit) {
	g := r.trail.flow.graphOf(u)
	if g == nil || r.called[u] {
		return
	}
	r.called[u] = true
	for i := range g.states {
		if g.states[i].event != statetree.Call {
			continue
		}
		if r.stops(g, i) {
			r.found = append(r.found, arrival{standing: at(g, i, nil)})
			continue
		}
		from := suspension{g, i, atBeginning}
		e := r.explore(from, anyOutcome)
		for _, visit := range e.visits {
			r.found = append(r.found, arrival{
				standing: at(g, visit, nil), from: from, locals: g.unit.startNames(i), stops: r.stops,
			})
		}
		for _, u := range e.calls {
			r.call(u)
		}
	}
}

// startNames returns the names that a frame has at one of its call states: the
// parameters, or when it is resumed, names that are not known.
func (u *unit) startNames(state int) []string {
	if state != 0 || u.Kind != FunctionCode && u.Kind != LambdaCode || u.Generator || u.Async {
		return nil
	}
	return slices.Clone(u.Parameters)
}
