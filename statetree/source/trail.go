package source

import (
	"slices"

	"github.com/neuraldbg/neuraldbg/statetree"
)

// Trail is what the states so far tell about where a program is: at which of the
// lines that share a text the last one is, and where the activations below it
// stand in their lines. From that follows more than from the last state alone: a
// function returns to the call that it came from, and an activation that has
// nothing below it ends the run.
//
// A Trail is a small value that never changes; keep old ones to go back.
type Trail struct {
	flow *Flow
	at   Position
	// standings are the ways in which the program can have come here. There are
	// none when it cannot have; then nothing is known but the last event.
	standings []standing
	// locals are the names of the running frame when they were last shown; nil
	// when they are not known.
	locals []string
}

// standing is a state with the activations below it.
type standing struct {
	place
	calling bool // an InvLineCall, backward
	below   *activation
	// later is, backward and of an InvLineCall, the state that followed its
	// calls; none when it is not known.
	later int
	// leaving is, forward and of a Return, how the frame is left.
	leaving outcome
}

// activation is one that is suspended in a call. nil stands for activations that
// are not known, ground for none.
type activation struct {
	suspension
	below  *activation
	locals []string // as Trail.locals
}

var ground = &activation{}

// arrival is a standing with how its frame came there: from where, with which
// names. stops says at which states on the way it would have ended before.
type arrival struct {
	standing
	from   suspension // without a graph when it is not known, or does not matter
	anyway bool       // it is not known
	locals []string   // of the frame where it came from; nil when not known
	stops  func(*graph, int) bool
}

// none is the number of no state.
const none = -1

// maxStandings is how many ways to have come somewhere are kept apart. Where
// there are more, the activations below are forgotten.
const maxStandings = 48

// Begin returns the trail of a first state. rooted says that nothing is below its
// activation that could be returned to. The names of its LOCALS are nil when they
// are not known.
func (f *Flow) Begin(at Position, rooted bool, locals []string) Trail {
	t := Trail{flow: f, at: at, locals: locals}
	for _, p := range f.find(at) {
		s := standing{place: p, calling: at.Event == statetree.InvLineCall, later: none}
		if rooted && f.roots[p.graph.unit] {
			s.below = ground
		}
		t.standings = append(t.standings, s)
	}
	return t
}

// Known reports whether the program can have come here.
func (t Trail) Known() bool { return len(t.standings) > 0 }

// Position returns where the last state is.
func (t Trail) Position() Position { return t.at }

// Function returns the code object that the last state is in, nil when it is not
// certain.
func (t Trail) Function() *Function {
	var in *graph
	for _, s := range t.standings {
		if in != nil && in != s.graph {
			return nil
		}
		in = s.graph
	}
	if in == nil {
		return nil
	}
	return &in.unit.Function
}

// Targets returns the states that an action can lead to, and the exits. A state
// that the program cannot have constrains nothing but by its event.
func (t Trail) Targets(a statetree.Action) Targets {
	set := newTargetSet(t.flow)
	if len(t.standings) == 0 && a.Kind != statetree.Continue && a.Kind != statetree.Breakpoint {
		set.everything(a.Kind.Direction())
		return set.targets()
	}
	for _, to := range t.successors(a, &set.exits) {
		set.addEvent(to.event(a.Kind.Direction()), to.flowState().line)
	}
	return set.targets()
}

// After returns the trail with one more state, which an action has led to. Lines
// are the lines that it may be at, as Locate gives them. locals are the names of
// its LOCALS if it has any and they are all known.
func (t Trail) After(a statetree.Action, at Position, locals []string) Trail {
	next := Trail{flow: t.flow, at: Position{Event: at.Event}, locals: locals}
	if len(t.standings) > 0 {
		var exits exitSet
		for _, to := range t.successors(a, &exits) {
			if to.event(a.Kind.Direction()) == at.Event && slices.Contains(at.Lines, to.flowState().line) {
				next.standings = append(next.standings, to.standing)
			}
		}
	}
	next.standings = distinct(next.standings)
	if len(next.standings) == 0 {
		return t.flow.Begin(at, false, locals)
	}
	for _, s := range next.standings {
		if line := s.flowState().line; !slices.Contains(next.at.Lines, line) {
			next.at.Lines = append(next.at.Lines, line)
		}
	}
	slices.Sort(next.at.Lines)
	if locals == nil && t.continues(a.Kind, next.standings) {
		next.locals = t.locals
	}
	return next
}

