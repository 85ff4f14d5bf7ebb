package stepwise_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/model/replay"
	"github.com/neuraldbg/neuraldbg/model/stepwise"
	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/record"
)

// counted is a predictor that counts what its sessions are asked for, and holds
// them to a script.
type counted struct {
	model.Predictor
	asked map[statetree.ActionKind]int
	held  int // steps in the history of the session that was opened last
	// parameters is how many weights it says that it has.
	parameters int64
	// script, if set, changes or refuses the n-th prediction, from 1.
	script func(n int, a statetree.Action, p *model.Prediction) error
}

func (c *counted) Info() model.Info { return model.Info{Parameters: c.parameters} }

// steps is how many single steps were asked for.
func (c *counted) steps() int { return c.asked[statetree.StepInto] + c.asked[statetree.StepOver] }

type countedSession struct {
	model.Session
	of        *counted
	predicted int
}

func (c *counted) Open(ctx context.Context, mc model.Context) (model.Session, model.Prediction, error) {
	s, first, err := c.Predictor.Open(ctx, mc)
	c.held, c.asked = len(mc.History), map[statetree.ActionKind]int{}
	return &countedSession{Session: s, of: c}, first, err
}

func (s *countedSession) Predict(ctx context.Context, a statetree.Action) (model.Prediction, error) {
	p, err := s.Session.Predict(ctx, a)
	if err != nil {
		return p, err
	}
	s.of.asked[a.Kind]++
	s.predicted++
	if s.of.script != nil {
		if err := s.of.script(s.predicted, a, &p); err != nil {
			return model.Prediction{}, errors.Join(err, s.Session.Rewind(1))
		}
	}
	s.of.held++
	return p, nil
}

func (s *countedSession) Adopt(known model.Step) error {
	err := s.Session.Adopt(known)
	if err == nil {
		s.of.held++
	}
	return err
}

func (s *countedSession) Rewind(n int) error {
	err := s.Session.Rewind(n)
	if err == nil {
		s.of.held -= n
	}
	return err
}

var recordOnce = sync.OnceValues(func() (statetree.Recording, error) {
	return record.Record(context.Background(), record.Options{File: "testdata/ledger.py", Entry: "main()"})
})

func recorded(t *testing.T) statetree.Recording {
	t.Helper()
	r, err := recordOnce()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// opened begins a stepwise session over a replay, after some steps into.
func opened(t *testing.T, r statetree.Recording, o stepwise.Options, steps int) (*counted, model.Session) {
	t.Helper()
	replayed, err := replay.New(r)
	if err != nil {
		t.Fatal(err)
	}
	inner := &counted{Predictor: replayed}
	c := model.Context{Program: r.Program, Start: r.States[0].State}
	for _, s := range r.States[1 : steps+1] {
		c.History = append(c.History, model.Step{Action: into, Outcome: statetree.Outcome{State: s.State}})
	}
	p := stepwise.NewPredictor(inner, o)
	s, _, err := p.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = s.Close(), p.Close() })
	return inner, s
}

var (
	into   = statetree.Action{Kind: statetree.StepInto}
	over   = statetree.Action{Kind: statetree.StepOver}
	leave  = statetree.Action{Kind: statetree.StepReturn}
	toExit = statetree.Action{Kind: statetree.Continue}
)

// TestReachesWhatTheTreeHas: over a predictor that is always right, a walk comes
// to where the recorded tree has the target: from every state, by every action,
// to every line.
func TestReachesWhatTheTreeHas(t *testing.T) {
	r := recorded(t)
	tree, err := statetree.NewTree(r)
	if err != nil {
		t.Fatal(err)
	}
	var actions []statetree.Action
	seen := map[string]bool{}
	for _, kind := range []statetree.ActionKind{statetree.StepInto, statetree.StepOver, statetree.StepReturn, statetree.Continue} {
		actions = append(actions, statetree.Action{Kind: kind})
	}
	for _, s := range r.States {
		if !seen[s.Source] {
			seen[s.Source] = true
			actions = append(actions, statetree.Action{Kind: statetree.Breakpoint, Source: s.Source})
		}
	}
	for _, jumps := range []stepwise.Jumps{stepwise.Steps, stepwise.Surer} {
		for node := range tree.Len() {
			inner, s := opened(t, r, stepwise.Options{Jumps: jumps}, node)
			inner.script = doubtful
			for _, a := range actions {
				want := tree.Cursor(statetree.Whole)
				want.Seek(node)
				outcome, wantErr := want.Go(a)
				p, err := s.Predict(t.Context(), a)
				if !errors.Is(err, wantErr) || p.Exit != outcome.Exit || !p.State.Matches(outcome.State) || p.State.Line != outcome.State.Line {
					t.Fatalf("%s, from node %d, %s: %+v, %v; want %+v, %v", jumps, node, a, p.Outcome, err, outcome, wantErr)
				}
				if err != nil {
					continue
				}
				if err := s.Rewind(1); err != nil || inner.held != node {
					t.Fatalf("after rewinding, %d steps are held, not %d: %v", inner.held, node, err)
				}
			}
			for _, kind := range []statetree.ActionKind{statetree.StepReturn, statetree.Breakpoint} {
				if jumps == stepwise.Steps && inner.asked[kind] > 0 {
					t.Errorf("%d jumps by %s were asked for", inner.asked[kind], kind)
				}
			}
		}
	}
}

// doubtful makes jumps less certain than the steps of a walk.
func doubtful(_ int, a statetree.Action, p *model.Prediction) error {
	if a.Kind == statetree.StepReturn || a.Kind == statetree.Breakpoint {
		p.Confidence.State = 0.5
	}
	return nil
}
