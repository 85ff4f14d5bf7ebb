package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"

	"github.com/spf13/cobra"

	"github.com/neuraldbg/neuraldbg/model/tokenizer"
	"github.com/neuraldbg/neuraldbg/model/torch"
	"github.com/neuraldbg/neuraldbg/model/torch/safetensors"
)

func newAverageCommand() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "average MODEL[=WEIGHT]...",
		Short: "Write the average of models that were trained from the same one",
		Long: `Write the weighted average of the weights of models, bundled ones' names or
checkpoints' folders. They must be of one shape and have one tokenizer, and be
trained from the same model: a model and what became of it, or several runs from it.
The average of a model and its fine-tuned self often keeps what the one could do and
does most of what the other has learned (arXiv 2109.01903, 2203.05482).

  neuraldbg model average nano=1 runs/tuned/model=3 --out averaged

Without a WEIGHT a model has 1.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return usageError{errors.New("average takes two models or more")}
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return averageModels(args, out) },
	}
	cmd.Flags().StringVar(&out, "out", "", "the `FOLDER` to write")
	return cmd
}

// averageModels writes the average of models, each of which is "MODEL" or
// "MODEL=WEIGHT", to a folder that has none yet.
func averageModels(models []string, out string) error {
	if err := checkOut("average", out); err != nil {
		return err
	}
	var dirs []string
	var archives []*safetensors.Archive
	var weights []float64
	for _, m := range models {
		name, weight, err := parseWeight(m)
		if err != nil || weight > 1e6 {
			return usageError{fmt.Errorf("%q: the weight of a model is a number above 0, as in nano=2", m)}
		}
		dir, err := checkpointFolder(name)
		if err != nil {
			return err
		}
		archive, err := safetensors.OpenDir(dir)
		if err != nil {
			return fmt.Errorf("averaging models: %w", err)
		}
		defer archive.Close()
		dirs, archives, weights = append(dirs, dir), append(archives, archive), append(weights, weight)
		if err := sameKind(dirs[0], dir); err != nil {
			return fmt.Errorf("averaging models: %s and %s %w", models[0], m, err)
		}
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return fmt.Errorf("averaging models: %w", err)
	}
	file := filepath.Join(out, "model.safetensors")
	if err := safetensors.Average(file+".tmp", archives, weights); err != nil {
		return errors.Join(fmt.Errorf("averaging models: %w", err), os.RemoveAll(file+".tmp"))
	}
	if err := os.Rename(file+".tmp", file); err != nil {
		return fmt.Errorf("averaging models: %w", err)
	}
	if err := copyTokenizer(out, dirs[0]); err != nil {
		return fmt.Errorf("averaging models: %w", err)
	}
	if err := copyFile(filepath.Join(out, "config.json"), filepath.Join(dirs[0], "config.json")); err != nil {
		return fmt.Errorf("averaging models: %w", err)
	}
	return finishFolder(out)
}

// sameKind checks that two models have one shape and one tokenizer.
func sameKind(a, b string) error {
	first, err := torch.ReadConfig(a)
	if err != nil {
		return fmt.Errorf("cannot be compared: %w", err)
	}
	second, err := torch.ReadConfig(b)
	if err != nil {
		return fmt.Errorf("cannot be compared: %w", err)
	}
	first.TorchDtype, second.TorchDtype = "", ""
	if !reflect.DeepEqual(first, second) {
		return errors.New("have different shapes")
	}
	for _, name := range []string{tokenizer.File, tokenizer.RankFile} {
		one, errOne := os.ReadFile(filepath.Join(a, name))
		other, errOther := os.ReadFile(filepath.Join(b, name))
		if !bytes.Equal(one, other) || (errOne == nil) != (errOther == nil) {
			return errors.New("have different tokenizers")
		}
	}
	return nil
}