// Returning adds to the trail of a Return what the returned value tells: only
// None can mean that an exception has left the frame.
func (t Trail) Returning(value string) Trail {
	if t.at.Event != statetree.Return || value == "None" {
		return t
	}
	t.standings = slices.Clone(t.standings)
	for i := range t.standings {
		t.standings[i].leaving = returned
	}
	return t
}

// continues reports whether an action stays in the frame, so that what was known
// of its names stays so.
func (t Trail) continues(kind statetree.ActionKind, to []standing) bool {
	if t.at.Event == statetree.Return || kind == statetree.Breakpoint {
		return false
	}
	for _, s := range to {
		if s.flowState().event == statetree.Call {
			return false
		}
	}
	return kind.Direction() == statetree.Forward
}

// distinct drops standings that are alike, and what is known of the activations
// below when there are too many.
func distinct(all []standing) []standing {
	var out []standing
	for _, s := range all {
		if !slices.ContainsFunc(out, s.alike) {
			out = append(out, s)
		}
	}
	if len(out) <= maxStandings {
		return out
	}
	all, out = out, nil
	for _, s := range all {
		s.below, s.later, s.leaving = nil, none, anyOutcome
		if !slices.ContainsFunc(out, s.alike) {
			out = append(out, s)
		}
	}
	return out
}

func (s standing) alike(o standing) bool {
	return s.place == o.place && s.later == o.later && s.leaving == o.leaving && alikeBelow(s.below, o.below)
}

func alikeBelow(a, b *activation) bool {
	return a == b || a != nil && b != nil && a.suspension == b.suspension && a.below == b.below
}

// event returns the event of the state in a direction of time.
func (s standing) event(d statetree.Direction) statetree.Event {
	switch {
	case d == statetree.Forward:
		return s.flowState().event
	case s.calling:
		return statetree.InvLineCall
	}
	return s.flowState().event.Inverse()
}

// begun is where the frame stands when nothing of the state has run.
func (s standing) begun() suspension { return suspension{s.graph, s.state, atBeginning} }

// successors returns what an action can lead to, and adds the exits.
func (t Trail) successors(a statetree.Action, exits *exitSet) []arrival {
	var out []arrival
	switch a.Kind {
	case statetree.Breakpoint:
		return t.reach(a.Source, exits)
	case statetree.Continue:
		exits.add(anyOutcome)
		return nil
	}
	for _, s := range t.standings {
		switch a.Kind {
		case statetree.StepInto, statetree.StepOver:
			out = append(out, t.forward(s, a.Kind == statetree.StepInto, exits)...)
		case statetree.StepReturn:
			out = append(out, s.returns()...)
		case statetree.InvStepInto, statetree.InvStepOver:
			for _, before := range t.backward(s, a.Kind == statetree.InvStepInto, exits) {
				out = append(out, arrival{standing: before})
			}
		case statetree.InvStepCall:
			for i := range s.graph.states {
				if s.graph.states[i].event == statetree.Call {
					out = append(out, arrival{standing: at(s.graph, i, s.below)})
				}
			}
		}
	}
	return out
}

// at is a standing in a state of which nothing else is known.
func at(g *graph, state int, below *activation) standing {
	return standing{place: place{graph: g, state: state}, below: below, later: none}
}

// forward returns what follows a standing, the first states of calls included
// when it goes into them.
func (t Trail) forward(s standing, into bool, exits *exitSet) []arrival {
	if s.flowState().event != statetree.Return {
		return t.goOn(nil, &activation{s.begun(), s.below, t.locals}, anyOutcome, into)
	}
	var out []arrival
	for _, a := range t.flow.callers(s, exits) {
		out = t.goOn(out, a, t.flow.leaving(s, a), into)
		if into { // what the frame alone referred to ends with it
			for _, u := range t.flow.calls.dropped {
				out = t.enter(out, u, a)
			}
		}
	}
	return out
}

