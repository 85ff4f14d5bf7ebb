package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/neuraldbg/neuraldbg/model/torch"
)

func newGrowCommand() *cobra.Command {
	var out string
	var larger torch.Config
	var seed uint64 = 1
	cmd := &cobra.Command{
		Use:   "grow MODEL",
		Short: "Write a larger model that computes the same, to train from",
		Long: `Write a larger model that computes the same as MODEL, a bundled one's name or a
checkpoint's folder. Training goes on from it with more weights:

  neuraldbg model grow nano --width 224 --heads 7 --ffn 608 --out larger
  neuraldbg train --init larger ...`,
		Args: oneArgument("model"),
		RunE: func(_ *cobra.Command, args []string) error { return growModel(args[0], out, larger, seed) },
	}
	f := cmd.Flags()
	f.StringVar(&out, "out", "", "the `FOLDER` to write")
	f.IntVar(&larger.HiddenSize, "width", 0, "hidden size (default: as it is, and so with the others)")
	f.IntVar(&larger.NumHiddenLayers, "layers", 0, "transformer layers; new ones come last")
	f.IntVar(&larger.NumAttentionHeads, "heads", 0, "attention heads")
	f.IntVar(&larger.NumKeyValueHeads, "kv-heads", 0, "key-value heads (default: as many more as heads)")
	f.IntVar(&larger.IntermediateSize, "ffn", 0, "inner size of the feed-forward layers")
	f.Uint64Var(&seed, "seed", seed, "of the new weights")
	return cmd
}

func growModel(model, out string, larger torch.Config, seed uint64) error {
	if err := checkOut("grow", out); err != nil {
		return err
	}
	dir, err := checkpointFolder(model)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return fmt.Errorf("growing the model: %w", err)
	}
	if err := torch.Grow(dir, out, larger, seed); err != nil {
		return fmt.Errorf("growing the model: %w", err)
	}
	if err := copyTokenizer(out, dir); err != nil {
		return fmt.Errorf("growing the model: %w", err)
	}
	return finishFolder(out)
}
