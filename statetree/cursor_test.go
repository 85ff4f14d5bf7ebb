package statetree_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/neuraldbg/neuraldbg/statetree"
)

// plainTree is a second reading of the rules: linked levels of linked nodes, and
// transitions that follow their definitions word for word.
type plainTree struct{ order []*plainNode }

type plainLevel struct {
	activation int
	owner      *plainNode
	own        []*plainNode
}

type plainNode struct {
	event  statetree.Event
	source string
	level  *plainLevel
	calls  []*plainLevel
	index  int // in order
}

func plainForward(r statetree.Recording) *plainTree {
	var t plainTree
	var stack []*plainLevel
	for _, s := range r.States {
		if s.Event == statetree.Call {
			l := &plainLevel{activation: s.Activation}
			if len(stack) > 0 {
				own := stack[len(stack)-1].own
				l.owner = own[len(own)-1]
				l.owner.calls = append(l.owner.calls, l)
			}
			stack = append(stack, l)
		}
		l := stack[len(stack)-1]
		n := &plainNode{event: s.Event, source: s.Source, level: l, index: len(t.order)}
		l.own = append(l.own, n)
		t.order = append(t.order, n)
		if s.Event == statetree.Return {
			stack = stack[:len(stack)-1]
		}
	}
	return &t
}

// inverse reverses a forward tree level by level.
func (t *plainTree) inverse() *plainTree {
	var inv plainTree
	var reverse func(l *plainLevel, owner *plainNode) *plainLevel
	reverse = func(l *plainLevel, owner *plainNode) *plainLevel {
		r := &plainLevel{activation: l.activation, owner: owner}
		add := func(e statetree.Event, source string) *plainNode {
			n := &plainNode{event: e, source: source, level: r, index: len(inv.order)}
			inv.order = append(inv.order, n)
			r.own = append(r.own, n)
			return n
		}
		for i := len(l.own) - 1; i >= 0; i-- {
			n := l.own[i]
			if len(n.calls) > 0 {
				lineCall := add(statetree.InvLineCall, n.source)
				for j := len(n.calls) - 1; j >= 0; j-- {
					lineCall.calls = append(lineCall.calls, reverse(n.calls[j], lineCall))
				}
			}
			add(n.event.Inverse(), n.source)
		}
		return r
	}
	reverse(t.order[0].level, nil)
	return &inv
}

// within reports whether a node lies in the scope of an activation.
func (n *plainNode) within(scope int) bool {
	for l := n.level; ; l = l.owner.level {
		if scope == statetree.Whole || l.activation == scope {
			return true
		}
		if l.owner == nil {
			return false
		}
	}
}

// target returns where an action leads within a scope, or nil for its end.
func (t *plainTree) target(n *plainNode, a statetree.Action, scope int) *plainNode {
	switch a.Kind {
	case statetree.StepInto, statetree.InvStepInto:
		if n.index+1 < len(t.order) && t.order[n.index+1].within(scope) {
			return t.order[n.index+1]
		}
	case statetree.StepOver, statetree.InvStepOver:
		for {
			if i := slices.Index(n.level.own, n); i+1 < len(n.level.own) {
				return n.level.own[i+1]
			}
			if n.level.owner == nil || n.level.activation == scope {
				return nil
			}
			n = n.level.owner
		}
	case statetree.StepReturn, statetree.InvStepCall:
		for _, own := range n.level.own {
			if own.event == statetree.Return || own.event == statetree.InvCall {
				return own
			}
		}
	case statetree.Breakpoint:
		for _, later := range t.order[n.index+1:] {
			if later.within(scope) && later.source == a.Source &&
				(later.event == statetree.Line || later.event == statetree.Call) {
				return later
			}
		}
	}
	return nil
}

func TestTargets(t *testing.T) {
	forRandomTrees(t, 100, 60, func(t *testing.T, rng *rand.Rand, tree *statetree.Tree) {
		plain := plainForward(tree.Recording())
		checkTargets(t, rng, tree, plain)
		checkTargets(t, rng, tree.Invert(), plain.inverse())
	})
}

