package timeline

import (
	"slices"

	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/source"
)

// mayEnter reports whether the line that a state is about to run can enter, at
// any depth, a function for which wanted holds: if not, stepping over it leaves
// nothing out. What is not known may.
func (l *locator) mayEnter(s *statetree.State, wanted func(function string) bool) bool {
	if l.flow == nil || s.Line == 0 {
		return true
	}
	return l.flow.MayEnter(l.position(s), func(f *source.Function) bool { return wanted(l.calledAt(f.Line)) })
}

// mayStopIn reports whether an activation of a function can come to a function for
// which wanted holds: itself, or one that a line of it can enter.
func (l *locator) mayStopIn(function string, wanted func(function string) bool) bool {
	return wanted(function) || slices.ContainsFunc(l.program.Origins, func(place statetree.Origin) bool {
		return place.Line > 0 && l.ownsPlace(function, place) &&
			l.mayEnter(&statetree.State{Event: statetree.Line, File: place.File, Line: place.Line}, wanted)
	})
}

// maxReached is how many states are looked at to find what is reachable from a
// state. In larger programs everything is.
const maxReached = 4000

// nearest returns the places at which a Continue from the position may stop,
// those first that the control flow has nearest. Where it has none, places that
// cannot be reached are left out.
func (t *Timeline) nearest() []wanted {
	places := t.breakpoints.reachable(&t.target)
	if len(places) == 0 || t.places.flow == nil {
		return places
	}
	distances, complete := t.places.distances(&t.at(t.pos).State, places)
	far := len(distances) + maxReached
	distance := func(w wanted) int {
		if d, ok := distances[w.line]; ok {
			return d
		}
		return far
	}
	if complete {
		places = slices.DeleteFunc(places, func(w wanted) bool { return distance(w) == far })
	}
	slices.SortStableFunc(places, func(a, b wanted) int { return distance(a) - distance(b) })
	return places
}

// distances returns how many states after a state the control flow can have the
// places, by their lines. complete is false when not all that can be reached was
// looked at.
func (l *locator) distances(from *statetree.State, places []wanted) (distances map[int]int, complete bool) {
	distances = map[int]int{}
	complete = l.visit(from, func(c source.Candidate, distance int) bool {
		for _, w := range places {
			if _, known := distances[w.line]; !known && w.line == c.Line && (c.Event == statetree.Line || c.Event == statetree.Call && w.call) {
				distances[w.line] = distance
			}
		}
		return true
	})
	return distances, complete
}

// reenters reports whether a function can be called after a state, as far as the
// control flow tells.
func (l *locator) reenters(from *statetree.State, function string) bool {
	if l.flow == nil {
		return true
	}
	called := false
	complete := l.visit(from, func(c source.Candidate, _ int) bool {
		called = c.Event == statetree.Call && l.calledAt(c.Line) == function
		return !called
	})
	return called || !complete
}

// calledAt returns the function whose call state is at a line of the code.
func (l *locator) calledAt(line int) string {
	if line < 1 || line > len(l.program.Origins) {
		return statetree.ModuleFunction
	}
	origin := l.program.Origins[line-1]
	return l.functionOf(statetree.State{Event: statetree.Call, File: origin.File, Line: origin.Line})
}

// visit calls f for the states that can follow a state, the nearest first, each
// once, with how many steps there are to it, until f returns false. It reports
// whether it has called f for all of them.
func (l *locator) visit(from *statetree.State, f func(c source.Candidate, distance int) bool) (complete bool) {
	type node struct {
		event statetree.Event
		line  int
	}
	seen := map[node]bool{}
	frontier := []source.Position{l.position(from)}
	for distance := 1; len(frontier) > 0; distance++ {
		var next []source.Position
		for _, at := range frontier {
			for _, c := range l.flow.Targets(statetree.StepInto, at).Candidates {
				n := node{c.Event, c.Line}
				if seen[n] {
					continue
				}
				if seen[n] = true; len(seen) > maxReached || !f(c, distance) {
					return false
				}
				next = append(next, source.Position{Event: c.Event, Lines: []int{c.Line}})
			}
		}
		frontier = next
	}
	return true
}
