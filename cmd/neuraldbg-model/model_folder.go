package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/neuraldbg/neuraldbg/model/checkpoint"
	"github.com/neuraldbg/neuraldbg/model/tokenizer"
)

// checkOut checks the --out of a command that writes a new model: no model may be in the
// folder.
func checkOut(command, out string) error {
	if out == "" {
		return usageError{fmt.Errorf("%s needs --out; see neuraldbg model %s --help", command, command)}
	}
	if _, err := os.Stat(filepath.Join(out, "config.json")); err == nil {
		return fmt.Errorf("there is a model in %s: give --out another folder", out)
	}
	return nil
}

// copyTokenizer copies the files of a checkpoint's tokenizer, as far as it has them.
func copyTokenizer(to, from string) error {
	for _, name := range []string{tokenizer.File, "tokenizer_config.json", "special_tokens_map.json", tokenizer.RankFile} {
		err := copyFile(filepath.Join(to, name), filepath.Join(from, name))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

// finishFolder adds the checksums to a new model's folder and says where it is.
func finishFolder(out string) error {
	if err := checkpoint.WriteSums(out); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "wrote %s; `neuraldbg models show %s` says what it is\n", out, out)
	return nil
}
