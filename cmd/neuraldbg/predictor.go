package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/neuraldbg/neuraldbg/adapter"
	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/model/checkpoint"
	"github.com/neuraldbg/neuraldbg/model/completions"
	"github.com/neuraldbg/neuraldbg/model/replay"
	"github.com/neuraldbg/neuraldbg/model/rpc"
	"github.com/neuraldbg/neuraldbg/model/server"
	"github.com/neuraldbg/neuraldbg/model/stepwise"
	"github.com/neuraldbg/neuraldbg/statetree/record"
)

// bundledModel is the model that comes with neuraldbg.
const bundledModel = "nano"

// replayPrefix marks a --model that is a recording: replay:TRACE.
const replayPrefix = "replay:"

// predictorFlags are the flags of the commands that predict.
type predictorFlags struct {
	model     string
	tokenizer string
	placement placement
	sampling  model.Sampling
	// jumps and candidates are of package stepwise; candidates is 0 where the user
	// has given none, and the model decides.
	jumps      stepwise.Jumps
	candidates int
	// given tells whether the user gave a flag.
	given func(flag string) bool
}

// placement says where a model computes, and in which numbers; its zero value is
// what suits the machine.
type placement struct{ device, dtype string }

func (f *predictorFlags) register(flags *pflag.FlagSet) {
	f.registerModel(flags)
	f.registerStepwise(flags, stepwise.Auto, 0)
	flags.Lookup("candidates").Usage += fmt.Sprintf(" (default: %d; 1 for a model at an http address)", stepwise.DefaultCandidates)
	flags.Float64Var(&f.sampling.Temperature, "temperature", 0, "0: the most probable state; above 0: states are sampled")
	flags.Float64Var(&f.sampling.TopP, "top-p", 1, "sample among the most probable tokens that make up this `PROBABILITY`")
	flags.Uint64Var(&f.sampling.Seed, "seed", 0, "seed of sampling")
}

// registerStepwise registers what a prediction may be made of several for, with the
// command's defaults.
func (f *predictorFlags) registerStepwise(flags *pflag.FlagSet, jumps stepwise.Jumps, candidates int) {
	f.given = flags.Changed
	flags.TextVar(&f.jumps, "jumps", jumps, "how targets of jumps are predicted: direct, at once; stepwise, by the states on the way; surer, the more certain of both; auto, surer where a small model makes it cheap")
	flags.IntVar(&f.candidates, "candidates", candidates, "how many inputs of a call to compare, each run forward by prediction")
}

func (f *predictorFlags) registerModel(flags *pflag.FlagSet) {
	flags.StringVar(&f.model, "model", bundledModel, "`MODEL` that predicts: nano, a checkpoint folder, http://HOST:PORT/v1#NAME, or replay:TRACE")
	flags.StringVar(&f.placement.device, "device", "", "`DEVICE` that the model computes on: auto, cpu, cuda:0, … (default: auto, the best there is)")
	flags.StringVar(&f.placement.dtype, "dtype", "", "`TYPE` of the model's numbers: auto, float32, bfloat16 or float16 (default: auto, float32 on the CPU if it fits, bfloat16 on CUDA)")
	flags.StringVar(&f.tokenizer, "tokenizer", "", "`FOLDER` with config.json and tokenizer of a model at an http address")
}

// stepwise returns the predictor with its jumps and inputs predicted as the flags
// say.
func (f *predictorFlags) stepwise(p model.Predictor) model.Predictor {
	o := stepwise.Options{Jumps: f.jumps, Candidates: f.candidates}
	if o.Candidates == 0 && completions.IsAddress(f.model) {
		o.Candidates = 1 // it may charge for every prediction
	}
	return stepwise.NewPredictor(p, o)
}

// check refuses parameters that mean nothing, and completes the model's address.
func (f *predictorFlags) check() error {
	var err error
	if f.model, err = completeModel(f.model, f.tokenizer); err != nil {
		return err
	}
	if f.given("candidates") {
		if err := checkNumbers(number{"candidates", f.candidates, 1, adapter.MaxSamples}); err != nil {
			return err
		}
	}
	if !(f.sampling.Temperature >= 0) || math.IsInf(f.sampling.Temperature, 1) {
		return usagef("--temperature must be 0 or more, got %g", f.sampling.Temperature)
	}
	if !(f.sampling.TopP > 0 && f.sampling.TopP <= 1) { // so written, NaN is refused
		return usagef("--top-p must be above 0 and at most 1, got %g", f.sampling.TopP)
	}
	return nil
}

// completeModel returns a model's name with the folder of its tokenizer, where one
// is given.
func completeModel(name, tokenizer string) (string, error) {
	switch {
	case tokenizer == "":
		return name, nil
	case !completions.IsAddress(name):
		return "", usagef("a tokenizer is for a model at an http address; a checkpoint folder has its own")
	}
	name, err := completions.WithTokenizer(name, tokenizer)
	if err != nil {
		return "", usagef("%w", err)
	}
	return name, nil
}

// devices are the names of devices, as neuraldbg-model knows them.
var devices = regexp.MustCompile(`^(auto|cpu|cuda(:\d{1,5})?)?$`)

// dtypes are the names of number types, as neuraldbg-model knows them.
var dtypes = []string{"", "auto", "float32", "bfloat16", "float16"}

