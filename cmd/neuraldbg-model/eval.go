package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/neuraldbg/neuraldbg/model/dataset"
	"github.com/neuraldbg/neuraldbg/model/eval"
	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/corpus"
)

// evalFlags are the flags of eval.
type evalFlags struct {
	model, device string
	data          string
	seed, first   uint64
	predictions   int
	actions       []string
	out           string
}

func newEvalCommand() *cobra.Command {
	flags := evalFlags{model: "nano", seed: 1, first: 1 << 32, predictions: 800}
	cmd := &cobra.Command{
		Use:   "eval",
		Short: "Measure how often a model predicts the next state",
		Long: `Measure how often a model predicts the next state of generated programs that are
held out of training, with the true states so far as history. Prints a table.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return runEval(cmd, flags) },
	}
	f := cmd.Flags()
	f.StringVar(&flags.model, "model", flags.model, "a bundled model's name, or a checkpoint's `FOLDER`")
	f.StringVar(&flags.device, "device", "", "cpu or cuda:0 (default: the best there is)")
	f.StringVar(&flags.data, "data", "", "handwritten: programs written by people; or a dataset's `FOLDER`: its held-out share and sampling")
	f.Uint64Var(&flags.seed, "seed", flags.seed, "of the programs and of the choice of actions")
	f.Uint64Var(&flags.first, "first", flags.first, "number of the first generated program")
	f.IntVar(&flags.predictions, "predictions", flags.predictions, "predictions for each kind of action")
	f.StringSliceVar(&flags.actions, "actions", nil, "kinds of action, such as step_into,inv_step_call (default: all)")
	f.StringVar(&flags.out, "out", "", "write the report as JSON to this `FILE`, too")
	return cmd
}

func runEval(cmd *cobra.Command, flags evalFlags) error {
	ctx := cmd.Context()
	options := eval.NextStateOptions{Predictions: flags.predictions, Seed: flags.seed}
	for _, name := range flags.actions {
		var kind statetree.ActionKind
		if err := kind.UnmarshalText([]byte(name)); err != nil || kind == statetree.NoAction {
			return usageError{fmt.Errorf("--actions: %q is no action", name)}
		}
		options.Actions = append(options.Actions, kind)
	}
	params := dataset.DefaultParams()
	handwritten := flags.data == "handwritten"
	if flags.data != "" && !handwritten {
		d, err := dataset.ReadDescription(flags.data)
		if err != nil {
			return err
		}
		params = d.Params
	}
	programs := corpus.NewGenerator(flags.seed, corpus.DefaultStyle()).Cases(flags.first, math.MaxInt)
	if handwritten {
		cases, err := eval.Handwritten()
		if err != nil {
			return err
		}
		programs = slices.Values(cases)
		params.HeldOut, params.Trajectories = 1, 16
	}
	predictor, err := loadPredictor(ctx, flags.model, flags.device)
	if err != nil {
		return err
	}
	defer predictor.Close()
	options.Progress = func(done, of int) {
		if done%50 == 0 || done == of {
			fmt.Fprintf(os.Stderr, "%d of %d predictions\n", done, of)
		}
	}
	report, err := eval.NextState(ctx, predictor, dataset.Trajectories(ctx, programs, params, dataset.HeldOut), options)
	if err != nil {
		return err
	}
	if flags.out != "" {
		text, err := json.MarshalIndent(report, "", "  ")
		if err != nil {
			return err
		}
		if err := os.WriteFile(flags.out, append(text, '\n'), 0o644); err != nil {
			return fmt.Errorf("writing the report: %w", err)
		}
	}
	return report.Markdown(os.Stdout)
}
