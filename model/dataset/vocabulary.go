package dataset

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/neuraldbg/neuraldbg/model/tokenizer"
	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/corpus"
	"github.com/neuraldbg/neuraldbg/statetree/grammar"
)

// TrainTokenizer learns a vocabulary of size ids, the grammar's special tokens
// among them, from the trajectories of cases as p samples them. Held-out
// programs are left out.
func TrainTokenizer(ctx context.Context, cases iter.Seq[corpus.Case], p Params, size int) (*tokenizer.Tokenizer, error) {
	var texts []string
	var writer grammar.Writer
	var segments []grammar.Segment
	for sampled, err := range Trajectories(ctx, cases, p, Train) {
		if err != nil {
			return nil, fmt.Errorf("train a tokenizer: %w", err)
		}
		for i := range sampled.Trajectories {
			segments = writer.AppendTrajectory(segments[:0], &sampled.Trajectories[i])
			for _, s := range segments {
				if s.Special == grammar.NoSpecial {
					texts = append(texts, s.Text)
				}
			}
		}
	}
	var specials []string
	for _, s := range grammar.Specials() {
		specials = append(specials, s.String())
	}
	return tokenizer.Train(slices.Values(texts), size, specials)
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
		for r, err := range corpus.Record(ctx, wanted, p.recording()) {
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
			list, _, err := p.sample(subject, r.Case.Index)
			if err != nil {
				continue
			}
			if !yield(Sampled{r.Case, list}, nil) {
				return
			}
		}
	}
}
