package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/neuraldbg/neuraldbg/model/dataset"
	"github.com/neuraldbg/neuraldbg/model/tokenizer"
	"github.com/neuraldbg/neuraldbg/model/torch"
	"github.com/neuraldbg/neuraldbg/model/train"
	"github.com/neuraldbg/neuraldbg/statetree/grammar"
)

// trainFlags are the flags of train that are no fields of a train.Config.
type trainFlags struct {
	data        string
	batchTokens int
	ffn         int
	tied        bool
	precision   string
}

// precisionAuto is the --precision that measures.
const precisionAuto = "auto"

func newTrainCommand() *cobra.Command {
	flags := trainFlags{batchTokens: 8192, tied: true, precision: precisionAuto}
	config := train.DefaultConfig()
	config.Model = torch.Config{
		ModelType: "llama", NumHiddenLayers: 6, HiddenSize: 192, NumAttentionHeads: 6,
		RMSNormEps: 1e-5, RopeTheta: 10000, HiddenAct: "silu",
	}
	config.Seed = 1
	cmd := &cobra.Command{
		Use:   "train",
		Short: "Train a model on a dataset, or go on with a run that was stopped",
		Long: `Train a model on a dataset made by "neuraldbg dataset". The run's folder gets
checkpoints, metrics.jsonl and learning-curve.png; a run that was stopped goes on where it was when
the same command is given again. At the end, and when it is stopped, the model
is written to the folder "model" in it, as a Hugging Face checkpoint.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if flags.data == "" || config.Dir == "" {
				return usageError{errors.New("train needs --data and --out; see neuraldbg-model train --help")}
			}
			return runTrain(cmd.Context(), config, flags)
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.data, "data", "", "the dataset's `FOLDER`")
	f.BoolVar(&config.NewData, "new-data", false, "resume with other data than the run had, from its beginning")
	f.StringVar(&config.Dir, "out", "", "the run's `FOLDER`")
	f.IntVar(&config.Model.NumHiddenLayers, "layers", config.Model.NumHiddenLayers, "transformer layers")
	f.IntVar(&config.Model.HiddenSize, "width", config.Model.HiddenSize, "hidden size")
	f.IntVar(&config.Model.NumAttentionHeads, "heads", config.Model.NumAttentionHeads, "attention heads")
	f.IntVar(&config.Model.NumKeyValueHeads, "kv-heads", 0, "key-value heads (default: as many as heads)")
	f.IntVar(&flags.ffn, "ffn", 0, "inner size of the feed-forward layers (default: 8/3 of the width, up to a multiple of 32)")
	f.IntVar(&config.Model.MaxPositionEmbeddings, "context", 0, "longest sequence in tokens (default: the dataset's)")
	f.Float64Var(&config.Model.RopeTheta, "rope-theta", config.Model.RopeTheta, "base of the rotary embedding")
	f.BoolVar(&flags.tied, "tied", flags.tied, "use the embedding as output layer, too")
	f.Float64Var(&config.LearningRate, "lr", config.LearningRate, "highest learning rate")
	f.Float64Var(&config.Warmup, "warmup", config.Warmup, "part of the run in which the learning rate rises")
	f.StringVar(&flags.precision, "precision", flags.precision, "of the large matrix products: float32, bfloat16, or auto for what is quicker here")
	f.StringVar((*string)(&config.Optimizer.Method), "optimizer", string(config.Optimizer.Method), "adamw, or muon for the layers' matrices")
	f.Float64Var(&config.Optimizer.WeightDecay, "weight-decay", config.Optimizer.WeightDecay, "weight decay of matrices")
	f.IntVar(&flags.batchTokens, "batch-tokens", flags.batchTokens, "tokens in a batch, at most")
	f.IntVar(&config.Accumulate, "accumulate", config.Accumulate, "batches in a step")
	f.Float64Var(&config.Minutes, "minutes", 0, "train for so many `MINUTES`, over all resumes")
	f.Int64Var(&config.TotalTokens, "tokens", 0, "train on so many tokens, in place of --minutes")
	f.Uint64Var(&config.Seed, "seed", config.Seed, "of the initial weights and of the order of the data")
	f.IntVar(&config.Threads, "threads", 0, "threads of LibTorch (default: its choice)")
	f.IntVar(&config.ValidateBatches, "validation", config.ValidateBatches, "held-out batches to measure the loss on; 0 for none")
	f.Float64Var(&config.ValidateSeconds, "validate-every", config.ValidateSeconds, "`SECONDS` between held-out losses")
	f.Float64Var(&config.CheckpointSeconds, "checkpoint-every", config.CheckpointSeconds, "`SECONDS` between checkpoints")
	f.Float64Var(&config.LogSeconds, "log-every", config.LogSeconds, "`SECONDS` between lines of progress")
	return cmd
}

// runTrain trains, and exports the model whatever ended the run.
func runTrain(ctx context.Context, config train.Config, flags trainFlags) (err error) {
	data, tok, err := openDataset(flags.data)
	if err != nil {
		return err
	}
	config.Model = completeModel(config.Model, flags, tok.Size(), data.Params.MaxTokens)
	config.AfterSave = func(dir string) error { return describeText(dir, tok) }
	config.Optimizer.Precision = torch.Precision(flags.precision)
	if flags.precision == precisionAuto {
		if config.Optimizer.Precision, err = torch.QuickestPrecision(); err != nil {
			return err
		}
	}
	source, err := dataset.OpenSource(flags.data, dataset.SourceOptions{
		Split: dataset.Train, Seed: config.Seed, BatchTokens: flags.batchTokens,
	})
	if err != nil {
		return err
	}
	defer source.Close()
	var validation train.Source
	if config.ValidateBatches > 0 {
		heldOut, err := dataset.OpenSource(flags.data, dataset.SourceOptions{
			Split: dataset.HeldOut, BatchTokens: flags.batchTokens,
		})
		if err != nil {
			return fmt.Errorf("%w; --validation 0 trains without held-out data", err)
		}
		defer heldOut.Close()
		validation = batches{heldOut}
	}
	if err := train.Run(ctx, config, batches{source}, validation, os.Stdout); err != nil {
		return err
	}
	if err := train.DrawCurve(config.Dir); err != nil {
		return err
	}
	out := filepath.Join(config.Dir, "model")
	if err := export(config.Dir, tok, out, "float32"); err != nil {
		return err
	}
	fmt.Printf("the model is in %s\n", out)
	return nil
}

// openDataset reads what a dataset says about itself, and refuses one that this
// program would misread.
func openDataset(dir string) (dataset.Description, *tokenizer.Tokenizer, error) {
	d, err := dataset.ReadDescription(dir)
	if err != nil {
		return d, nil, err
	}
	if now := grammar.Hash(); d.Grammar != now {
		return d, nil, fmt.Errorf("the dataset %s was made with the grammar %s, this program has %s: make it anew", dir, d.Grammar, now)
	}
	tok, err := tokenizer.Load(filepath.Join(dir, tokenizer.File))
	if err != nil {
		return d, nil, err
	}
	if tok.Hash() != d.Tokenizer {
		return d, nil, fmt.Errorf("the tokenizer in %s is not the one that the dataset was made with", dir)
	}
	return d, tok, nil
}

// completeModel fills in what follows from the dataset and from other flags.
func completeModel(m torch.Config, flags trainFlags, vocab, longest int) torch.Config {
	m.VocabSize = vocab
	m.TieWordEmbeddings = flags.tied
	m.IntermediateSize = flags.ffn
	if m.IntermediateSize == 0 {
		m.IntermediateSize = (m.HiddenSize*8/3 + 31) / 32 * 32
	}
	if m.MaxPositionEmbeddings == 0 {
		m.MaxPositionEmbeddings = longest
	}
	return m
}

// batches makes a dataset.Source the train.Source that it nearly is: training
// does not know the dataset's package.
type batches struct{ *dataset.Source }

func (b batches) Next(ctx context.Context) (train.Batch, error) {
	next, err := b.Source.Next(ctx)
	return train.Batch(next), err
}
