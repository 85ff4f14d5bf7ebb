package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/neuraldbg/neuraldbg/model/dataset"
	"github.com/neuraldbg/neuraldbg/model/tokenizer"
	"github.com/neuraldbg/neuraldbg/model/train"
)

// lossFlags are the flags of loss.
type lossFlags struct {
	model, data, device  string
	losses               []string
	batches, batchTokens int
	threads              int
}

// LossResult is one line of what loss prints.
type LossResult struct {
	Loss dataset.Loss `json:"loss"`
	// Nats is the mean negative log likelihood of a token, Targets how many there
	// are.
	Nats    float64 `json:"nats"`
	Targets int     `json:"targets"`
}

func newLossCommand() *cobra.Command {
	flags := lossFlags{batches: 64, batchTokens: 4096}
	for _, loss := range dataset.Losses {
		flags.losses = append(flags.losses, string(loss))
	}
	cmd := &cobra.Command{
		Use:   "loss",
		Short: "Measure the loss of a checkpoint on a dataset's held-out sequences",
		Long: `Measure the loss of a checkpoint on a dataset's held-out sequences, in nats a token:
of the states that answer actions, of the values in them, and of all tokens. Prints a
line of JSON for each. Models that were trained in different ways are compared so.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return adviseMemory(runLoss(cmd.Context(), flags), "lower --batch-tokens")
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.model, "model", "", "a bundled model's name, or a checkpoint's `FOLDER`")
	f.StringVar(&flags.data, "data", "", "the dataset's `FOLDER`")
	f.StringSliceVar(&flags.losses, "loss", flags.losses, "what to measure it of")
	f.IntVar(&flags.batches, "batches", flags.batches, "most batches to measure on")
	f.IntVar(&flags.batchTokens, "batch-tokens", flags.batchTokens, "tokens in a batch, at most")
	f.StringVar(&flags.device, "device", "", deviceUsage)
	f.IntVar(&flags.threads, "threads", 0, "threads that compute on the CPU (default: one for each processor)")
	return cmd
}

func runLoss(ctx context.Context, flags lossFlags) error {
	switch {
	case flags.model == "" || flags.data == "":
		return usageError{errors.New("loss needs --model and --data; see neuraldbg-model loss --help")}
	case flags.batches < 1 || flags.batchTokens < 1 || flags.threads < 0:
		return usageError{errors.New("--batches and --batch-tokens must be positive, --threads not negative")}
	}
	dir, err := checkpointFolder(flags.model)
	if err != nil {
		return err
	}
	if err := checkTokenizers(dir, flags.data); err != nil {
		return err
	}
	var sources []train.Source
	for _, loss := range flags.losses {
		s, err := dataset.OpenSource(flags.data, dataset.SourceOptions{
			Split: dataset.HeldOut, BatchTokens: flags.batchTokens, Epochs: 1, Loss: dataset.Loss(loss),
		})
		if err != nil {
			return err
		}
		defer s.Close()
		sources = append(sources, batches{s})
	}
	results, err := train.HeldOutLoss(ctx, dir, flags.device, flags.threads, flags.batches, sources...)
	if err != nil {
		return err
	}
	lines := json.NewEncoder(os.Stdout)
	for i, r := range results {
		if err := lines.Encode(LossResult{Loss: dataset.Loss(flags.losses[i]), Nats: r.Loss, Targets: r.Targets}); err != nil {
			return err
		}
	}
	return nil
}

// checkTokenizers reports whether a dataset was made with another tokenizer than
// a checkpoint's.
func checkTokenizers(dir, data string) error {
	_, tok, err := openDataset(data)
	if err != nil {
		return err
	}
	own, err := tokenizer.Load(filepath.Join(dir, tokenizer.File))
	if err != nil {
		return err
	}
	if own.Hash() != tok.Hash() {
		return fmt.Errorf("the dataset %s was made with another tokenizer than that of %s: make it anew with --tokenizer %s", data, dir, filepath.Join(dir, tokenizer.File))
	}
	return nil
}
