package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/model/atomicfile"
	"github.com/neuraldbg/neuraldbg/model/dataset"
	"github.com/neuraldbg/neuraldbg/model/eval"
	"github.com/neuraldbg/neuraldbg/model/eval/judge"
	"github.com/neuraldbg/neuraldbg/model/server"
	"github.com/neuraldbg/neuraldbg/model/stepwise"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// The files of a report in its folder, beside the answers and the plots.
const (
	reportJSON       = "report.json"
	reportMarkdown   = "report.md"
	mistakesMarkdown = "mistakes.md"
)

// recordedTruth is the --model that lets every program's recording answer.
const recordedTruth = "replay"

// The names that --measure knows: those of package eval, with one for the three
// that are about whole calls.
const (
	measureNextState = "next-state"
	measureCalls     = "calls"
	measureHorizon   = "horizon"
)

// The names that --data and --constraint know.
const (
	dataGenerated     = "generated"
	dataHandwritten   = "handwritten"
	dataTree          = "tree:"
	dataTraces        = "traces:"
	constraintOn      = "on"
	constraintOff     = "off"
	constraintCompare = "both"
)

// evalOptions are all that decides what the answers of an evaluation are: its
// settings. They are written as JSON.
type evalOptions struct {
	Model string `json:"model"`
	// Weights identify the files of a checkpoint.
	Weights     string   `json:"weights,omitempty"`
	Data        []string `json:"data"`
	Measures    []string `json:"measures,omitempty"`
	Constraint  string   `json:"constraint"`
	Seed        uint64   `json:"seed"`
	First       uint64   `json:"first"`
	Predictions int      `json:"predictions"`
	Actions     []string `json:"actions,omitempty"`
	Cases       int      `json:"cases"`
	Samples     int      `json:"samples"`
	Functions   int      `json:"functions"`
	Points      int      `json:"points"`
	JumpSamples int      `json:"jump_samples"`
	Temperature float64  `json:"temperature"`
	TopP        float64  `json:"top_p"`
	Trained     []string `json:"training_data,omitempty"`
	// Jumps says how the model's jumps are predicted.
	Jumps stepwise.Jumps `json:"jumps,omitempty"`
	// Candidates is how many inputs the model compares, 0 where it compares none.
	Candidates int `json:"candidates,omitempty"`

	predictor predictorFlags
	out       string
	workers   int
	actions   []statetree.ActionKind
}

