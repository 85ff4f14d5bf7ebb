package main

import "github.com/spf13/cobra"

func newModelCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "model",
		Short: "The model process",
		Args:  noMoreArguments,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newEngineCommand(a, "serve", "Serve models to debug sessions on a local socket", "serve"))
	return cmd
}
