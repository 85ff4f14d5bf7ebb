package statetree_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/statetreetest"
)

// follow carries an action out from where the cursor stands: by single steps, or
// where whole calls are passed, over those.
func follow(c *statetree.Cursor, a statetree.Action, passing bool) (statetree.Outcome, error) {
	p := statetree.NewPlan(a)
	into, leave := statetree.StepInto, statetree.StepReturn
	if a.Kind.Direction() == statetree.Inverse {
		into, leave = statetree.InvStepInto, statetree.InvStepCall
	}
	for {
		step := into
		if s := c.State(); passing && p.Passes(&s) {
			step = leave
		}
		o, err := c.Go(statetree.Action{Kind: step})
		if err != nil || o.Ended() || p.Arrive(&o.State) {
			return o, err
		}
	}
}

// TestPlanIsCursor: from every node of random trees, a plan finds what the cursor
// goes to.
func TestPlanIsCursor(t *testing.T) {
	compared := map[statetree.ActionKind]int{}
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 1))
		forward, err := statetree.NewTree(statetreetest.Random(rng, 60))
		if err != nil {
			t.Fatal(err)
		}
		trees := []*statetree.Tree{forward}
		if forward.Recording().Exit == statetree.ExitNormal || forward.Recording().Exit == statetree.ExitError {
			// Backward from a cut, activations begin without the state that says so.
			trees = append(trees, forward.Invert())
		}
		for _, tree := range trees {
			actions := statetree.ForwardActions
			if tree.Direction() == statetree.Inverse {
				actions = statetree.InverseActions
			}
			for node := range tree.Len() {
				for _, kind := range actions {
					a := statetree.Action{Kind: kind}
					if kind == statetree.Breakpoint {
						a.Source = tree.State(rng.IntN(tree.Len())).Source
					}
					want := tree.Cursor(statetree.Whole)
					want.Seek(node)
					if !want.Offers(kind) {
						continue
					}
					outcome, err := want.Go(a)
					if errors.Is(err, statetree.ErrCut) || outcome.Exit == statetree.ExitNever {
						continue // single steps do not come to the end of such a run
					}
					for _, passing := range []bool{false, true} {
						got := tree.Cursor(statetree.Whole)
						got.Seek(node)
						o, err := follow(&got, a, passing)
						if err != nil || o.Exit != outcome.Exit || got.Node() != want.Node() && !o.Ended() {
							t.Fatalf("seed %d, %v, %s from node %d (passing %t): node %d, exit %v, %v; want node %d, exit %v",
								seed, tree.Direction(), a, node, passing, got.Node(), o.Exit, err, want.Node(), outcome.Exit)
						}
						compared[kind]++
					}
				}
			}
		}
	}
	for _, kind := range append(statetree.ForwardActions, statetree.InverseActions...) {
		if compared[kind] < 1000 {
			t.Errorf("%s was compared %d times", kind, compared[kind])
		}
	}
}