func newEvalCommand(a *app) *cobra.Command {
	o := evalOptions{}
	cmd := &cobra.Command{
		Use:   "eval",
		Short: "Measure how well a model predicts, on programs that it was not trained on",
		Long: `Measure how well a model predicts, on programs that it was not trained on.

Measures (--measure):
  next-state  one action is taken with the true states so far as history, and the
              next state compared with the recorded one; with a calibration of the
              confidences. The default for programs.
  calls       output of a call by step_return and by a breakpoint at the return line,
              input by inv_step_call, judged by running it. The default for a file.
  horizon     step_return after more or fewer steps of the function were shown.

Data (--data):
  generated    generated programs that are held out by their hash
  handwritten  programs that people wrote, in this program
  tree:DIR     the calls in doctests and assertions of a package that was put aside
  traces:DIR   recordings of a repository that was put aside, as
               "neuraldbg record -- COMMAND" makes them
  FOLDER       the held-out share, limits and sampling of that dataset, on generated
               programs
  FILE.jsonl   lines of JSON with code, input and output, as CruxEval is published

The model is one as for the other commands, or "replay": then every program is run
and its recording answers, which tests the evaluation itself.

With --out the answers are kept: an interrupted evaluation goes on where it was when
the same command is given again. Beside the report, mistakes.md shows some of the
predictions that were wrong.`,
		Example: `  neuraldbg eval --model nano --data generated --data handwritten --out runs/nano-eval
  neuraldbg eval --model nano --data cruxeval.jsonl --samples 10 --out runs/nano-cruxeval
  neuraldbg eval compare runs/nano-eval runs/other-eval`,
		Args: noMoreArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.eval(cmd.Context(), o) },
	}
	f := cmd.Flags()
	o.predictor.registerModel(f)
	o.predictor.registerStepwise(f, stepwise.Direct, 1)
	f.Lookup("model").Usage = "`MODEL` to measure: nano, a checkpoint folder, http://HOST:PORT/v1#NAME, or replay"
	f.StringSliceVar(&o.Data, "data", []string{dataGenerated}, "what to measure on: generated, handwritten, tree:DIR, traces:DIR, a dataset's folder, or a file of JSON lines")
	f.StringSliceVar(&o.Measures, "measure", nil, "what to measure: next-state, calls, horizon (default: what suits the data)")
	f.StringVar(&o.Constraint, "constraint", constraintOn, "on, off (the model may write anything), or both")
	f.StringVar(&o.out, "out", "", "keep the answers in this `FOLDER`, with the report as JSON and Markdown and its plots")
	f.IntVar(&o.workers, "workers", 2, "predictions asked for at the same time")
	f.Uint64Var(&o.Seed, "seed", 1, "seed of the generated programs, of the choice of actions and of sampling")
	f.Uint64Var(&o.First, "first", 1<<32, "number of the first generated program")
	f.IntVar(&o.Predictions, "predictions", 800, "next-state: predictions for each kind of action")
	f.StringSliceVar(&o.Actions, "actions", nil, "next-state: kinds of action, such as step_into,inv_step_call (default: all)")
	f.IntVar(&o.Cases, "cases", 0, "calls: most programs to ask about (default: all of a file, else 800)")
	f.IntVar(&o.Samples, "samples", 0, "calls: sampled predictions of each for pass@k, beside the greedy one")
	f.IntVar(&o.Functions, "functions", 100, "horizon: functions to ask about")
	f.IntVar(&o.Points, "points", 5, "horizon: places in a function from which to jump")
	f.IntVar(&o.JumpSamples, "jump-samples", 50, "horizon: sampled predictions of each jump")
	f.Float64Var(&o.Temperature, "temperature", 0.6, "temperature of sampled predictions")
	f.Float64Var(&o.TopP, "top-p", 0.95, "sample among the most probable tokens that make up this `PROBABILITY`")
	f.StringSliceVar(&o.Trained, "trained-on", nil, "leave out the programs that are in the training split of the dataset in this `FOLDER`")
	cmd.AddCommand(newEvalCompareCommand(a), newEvalCalibrateCommand(a))
	return cmd
}

// check refuses settings that mean nothing, and reads the actions.
func (o *evalOptions) check() error {
	if err := checkNumbers(
		number{"predictions", o.Predictions, 1, 1 << 30},
		number{"cases", o.Cases, 0, 1 << 30},
		number{"samples", o.Samples, 0, 1 << 16},
		number{"functions", o.Functions, 1, 1 << 20},
		number{"points", o.Points, 1, 1 << 16},
		number{"jump-samples", o.JumpSamples, 1, 1 << 16},
		number{"workers", o.workers, 1, mostWorkers},
	); err != nil {
		return err
	}
	o.predictor.sampling = model.Sampling{Temperature: o.Temperature, TopP: o.TopP}
	if err := o.predictor.check(); err != nil {
		return err
	}
	o.Model, o.Jumps = o.predictor.model, o.predictor.jumps
	if o.predictor.candidates > 1 {
		o.Candidates = o.predictor.candidates
	}
	if o.Model == recordedTruth && (o.Jumps != stepwise.Direct || o.Candidates > 0) {
		return usagef("--jumps and --candidates are about a model; a recording knows where it leads")
	}
	if strings.HasPrefix(o.Model, replayPrefix) {
		return usagef("--model %s: an evaluation records its programs itself; give --model %s", o.Model, recordedTruth)
	}
	if !slices.Contains([]string{constraintOn, constraintOff, constraintCompare}, o.Constraint) {
		return usagef("--constraint is on, off or both, not %q", o.Constraint)
	}
	for _, m := range o.Measures {
		if !slices.Contains([]string{measureNextState, measureCalls, measureHorizon}, m) {
			return usagef("--measure is next-state, calls or horizon, not %q", m)
		}
	}
	if len(o.Data) == 0 {
		return usagef("--data names nothing to measure on")
	}
	for _, name := range o.Actions {
		var kind statetree.ActionKind
		if err := kind.UnmarshalText([]byte(name)); err != nil || kind == statetree.NoAction {
			return usagef("--actions: %q is no action", name)
		}
		o.actions = append(o.actions, kind)
	}
	return nil
}

