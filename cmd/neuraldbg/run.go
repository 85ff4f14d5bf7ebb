package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/neuraldbg/neuraldbg/adapter/timeline"
)

// runOptions are the flags of `neuraldbg run`.
type runOptions struct {
	target    targetFlags
	predictor predictorFlags
	maxSteps  int
}

func newRunCommand(a *app) *cobra.Command {
	var o runOptions
	cmd := &cobra.Command{
		Use:   "run FILE",
		Short: "Debug a Python file in the terminal, by prediction",
		Long: `Debug a Python file in the terminal. The commands are pdb's where pdb has them,
and back, rc and inputs for going backward; help lists them. The program is
read, not run.`,
		Example: `  neuraldbg run count_berry.py --entry 'count("berry", "r")'
  neuraldbg run count_berry.py --entry count --arg "s='berry'" --arg "t='r'"`,
		Args: oneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			// Ctrl-C is for the terminal debugger's predictions, not for the
			// debugger.
			ctx, stop := signal.NotifyContext(context.WithoutCancel(cmd.Context()), syscall.SIGTERM)
			defer stop()
			interrupts := make(chan os.Signal, 1)
			signal.Notify(interrupts, os.Interrupt) // or the second one would end the process
			defer signal.Stop(interrupts)
			return a.debug(ctx, args[0], o)
		},
	}
	flags := cmd.Flags()
	o.target.register(flags)
	o.predictor.register(flags)
	flags.IntVar(&o.maxSteps, "max-steps", timeline.DefaultMaxSteps, "stop a continue after `N` predictions")
	return cmd
}

func (a *app) debug(ctx context.Context, path string, o runOptions) error {
	if err := o.predictor.check(); err != nil {
		return err
	}
	if err := checkNumbers(number{"max-steps", o.maxSteps, 1, unbounded}); err != nil {
		return err
	}
	target, err := o.target.load(path)
	if err != nil {
		return err
	}
	opening, stop := signal.NotifyContext(ctx, os.Interrupt)
	predictor, err := a.openPredictor(opening, o.predictor.model, o.predictor.placement)
	stop()
	if err != nil {
		return err
	}
	defer predictor.Close()
	t := &terminal{
		in:        a.stdin,
		out:       a.stdout,
		predictor: o.predictor.stepwise(predictor),
		target:    target,
		options:   timeline.Options{Sampling: o.predictor.sampling, MaxSteps: o.maxSteps},
	}
	return t.run(ctx)
}
