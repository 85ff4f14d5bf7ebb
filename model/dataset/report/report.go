// Package report describes datasets as the paper describes its own (arXiv
// 2603.09951, figure 5 and table A.1): how many tokens, actions and states the
// trajectories have, forward and backward, of functions and of repositories; what
// the data were made from, and what was left out.
//
// It reads the shards once, in constant memory. It must not know how datasets are
// made.
package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/neuraldbg/neuraldbg/model/dataset"
)

// Level is what trajectories are about.
type Level string

// The levels of section 4.2.
const (
	FunctionLevel   Level = "function"
	RepositoryLevel Level = "repository"
)

// Group is trajectories of one level and direction.
type Group struct {
	Level     Level
	Direction string
}

func (g Group) String() string { return string(g.Level) + ", " + g.Direction }

// quantities are what is measured of a trajectory.
var quantities = []string{"tokens", "actions", "states"}

// Report is the statistics of some datasets together.
type Report struct {
	sets   []set
	groups map[Group]*group
}

// set is one dataset.
type set struct {
	dir         string
	description dataset.Description
}

// group is what is counted of one Group.
type group struct {
	quantities         [3]*distribution // as in quantities
	lossTokens         int
	truncated, heldOut int
	actions            map[string]int
	programs           int
	lastProgram        string
}

// New reads datasets.
func New(dirs ...string) (*Report, error) {
	r := &Report{groups: map[Group]*group{}}
	for _, dir := range dirs {
		if err := r.add(dir); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func (r *Report) add(dir string) error {
	d, err := dataset.ReadDescription(dir)
	if err != nil {
		return err
	}
	if !d.Complete {
		return fmt.Errorf("the dataset in %s is not complete; the command that began it goes on", dir)
	}
	r.sets = append(r.sets, set{dir, d})
	for _, split := range []dataset.Split{dataset.Train, dataset.HeldOut} {
		for o, err := range dataset.Outlines(dir, split) {
			if err != nil {
				return err
			}
			r.count(&o, split)
		}
	}
	return nil
}

func (r *Report) count(o *dataset.Outline, split dataset.Split) {
	key := Group{FunctionLevel, o.Direction}
	if strings.HasPrefix(o.Source, "traces/") {
		key.Level = RepositoryLevel
	}
	g := r.groups[key]
	if g == nil {
		g = &group{actions: map[string]int{}}
		for i := range g.quantities {
			g.quantities[i] = newDistribution()
		}
		r.groups[key] = g
	}
	for i, value := range []int{o.Tokens, len(o.Actions), o.Events} {
		g.quantities[i].add(value)
	}
	g.lossTokens += o.LossTokens
	if o.Truncated {
		g.truncated++
	}
	if split == dataset.HeldOut {
		g.heldOut++
	}
	for _, a := range o.Actions {
		g.actions[a]++
	}
	// The trajectories of a program lie together.
	if o.Source != g.lastProgram {
		g.lastProgram = o.Source
		g.programs++
	}
}

// keys are the groups in order.
func (r *Report) keys() []Group {
	return slices.SortedFunc(maps.Keys(r.groups), func(a, b Group) int {
		return cmp.Or(cmp.Compare(a.Level, b.Level), cmp.Compare(a.Direction, b.Direction))
	})
}
