package statetree

import (
	"errors"
	"fmt"
	"strings"
)

// Tree is a recording seen as a state tree (arXiv 2603.09951, section 4.1): its
// nodes in the order in which a walk by step_into (or inv_step_into) meets
// them, grouped into levels. A level is one activation; its owner is the node
// under which the activation was called.
//
// Forward and inverse trees have the same representation, so that one
// implementation of the transitions, Cursor, serves both. A tree is a handful of
// flat arrays over the states of its recording, which it shares and never
// changes; it may be read from any number of goroutines.
type Tree struct {
	recording Recording
	direction Direction
	nodes     []node
	levels    []level
	sources   []string // the distinct sources; node.source is an index
}

// node is one state in a tree.
type node struct {
	state  int32 // index into recording.States
	level  int32
	next   int32 // the next own node of the same level, or none
	source int32
	event  Event
}

// level is one activation in a tree. Its nodes and those of the levels below it
// are the nodes first ≤ n < end.
type level struct {
	owner, first, last, end int32
}

// none stands for a node or level that is not there.
const none = -1

// Whole is the scope of a walk over everything that was recorded.
const Whole = none

// Level describes one activation in a tree. A level has the same number in a
// tree and in its inverse: the activation's number in the recording.
type Level struct {
	// Owner is the node under which the activation was called; -1 for a root.
	Owner int
	// First and Last are its first and last own nodes.
	First, Last int
	// End is one past the last node of the activation and of all calls in it.
	End int
}

// NewTree builds the forward tree of a recording. It fails when the recording
// is empty or when its activations are not properly nested.
func NewTree(r Recording) (*Tree, error) {
	if len(r.States) == 0 {
		return nil, errors.New("building the state tree: the recording has no states")
	}
	t := &Tree{recording: r, nodes: make([]node, len(r.States))}
	sourceIDs := make(map[string]int32)
	var open []int32 // levels that have not returned, outermost first
	for i := range r.States {
		s := &r.States[i]
		if s.Event < Call || s.Event > Exception {
			return nil, fmt.Errorf("building the state tree: state %d is a %s; recordings hold call, line, return and exception", i, s.Event)
		}
		if s.Activation == len(t.levels) && s.Event == Call {
			l := level{owner: none, last: int32(i)}
			if len(open) > 0 {
				l.owner = t.levels[open[len(open)-1]].last
			}
			open = append(open, int32(len(t.levels)))
			t.levels = append(t.levels, l)
		} else if err := checkContinues(s, open, len(t.levels)); err != nil {
			return nil, fmt.Errorf("building the state tree: state %d: %w", i, err)
		}
		t.levels[s.Activation].last = int32(i)
		if s.Event == Return {
			open = open[:len(open)-1]
		}
		id, ok := sourceIDs[s.Source]
		if !ok {
			id = int32(len(t.sources))
			sourceIDs[s.Source] = id
			t.sources = append(t.sources, s.Source)
		}
		t.nodes[i] = node{state: int32(i), level: int32(s.Activation), source: id, event: s.Event}
	}
	t.link()
	return t, nil
}

// checkContinues reports why s cannot continue the innermost of the open
// activations.
func checkContinues(s *Recorded, open []int32, levels int) error {
	switch a := s.Activation; {
	case a < 0 || a > levels:
		return fmt.Errorf("activation %d is out of order; the next new one is %d", a, levels)
	case a == levels:
		return fmt.Errorf("activation %d begins with a %s event instead of a call", a, s.Event)
	case s.Event == Call:
		return fmt.Errorf("activation %d has a second call event", a)
	case len(open) == 0 || int(open[len(open)-1]) != a:
		return fmt.Errorf("activation %d goes on although it has returned, or before a call inside it has", a)
	}
	return nil
}

// link fills in what follows from the order of the nodes, their levels and the
// levels' owners.
func (t *Tree) link() {
	for l := range t.levels {
		t.levels[l].first, t.levels[l].last, t.levels[l].end = none, none, 0
	}
	// Later nodes first: when the first node of a level is met, all that is
	// below the level has been seen, since calls come after their owner.
	for i := len(t.nodes) - 1; i >= 0; i-- {
		n := &t.nodes[i]
		l := &t.levels[n.level]
		n.next = l.first
		if l.last == none {
			l.last = int32(i)
		}
		l.first = int32(i)
		l.end = max(l.end, l.last+1)
		if l.owner != none {
			up := &t.levels[t.nodes[l.owner].level]
			up.end = max(up.end, l.end)
		}
	}
}

// Invert returns the tree of the opposite direction of time. Going backward an
// owner of calls comes twice: first as InvLineCall, which owns the reversed
// levels, last call first, then as its inverse event. The inverse of the inverse
// is the original again.
func (t *Tree) Invert() *Tree {
	inv := &Tree{recording: t.recording, sources: t.sources, levels: make([]level, len(t.levels))}
	if t.direction == Inverse {
		t.invertBack(inv)
	} else {
		inv.direction = Inverse
		t.invertForward(inv)
	}
	inv.link()
	return inv
}

