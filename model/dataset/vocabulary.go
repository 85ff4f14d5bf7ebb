package dataset

import (
	"context"
	"fmt"
	"iter"

	"github.com/neuraldbg/neuraldbg/model/tokenizer"
	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/corpus"
	"github.com/neuraldbg/neuraldbg/statetree/grammar"
)

// TrainTokenizer learns a vocabulary of size ids, the grammar's special tokens
// among them, from trajectories of the corpus as p samples them: those of the
// first so many executions. Held-out programs are left out.
func TrainTokenizer(ctx context.Context, c Corpus, p Params, size, executions int) (*tokenizer.Tokenizer, error) {
	var specials []string
	for _, s := range grammar.Specials() {
		specials = append(specials, s.String())
	}
	var failed error
	t, err := tokenizer.Train(func(yield func(string) bool) { failed = trajectoryTexts(ctx, c, p, executions, yield) }, size, specials)
	if failed != nil {
		return nil, fmt.Errorf("train a tokenizer: %w", failed)
	}
	return t, err
}

// trajectoryTexts yields what is text, not structure, in the trajectories of the
// first executions. The texts are not kept: those of long runs are far more than
// their distinct words.
func trajectoryTexts(ctx context.Context, c Corpus, p Params, executions int, yield func(string) bool) error {
	var writer grammar.Writer
	var segments []grammar.Segment
	for shard := 0; shard < c.Shards() && executions > 0; shard++ {
		for e, err := range c.Executions(ctx, shard) {
			if err != nil {
				return err
			}
			if executions--; executions < 0 {
				break
			}
			if e.Dropped != "" || SplitOf(e.Key, p.HeldOut) != Train {
				continue
			}
			trajectories, _, err := p.Sample(*e.Subject, e.Index)
			if err != nil {
				continue // it has no tree
			}
			for i := range trajectories {
				segments = writer.AppendTrajectory(segments[:0], &trajectories[i])
				for _, s := range segments {
					if s.Special == grammar.NoSpecial && !yield(s.Text) {
						return nil
					}
				}
			}
		}
	}
	return nil
}

// Sampled is a program with trajectories of it.
type Sampled struct {
	Case         corpus.Case
	Trajectories []statetree.Trajectory
}

// Trajectories records those of the cases that belong to a split and samples
// them, as Build does. Cases that cannot be recorded are left out; an error is
// the last thing that it yields.
func Trajectories(ctx context.Context, cases iter.Seq[corpus.Case], p Params, split Split) iter.Seq2[Sampled, error] {
	return func(yield func(Sampled, error) bool) {
		wanted := func(yield func(corpus.Case) bool) {
			for c := range cases {
				if SplitOf(Key(c.Source), p.HeldOut) == split && !yield(c) {
					return
				}
			}
		}
		for r, err := range corpus.Record(ctx, wanted, p.Recording()) {
			if err != nil {
				yield(Sampled{}, err)
				return
			}
			if r.Dropped != corpus.Kept {
				continue
			}
			subject, err := NewSubject(r.Recording, corpus.ProgramFile, r.Case.Source)
			if err != nil {
				continue
			}
			list, _, err := p.Sample(subject, r.Case.Index)
			if err != nil {
				continue
			}
			if !yield(Sampled{r.Case, list}, nil) {
				return
			}
		}
	}
}
