package adapter

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"

	"github.com/neuraldbg/neuraldbg/adapter/timeline"
	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/model/stepwise"
)

// LaunchConfig are the keys of a launch request, as in a client's launch.json.
// Other keys are tolerated: clients add their own.
type LaunchConfig struct {
	// Program is the path of the Python file. It is read, never run.
	Program string `json:"program"`
	// Entry is what of the file to debug: a call such as `count("berry", "r")`;
	// a function's name, whose arguments are Arguments or, without them,
	// proposed by the model; or "" for the file from its first line.
	Entry string `json:"entry,omitempty"`
	// Arguments are the values of the parameters of a function named by Entry,
	// as Python's repr writes them: {"s": "'berry'", "t": "'r'"}.
	Arguments map[string]string `json:"arguments,omitempty"`
	// From begins at a state inside the function that Entry names, in place of
	// its call: {"event": "return", "line": 5, "value": "2"}, or {"event":
	// "line", "line": 4, "locals": {"s": "'berry'"}}. Stepping back from there
	// predicts what was before.
	From *timeline.From `json:"from,omitempty"`
	// Model names the model: "nano", a checkpoint folder, "http://HOST:PORT/v1#NAME"
	// behind a server, or "replay:TRACE" for a recording.
	Model string `json:"model,omitempty"`
	// Tokenizer is the folder with the config.json and the tokenizer of a model at
	// an http address; other models have their own.
	Tokenizer string `json:"tokenizer,omitempty"`
	// Device is where the model computes: "cpu", "cuda", "cuda:1"; "" leaves the
	// choice to it.
	Device string `json:"device,omitempty"`
	// DType is the number type of the model's weights: "float32", "bfloat16",
	// "float16"; "" or "auto" leaves the choice to it.
	DType string `json:"dtype,omitempty"`
	// StopOnEntry stops at the first state, and is true when it is left out;
	// false goes on to the first breakpoint or to the end.
	StopOnEntry *bool `json:"stopOnEntry,omitempty"`
	// Temperature is 0 for the most probable states; above, they are sampled,
	// with Seed.
	Temperature float64 `json:"temperature,omitempty"`
	// Seed is the seed of sampling.
	Seed uint64 `json:"seed,omitempty"`
	// ContinueStrategy is how continue looks for the next breakpoint: "auto"
	// jumps where one line can be the next stop and steps where several can;
	// "jump" and "step" do only the one.
	ContinueStrategy timeline.Strategy `json:"continueStrategy,omitempty"`
	// Jumps is how the target of a jump is predicted: "direct", at once; "stepwise",
	// by the states on the way; "surer", the more certain of both; "auto" is surer with
	// a small model and direct with others.
	Jumps stepwise.Jumps `json:"jumps,omitempty"`
	// MaxSteps is how many predictions one continue may take where it steps; 0
	// means 500. After them, "auto" jumps.
	MaxSteps int `json:"maxSteps,omitempty"`
	// Samples is how many outcomes to ask for where one is predicted backward,
	// such as a function's inputs: the likeliest is shown, the others are its
	// alternatives. 0 means 1.
	Samples int `json:"samples,omitempty"`
	// Candidates is how many inputs are compared where those of a call are inferred:
	// each is run forward by prediction, and one that gives the known result is
	// shown. 0 means 4, or 1, which compares none, with a model behind a server.
	Candidates int `json:"candidates,omitempty"`
	// ConfidenceThreshold is the confidence, from 0 to 1, below which a shown
	// value is marked; 0.5 when it is left out, and 0 marks none.
	ConfidenceThreshold *float64 `json:"confidenceThreshold,omitempty"`
	// LookAhead has the model predict the likely next step while the user reads
	// what is shown. Left out, it is true, but for models behind a server that may
	// charge for it.
	LookAhead *bool `json:"lookAhead,omitempty"`
	// NoDebug is the protocol's "run without debugging": breakpoints and
	// StopOnEntry have no effect.
	NoDebug bool `json:"noDebug,omitempty"`
}

// MaxSamples is the largest number of samples, and of candidates, that may be asked
// for.
const MaxSamples = 64

// parseLaunchConfig reads the arguments of a launch. The program's path is made
// absolute, as a client's working folder is not the adapter's.
func parseLaunchConfig(arguments json.RawMessage) (LaunchConfig, error) {
	var c LaunchConfig
	if len(bytes.TrimSpace(arguments)) == 0 {
		return c, badArguments("launch: no arguments; at least program is needed")
	}
	if err := json.Unmarshal(arguments, &c); err != nil {
		return c, badJSON("launch", err)
	}
	switch {
	case c.Program == "":
		return c, badArguments("launch: program, the path of a Python file, is missing")
	case c.Temperature < 0:
		return c, badArguments("launch: temperature is %v; it must not be negative", c.Temperature)
	case c.ConfidenceThreshold != nil && (*c.ConfidenceThreshold < 0 || *c.ConfidenceThreshold > 1):
		return c, badArguments("launch: confidenceThreshold is %v; it must be from 0 to 1", *c.ConfidenceThreshold)
	case c.MaxSteps < 0:
		return c, badArguments("launch: maxSteps is %d; it must not be negative", c.MaxSteps)
	case c.Samples < 0 || c.Samples > MaxSamples:
		return c, badArguments("launch: samples is %d; it must be between 1 and %d", c.Samples, MaxSamples)
	case c.Candidates < 0 || c.Candidates > MaxSamples:
		return c, badArguments("launch: candidates is %d; it must be between 1 and %d", c.Candidates, MaxSamples)
	}
	program, err := filepath.Abs(c.Program)
	if err != nil {
		return c, badArguments("launch: program %q: %v", c.Program, err)
	}
	c.Program = program
	return c, nil
}

// stopsOnEntry reports whether the session stops at its first state.
func (c LaunchConfig) stopsOnEntry() bool {
	return !c.NoDebug && (c.StopOnEntry == nil || *c.StopOnEntry)
}

// defaultConfidenceThreshold marks what is more likely wrong than right.
const defaultConfidenceThreshold = 0.5

func (c *LaunchConfig) confidenceThreshold() float64 {
	if c == nil || c.ConfidenceThreshold == nil {
		return defaultConfidenceThreshold
	}
	return *c.ConfidenceThreshold
}

// looksAhead reports whether steps are predicted before they are asked for.
func (c LaunchConfig) looksAhead() bool {
	if c.LookAhead != nil {
		return *c.LookAhead
	}
	return !c.remote()
}

// remote reports whether the model is behind a server, which may charge for every
// prediction.
func (c LaunchConfig) remote() bool {
	return strings.HasPrefix(c.Model, "http://") || strings.HasPrefix(c.Model, "https://")
}

// predicting says what of a prediction is made of several.
func (c LaunchConfig) predicting() stepwise.Options {
	o := stepwise.Options{Jumps: c.Jumps, Candidates: c.Candidates}
	if o.Candidates == 0 && c.remote() {
		o.Candidates = 1
	}
	return o
}

// launch returns what the timeline debugs.
func (c LaunchConfig) launch() timeline.Launch {
	return timeline.Launch{Path: c.Program, Entry: c.Entry, Arguments: c.Arguments, From: c.From}
}

// options returns the timeline's options but for the breakpoints.
func (c LaunchConfig) options() timeline.Options {
	return timeline.Options{
		Sampling: model.Sampling{Temperature: c.Temperature, Seed: c.Seed},
		MaxSteps: c.MaxSteps,
		Strategy: c.ContinueStrategy,
		Samples:  c.Samples,
	}
}
