package main

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/neuraldbg/neuraldbg/model/eval"
)

func newEvalCompareCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "compare A B",
		Short: "Compare two evaluations, given the folders of their answers",
		Long: `Compare two evaluations, given the folders that --out made. What both measured is
shown side by side, with the difference and its 95 % interval by a bootstrap over the
programs. Where both were asked the same questions, the comparison is paired.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usagef("%s takes the folders of two evaluations, but got %d; see %s --help", cmd.CommandPath(), len(args), cmd.CommandPath())
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			var answers [2][]eval.Answer
			for i, dir := range args {
				var err error
				if answers[i], err = eval.ReadAnswers(dir); err != nil {
					return err
				}
			}
			c := eval.Compare(filepath.Clean(args[0]), filepath.Clean(args[1]), answers[0], answers[1])
			if len(c.Rows) == 0 {
				return fmt.Errorf("%s and %s have no data, measure and action in common: there is nothing to compare", args[0], args[1])
			}
			return c.Markdown(a.stdout)
		},
	}
}
