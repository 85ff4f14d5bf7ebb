package main

import (
	"context"
	"fmt"
	"os/exec"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/neuraldbg/neuraldbg/model/rpc"
)

// runEngine runs neuraldbg-model, the process that holds LibTorch, in the
// foreground with this command's streams, and ends with its exit code.
func (a *app) runEngine(ctx context.Context, args ...string) error {
	path, err := rpc.FindExecutable("")
	if err != nil {
		return err
	}
	engine := exec.CommandContext(ctx, path, args...)
	engine.Stdin, engine.Stdout, engine.Stderr = a.stdin, a.stdout, a.stderr
	// A training run ends in order when it is told to: it saves a checkpoint.
	// Ctrl-C reaches it from the terminal as well; a second signal is harmless.
	engine.Cancel = func() error { return engine.Process.Signal(syscall.SIGTERM) }

	err = engine.Run()
	switch state := engine.ProcessState; {
	case state == nil:
		return fmt.Errorf("start %s: %w; build it with make build", path, err)
	case state.Success():
		return nil // also when it was told to end
	case state.Exited():
		return exitStatus(state.ExitCode())
	case ctx.Err() != nil:
		return ctx.Err() // it was told to end before it could listen
	}
	return fmt.Errorf("%s %s ended: %w", path, args[0], err)
}

// newEngineCommand is a command whose flags and work are neuraldbg-model's.
func newEngineCommand(a *app, use, short string, args ...string) *cobra.Command {
	return &cobra.Command{
		Use:                use + " [flags]",
		Short:              short,
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, rest []string) error {
			return a.runEngine(cmd.Context(), append(args, rest...)...)
		},
	}
}
