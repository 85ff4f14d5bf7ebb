package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/neuraldbg/neuraldbg/model/completions"
	"github.com/neuraldbg/neuraldbg/model/dataset"
	"github.com/neuraldbg/neuraldbg/model/eval"
	"github.com/neuraldbg/neuraldbg/model/neural"
	"github.com/neuraldbg/neuraldbg/model/server"
)

// calibrationFirst is the number of the first generated program that a
// temperature is fitted on: others than those that eval measures on.
const calibrationFirst = 1 << 33

// calibrateOptions are the flags of eval calibrate.
type calibrateOptions struct {
	model, device string
	seed          uint64
	predictions   int
	workers       int
	dryRun        bool
}

func newEvalCalibrateCommand(a *app) *cobra.Command {
	var o calibrateOptions
	cmd := &cobra.Command{
		Use:   "calibrate",
		Short: "Fit the temperature of a model's confidences, and store it with the model",
		Long: `Fit the temperature of a model's confidences on held-out generated programs, others
than those that eval measures on, and store it in the model's folder, as ` + neural.CalibrationFile + `.
Models that are loaded afterwards use it. Predictions stay as they are. What is too
uncertain is shown and not stored: a fit on few predictions, or one whose interval
includes 1.`,
		Args: noMoreArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.calibrate(cmd.Context(), o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.model, "model", bundledModel, "`MODEL` to calibrate: nano, or a checkpoint folder")
	f.StringVar(&o.device, "device", "", "`DEVICE` that the model computes on, such as cpu or cuda:0 (default: the best there is)")
	f.Uint64Var(&o.seed, "seed", 1, "seed of the programs and of the choice of actions")
	f.IntVar(&o.predictions, "predictions", 400, "predictions for each kind of action; about forty times as many are made")
	f.IntVar(&o.workers, "workers", 2, "predictions asked for at the same time")
	f.BoolVar(&o.dryRun, "dry-run", false, "store nothing")
	return cmd
}

func (a *app) calibrate(ctx context.Context, o calibrateOptions) error {
	if err := checkNumbers(number{"predictions", o.predictions, 1, 1 << 24}, number{"workers", o.workers, 1, mostWorkers}); err != nil {
		return err
	}
	if completions.IsAddress(o.model) || strings.HasPrefix(o.model, replayPrefix) {
		return usagef("--model %s: only a model with a folder here can be calibrated", o.model)
	}
	dir, err := server.Resolve(o.model)
	if err != nil {
		return err
	}
	predictor, err := a.loadPredictor(ctx, o.model, placement{device: o.device})
	if err != nil {
		return err
	}
	defer predictor.Close()
	set := eval.GeneratedSet(dataGenerated, o.seed, calibrationFirst, dataset.DefaultParams())
	questions := eval.NextStateQuestions(ctx, set, eval.NextStateOptions{Predictions: o.predictions, Seed: o.seed})
	tried, told := 0., newProgress(a.stderr, "", 0)
	fit, err := eval.FitTemperature(ctx, predictor, questions, o.workers, func(temperature float64, answered int) {
		if temperature != tried {
			tried, told = temperature, newProgress(a.stderr, fmt.Sprintf("temperature %.3f", temperature), o.predictions*len(eval.AllActions))
		}
		told.done(answered)
	})
	if errors.Is(err, context.Canceled) {
		return interruptedf("; nothing was stored")
	}
	if err != nil {
		return err
	}
	a.printFit(fit)
	if o.dryRun {
		return nil
	}
	if doubt := fit.Doubt(); doubt != "" {
		stored, err := neural.ReadCalibration(dir)
		if err != nil {
			return err
		}
		fmt.Fprintf(a.stdout, "\nNothing was stored: %s. The model's temperature stays %.3g.\n", doubt, stored.Temperature)
		return nil
	}
	calibration := neural.Calibration{
		Temperature: fit.Temperature,
		FittedOn: fmt.Sprintf("%d next states of generated programs of seed %d from number %d on; 99 %% interval %.3f to %.3f",
			fit.Before.Right.Of, o.seed, uint64(calibrationFirst), fit.Low, fit.High),
	}
	if err := calibration.Write(dir); err != nil {
		return err
	}
	fmt.Fprintf(a.stdout, "\nStored in %s.\n", dir)
	return nil
}

// printFit shows what a fit changes.
func (a *app) printFit(fit eval.Fit) {
	fmt.Fprintf(a.stdout, `Temperature %.3f, with a 99 %% interval of %.3f to %.3f by a bootstrap over programs.
Whole states of %s:

| | temperature 1 | temperature %.3f |
| --- | ---: | ---: |
| right, %% | %.1f | %.1f |
| mean confidence, %% | %.1f | %.1f |
| expected calibration error, %% | %.1f | %.1f |
| negative log likelihood, nats | %.4f | %.4f |
`, fit.Temperature, fit.Low, fit.High, count(fit.Before.Right.Of, "prediction"), fit.Temperature,
		100*fit.Before.Right.Share(), 100*fit.After.Right.Share(), 100*fit.Before.Confidence, 100*fit.After.Confidence,
		100*fit.Before.Error, 100*fit.After.Error, fit.LossBefore, fit.LossAfter)
}
