package main

import "github.com/spf13/cobra"

func newModelCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "model",
		Short: "The model process, and tools for models",
		Args:  noMoreArguments,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		newEngineCommand(a, "serve", "Serve models to debug sessions on a local socket", "serve"),
		newEngineCommand(a, "bench", "Measure how fast a model computes on this machine", "bench"),
		newEngineCommand(a, "loss", "Measure the loss of a checkpoint on held-out sequences", "loss"),
		newEngineCommand(a, "import FILE", "Make a model folder of a GGUF file, to train from", "import"),
		newEngineCommand(a, "grow MODEL", "Write a larger model that computes the same, to train from", "grow"),
		newEngineCommand(a, "average MODEL[=WEIGHT]...", "Write the average of models that were trained from the same one", "average"),
	)
	return cmd
}
