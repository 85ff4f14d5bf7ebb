package dataset

import (
	"context"
	"fmt"
	"iter"

	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/corpus"
)

// Corpus is what a dataset is made from, cut into shards. A shard holds the same
// for every call, whichever others were asked for: so shards can be made in any
// order, at the same time, and on different machines.
type Corpus interface {
	// Provenance says what the corpus was made from.
	Provenance() corpus.Provenance
	// Shards returns how many shards there are.
	Shards() int
	// Executions yields what is in a shard. An error ends the sequence.
	Executions(ctx context.Context, shard int) iter.Seq2[Execution, error]
}

// Execution is one program that was run, or one activation of a function in a
// recorded run of a repository.
type Execution struct {
	// Source is the Sequence.Source of its trajectories.
	Source string
	// Index is what its trajectories are sampled with, beside the seed.
	Index uint64
	// Key is the Key of its file.
	Key uint64
	// Subject is what is sampled; nil when Dropped says why there is nothing.
	Subject *statetree.Subject
	Dropped Reason
}

// Cases is a Collection as a Corpus: each case is run when its shard is made.
type Cases struct {
	// Python is as in record.Options.
	Python     string
	collection corpus.Collection
	params     Params
}

// NewCases returns the corpus of a collection. Its shards, and which recordings
// are kept, follow from p.
func NewCases(c corpus.Collection, p Params) *Cases { return &Cases{collection: c, params: p} }

// Provenance is that of the collection.
func (c *Cases) Provenance() corpus.Provenance { return c.collection.Provenance() }

// Shards returns how many shards there are.
func (c *Cases) Shards() int {
	return (c.collection.Len() + c.params.ShardPrograms - 1) / c.params.ShardPrograms
}

// Executions records the cases of a shard. Of equal programs with equal entries
// only the first of a shard is: to know those of other shards, a machine would
// have to make them too.
func (c *Cases) Executions(ctx context.Context, shard int) iter.Seq2[Execution, error] {
	return func(yield func(Execution, error) bool) {
		cases, duplicates, err := c.distinct(shard)
		if err != nil {
			yield(Execution{}, err)
			return
		}
		for range duplicates {
			if !yield(Execution{Dropped: DuplicateProgram}, nil) {
				return
			}
		}
		options := c.params.Recording()
		options.Foreign, options.Python = c.collection.Foreign(), c.Python
		name := c.collection.Provenance().Name
		for r, err := range corpus.Record(ctx, cases, options) {
			if err != nil {
				yield(Execution{}, err)
				return
			}
			if !yield(execution(name, r), nil) {
				return
			}
		}
	}
}

// distinct returns the cases of a shard without those that repeat others.
func (c *Cases) distinct(shard int) (cases iter.Seq[corpus.Case], duplicates int, err error) {
	type program struct {
		key   uint64
		entry string
	}
	seen := make(map[program]bool)
	var kept []corpus.Case
	from := shard * c.params.ShardPrograms
	for one, err := range c.collection.Range(from, min(from+c.params.ShardPrograms, c.collection.Len())) {
		if err != nil {
			return nil, 0, err
		}
		if p := (program{Key(one.Source), one.Entry}); !seen[p] {
			seen[p] = true
			kept = append(kept, one)
		} else {
			duplicates++
		}
	}
	return func(yield func(corpus.Case) bool) {
		for i := range kept {
			if !yield(kept[i]) {
				return
			}
		}
	}, duplicates, nil
}

// execution is a recorded case as an Execution.
func execution(name string, r corpus.Recorded) Execution {
	e := Execution{Source: fmt.Sprintf("%s/%d", name, r.Case.Index), Index: r.Case.Index, Key: Key(r.Case.Source)}
	if r.Dropped != corpus.Kept {
		e.Dropped = NotRecorded + Reason(r.Dropped)
		return e
	}
	path := r.Case.Path
	if path == "" {
		path = corpus.ProgramFile
	}
	subject, err := NewSubject(r.Recording, path, r.Case.Source)
	if err != nil {
		e.Dropped = NoTree
		return e
	}
	e.Subject = &subject
	return e
}
