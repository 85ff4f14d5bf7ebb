package main

import (
	"github.com/spf13/cobra"
)

func newDatasetStatsCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "stats DIR",
		Short: "Write a report about what is in a data set",
	}
}
