package eval

import (
	"cmp"
	"context"
	"fmt"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// HorizonOptions say how far is jumped.
type HorizonOptions struct {
	// Functions is how many to ask about; default 100.
	Functions int
	// Points is in how many places of a function, spread evenly from its call to
	// its end, a jump begins; default 5.
	Points int
	// Samples is how many predictions are made of each; default 50.
	Samples int
	// Sampling has the temperature and the nucleus; its seed is that of the first
	// sample.
	Sampling model.Sampling
}

// minHorizonStates is the least number of states from a function's call to its
// return: with fewer there is nothing to spread.
const minHorizonStates = 5

// HorizonQuestions asks for the return of functions by step_return, after more or
// fewer of their steps were shown (figure 8).
func HorizonQuestions(ctx context.Context, set *Set, o HorizonOptions) Questions {
	o.Functions, o.Points, o.Samples = cmp.Or(o.Functions, 100), cmp.Or(o.Points, 5), cmp.Or(o.Samples, 50)
	return func(yield func(Question, error) bool) {
		functions := 0
		for p, err := range set.programs(ctx) {
			if err != nil {
				yield(Question{}, err)
				return
			}
			starts := p.horizonStarts(o.Points)
			if len(starts) == 0 {
				continue
			}
			for _, s := range starts {
				t, ok := p.toState(s.node, statetree.Action{Kind: statetree.StepReturn})
				if !ok {
					continue
				}
				k := Key{Measure: Horizon, Data: set.Name, ID: fmt.Sprintf("%s/%d", p.name, s.node)}
				q, err := p.question(k, &t, len(t.Steps)-1)
				if err != nil {
					yield(q, err)
					return
				}
				q.Skipped = s.skipped
				for i := range o.Samples {
					asked := q
					asked.Sample = i + 1
					asked.Context.Sampling = o.Sampling
					asked.Context.Sampling.Seed += uint64(i)
					if !yield(asked, nil) {
						return
					}
				}
			}
			if functions++; functions == o.Functions {
				return
			}
		}
	}
}

// horizonStart is a node of a function from which to jump, and the share of the
// states from its call to its return that the jump skips.
type horizonStart struct {
	node    int
	skipped float64
}

// horizonStarts returns the own states of the entry's function that are nearest
// to points spread evenly, each once.
func (p *program) horizonStarts(points int) []horizonStart {
	tree := p.subject.Tree
	if p.subject.Function.Program.Code == "" || !tree.Closed(p.subject.Level) {
		return nil
	}
	level := tree.Level(p.subject.Level)
	states := level.Last - level.First
	if states < minHorizonStates || tree.Event(level.Last) != statetree.Return {
		return nil
	}
	skipped := func(node int) float64 { return float64(level.Last-node) / float64(states) }
	var starts []horizonStart
	for i := range points {
		want := float64(points-i) / float64(points)
		best := horizonStart{level.First, 1}
		for n := level.First; n != level.Last; n = tree.Next(n) {
			if s := skipped(n); abs(s-want) < abs(best.skipped-want) {
				best = horizonStart{n, s}
			}
		}
		if len(starts) == 0 || starts[len(starts)-1].node != best.node {
			starts = append(starts, best)
		}
	}
	return starts
}

func abs(x float64) float64 { return max(x, -x) }
