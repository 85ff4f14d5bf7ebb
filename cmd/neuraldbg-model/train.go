package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/neuraldbg/neuraldbg/model/dataset"
	"github.com/neuraldbg/neuraldbg/model/server"
	"github.com/neuraldbg/neuraldbg/model/tokenizer"
	"github.com/neuraldbg/neuraldbg/model/torch"
	"github.com/neuraldbg/neuraldbg/model/train"
)

// trainFlags are the flags of train that are no fields of a train.Config.
type trainFlags struct {
	data        []string // FOLDER or FOLDER=WEIGHT
	dryRun      bool
	batchTokens int
	loss        string
	curriculum  int64
	ffn         int
	tied        bool
	precision   string
}

// deviceUsage explains --device.
const deviceUsage = "`DEVICE` that computes: auto, cpu, cuda:0, … (default: auto, the best there is)"

// precisionAuto is the --precision that measures.
const precisionAuto = "auto"

func newTrainCommand() *cobra.Command {
	flags := trainFlags{batchTokens: 8192, tied: true, precision: precisionAuto, loss: string(dataset.LossStates)}
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
checkpoints, metrics.jsonl and learning-curve.png; a run that was stopped goes on
where it was when the same command is given again. At the end, and when it is
stopped, the model is written to the folder "model" in it, as a Hugging Face
checkpoint.

Several datasets mix: --data generated=3 --data mine=1 takes three batches of
the first for one of the second.

--init goes on with the weights of another model, for fine-tuning; the datasets
must have been made with its tokenizer. With --schedule constant the learning rate
stays after the warm-up, and the run may be stopped at any time:

  neuraldbg train --init nano --data mine --out runs/tuned \
      --schedule constant --lr 3e-4 --tokens 2000000

A GPU wants large batches: --batch-tokens 131072, or as many as its memory holds.

--loss says what the model learns to predict. The held-out loss is that of states
always, so that runs can be compared. --curriculum 5000000 begins with the shortest
sequences and lets longer ones in until 5 M tokens were seen.

--dry-run says what a run will take.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if len(flags.data) == 0 || config.Dir == "" {
				return usageError{errors.New("train needs --data and --out; see neuraldbg-model train --help")}
			}
			if err := flags.check(cmd.Flags(), config); err != nil {
				return usageError{err}
			}
			return adviseMemory(runTrain(cmd.Context(), config, flags), "lower --batch-tokens and raise --accumulate")
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&flags.data, "data", nil, "the dataset's `FOLDER`, or FOLDER=WEIGHT; may be repeated")
	f.BoolVar(&flags.dryRun, "dry-run", false, "print parameters, tokens, memory and hours, and do not train")
	f.StringVar(&config.Init, "init", "", "begin with the weights of this `MODEL`: a bundled one's name, or a checkpoint's folder")
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
	f.StringVar((*string)(&config.Schedule), "schedule", string(config.Schedule), "of the learning rate after the warm-up: cosine, or constant for fine-tuning")
	f.Float64Var(&config.LearningRate, "lr", config.LearningRate, "highest learning rate")
	f.Float64Var(&config.Optimizer.EmbeddingRate, "embedding-lr", 1, "learning rate of the embeddings, as a multiple of --lr")
	f.Float64Var(&config.Warmup, "warmup", config.Warmup, "part of the run in which the learning rate rises")
	f.StringVar(&flags.precision, "precision", flags.precision, "of the large matrix products: float32, bfloat16, or auto for what is quicker here")
	f.StringVar((*string)(&config.Optimizer.Method), "optimizer", string(config.Optimizer.Method), "adamw, or muon for the layers' matrices")
	f.Float64Var(&config.Optimizer.WeightDecay, "weight-decay", config.Optimizer.WeightDecay, "weight decay of matrices")
	f.IntVar(&flags.batchTokens, "batch-tokens", flags.batchTokens, "tokens in a batch, at most")
	f.StringVar(&flags.loss, "loss", flags.loss, "what is to be predicted: states, their values only, or all tokens")
	f.Int64Var(&flags.curriculum, "curriculum", 0, "go from short sequences to long ones in the first so many `TOKENS`")
	f.IntVar(&config.Accumulate, "accumulate", config.Accumulate, "batches in a step")
	f.Float64Var(&config.Minutes, "minutes", 0, "train for so many `MINUTES`, over all resumes")
	f.Float64Var(&config.ProcessorMinutes, "processor-minutes", 0, "train for so many `MINUTES` of the processors, all threads together, in place of --minutes")
	f.Int64Var(&config.TotalTokens, "tokens", 0, "train on so many tokens, in place of --minutes")
	f.Uint64Var(&config.Seed, "seed", config.Seed, "of the initial weights and of the order of the data")
	f.StringVar(&config.Device, "device", "", deviceUsage)
	f.IntVar(&config.Threads, "threads", 0, "threads that train on the CPU (default: one for each processor)")
	f.IntVar(&config.ValidateBatches, "validation", config.ValidateBatches, "held-out batches to measure the loss on; 0 for none")
	f.Float64Var(&config.ValidateSeconds, "validate-every", config.ValidateSeconds, "`SECONDS` between held-out losses")
	f.Float64Var(&config.CheckpointSeconds, "checkpoint-every", config.CheckpointSeconds, "`SECONDS` between checkpoints")
	f.Float64Var(&config.LogSeconds, "log-every", config.LogSeconds, "`SECONDS` between lines of progress")
	return cmd
}

