package statetree

import "errors"

// Errors of Cursor.Go. The cursor stays where it was.
var (
	// ErrNoTarget: the action leads nowhere from here, such as step_return on a
	// return state, an action of the other direction, or any after an exit.
	ErrNoTarget = errors.New("the action has no target here")
	// ErrCut: the target lies beyond the point at which a limit ended the
	// recording, so it is not known.
	ErrCut = errors.New("the recording was cut before the action's target")
)

// Cursor is a position in a tree, and the implementation of the transitions in
// the project; Plan finds the same targets where there is no tree. It is a value:
// copying it clones it.
//
// A cursor has a scope, the activation that it does not leave: going on past the
// scope's end is the exit. The scope Whole has no bound but the recording's.
type Cursor struct {
	tree  *Tree
	scope int32
	node  int32
	exit  Exit
}

// Cursor returns a cursor at the first node of a scope: a level, or Whole.
func (t *Tree) Cursor(scope int) Cursor {
	c := Cursor{tree: t, scope: int32(scope)}
	if scope != Whole {
		c.node = t.levels[scope].first
	}
	return c
}

// Seek moves the cursor to a node, which should lie in its scope.
func (c *Cursor) Seek(n int) { c.node, c.exit = int32(n), NoExit }

// Node returns the node at which the cursor stands; after an exit, the last one.
func (c *Cursor) Node() int { return int(c.node) }

// Level returns the level of that node.
func (c *Cursor) Level() int { return int(c.tree.nodes[c.node].level) }

// Tree returns the tree that the cursor walks.
func (c *Cursor) Tree() *Tree { return c.tree }

// State returns the state at which the cursor stands.
func (c *Cursor) State() State { return c.tree.State(int(c.node)) }

// Exit returns the exit that the cursor has reached, or NoExit.
func (c *Cursor) Exit() Exit { return c.exit }

// Offers reports whether an action of this kind has a target here: a state, an
// exit, or one that the recording's cut hides.
func (c *Cursor) Offers(k ActionKind) bool {
	return c.exit == NoExit && k != NoAction && k.Direction() == c.tree.direction &&
		Offered(c.tree.nodes[c.node].event, k)
}

// Offered reports whether an action of a kind can have a target from a state of
// an event: all of its direction can, but step_return on a return state and
// inv_step_call on a call state.
func Offered(from Event, k ActionKind) bool {
	return k != NoAction && from.Direction() == k.Direction() &&
		!(k == StepReturn && from == Return) && !(k == InvStepCall && from == InvCall)
}

// Go takes an action and moves to its target:
//
//	step_into    the next node, whatever its level
//	step_over    the next own node of the level; at the level's end that of its
//	             caller; never one of a deeper level
//	step_return  the return state of the level
//	breakpoint   the first later line or call state with the action's Source
//	continue     the exit
//
// The inverse actions are the same on an inverse tree, with inv_step_call for
// step_return. What runs past the scope's end gives the exit. Go returns
// ErrNoTarget or ErrCut when there is no outcome.
func (c *Cursor) Go(a Action) (Outcome, error) {
	if !c.Offers(a.Kind) {
		return Outcome{}, ErrNoTarget
	}
	target := c.target(a)
	if target == none {
		exit := c.exitOf(a)
		if exit == NoExit {
			return Outcome{}, ErrCut
		}
		c.exit = exit
		return Outcome{Exit: exit}, nil
	}
	c.node = target
	return Outcome{State: c.State()}, nil
}

// target returns the node to which an action leads, or none when it runs past
// the end of what the scope holds.
func (c *Cursor) target(a Action) int32 {
	t := c.tree
	end := t.scopeEnd(c.scope)
	switch a.Kind {
	case StepInto, InvStepInto:
		if c.node+1 < end {
			return c.node + 1
		}
	case StepOver, InvStepOver:
		for n := c.node; n != none; {
			if next := t.nodes[n].next; next != none {
				return next
			}
			l := t.nodes[n].level
			if l == c.scope {
				return none
			}
			n = t.levels[l].owner
		}
	case StepReturn, InvStepCall:
		last := t.levels[t.nodes[c.node].level].last
		if e := t.nodes[last].event; e == Return || e == InvCall {
			return last
		}
	case Breakpoint:
		id := t.sourceID(a.Source)
		for n := c.node + 1; id != none && n < end; n++ {
			if t.nodes[n].source == id && t.nodes[n].event.StopsAtBreakpoint() {
				return n
			}
		}
	}
	return none
}

// sourceID returns the index of a source in t.sources, or none. A breakpoint's
// source is looked for once an action, so a map of them would not pay.
func (t *Tree) sourceID(source string) int32 {
	for id, s := range t.sources {
		if s == source {
			return int32(id)
		}
	}
	return none
}

// exitOf returns the exit that an action without a target state gives, or
// NoExit where the recording does not tell.
func (c *Cursor) exitOf(a Action) Exit {
	t := c.tree
	switch {
	case t.direction == Inverse:
		return ExitEntry
	case c.scope != Whole && t.Closed(int(c.scope)):
		if t.leftByException(c.scope) {
			return ExitError
		}
		return ExitNormal
	case t.recording.Exit == ExitNever:
		if c.never(a) {
			return ExitNever
		}
		return NoExit
	case c.scope == Whole:
		return t.recording.Exit
	}
	return NoExit
}

// never reports whether an action without a target state, in a run that is known
// not to end, has none because of that: not merely because the recording, which
// has an end, stops too early to hold it.
func (c *Cursor) never(a Action) bool {
	t := c.tree
	scope := c.scope
	if scope == Whole {
		scope = 0
	}
	switch a.Kind {
	case StepOver: // over a call that never ends
		for l := range t.levels {
			if t.levels[l].owner == c.node && t.endless(int32(l)) {
				return true
			}
		}
	case StepReturn:
		return t.endless(t.nodes[c.node].level)
	case Continue:
		return t.endless(scope)
	case Breakpoint:
		// The second half of the recording is taken to hold all lines of the
		// loop that goes on for ever.
		id := t.sourceID(a.Source)
		for n := len(t.nodes) / 2; n < len(t.nodes); n++ {
			if t.nodes[n].source == id && t.nodes[n].event.StopsAtBreakpoint() {
				return false
			}
		}
		return t.endless(scope)
	}
	return false
}

// endless reports whether an activation of a run that does not end is known to
// be one that does not return: the root, or the call that a driver makes. The
// others may have been about to return when the recording stopped.
func (t *Tree) endless(l int32) bool {
	if t.recording.Exit != ExitNever || t.Closed(int(l)) {
		return false
	}
	owner := t.levels[l].owner
	if owner == none {
		return true
	}
	root := t.nodes[owner].level
	return t.levels[root].owner == none && t.recording.States[t.nodes[owner].state].File == DriverFile
}

// leftByException reports whether a closed activation of a forward tree was left
// by an exception instead of a return; see Leaving.
func (t *Tree) leftByException(l int32) bool {
	lv := t.levels[l]
	state := func(n int32) *State { return &t.recording.States[t.nodes[n].state].State }
	var leaving Leaving
	for n := lv.first; n != lv.last; n = t.nodes[n].next {
		leaving.Add(state(n))
	}
	byException, sure := leaving.Return(state(lv.last))
	switch {
	case sure:
		return byException
	case lv.owner == none:
		return t.recording.Exit == ExitError
	}
	next := t.nodes[lv.owner].next
	return next != none && leaving.GoesOn(state(next))
}
