package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/model/replay"
	"github.com/neuraldbg/neuraldbg/model/rpc"
	"github.com/neuraldbg/neuraldbg/statetree/record"
)

// bundledModel is the model that comes with neuraldbg.
const bundledModel = "nano"

// replayPrefix marks a --model that is a recording: replay:TRACE.
const replayPrefix = "replay:"

// predictorFlags are the flags of the commands that predict.
type predictorFlags struct {
	model    string
	device   string
	sampling model.Sampling
}

func (f *predictorFlags) register(flags *pflag.FlagSet) {
	f.registerModel(flags)
	flags.Float64Var(&f.sampling.Temperature, "temperature", 0, "0: the most probable state; above 0: states are sampled")
	flags.Float64Var(&f.sampling.TopP, "top-p", 1, "sample among the most probable tokens that make up this `PROBABILITY`")
	flags.Uint64Var(&f.sampling.Seed, "seed", 0, "seed of sampling")
}

func (f *predictorFlags) registerModel(flags *pflag.FlagSet) {
	flags.StringVar(&f.model, "model", bundledModel, "`MODEL` that predicts: nano, a checkpoint folder, or replay:TRACE")
	flags.StringVar(&f.device, "device", "", "`DEVICE` that the model computes on, such as cpu or cuda:0 (default: the best there is)")
}

// check refuses sampling parameters that mean nothing.
func (f *predictorFlags) check() error {
	if f.sampling.Temperature < 0 {
		return usagef("--temperature must be 0 or more, got %g", f.sampling.Temperature)
	}
	if f.sampling.TopP <= 0 || f.sampling.TopP > 1 {
		return usagef("--top-p must be above 0 and at most 1, got %g", f.sampling.TopP)
	}
	return nil
}

// openPredictor makes the predictor that a model's name stands for. A replay is
// read here; a model is loaded by its first use.
func (a *app) openPredictor(name, device string) (model.Predictor, error) {
	if trace, ok := strings.CutPrefix(name, replayPrefix); ok {
		if trace == "" {
			return nil, usagef("%s needs the path of a trace; make one with neuraldbg record", replayPrefix)
		}
		recording, err := record.Open(trace)
		if err != nil {
			return nil, fmt.Errorf("%w; make a trace with neuraldbg record", err)
		}
		return replay.New(recording)
	}
	if name == "" {
		name = bundledModel
	}
	if name != bundledModel {
		info, err := os.Stat(name)
		if err != nil || !info.IsDir() {
			return nil, fmt.Errorf("there is no model %q: give %s, a checkpoint folder, or %sTRACE", name, bundledModel, replayPrefix)
		}
	}
	return rpc.NewPredictor(rpc.Options{Model: name, Device: device, Log: a.log}), nil
}

// loadPredictor is openPredictor with the model loaded, which may take seconds.
func (a *app) loadPredictor(ctx context.Context, name, device string) (model.Predictor, error) {
	predictor, err := a.openPredictor(name, device)
	if err != nil {
		return nil, err
	}
	if remote, ok := predictor.(*rpc.Predictor); ok {
		if _, err := remote.Load(ctx); err != nil {
			_ = predictor.Close()
			return nil, err
		}
	}
	return predictor, nil
}