func (t *Tree) invertForward(inv *Tree) {
	// Forward owner → its InvLineCall, none when that is not there yet; 0 for what
	// owns no calls.
	lineCall := make([]int32, len(t.nodes))
	owners := 0
	for _, l := range t.levels {
		if l.owner != none && lineCall[l.owner] == 0 {
			lineCall[l.owner] = none
			owners++
		}
	}
	inv.nodes = make([]node, 0, len(t.nodes)+owners)
	var pending []int32
	for i := len(t.nodes) - 1; i >= 0; i-- {
		// All owners whose calls end with node i are met here, outermost first.
		pending = pending[:0]
		for l := t.nodes[i].level; t.levels[l].end == int32(i)+1; {
			owner := t.levels[l].owner
			if owner == none || lineCall[owner] != none {
				break
			}
			pending = append(pending, owner)
			l = t.nodes[owner].level
		}
		for j := len(pending) - 1; j >= 0; j-- {
			n := t.nodes[pending[j]]
			n.event = InvLineCall
			lineCall[pending[j]] = int32(len(inv.nodes))
			inv.nodes = append(inv.nodes, n)
		}
		n := t.nodes[i]
		n.event = n.event.Inverse()
		inv.nodes = append(inv.nodes, n)
	}
	for l := range t.levels {
		inv.levels[l].owner = none
		if owner := t.levels[l].owner; owner != none {
			inv.levels[l].owner = lineCall[owner]
		}
	}
}

func (t *Tree) invertBack(inv *Tree) {
	forward := make([]int32, len(t.nodes)) // inverse node → forward node
	inv.nodes = make([]node, 0, len(t.recording.States))
	for i := len(t.nodes) - 1; i >= 0; i-- {
		n := t.nodes[i]
		if n.event == InvLineCall {
			continue
		}
		n.event = n.event.Inverse()
		forward[i] = int32(len(inv.nodes))
		inv.nodes = append(inv.nodes, n)
	}
	for l := range t.levels {
		inv.levels[l].owner = none
		if owner := t.levels[l].owner; owner != none {
			inv.levels[l].owner = forward[t.nodes[owner].next]
		}
	}
}

// Recording returns the recording that the tree was built from.
func (t *Tree) Recording() Recording { return t.recording }

// Direction returns the direction of time in which the tree runs.
func (t *Tree) Direction() Direction { return t.direction }

// Len returns the number of nodes. Nodes are numbered from 0 in the order of a
// walk by step_into.
func (t *Tree) Len() int { return len(t.nodes) }

// State returns the state at a node.
func (t *Tree) State(n int) State {
	nd := &t.nodes[n]
	s := t.recording.States[nd.state].State
	s.Event = nd.event
	if nd.event == InvLineCall {
		s.Locals, s.Arg = nil, ""
	}
	return s
}

// Event returns the event of the state at a node.
func (t *Tree) Event(n int) Event { return t.nodes[n].event }

// LevelOf returns the level to which a node belongs.
func (t *Tree) LevelOf(n int) int { return int(t.nodes[n].level) }

// Next returns the next own node of the same level, or -1 at its end.
func (t *Tree) Next(n int) int { return int(t.nodes[n].next) }

// Levels returns the number of levels.
func (t *Tree) Levels() int { return len(t.levels) }

// Level returns one level.
func (t *Tree) Level(l int) Level {
	lv := t.levels[l]
	return Level{Owner: int(lv.owner), First: int(lv.first), Last: int(lv.last), End: int(lv.end)}
}

// Closed reports whether the activation returned before the recording ended.
func (t *Tree) Closed(l int) bool {
	if t.direction == Inverse {
		return t.nodes[t.levels[l].first].event == InvReturn
	}
	return t.nodes[t.levels[l].last].event == Return
}

// EntryLevel finds the activation of the function that the program's entry
// calls: the driver's last call of a function of that name, or, when a class or
// an alias was called, the driver's last call. It reports false for modules.
func (t *Tree) EntryLevel() (int, bool) {
	e := t.recording.Program.Entry
	if e.Kind == ModuleEntry {
		return 0, false
	}
	if e.Driver == "" {
		return 0, true
	}
	last, named, found := 0, none, false
	for l := range t.levels {
		owner := t.levels[l].owner
		if owner == none || t.nodes[owner].level != 0 {
			continue
		}
		// A level has the same number in both directions, and calls are
		// numbered in the order of time.
		last, found = l, true
		f := t.recording.States[t.nodes[t.levels[l].first].state].Function
		if f == e.Function || strings.HasSuffix(f, "."+e.Function) {
			named = l
		}
	}
	if named != none {
		return named, true
	}
	return last, found
}

// scopeEnd returns one past the last node of a scope: a level, or Whole.
func (t *Tree) scopeEnd(scope int32) int32 {
	if scope == Whole {
		return int32(len(t.nodes))
	}
	return t.levels[scope].end
}
