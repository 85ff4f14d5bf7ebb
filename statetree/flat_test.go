package statetree_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/neuraldbg/neuraldbg/statetree"
)

// flat is one more reading of the rules, over the list of states alone: there are
// no levels and no links, and every question is answered by looking through the
// list again. It only knows whole recordings.
type flat struct {
	states []statetree.Recorded
	owners []int // by activation: the state that it was called under, or -1
}

// flatNode is a place in a walk: a state, under one of its events.
type flatNode struct {
	state int
	event statetree.Event
}

func newFlat(r statetree.Recording) *flat {
	f := &flat{states: r.States}
	for i, s := range f.states {
		if s.Event != statetree.Call {
			continue
		}
		// The nearest frame on the stack is that of the last state whose
		// activation had not returned.
		owner := i - 1
		for owner >= 0 && f.returned(f.states[owner].Activation, i) {
			owner--
		}
		f.owners = append(f.owners, owner)
	}
	return f
}

// returned reports whether an activation has returned before state i.
func (f *flat) returned(activation, i int) bool {
	return slices.ContainsFunc(f.states[:i], func(s statetree.Recorded) bool {
		return s.Activation == activation && s.Event == statetree.Return
	})
}

// isBelow reports whether a state lies in a call under another one, at any depth.
func (f *flat) isBelow(state, owner int) bool {
	for up := f.owners[f.states[state].Activation]; up >= 0; up = f.owners[f.states[up].Activation] {
		if up == owner {
			return true
		}
	}
	return false
}

// forward is the order of the recording.
func (f *flat) forward() (order []flatNode) {
	for i, s := range f.states {
		order = append(order, flatNode{i, s.Event})
	}
	return order
}

// inverse is the order of time reversed, with every owner of calls once more before
// them.
func (f *flat) inverse() (order []flatNode) {
	last := make(map[int]int) // owner → the last state below it
	for owner := range f.states {
		for i := range f.states {
			if f.isBelow(i, owner) {
				last[owner] = i
			}
		}
	}
	for i := len(f.states) - 1; i >= 0; i-- {
		for owner := range f.states {
			if end, ok := last[owner]; ok && end == i {
				order = append(order, flatNode{owner, statetree.InvLineCall})
			}
		}
		order = append(order, flatNode{i, f.states[i].Event.Inverse()})
	}
	return order
}

// target is the place in an order to which an action leads, or -1 for the exit.
func (f *flat) target(order []flatNode, from int, a statetree.Action) int {
	activation := func(n int) int { return f.states[order[n].state].Activation }
	find := func(after int, is func(n int) bool) int {
		for n := after + 1; n < len(order); n++ {
			if is(n) {
				return n
			}
		}
		return -1
	}
	switch a.Kind {
	case statetree.StepInto, statetree.InvStepInto:
		return find(from, func(int) bool { return true })
	case statetree.StepOver, statetree.InvStepOver:
		for {
			own := activation(from)
			if n := find(from, func(n int) bool { return activation(n) == own }); n >= 0 {
				return n
			}
			owner := f.owners[own]
			if owner < 0 {
				return -1
			}
			// Backward, the calls hang from the owner's first appearance.
			from = find(-1, func(n int) bool { return order[n].state == owner })
		}
	case statetree.StepReturn, statetree.InvStepCall:
		own := activation(from)
		return find(from, func(n int) bool {
			return activation(n) == own && (order[n].event == statetree.Return || order[n].event == statetree.InvCall)
		})
	case statetree.Breakpoint:
		return find(from, func(n int) bool {
			e := order[n].event
			return f.states[order[n].state].Source == a.Source && (e == statetree.Line || e == statetree.Call)
		})
	}
	return -1
}

func TestFlat(t *testing.T) {
	forRandomTrees(t, 60, 60, checkFlat)
}

// checkFlat compares a tree and its inverse with the flat reading, for every action
// from every state.
func checkFlat(t *testing.T, rng *rand.Rand, tree *statetree.Tree) {
	t.Helper()
	f := newFlat(tree.Recording())
	for _, c := range []struct {
		tree  *statetree.Tree
		order []flatNode
		kinds []statetree.ActionKind
	}{
		{tree, f.forward(), statetree.ForwardActions},
		{tree.Invert(), f.inverse(), statetree.InverseActions},
	} {
		if c.tree.Len() != len(c.order) {
			t.Fatalf("%v: %d nodes, want %d", c.tree.Direction(), c.tree.Len(), len(c.order))
		}
		for n, node := range c.order {
			recorded := f.states[node.state]
			if s := c.tree.State(n); s.Event != node.event || s.Line != recorded.Line || c.tree.LevelOf(n) != recorded.Activation {
				t.Fatalf("%v: node %d is %v, want %v of %v", c.tree.Direction(), n, s, node.event, recorded)
			}
			for _, kind := range c.kinds {
				a := statetree.Action{Kind: kind}
				if kind == statetree.Breakpoint {
					a.Source = f.states[rng.IntN(len(f.states))].Source
				}
				f.check(t, c.tree, c.order, n, a)
			}
		}
	}
}

func (f *flat) check(t *testing.T, tree *statetree.Tree, order []flatNode, from int, a statetree.Action) {
	t.Helper()
	c := tree.Cursor(statetree.Whole)
	c.Seek(from)
	want := f.target(order, from, a)
	o, err := c.Go(a)
	e := order[from].event
	switch {
	case a.Kind == statetree.StepReturn && e == statetree.Return, a.Kind == statetree.InvStepCall && e == statetree.InvCall:
		if !errors.Is(err, statetree.ErrNoTarget) {
			t.Errorf("%v from %v: %v, %v; want no target", a, e, o, err)
		}
	case want >= 0:
		if err != nil || o.Ended() || c.Node() != want {
			t.Errorf("%v from node %d: node %d, %v, %v; want node %d", a, from, c.Node(), o.Exit, err, want)
		}
	case tree.Direction() == statetree.Inverse:
		if o.Exit != statetree.ExitEntry {
			t.Errorf("%v from node %d: %v, %v; want the entry", a, from, o, err)
		}
	default:
		switch exit := tree.Recording().Exit; exit {
		case statetree.NoExit:
			if !errors.Is(err, statetree.ErrCut) {
				t.Errorf("%v from node %d: %v, %v; want it cut", a, from, o, err)
			}
		case statetree.ExitNever: // TestNever says when
			if o.Exit != exit && !errors.Is(err, statetree.ErrCut) {
				t.Errorf("%v from node %d: %v, %v", a, from, o, err)
			}
		default:
			if o.Exit != exit {
				t.Errorf("%v from node %d: %v, %v; want exit %v", a, from, o, err, exit)
			}
		}
	}
}
