package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/neuraldbg/neuraldbg/model/gguf"
)

func newImportCommand() *cobra.Command {
	var out string
	dtype := "float32"
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Make a model folder of a GGUF file, to train from",
		Args:  oneArgument("GGUF file"),
		RunE:  func(_ *cobra.Command, args []string) error { return importModel(args[0], out, dtype) },
	}
	f := cmd.Flags()
	f.StringVar(&out, "out", "", "the `FOLDER` to write")
	f.StringVar(&dtype, "dtype", dtype, "number type of the weights: float32, float16 or bfloat16")
	return cmd
}

func importModel(file, out, dtype string) error {
	stored, ok := storedTypes[dtype]
	switch {
	case out == "":
		return usageError{errors.New("import needs --out; see neuraldbg-model import --help")}
	case !ok:
		return usageError{fmt.Errorf("there is no number type %q; float32, float16 and bfloat16 are", dtype)}
	}
	if err := gguf.Convert(file, out, stored); err != nil {
		return err
	}
	return finishFolder(out)
}
