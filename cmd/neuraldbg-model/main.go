// Command neuraldbg-model is the part of neuraldbg that links LibTorch: it holds
// models for debuggers and evaluations, and trains them. People call it through
// `neuraldbg train`, `model serve` and `doctor`; the client in model/rpc starts it
// by itself.
//
// There is one file a command. A command reads its flags, wires packages
// together and prints. Results go to standard output, messages to standard
// error; serve writes to its log file only. Exit codes: 0 done, 1 it did not
// work, 2 the command line is wrong.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

func main() { os.Exit(run(os.Args[1:])) }

// run is main without the exit; it returns the exit code.
func run(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	root := newRootCommand()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	fmt.Fprintf(os.Stderr, "%s: %v\n", root.Name(), err)
	if errors.As(err, new(usageError)) {
		return 2
	}
	return 1
}

// usageError is a command line that cannot be understood.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func newRootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:               "neuraldbg-model",
		Short:             "Holds and trains the models of neuraldbg",
		Args:              noArguments,
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usageError{fmt.Errorf("%w; see %s --help", err, cmd.CommandPath())}
	})
	root.AddCommand(newServeCommand(), newTrainCommand(), newLossCommand(), newExportCommand(), newImportCommand(), newGrowCommand(), newAverageCommand(), newBenchCommand(), newDoctorCommand())
	return root
}

// oneArgument takes one positional argument, which what names in the error for
// another number of them.
func oneArgument(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != 1 {
			return usageError{fmt.Errorf("%s takes one %s", cmd.Name(), what)}
		}
		return nil
	}
}

// noArguments refuses positional arguments as a usage error.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usageError{fmt.Errorf("unexpected argument %q; see %s --help", args[0], cmd.CommandPath())}
	}
	return nil
}