// goOn adds what follows on the level of an activation, and the calls that come
// before.
func (t Trail) goOn(out []arrival, a *activation, o outcome, into bool) []arrival {
	var blocks func(*graph, int32) bool
	if into {
		blocks = definite
	}
	w := a.suspension.from(o, blocks)
	for _, next := range w.next {
		to := arrival{standing: at(a.graph, next, a.below), from: a.suspension, locals: a.locals, stops: everyState}
		if to.flowState().event == statetree.Return {
			to.leaving = w.leaving()
		}
		out = append(out, to)
	}
	if !into {
		return out
	}
	for _, instruction := range w.calls {
		callees := a.graph.callees[instruction]
		if instruction == a.instruction && !callees.repeats {
			continue
		}
		calling := &activation{suspension{a.graph, a.state, instruction}, a.below, a.locals}
		for _, u := range callees.units {
			out = t.enter(out, u, calling)
		}
	}
	return out
}

// everyState stops at the first state that follows.
func everyState(*graph, int) bool { return true }

// leaving tells how a Return that a walk comes to leaves the frame.
func (w walk) leaving() outcome {
	switch {
	case w.returns == w.unwinds:
		return anyOutcome
	case w.returns:
		return returned
	}
	return threw
}

// enter adds the call states of a code object that an activation calls.
func (t Trail) enter(out []arrival, u *unit, caller *activation) []arrival {
	g := t.flow.graphOf(u)
	if g == nil {
		return out
	}
	for i := range g.states {
		if g.states[i].event == statetree.Call {
			out = append(out, arrival{standing: at(g, i, caller)})
		}
	}
	return out
}

// returns returns the Return states that can end the level of a standing.
func (s standing) returns() []arrival {
	if s.flowState().event == statetree.Return {
		return nil
	}
	var out []arrival
	g := s.graph
	seen := make([]bool, len(g.states))
	stack := []int{s.state}
	for len(stack) > 0 {
		from := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, next := range g.states[from].next {
			switch {
			case seen[next]:
			case g.states[next].event == statetree.Return:
				out = append(out, arrival{standing: at(g, next, s.below)})
			default:
				stack = append(stack, next)
			}
			seen[next] = true
		}
	}
	return out
}

// callers returns the activations that a level can return to, and adds the exits
// that its end can be.
func (f *Flow) callers(s standing, exits *exitSet) []*activation {
	switch s.below {
	case ground:
		exits.add(s.leaving)
		return nil
	case nil:
		points := f.points[s.graph.unit]
		if len(points) == 0 || f.bottoms[s.graph.unit] {
			exits.add(s.leaving)
		}
		out := make([]*activation, len(points))
		for i, p := range points {
			out[i] = &activation{suspension: p}
		}
		return out
	}
	return []*activation{s.below}
}

// leaving tells how the call of an activation has come out, when its callee
// stands at its Return.
func (f *Flow) leaving(callee standing, caller *activation) outcome {
	if c := caller.graph.callees[caller.instruction]; c.definite && c.units[0] == callee.graph.unit {
		return callee.leaving
	}
	return anyOutcome
}

// exitSet gathers how a run can end.
type exitSet struct{ normal, failed bool }

// add adds the exits of a run that ends with a frame left in a way.
func (e *exitSet) add(leaving outcome) {
	e.normal = e.normal || leaving != threw
	e.failed = e.failed || leaving != returned
}

// exits lists what an exit can be. SystemExit is an exception, and yet may be a
// normal end.
func (f *Flow) exits(e exitSet) []statetree.Exit {
	var out []statetree.Exit
	if e.normal || e.failed && f.quits {
		out = append(out, statetree.ExitNormal)
	}
	if e.failed {
		out = append(out, statetree.ExitError)
	}
	return out
}
