package eval

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"

	"github.com/neuraldbg/neuraldbg/model/eval/judge"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// AllActions are those of both directions, in the order of the paper's tables.
var AllActions = slices.Concat(statetree.ForwardActions, statetree.InverseActions)

// NextStateOptions say what is asked of a set.
type NextStateOptions struct {
	// Predictions is how many questions there are of each kind of action, each in
	// another trajectory; default 800, as in the paper.
	Predictions int
	// Actions are the kinds to ask for; default all.
	Actions []statetree.ActionKind
	// Seed chooses among the actions of a trajectory.
	Seed uint64
	// Judge, if set, checks the arguments that inv_step_call leads to by running
	// the function with them, where the history tells what it returned.
	Judge *judge.Judge
}

// NextStateQuestions asks for one outcome at a time, with the true history, until
// there are enough questions for every kind of action or the programs end.
func NextStateQuestions(ctx context.Context, set *Set, o NextStateOptions) Questions {
	o.Predictions = cmp.Or(o.Predictions, 800)
	if len(o.Actions) == 0 {
		o.Actions = AllActions
	}
	return func(yield func(Question, error) bool) {
		asked := map[statetree.ActionKind]int{}
		for t, err := range set.trajectories(ctx) {
			if err != nil {
				yield(Question{}, err)
				return
			}
			rng := rand.New(rand.NewPCG(o.Seed, t.program.Index<<8|uint64(t.number)))
			enough := true
			for _, kind := range o.Actions {
				step, ok := drawStep(rng, &t.Trajectory, kind)
				if ok && asked[kind] < o.Predictions {
					asked[kind]++
					q, err := t.question(step, o.Judge)
					if !yield(q, err) || err != nil {
						return
					}
				}
				enough = enough && asked[kind] >= o.Predictions
			}
			if enough {
				return
			}
		}
	}
}

// numbered is a trajectory of a program.
type numbered struct {
	statetree.Trajectory
	program *program
	number  int
	set     *Set
}

// trajectories samples the programs of the set: of a finite one the first
// trajectory of each, then the second of each, so that few questions are about
// many programs.
func (s *Set) trajectories(ctx context.Context) iter.Seq2[numbered, error] {
	return func(yield func(numbered, error) bool) {
		var rounds [][]numbered
		for p, err := range s.programs(ctx) {
			if err != nil {
				yield(numbered{}, err)
				return
			}
			list, _, err := s.Params.Sample(p.subject, p.Index)
			if err != nil {
				s.Left[leftNoTree]++
				continue
			}
			for i, t := range list {
				n := numbered{t, &p, i, s}
				if !s.Finite {
					if !yield(n, nil) {
						return
					}
					continue
				}
				if i == len(rounds) {
					rounds = append(rounds, nil)
				}
				rounds[i] = append(rounds[i], n)
			}
		}
		for _, round := range rounds {
			for _, n := range round {
				if !yield(n, nil) {
					return
				}
			}
		}
	}
}

// drawStep draws one of the steps of a trajectory with an action of a kind.
func drawStep(rng *rand.Rand, t *statetree.Trajectory, k statetree.ActionKind) (step int, ok bool) {
	n := 0
	for i := range t.Steps {
		if t.Steps[i].Action.Kind == k {
			if n++; rng.IntN(n) == 0 {
				step = i
			}
		}
	}
	return step, n > 0
}

func (n *numbered) question(step int, j *judge.Judge) (Question, error) {
	k := Key{Measure: NextState, Data: n.set.Name, ID: fmt.Sprintf("%s/%d/%d", n.program.name, n.number, step)}
	q, err := n.program.question(k, &n.Trajectory, step)
	if err != nil || j == nil || n.program.Source == "" {
		return q, err
	}
	if output, ok := n.returned(step); ok {
		q.check = n.program.checkInput(j, n.Steps[step].Outcome.State, output)
	}
	return q, nil
}

// returned is what the activation returned whose call a step of inv_step_call
// leads to, if its return is in the history.
func (n *numbered) returned(step int) (output string, ok bool) {
	asked := n.Steps[step]
	if asked.Action.Kind != statetree.InvStepCall {
		return "", false
	}
	if n.StartActivation == asked.Activation && n.Start.Event == statetree.InvReturn {
		return n.Start.Arg, true
	}
	for _, s := range n.Steps[:step] {
		if s.Activation == asked.Activation && s.Outcome.State.Event == statetree.InvReturn {
			return s.Outcome.State.Arg, true
		}
	}
	return "", false
}