func checkTargets(t *testing.T, rng *rand.Rand, tree *statetree.Tree, plain *plainTree) {
	t.Helper()
	if tree.Len() != len(plain.order) {
		t.Fatalf("%v: %d nodes, want %d", tree.Direction(), tree.Len(), len(plain.order))
	}
	for i, n := range plain.order {
		if s := tree.State(i); s.Event != n.event || s.Source != n.source || tree.LevelOf(i) != n.level.activation {
			t.Fatalf("%v: node %d is %v of level %d, want %v %q of %d", tree.Direction(), i, s, tree.LevelOf(i), n.event, n.source, n.level.activation)
		}
	}
	kinds := statetree.ForwardActions
	if tree.Direction() == statetree.Inverse {
		kinds = statetree.InverseActions
	}
	for scope := statetree.Whole; scope < tree.Levels(); scope++ {
		c := tree.Cursor(scope)
		open := !tree.Closed(max(scope, 0))
		for i, n := range plain.order {
			if !n.within(scope) {
				continue
			}
			for _, k := range kinds {
				a := statetree.Action{Kind: k}
				if k == statetree.Breakpoint {
					a.Source = plain.order[rng.IntN(len(plain.order))].source
				}
				c.Seek(i)
				checkGo(t, c, a, plain.target(n, a, scope), open)
			}
		}
	}
}

// checkGo checks one action from where c stands, whose target should be want, or
// the end of the scope. Open says that the scope did not return.
func checkGo(t *testing.T, c statetree.Cursor, a statetree.Action, want *plainNode, open bool) {
	t.Helper()
	before := c
	from := c.State().Event
	o, err := c.Go(a)
	events, exits := statetree.Possible(from, a.Kind)
	switch {
	case a.Kind == statetree.StepReturn && from == statetree.Return || a.Kind == statetree.InvStepCall && from == statetree.InvCall:
		if !errors.Is(err, statetree.ErrNoTarget) || c != before || c.Offers(a.Kind) || events != nil || exits != nil {
			t.Errorf("%v from %v: %v, %v; want no target", a, from, o, err)
		}
	case want != nil:
		if err != nil || o.Ended() || c.Node() != want.index || o.State.Event != want.event || o.State.Source != want.source {
			t.Errorf("%v from node %d: %v, %v, node %d; want node %d", a, before.Node(), o, err, c.Node(), want.index)
		}
		// Backward, what a recording's cut has left open begins anyhow.
		ruled := c.Tree().Direction() == statetree.Forward || !open
		if !before.Offers(a.Kind) || ruled && !slices.Contains(events, want.event) {
			t.Errorf("%v from %v leads to %v; offered %v, possible %v", a, from, want.event, before.Offers(a.Kind), events)
		}
	case err != nil:
		if !errors.Is(err, statetree.ErrCut) || c != before {
			t.Errorf("%v: error %v, cursor %v, want it cut at %v", a, err, c, before)
		}
		if exit := c.Tree().Recording().Exit; exit == statetree.ExitNormal || exit == statetree.ExitError || c.Tree().Direction() == statetree.Inverse {
			t.Errorf("%v: cut, but the recording is whole", a)
		}
	default:
		if !o.Ended() || c.Exit() != o.Exit || c.Offers(a.Kind) {
			t.Errorf("%v: %v, cursor exit %v", a, o, c.Exit())
		}
		if _, err := c.Go(a); !errors.Is(err, statetree.ErrNoTarget) {
			t.Errorf("%v after the exit: %v", a, err)
		}
		if !slices.Contains(exits, o.Exit) {
			t.Errorf("%v from %v exits %v; possible %v", a, from, o.Exit, exits)
		}
	}
}

func TestOtherDirection(t *testing.T) {
	forRandomTrees(t, 1, 20, func(t *testing.T, _ *rand.Rand, tree *statetree.Tree) {
		for _, c := range []statetree.Cursor{tree.Cursor(statetree.Whole), tree.Invert().Cursor(statetree.Whole)} {
			for _, k := range append(slices.Concat(statetree.ForwardActions, statetree.InverseActions), statetree.NoAction) {
				if want := k != statetree.NoAction && k.Direction() == c.Tree().Direction(); want == c.Offers(k) {
					continue
				} else if c.State().Event == statetree.InvCall && k == statetree.InvStepCall {
					continue
				}
				t.Errorf("%v tree offers %v: %v", c.Tree().Direction(), k, c.Offers(k))
			}
		}
	})
}