// eval runs an evaluation and prints its report.
func (a *app) eval(ctx context.Context, o evalOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	e := evaluation{app: a, options: o}
	if err := e.open(ctx); err != nil {
		return err
	}
	defer e.close()
	err := e.run(ctx)
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return e.interrupted()
	}
	if err != nil {
		return err
	}
	return e.report()
}

// evaluation is one run of eval.
type evaluation struct {
	app       *app
	options   evalOptions
	sets      []*eval.Set
	predictor model.Predictor // nil for replay
	judge     *judge.Judge
	log       *eval.Log
}

// open reads the data, finds Python, and loads the model last: it takes longest.
func (e *evaluation) open(ctx context.Context) (err error) {
	o := &e.options
	trained, err := trainedPrograms(o.Trained)
	if err != nil {
		return err
	}
	for _, name := range o.Data {
		set, err := openSet(ctx, name, o.Seed, o.First)
		if err != nil {
			return err
		}
		set.Trained = trained
		e.sets = append(e.sets, set)
	}
	if e.judge, err = judge.New(ctx, judge.Options{}); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			e.close()
		}
	}()
	if o.Model != recordedTruth {
		if o.Weights, err = fingerprint(o.Model); err != nil {
			return err
		}
	}
	e.log = eval.NewLog()
	if o.out != "" {
		if e.log, err = eval.OpenLog(o.out, o); err != nil {
			return err
		}
	}
	if o.Model == recordedTruth {
		return nil
	}
	predictor, err := e.app.loadPredictor(ctx, o.Model, o.predictor.placement)
	if err == nil {
		e.predictor = o.predictor.stepwise(predictor)
	}
	return err
}

func (e *evaluation) close() {
	_ = e.judge.Close()
	if e.log != nil {
		_ = e.log.Close()
	}
	if e.predictor != nil {
		_ = e.predictor.Close()
	}
}

// openSet returns what --data names.
func openSet(ctx context.Context, name string, seed, first uint64) (*eval.Set, error) {
	switch name {
	case dataGenerated:
		return eval.GeneratedSet(dataGenerated, seed, first, dataset.DefaultParams()), nil
	case dataHandwritten:
		return eval.HandwrittenSet()
	}
	if dir, ok := strings.CutPrefix(name, dataTree); ok {
		return eval.TreeSet(ctx, dir, seed)
	}
	if dir, ok := strings.CutPrefix(name, dataTraces); ok {
		return eval.TraceSet(dir)
	}
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, usagef("--data: %q is neither generated, handwritten, tree:DIR, traces:DIR, a dataset's folder nor a file", name)
	case !info.IsDir():
		return eval.FileSet(name)
	}
	d, err := dataset.ReadDescription(name)
	if err != nil {
		return nil, err
	}
	if !strings.HasPrefix(d.Params.Corpus, dataGenerated+"/") {
		return nil, usagef("--data %s: it is a dataset of %s, whose programs are not kept in it; give tree:DIR, traces:DIR or the file that it was made from", name, d.Params.Corpus)
	}
	return eval.GeneratedSet("generated as "+filepath.Base(filepath.Clean(name)), seed, first, d.Params), nil
}

// trainedPrograms returns the keys of all programs that datasets train on.
func trainedPrograms(dirs []string) (map[uint64]bool, error) {
	all := map[uint64]bool{}
	for _, dir := range dirs {
		keys, err := dataset.ProgramKeys(dir, dataset.Train)
		if err != nil {
			return nil, err
		}
		for key := range keys {
			all[key] = true
		}
	}
	return all, nil
}

// fingerprint tells the files of a checkpoint from those of another, "" for a
// model without a folder.
func fingerprint(name string) (string, error) {
	dir, err := server.Resolve(name)
	if err != nil {
		return "", nil // who loads the model says what is wrong with its name
	}
	return eval.Fingerprint(dir)
}

// measures are those that are asked for of a set.
func (e *evaluation) measures(s *eval.Set) []string {
	switch {
	case len(e.options.Measures) > 0:
		return e.options.Measures
	case s.Solved:
		return []string{measureCalls}
	}
	return []string{measureNextState}
}

