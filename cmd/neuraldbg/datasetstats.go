package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/neuraldbg/neuraldbg/model/atomicfile"
	"github.com/neuraldbg/neuraldbg/model/dataset/report"
)

// statisticsFile is the report in the folder that it is written to.
const statisticsFile = "statistics.md"

func newDatasetStatsCommand(a *app) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "stats DIR...",
		Short: "Write a report about what is in datasets",
		Long: `Write a report about datasets: how many tokens, actions and states their
trajectories have (mean, quartiles, histograms), which actions, what they were made
from, what was left out and why. It is Markdown with PNG plots beside it.`,
		Example: `  neuraldbg dataset stats data/nano
  neuraldbg dataset stats data/functions data/repositories -o report`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("stats needs the folder of a dataset; see %s --help", cmd.CommandPath())
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if output == "" {
				output = args[0]
			}
			return a.datasetStats(args, output)
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "the `FOLDER` to write to (default: the first dataset's)")
	return cmd
}

func (a *app) datasetStats(dirs []string, output string) error {
	r, err := report.New(dirs...)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(output, 0o755); err != nil {
		return fmt.Errorf("make the folder of the report: %w", err)
	}
	if err := r.Plot(output); err != nil {
		return err
	}
	path := filepath.Join(output, statisticsFile)
	if err := atomicfile.WriteFile(path, []byte(r.Markdown())); err != nil {
		return err
	}
	fmt.Fprintln(a.stdout, path)
	return nil
}