// trace builds a recording from lines like "1 exception ValueError()": the
// activation, the event and ARGS or, for calls and lines, the source.
type trace []struct {
	activation int
	event      statetree.Event
	text       string
}

func (tr trace) tree(t *testing.T, exit statetree.Exit) *statetree.Tree {
	t.Helper()
	r := statetree.Recording{Exit: exit}
	for _, line := range tr {
		s := statetree.State{Event: line.event, Source: line.text}
		if line.event.HasArg() {
			s.Source, s.Arg = "", line.text
		}
		if line.activation == 0 {
			s.File = statetree.DriverFile
		}
		r.States = append(r.States, statetree.Recorded{State: s, Activation: line.activation})
	}
	tree, err := statetree.NewTree(r)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func TestExitOfScope(t *testing.T) {
	const (
		call, line, ret, exc       = statetree.Call, statetree.Line, statetree.Return, statetree.Exception
		normal, failed, cut, never = statetree.ExitNormal, statetree.ExitError, statetree.NoExit, statetree.ExitNever
	)
	for _, test := range []struct {
		name      string
		states    trace
		recording statetree.Exit
		scope     int
		want      statetree.Exit
	}{
		{"returned", trace{{0, call, ""}, {0, line, "f()"}, {1, call, ""}, {1, ret, "1"}, {0, ret, "1"}}, normal, 1, normal},
		{"whole takes the recording's", trace{{0, call, ""}, {0, ret, "None"}}, failed, statetree.Whole, failed},
		{"raised", trace{{0, call, ""}, {0, line, "f()"}, {1, call, ""}, {1, exc, "E()"}, {1, ret, "None"}, {0, exc, "E()"}, {0, ret, "None"}}, failed, 1, failed},
		{"raised, caught in the caller", trace{{0, call, ""}, {0, line, "f()"}, {1, call, ""}, {1, exc, "E()"}, {1, ret, "None"}, {0, exc, "E()"}, {0, line, "except"}, {0, ret, "1"}}, normal, 1, failed},
		{"caught, then None returned", trace{{0, call, ""}, {0, line, "f()"}, {1, call, ""}, {1, exc, "E()"}, {1, line, "except"}, {1, ret, "None"}, {0, ret, "1"}}, normal, 1, normal},
		{"finally before leaving", trace{{0, call, ""}, {0, line, "f()"}, {1, call, ""}, {1, exc, "E()"}, {1, line, "finally"}, {1, ret, "None"}, {0, exc, "E()"}, {0, ret, "None"}}, failed, 1, failed},
		{"finally before leaving a root", trace{{0, call, ""}, {0, exc, "E()"}, {0, line, "finally"}, {0, ret, "None"}}, failed, 0, failed},
		{"caught, and the caller fails otherwise", trace{{0, call, ""}, {0, line, "f()/0"}, {1, call, ""}, {1, exc, "E()"}, {1, line, "except"}, {1, ret, "None"}, {0, exc, "Z()"}, {0, ret, "None"}}, failed, 1, normal},
		{"returned, and the caller fails", trace{{0, call, ""}, {0, line, "f()/0"}, {1, call, ""}, {1, ret, "1"}, {0, exc, "Z()"}, {0, ret, "None"}}, failed, 1, normal},
		{"swallowed by C code", trace{{0, call, ""}, {0, line, "hasattr(x, 'y')"}, {1, call, ""}, {1, exc, "AttributeError()"}, {1, ret, "None"}, {0, ret, "1"}}, normal, 1, failed},
		{"loop ends right before the end", trace{{0, call, ""}, {0, line, "f()"}, {1, call, ""}, {1, exc, "StopIteration()"}, {1, ret, "None"}, {0, ret, "1"}}, normal, 1, normal},
		{"StopIteration goes on", trace{{0, call, ""}, {0, line, "next(x)"}, {1, call, ""}, {1, exc, "StopIteration()"}, {1, ret, "None"}, {0, exc, "StopIteration()"}, {0, ret, "None"}}, failed, 1, failed},
		{"value after an exception", trace{{0, call, ""}, {0, exc, "E()"}, {0, ret, "1"}}, normal, 0, normal},
		{"closed scope in a cut recording", trace{{0, call, ""}, {0, line, "f()"}, {1, call, ""}, {1, ret, "1"}}, cut, 1, normal},
		{"open scope", trace{{0, call, ""}, {0, line, "f()"}, {1, call, ""}}, cut, 1, cut},
		{"cut whole", trace{{0, call, ""}, {0, line, "f()"}}, cut, statetree.Whole, cut},
		{"never whole", trace{{0, call, ""}, {0, line, "f()"}}, never, statetree.Whole, never},
		{"the driver's call never ends", trace{{0, call, ""}, {0, line, "f()"}, {1, call, ""}, {1, line, "loop"}}, never, 1, never},
		{"a deeper call may end", trace{{0, call, ""}, {0, line, "f()"}, {1, call, ""}, {1, line, "g()"}, {2, call, ""}}, never, 2, cut},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := test.states.tree(t, test.recording).Cursor(test.scope)
			o, err := c.Go(statetree.Action{Kind: statetree.Continue})
			if test.want == statetree.NoExit {
				if !errors.Is(err, statetree.ErrCut) {
					t.Errorf("%v, %v; want it cut", o, err)
				}
			} else if err != nil || o.Exit != test.want {
				t.Errorf("%v, %v; want exit %v", o.Exit, err, test.want)
			}
		})
	}
}

