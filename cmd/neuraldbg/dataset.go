package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/neuraldbg/neuraldbg/model/dataset"
	"github.com/neuraldbg/neuraldbg/model/tokenizer"
	"github.com/neuraldbg/neuraldbg/statetree/corpus"
)

// datasetOptions are the flags of `neuraldbg dataset`.
type datasetOptions struct {
	params     dataset.Params
	programs   int
	corpusSeed uint64
	tokenizer  string
	vocabulary int
	workers    int
}

// tokenizerPrograms is how many programs a new tokenizer is trained on.
const tokenizerPrograms = 3000

func newDatasetCommand(a *app) *cobra.Command {
	o := datasetOptions{params: dataset.DefaultParams()}
	cmd := &cobra.Command{
		Use:   "dataset DIR",
		Short: "Generate programs, run them, and make a data set to train on",
		Long: `Generate random Python programs, record them under CPython, sample debugger
trajectories from the recordings, and write them as token shards (Parquet) to
DIR, with the tokenizer. A run that was stopped goes on where it was when it is
started again with the same flags.`,
		Example: `  neuraldbg dataset data/nano --programs 200000
  neuraldbg dataset data/more --programs 500000 --tokenizer data/nano/tokenizer.json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("dataset needs one folder to write to; see %s --help", cmd.CommandPath())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.dataset(cmd.Context(), args[0], o) },
	}
	flags := cmd.Flags()
	flags.IntVar(&o.programs, "programs", 200_000, "how many programs to generate")
	flags.Uint64Var(&o.corpusSeed, "corpus-seed", 1, "seed of the program generator")
	flags.Uint64Var(&o.params.Seed, "seed", o.params.Seed, "seed of the sampling of trajectories")
	flags.IntVar(&o.params.Trajectories, "trajectories", o.params.Trajectories, "trajectories sampled from each program")
	flags.Float64Var(&o.params.Forward, "forward", o.params.Forward, "share of the trajectories that goes forward")
	flags.IntVar(&o.params.MaxTokens, "max-tokens", o.params.MaxTokens, "longest trajectory in tokens")
	flags.Float64Var(&o.params.HeldOut, "held-out", o.params.HeldOut, "share of the programs kept out of training")
	flags.StringVar(&o.tokenizer, "tokenizer", "", "a tokenizer.json `FILE` to use (default: train one on the programs)")
	flags.IntVar(&o.vocabulary, "vocabulary", 768, "entries of a tokenizer trained here")
	flags.IntVar(&o.workers, "workers", 0, "programs recorded at the same time (default: one a processor)")
	return cmd
}

// check refuses numbers that mean nothing, before hours are spent on them.
func (o *datasetOptions) check() error {
	for _, f := range []struct {
		flag        string
		value, from int
	}{
		{"--programs", o.programs, 1},
		{"--trajectories", o.params.Trajectories, 1},
		{"--max-tokens", o.params.MaxTokens, 1},
		{"--workers", o.workers, 0},
	} {
		if f.value < f.from {
			return usagef("%s must be at least %d, got %d", f.flag, f.from, f.value)
		}
	}
	for flag, share := range map[string]float64{"--forward": o.params.Forward, "--held-out": o.params.HeldOut} {
		if !(share >= 0 && share <= 1) {
			return usagef("%s must be between 0 and 1, got %g", flag, share)
		}
	}
	return nil
}

func (a *app) dataset(ctx context.Context, dir string, o datasetOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	o.params.Corpus = fmt.Sprintf("generated/%d", o.corpusSeed)
	tok, err := a.datasetTokenizer(ctx, dir, o)
	if err != nil {
		return err
	}
	begun := time.Now()
	description, err := dataset.Build(ctx, dir, generated(o.corpusSeed, o.programs), tok, o.params, dataset.BuildOptions{
		Workers: o.workers,
		Progress: func(shards int, total dataset.Stats) {
			fmt.Fprintf(a.stderr, "%d of %s, %.1f M tokens, %v\n",
				total.Cases, count(o.programs, "program"), float64(tokens(total))/1e6, time.Since(begun).Round(time.Second))
		},
	})
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("stopped; the same command goes on from here")
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(a.stdout, "%s: %s, %.1f M tokens in %s\n", dir,
		count(description.Stats.Train.Programs+description.Stats.HeldOut.Programs, "program"),
		float64(tokens(*description.Stats))/1e6, count(description.Shards, "shard"))
	return nil
}

// datasetTokenizer returns the tokenizer that the flags name, or the one that a
// stopped run left in the folder, or trains one.
func (a *app) datasetTokenizer(ctx context.Context, dir string, o datasetOptions) (*tokenizer.Tokenizer, error) {
	path := o.tokenizer
	if path == "" {
		path = filepath.Join(dir, tokenizer.File)
		if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
			fmt.Fprintf(a.stderr, "training a tokenizer of %d entries\n", o.vocabulary)
			n := min(o.programs, tokenizerPrograms)
			return dataset.TrainTokenizer(ctx, generated(o.corpusSeed, n), o.params, o.vocabulary)
		}
	}
	return tokenizer.Load(path)
}

// generated yields the first n programs of a seed.
func generated(seed uint64, n int) iter.Seq[corpus.Case] {
	return func(yield func(corpus.Case) bool) {
		generator := corpus.NewGenerator(seed, corpus.DefaultStyle())
		for i := range uint64(n) {
			if !yield(generator.Case(i)) {
				return
			}
		}
	}
}

// tokens counts all tokens of a data set.
func tokens(s dataset.Stats) int {
	total := 0
	for _, split := range []dataset.SplitStats{s.Train, s.HeldOut} {
		for _, n := range split.Tokens {
			total += n
		}
	}
	return total
}
