package main

import "github.com/spf13/cobra"

func newTrainCommand(a *app) *cobra.Command {
	return newEngineCommand(a, "train", "Train a model on a dataset", "train")
}
