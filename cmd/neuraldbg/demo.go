package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/neuraldbg/neuraldbg/adapter/timeline"
)

// demoProgram is the example that the demo debugs, below the project's folder.
const demoProgram = "examples/count_berry.py"

func newDemoCommand(a *app) *cobra.Command {
	var modelName string
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Watch a debug session: an editor's part is played by a script",
		Long: `Watch a debug session. A headless client starts neuraldbg dap, as an editor
does, and debugs ` + demoProgram + `: to a breakpoint, over, into and out
of functions, to the end, and then backward from a returned value to the inputs.`,
		Args: noMoreArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.demo(cmd.Context(), modelName) },
	}
	cmd.Flags().StringVar(&modelName, "model", bundledModel, "`MODEL` that predicts: nano, a checkpoint folder, or replay:TRACE")
	return cmd
}

func (a *app) demo(ctx context.Context, modelName string) error {
	program, err := findExample(demoProgram)
	if err != nil {
		return err
	}
	d := &demonstration{app: a, program: program, model: modelName}
	if d.source, err = timeline.ReadFile(program); err != nil {
		return err
	}
	fmt.Fprintf(a.stdout, `Debugging %s with the model %s, through the Debug Adapter
Protocol. Python is not started: every state below is predicted. On the right is
the model's confidence in the state; in parentheses, in a value that it predicted
there. * marks a value that is new or has changed; ? one below 50 %%.
`, demoProgram, modelName)
	begun := time.Now()
	for _, part := range []func(context.Context) error{d.forward, d.backward} {
		err := part(ctx)
		if ctx.Err() != nil {
			return ctx.Err() // the adapter, whose end the error would tell of, was ended too
		}
		if err != nil {
			return fmt.Errorf("demo: %w", err)
		}
	}
	fmt.Fprintf(a.stdout, `
%s predicted in %.1f s. What Python really does:
  neuraldbg record %s --entry 'main()' -o count_berry.trace
  neuraldbg demo --model replay:count_berry.trace
`, count(d.stops, "stop"), time.Since(begun).Seconds(), demoProgram)
	return nil
}

// findExample looks for a file of the project in the working folder, then
// beside the folder that this executable is in.
func findExample(name string) (string, error) {
	candidates := []string{name}
	if self, err := os.Executable(); err == nil {
		candidates = append(candidates, filepath.Join(filepath.Dir(filepath.Dir(self)), name))
	}
	for _, candidate := range candidates {
		if _, err := os.Stat(candidate); err == nil {
			return filepath.Abs(candidate)
		}
	}
	return "", fmt.Errorf("%s is not here; run neuraldbg demo in the project's folder", name)
}