// checkModel tells what is wrong with a model's name, as far as that is known at
// once: from names and small files, without a network.
func checkModel(name string, p placement) error {
	if err := p.check(name); err != nil {
		return err
	}
	if trace, ok := strings.CutPrefix(name, replayPrefix); ok {
		if trace == "" {
			return usagef("%s needs the path of a trace; make one with neuraldbg record", replayPrefix)
		}
		if err := record.Check(trace); err != nil {
			return fmt.Errorf("%w; make a trace with neuraldbg record", err)
		}
		return nil
	}
	if completions.IsAddress(name) {
		_, _, err := openAddress(name)
		return err
	}
	if name != "" && name != bundledModel { // where that is neuraldbg-model knows
		dir := name
		if info, err := os.Stat(name); err != nil || !info.IsDir() {
			if dir, err = server.Resolve(name); err != nil || strings.ContainsRune(name, filepath.Separator) {
				return fmt.Errorf("there is no model %q: give a name that neuraldbg models lists, a checkpoint folder, http://HOST:PORT/v1#NAME, or %sTRACE", name, replayPrefix)
			}
		}
		if err := checkFolder(dir); err != nil {
			return err
		}
	}
	_, err := rpc.FindExecutable("")
	return err
}

// checkFolder tells what is wrong with a checkpoint's folder, as far as its small
// files and the heads of its weights say.
func checkFolder(dir string) error {
	d, err := checkpoint.Describe(dir)
	if err == nil && d.Dialect == "" {
		err = errors.New(d.Reason)
	}
	return err
}

// openAddress reads the address of a model, and the folder that it names for the
// tokenizer.
func openAddress(name string) (completions.Address, *checkpoint.Checkpoint, error) {
	address, err := completions.ParseAddress(name)
	switch {
	case err != nil:
		return address, nil, usagef("%w", err)
	case address.Tokenizer == "":
		return address, nil, usagef("a model at an http address needs --tokenizer FOLDER (in launch.json: \"tokenizer\"): the folder with its config.json and tokenizer")
	}
	c, err := checkpoint.Open(address.Tokenizer)
	return address, c, err
}

// check refuses a placement that is unknown, and one of what is not placed here.
func (p placement) check(name string) error {
	if !devices.MatchString(p.device) {
		return usagef("device %q is unknown; auto, cpu, cuda and cuda:N are known", p.device)
	}
	if !slices.Contains(dtypes, p.dtype) {
		return usagef("number type %q is unknown; auto, float32, bfloat16 and float16 are known", p.dtype)
	}
	elsewhere := ""
	switch {
	case completions.IsAddress(name):
		elsewhere = "a model at an http address computes where its server decides"
	case strings.HasPrefix(name, replayPrefix):
		elsewhere = "a recording is read, not computed"
	default:
		return nil
	}
	for _, chosen := range []struct{ what, value string }{{"device", p.device}, {"number type", p.dtype}} {
		if chosen.value != "" && chosen.value != "auto" {
			return usagef("the %s %s has no effect: %s", chosen.what, chosen.value, elsewhere)
		}
	}
	return nil
}

// openPredictor makes the predictor that a model's name stands for. A replay is
// read here, and a server asked; another model is loaded by its first use.
func (a *app) openPredictor(ctx context.Context, name string, p placement) (model.Predictor, error) {
	if completions.IsAddress(name) {
		if err := p.check(name); err != nil {
			return nil, err
		}
		return openRemote(ctx, name)
	}
	if err := checkModel(name, p); err != nil {
		return nil, err
	}
	if trace, ok := strings.CutPrefix(name, replayPrefix); ok {
		recording, err := record.Open(trace)
		if err != nil {
			return nil, fmt.Errorf("%w; make a trace with neuraldbg record", err)
		}
		return replay.New(recording)
	}
	return rpc.NewPredictor(rpc.Options{Model: cmp.Or(name, bundledModel), Device: p.device, DType: p.dtype, Log: a.log}), nil
}

// keyEnv names the environment variable with the key that a completions server
// asks for.
const keyEnv = "NEURALDBG_API_KEY"

// openRemote makes the predictor of a model behind a completions server.
func openRemote(ctx context.Context, name string) (model.Predictor, error) {
	address, c, err := openAddress(name)
	if err != nil {
		return nil, err
	}
	description, err := checkpoint.ReadConfig(address.Tokenizer)
	if err != nil {
		return nil, err
	}
	engine, err := completions.Open(ctx, completions.Options{
		Address: address, Vocabulary: c.Tokenizer, MaxContext: description.Context,
		StopTokens: c.StateEnds(), Key: os.Getenv(keyEnv),
	})
	if err != nil {
		return nil, err
	}
	predictor, err := c.NewPredictor(engine, model.Info{
		Name: engine.Address().Model, Detail: "at " + engine.Address().URL,
	})
	if err != nil {
		_ = engine.Close()
		return nil, err
	}
	return predictor, nil
}

// loadPredictor is openPredictor with the model loaded, which may take seconds.
func (a *app) loadPredictor(ctx context.Context, name string, p placement) (model.Predictor, error) {
	predictor, err := a.openPredictor(ctx, name, p)
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
