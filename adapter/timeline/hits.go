package timeline

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"sort"

	"github.com/neuraldbg/neuraldbg/adapter/expr"
)

// arrive does what is due when a movement has come forward to the position, from
// the entry before it: log points write, a condition that cannot be computed is
// told, and what a print wrote is shown. It returns the breakpoints that stop
// here.
func (t *Timeline) arrive() []armed {
	e := t.at(t.pos)
	if t.pos > t.First() {
		t.printBetween(t.at(t.pos-1), e)
	}
	if e.Ended() {
		return nil
	}
	for _, a := range t.breakpoints.at(e.State, t.places) {
		if a.message != nil && t.counts(&a.guard, t.pos, false) {
			t.listener.log(logged(a.message, e), &e.State)
		}
	}
	return t.hits(t.pos, true)
}

// hits returns the breakpoints that stop at an entry. With tell, the user is
// told of conditions that cannot be computed.
func (t *Timeline) hits(index int, tell bool) []armed {
	e := t.at(index)
	if e.Ended() {
		return nil
	}
	var out []armed
	for _, a := range t.breakpoints.at(e.State, t.places) {
		if a.message == nil && t.counts(&a.guard, index, tell) {
			out = append(out, a)
		}
	}
	if index == t.First() {
		return out
	}
	before := t.at(index - 1)
	for _, a := range t.changed(before, e) {
		if t.counts(&a.guard, index, tell) {
			out = append(out, a)
		}
	}
	return append(out, t.raisedHits(before, e)...)
}

// counts reports whether a breakpoint at whose place an entry is counts there:
// whether its condition holds, and its hit condition at this visit.
func (t *Timeline) counts(g *guard, index int, tell bool) bool {
	e := t.at(index)
	if !t.holds(g, e.scope(0), e, tell) {
		return false
	}
	return g.hits == hitCondition{} || g.hits.holds(t.visits(g.revision, index))
}

// holds reports whether a condition is true in a scope. One that cannot be
// computed is taken for true, so that the user sees where.
func (t *Timeline) holds(g *guard, scope expr.Scope, e *Entry, tell bool) bool {
	if g.condition == nil {
		return true
	}
	holds, err := truth(g.condition, scope)
	if err == nil {
		return holds
	}
	if tell {
		t.listener.note(fmt.Sprintf("%s:%d: the condition %s cannot be computed: %v", filepath.Base(e.State.File), e.State.Line, g.condition, err))
	}
	return true
}

// logged returns a log message with the values of an entry.
func logged(message *expr.Template, e *Entry) string {
	text, err := message.Format(context.Background(), e.scope(0))
	if err != nil {
		return fmt.Sprintf("the log message cannot be computed: %v", err)
	}
	return text
}

// visitList are the indexes of the entries that are visits of a breakpoint, in
// order, as far as they were looked for.
type visitList struct {
	indexes []int
	next    int // the first entry that was not looked at
}

// visits returns how many visits of the breakpoint whose guard has a revision
// the timeline has up to an entry, that one included. So a hit condition means
// the same visit whichever way the position came there.
func (t *Timeline) visits(revision, index int) int {
	list, ok := t.visited[revision]
	if !ok {
		list = &visitList{next: t.First()}
		t.visited[revision] = list
	}
	for ; list.next <= index; list.next++ {
		if t.isVisit(revision, list.next) {
			list.indexes = append(list.indexes, list.next)
		}
	}
	return sort.SearchInts(list.indexes, index+1)
}

// isVisit reports whether an entry is at the place of a breakpoint and its
// condition holds there.
func (t *Timeline) isVisit(revision, index int) bool {
	e := t.at(index)
	if e.Ended() {
		return false
	}
	candidates := t.breakpoints.at(e.State, t.places)
	if index > t.First() {
		candidates = append(candidates, t.changed(t.at(index-1), e)...)
	}
	return slices.ContainsFunc(candidates, func(a armed) bool {
		return a.revision == revision && t.holds(&a.guard, e.scope(0), e, false)
	})
}

// forgetVisits forgets the visits from an entry on, which is dropped.
func (t *Timeline) forgetVisits(from int) {
	for _, list := range t.visited {
		if list.next > from {
			list.next = from
			list.indexes = list.indexes[:sort.SearchInts(list.indexes, from)]
		}
	}
}

// idsOf returns the ids of breakpoints.
func idsOf(hits []armed) []int {
	var ids []int
	for _, a := range hits {
		ids = append(ids, a.id)
	}
	return ids
}