func TestNever(t *testing.T) {
	tree := trace{
		{0, statetree.Call, "def main():"}, {0, statetree.Line, "return f()"},
		{1, statetree.Call, "def f():"}, {1, statetree.Line, "once"},
		{1, statetree.Line, "while True:"}, {1, statetree.Line, "g()"}, {2, statetree.Call, "def g():"}, {2, statetree.Return, "1"},
		{1, statetree.Line, "while True:"}, {1, statetree.Line, "g()"}, {2 + 1, statetree.Call, "def g():"}, {3, statetree.Line, "return 1"},
	}.tree(t, statetree.ExitNever)
	for _, test := range []struct {
		node   int
		action statetree.Action
		want   statetree.Exit // NoExit: cut
	}{
		{1, statetree.Action{Kind: statetree.StepOver}, statetree.ExitNever}, // over the call that never ends
		{3, statetree.Action{Kind: statetree.StepReturn}, statetree.ExitNever},
		{1, statetree.Action{Kind: statetree.StepReturn}, statetree.ExitNever},
		{11, statetree.Action{Kind: statetree.StepReturn}, statetree.NoExit}, // g may return
		{11, statetree.Action{Kind: statetree.StepOver}, statetree.NoExit},
		{11, statetree.Action{Kind: statetree.StepInto}, statetree.NoExit},
		{9, statetree.Action{Kind: statetree.StepOver}, statetree.NoExit},
		{5, statetree.Action{Kind: statetree.Continue}, statetree.ExitNever},
		{4, statetree.Action{Kind: statetree.Breakpoint, Source: "once"}, statetree.ExitNever},
		{4, statetree.Action{Kind: statetree.Breakpoint, Source: "not there"}, statetree.ExitNever},
		{9, statetree.Action{Kind: statetree.Breakpoint, Source: "while True:"}, statetree.NoExit}, // comes again, unrecorded
	} {
		c := tree.Cursor(statetree.Whole)
		c.Seek(test.node)
		o, err := c.Go(test.action)
		if test.want == statetree.NoExit && !errors.Is(err, statetree.ErrCut) || test.want != statetree.NoExit && o.Exit != test.want {
			t.Errorf("%v from node %d: %v, %v; want exit %v", test.action, test.node, o, err, test.want)
		}
	}
}
