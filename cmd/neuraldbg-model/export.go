package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/neuraldbg/neuraldbg/model/atomicfile"
	"github.com/neuraldbg/neuraldbg/model/checkpoint"
	"github.com/neuraldbg/neuraldbg/model/neural"
	"github.com/neuraldbg/neuraldbg/model/tokenizer"
	"github.com/neuraldbg/neuraldbg/model/torch/safetensors"
	"github.com/neuraldbg/neuraldbg/model/train"
	"github.com/neuraldbg/neuraldbg/statetree/grammar"
)

func newExportCommand() *cobra.Command {
	var run, data, out string
	dtype := "float32"
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Write the newest checkpoint of a run as a model folder",
		Args:  noArguments,
		RunE: func(*cobra.Command, []string) error {
			if run == "" || data == "" || out == "" {
				return usageError{errors.New("export needs --run, --data and --out; see neuraldbg-model export --help")}
			}
			_, tok, err := openDataset(data)
			if err != nil {
				return err
			}
			return export(run, tok, out, dtype)
		},
	}
	f := cmd.Flags()
	f.StringVar(&run, "run", "", "the run's `FOLDER`, which may be training")
	f.StringVar(&data, "data", "", "the `FOLDER` of the dataset that it trains on")
	f.StringVar(&out, "out", "", "the `FOLDER` to write")
	f.StringVar(&dtype, "dtype", dtype, "number type of the weights: float32, float16 or bfloat16")
	return cmd
}

// storedTypes are the number types that weights can be stored in, by the names
// of Hugging Face's torch_dtype, as safetensors names them.
var storedTypes = map[string]string{"float32": "F32", "float16": "F16", "bfloat16": "BF16"}

// export writes a run's newest checkpoint to a folder that Hugging Face's
// transformers and this project load: config.json, model.safetensors,
// tokenizer.json, what says which tokens are special, and SHA256SUMS.
func export(run string, tok *tokenizer.Tokenizer, out, dtype string) error {
	stored, ok := storedTypes[dtype]
	if !ok {
		return usageError{fmt.Errorf("there is no number type %q; float32, float16 and bfloat16 are", dtype)}
	}
	newest, err := train.Latest(run)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return fmt.Errorf("exporting the model: %w", err)
	}
	if err := copyFile(filepath.Join(out, "config.json"), filepath.Join(newest, "config.json")); err != nil {
		return fmt.Errorf("exporting the model: %w", err)
	}
	if err := neural.EditConfig(out, map[string]any{"torch_dtype": dtype}); err != nil {
		return fmt.Errorf("exporting the model: %w", err)
	}
	weights := filepath.Join(out, "model.safetensors")
	if err := safetensors.Convert(weights+".tmp", filepath.Join(newest, "model.safetensors"), stored); err != nil {
		return fmt.Errorf("exporting the model: %w", err)
	}
	if err := os.Rename(weights+".tmp", weights); err != nil {
		return fmt.Errorf("exporting the model: %w", err)
	}
	if err := describeText(out, tok); err != nil {
		return err
	}
	return checkpoint.WriteSums(out)
}

// describeText adds to a checkpoint's folder what is needed to talk to it:
// tokenizer.json, which tokens are special, and the grammar.
func describeText(dir string, tok *tokenizer.Tokenizer) error {
	if err := tok.Save(filepath.Join(dir, tokenizer.File)); err != nil {
		return err
	}
	if err := writeSpecialTokens(dir, tok); err != nil {
		return fmt.Errorf("describing the checkpoint's special tokens: %w", err)
	}
	return neural.CurrentFormat().Write(dir)
}

// writeSpecialTokens says what begins and ends a text in all three places where
// transformers looks for it.
func writeSpecialTokens(out string, tok *tokenizer.Tokenizer) error {
	bos, eos := grammar.BeginOfText.String(), grammar.EndOfText.String()
	for name, content := range map[string]any{
		"special_tokens_map.json": map[string]string{"bos_token": bos, "eos_token": eos},
		"tokenizer_config.json": map[string]any{
			"tokenizer_class": "PreTrainedTokenizerFast", "bos_token": bos, "eos_token": eos,
			"clean_up_tokenization_spaces": false,
		},
	} {
		text, err := json.MarshalIndent(content, "", "  ")
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(out, name), append(text, '\n'), 0o644); err != nil {
			return err
		}
	}
	ids := map[string]any{}
	for key, special := range map[string]string{"bos_token_id": bos, "eos_token_id": eos} {
		if id, ok := tok.Special(special); ok {
			ids[key] = id
		}
	}
	return neural.EditConfig(out, ids)
}

// copyFile copies a file.
func copyFile(to, from string) error {
	src, err := os.Open(from)
	if err != nil {
		return err
	}
	defer src.Close()
	return atomicfile.Write(to, func(w io.Writer) error {
		_, err := io.Copy(w, src)
		return err
	})
}
