package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/model/rpc"
	"github.com/neuraldbg/neuraldbg/model/torch"
)

// errUnhealthy ends doctor after it has said what is missing.
var errUnhealthy = errors.New("something is missing")

func newDoctorCommand() *cobra.Command {
	name := "nano"
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Say what LibTorch there is, and whether the model loads",
		Args:  noArguments,
		RunE:  func(cmd *cobra.Command, _ []string) error { return doctor(cmd.Context(), name) },
	}
	cmd.Flags().StringVar(&name, "model", name, "the model to load: a bundled one's name, or a checkpoint's `FOLDER`")
	return cmd
}

// doctor prints one line a part, in the form of `neuraldbg doctor`, which prints
// the others.
func doctor(ctx context.Context, name string) error {
	healthy := true
	report := func(part, found string, err error) {
		if err != nil {
			healthy = false
			found = "MISSING: " + err.Error()
		}
		fmt.Fprintf(os.Stdout, "%-16s %s\n", part, found)
	}
	library, err := describeLibrary()
	report("libtorch", library, err)
	began := time.Now()
	info, err := describeModel(ctx, name)
	report("model "+name, fmt.Sprintf("%s, on %s, loaded in %v", info.Detail, info.Device, time.Since(began).Round(time.Millisecond)), err)
	if !healthy {
		return errUnhealthy
	}
	return nil
}

func describeLibrary() (string, error) {
	library, err := torch.DescribeLibrary()
	return library.String(), err
}

func describeModel(ctx context.Context, name string) (model.Info, error) {
	predictor, err := loadPredictor(ctx, rpc.LoadParams{Model: name})
	if err != nil {
		return model.Info{}, err
	}
	defer predictor.Close()
	return predictor.Info(), nil
}