// run asks all questions of all sets.
func (e *evaluation) run(ctx context.Context) error {
	o := &e.options
	for _, set := range e.sets {
		for _, measure := range e.measures(set) {
			for _, unconstrained := range []bool{false, true} {
				if o.Constraint == constraintOn && unconstrained || o.Constraint == constraintOff && !unconstrained {
					continue
				}
				questions, most := e.questions(ctx, set, measure)
				name := measure + ", " + set.Name
				if unconstrained {
					questions, name = eval.Unconstrained(questions), name+", without constraint"
				}
				progress := newProgress(e.app.stderr, name, most)
				runner := eval.Runner{Predictor: e.predictor, Log: e.log, Workers: o.workers, Progress: progress.done}
				if err := runner.Run(ctx, questions); err != nil {
					progress.stop()
					return err
				}
				progress.end()
			}
		}
	}
	return nil
}

// questions returns those of a measure and how many there are at most; 0 where
// that is not known.
func (e *evaluation) questions(ctx context.Context, set *eval.Set, measure string) (questions eval.Questions, most int) {
	o := &e.options
	sampling := model.Sampling{Temperature: o.Temperature, TopP: o.TopP, Seed: o.Seed}
	switch measure {
	case measureCalls:
		cases := o.Cases
		if cases == 0 && !set.Finite {
			cases = 800
		}
		return eval.CallQuestions(ctx, set, eval.CallOptions{Cases: cases, Samples: o.Samples, Sampling: sampling, Judge: e.judge}),
			3 * cases * (1 + o.Samples)
	case measureHorizon:
		return eval.HorizonQuestions(ctx, set, eval.HorizonOptions{Functions: o.Functions, Points: o.Points, Samples: o.JumpSamples, Sampling: sampling}),
			o.Functions * o.Points * o.JumpSamples
	}
	kinds := len(o.actions)
	if kinds == 0 {
		kinds = len(eval.AllActions)
	}
	return eval.NextStateQuestions(ctx, set, eval.NextStateOptions{Predictions: o.Predictions, Actions: o.actions, Seed: o.Seed, Judge: e.judge}),
		o.Predictions * kinds
}

// interrupted tells what becomes of an evaluation that was stopped.
func (e *evaluation) interrupted() error {
	if e.options.out == "" {
		return interruptedf("; with --out an evaluation can go on later")
	}
	return interruptedf(" after %s; the same command goes on from here", count(e.log.Len(), "answer"))
}

// report prints the report, and writes it where the answers are.
func (e *evaluation) report() error {
	info := model.Info{Name: recordedTruth, Detail: "the recordings of the programs"}
	if e.predictor != nil {
		info = e.predictor.Info()
		info.Name = e.options.Model
	}
	answers := e.log.Answers()
	r := eval.NewReport(info, answers)
	r.Settings = &e.options
	for _, set := range e.sets {
		r.Sets = append(r.Sets, set.Report(answers, e.options.Trained))
	}
	if e.options.out == "" {
		return r.Markdown(e.app.stdout)
	}
	text, err := json.MarshalIndent(&r, "", "  ")
	if err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	if err := atomicfile.WriteFile(filepath.Join(e.options.out, reportJSON), append(text, '\n')); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	var markdown strings.Builder
	if err := r.Markdown(&markdown); err != nil {
		return err
	}
	plots, err := r.Plot(e.options.out)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprint(e.app.stdout, markdown.String()); err != nil {
		return err
	}
	for _, name := range plots {
		fmt.Fprintf(&markdown, "![%s](%s)\n", strings.TrimSuffix(name, filepath.Ext(name)), name)
	}
	if err := atomicfile.WriteFile(filepath.Join(e.options.out, reportMarkdown), []byte(markdown.String())); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	err = atomicfile.Write(filepath.Join(e.options.out, mistakesMarkdown), func(w io.Writer) error {
		return eval.WriteMistakes(w, info.Name, answers)
	})
	if err != nil {
		return fmt.Errorf("write the mistakes: %w", err)
	}
	fmt.Fprintf(e.app.stderr, "the report is in %s\n", e.options.out)
	return nil
}