// shapeFlags say the model's shape, which is the checkpoint's with --init.
var shapeFlags = []string{"layers", "width", "heads", "kv-heads", "ffn", "rope-theta", "tied"}

// check refuses flags that contradict each other or mean nothing.
func (t trainFlags) check(set *pflag.FlagSet, c train.Config) error {
	if c.Init != "" {
		for _, name := range shapeFlags {
			if set.Changed(name) {
				return fmt.Errorf("--%s has no place beside --init: the shape is the checkpoint's", name)
			}
		}
	}
	switch {
	case !oneOf(c.TotalTokens > 0, c.Minutes > 0, c.ProcessorMinutes > 0):
		return errors.New("say how long to train: --minutes, --processor-minutes or --tokens, one of them")
	case !(c.Optimizer.EmbeddingRate > 0):
		return fmt.Errorf("--embedding-lr is %g, must be positive", c.Optimizer.EmbeddingRate)
	case t.batchTokens < 1:
		return fmt.Errorf("--batch-tokens is %d, must be positive", t.batchTokens)
	case !slices.Contains(dataset.Losses, dataset.Loss(t.loss)):
		return fmt.Errorf("--loss is states, values or all, not %q", t.loss)
	case t.curriculum < 0:
		return fmt.Errorf("--curriculum is %d tokens, must not be negative", t.curriculum)
	case c.ValidateBatches < 0:
		return fmt.Errorf("--validation is %d, must not be negative", c.ValidateBatches)
	}
	return nil
}

// oneOf reports whether exactly one is true.
func oneOf(said ...bool) bool {
	n := 0
	for _, s := range said {
		if s {
			n++
		}
	}
	return n == 1
}

// adviseMemory adds to an error of used up memory the flags that need less.
func adviseMemory(err error, flags string) error {
	if errors.Is(err, torch.ErrMemory) {
		return fmt.Errorf("%w; or %s", err, flags)
	}
	return err
}

// runTrain trains, and exports the model whatever ended the run.
func runTrain(ctx context.Context, config train.Config, flags trainFlags) error {
	var err error
	if config.Device, err = torch.ResolveDevice(config.Device); err != nil {
		return err
	}
	config.Optimizer.Precision = torch.Precision(flags.precision)
	if flags.precision == precisionAuto {
		if config.Optimizer.Precision, err = torch.QuickestPrecision(config.Device); err != nil {
			return err
		}
	}
	if err := config.Optimizer.Check(); err != nil {
		return usageError{err}
	}
	data, err := openTrainingData(flags, config)
	if err != nil {
		return err
	}
	defer data.Close()
	if config.Init != "" {
		if config.Init, err = checkpointFolder(config.Init); err != nil {
			return err
		}
	}
	if config.Model, err = chooseModel(config, flags, data); err != nil {
		return err
	}
	config.AfterSave = func(dir string) error { return describeText(dir, data.tokenizer) }
	if flags.dryRun {
		return printPlan(ctx, config, data.training)
	}
	err = train.Run(ctx, config, data.training, data.validation, os.Stdout)
	if errors.Is(err, train.ErrOtherData) {
		return fmt.Errorf("%w; resume with the same --data and flags, or begin the data anew with --new-data", err)
	}
	if err != nil {
		return err
	}
	if err := train.DrawCurve(config.Dir); err != nil {
		return err
	}
	out := filepath.Join(config.Dir, "model")
	if err := export(config.Dir, data.tokenizer, out, "float32"); err != nil {
		return err
	}
	fmt.Printf("the model is in %s\n", out)
	return nil
}

// checkpointFolder is the folder of a model that is named as for a debugger; a
// folder here needs no separator in its name.
func checkpointFolder(name string) (string, error) {
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return name, nil
	}
	return server.Resolve(name)
}

// printPlan says what a run will take.
func printPlan(ctx context.Context, config train.Config, source train.Source) error {
	e, err := train.Plan(ctx, config, source)
	if err != nil {
		return err
	}
	fmt.Printf("parameters  %.2f M\n", float64(e.Parameters)/1e6)
	fmt.Printf("tokens      %.1f M, at %.0f tokens/s (measured now, in %s products; %.0f for each second of processor time)\n",
		float64(e.Tokens)/1e6, e.TokensPerSecond, config.Optimizer.Precision, e.TokensPerProcessorSecond)
	fmt.Printf("memory      %.2f GB\n", float64(e.Memory)/1e9)
	if e.DeviceMemory > 0 {
		fmt.Printf("on %-8s %.2f GB\n", e.Device, float64(e.DeviceMemory)/1e9)
	}
	fmt.Printf("time        %.2f hours\n", e.Hours)
	return nil
}

// chooseModel is the model's configuration: that of the checkpoint to begin
// with, or what the flags say.
func chooseModel(config train.Config, flags trainFlags, data *trainingData) (torch.Config, error) {
	if config.Init == "" {
		return completeModel(config.Model, flags, data.tokenizer.Size(), data.longest), nil
	}
	m, err := torch.ReadConfig(config.Init)
	if err != nil {
		return m, err
	}
	if m.VocabSize < data.tokenizer.Size() {
		return m, fmt.Errorf("%s has %d token ids and the dataset's tokenizer %d: make the dataset with the checkpoint's tokenizer (neuraldbg dataset --tokenizer %s)",
			config.Init, m.VocabSize, data.tokenizer.Size(), filepath.Join(config.Init, tokenizer.File))
	}
	if context := config.Model.MaxPositionEmbeddings; context != 0 {
		m.MaxPositionEmbeddings = context
	}
	return m, nil
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
