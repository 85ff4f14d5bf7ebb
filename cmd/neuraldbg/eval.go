package main

import "github.com/spf13/cobra"

func newEvalCommand(a *app) *cobra.Command {
	return newEngineCommand(a, "eval", "Evaluate a model on held-out programs", "eval")
}
