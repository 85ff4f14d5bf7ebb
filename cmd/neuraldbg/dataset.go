package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/mattn/go-isatty"
	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"github.com/neuraldbg/neuraldbg/model/dataset"
	"github.com/neuraldbg/neuraldbg/model/tokenizer"
	"github.com/neuraldbg/neuraldbg/statetree/corpus"
)

// datasetOptions are the flags of `neuraldbg dataset`.
type datasetOptions struct {
	params     dataset.Params
	corpus     string
	programs   int
	corpusSeed uint64
	variations int
	policy     string
	tokenizer  string
	vocabulary int
	workers    int
	shards     string
	python     string
	// changed tells whether the user gave a flag.
	changed func(flag string) bool
}

// corpora are what --corpus knows.
const corpora = "generated, drills[:KIND,…], tree:DIR, jsonl:FILE or traces:DIR"

// tokenizerPrograms is how many programs a new tokenizer is trained on.
const tokenizerPrograms = 3000

func newDatasetCommand(a *app) *cobra.Command {
	o := datasetOptions{params: dataset.DefaultParams()}
	cmd := &cobra.Command{
		Use:   "dataset DIR",
		Short: "Record programs and make a dataset to train on",
		Long: fmt.Sprintf(`Sample debugger trajectories from recordings of Python programs, and write them
as token shards (Parquet) to DIR, with the tokenizer. The programs are those of
a corpus:

  generated     random programs, as many as --programs says
  drills        as many random programs that are a row of single operations, to mix
                with others; drills:sums,branches those of two kinds only, out of
                %s
  tree:DIR      calls of functions, methods and classes with literal arguments, in
                the doctests and assertions of the Python files in DIR, such as
                an installed package
  jsonl:FILE    JSON lines with code and input, as CruxEval is published
  traces:DIR    recordings that "neuraldbg record -- COMMAND" made

All but traces run the programs; other people's are confined: they cannot write
files, start processes or use the network. DIR/dataset.json says what the dataset
was made from, under what licences, and what was left out and why.

A run that was stopped goes on where it was when it is started again with the
same flags. A large dataset is made on several machines: each makes a range of
the shards of the same command, the files are put into one folder, and the
command without --shards completes it.`, wrapped(corpus.DrillKinds(), 64, 16)),
		Example: `  neuraldbg dataset data/nano --programs 200000
  neuraldbg dataset data/toolz --corpus tree:site-packages/toolz --tokenizer data/nano/tokenizer.json
  neuraldbg dataset data/big --programs 10000000 --shards 0:2500`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("dataset needs one folder to write to; see %s --help", cmd.CommandPath())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.changed = cmd.Flags().Changed
			return a.dataset(cmd.Context(), args[0], o)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.corpus, "corpus", "generated", "where the programs come from: "+corpora)
	flags.IntVar(&o.programs, "programs", 200_000, "how many programs to generate")
	flags.Uint64Var(&o.corpusSeed, "corpus-seed", 1, "seed of the program generator")
	flags.Uint64Var(&o.params.Seed, "seed", o.params.Seed, "seed of the sampling of trajectories")
	flags.IntVar(&o.params.Trajectories, "trajectories", o.params.Trajectories, "trajectories sampled from each program")
	flags.IntVar(&o.variations, "variations", 0, "calls made of each one found in tree:DIR, with other arguments of the same types")
	flags.IntVar(&o.params.Activations, "activations", 4, "calls of each function that are taken from a trace")
	flags.StringVar(&o.policy, "policy", "table-a1", "how actions are drawn: table-a1 (the paper's), syntax (more at branches and loops), or a JSON `FILE`")
	flags.Float64Var(&o.params.Forward, "forward", o.params.Forward, "share of the trajectories that goes forward")
	flags.IntVar(&o.params.MaxTokens, "max-tokens", o.params.MaxTokens, "longest trajectory in tokens; a longer one is cut behind a state")
	flags.IntVar(&o.params.Events, "max-states", o.params.Events, "most states of a program (with traces: 5000)")
	flags.IntVar(&o.params.Value, "max-repr", o.params.Value, "longest repr of a value in characters (with code of others: 500)")
	flags.Float64Var(&o.params.HeldOut, "held-out", o.params.HeldOut, "share of the programs kept out of training")
	flags.StringVar(&o.tokenizer, "tokenizer", "", "a tokenizer.json `FILE` to use (default: train one on the programs)")
	flags.IntVar(&o.vocabulary, "vocabulary", 768, "entries of a tokenizer trained here")
	flags.IntVar(&o.workers, "workers", 0, "programs recorded at the same time (default: one a processor)")
	flags.StringVar(&o.shards, "shards", "", "make only the shards `A:B`, from A up to B, which is left out")
	flags.StringVar(&o.python, "python", "", "the Python `INTERPRETER` (default python3)")
	cmd.AddCommand(newDatasetStatsCommand(a))
	return cmd
}

// check refuses numbers that mean nothing, before hours are spent on them.
func (o *datasetOptions) check() error {
	if err := checkNumbers(
		number{"programs", o.programs, 1, 1 << 40},
		number{"trajectories", o.params.Trajectories, 1, 1 << 16},
		number{"variations", o.variations, 0, 1 << 16},
		number{"activations", o.params.Activations, 1, unbounded},
		number{"max-tokens", o.params.MaxTokens, 1, 1 << 24},
		number{"max-states", o.params.Events, 1, unbounded},
		number{"max-repr", o.params.Value, 1, unbounded},
		number{"vocabulary", o.vocabulary, 1, 1 << 20},
		number{"workers", o.workers, 0, mostWorkers},
	); err != nil {
		return err
	}
	for flag, share := range map[string]float64{"--forward": o.params.Forward, "--held-out": o.params.HeldOut} {
		if !(share >= 0 && share <= 1) {
			return usagef("%s must be between 0 and 1, got %g", flag, share)
		}
	}
	return nil
}

func (a *app) dataset(ctx context.Context, dir string, o datasetOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	shards, err := parseRange(o.shards)
	if err != nil {
		return err
	}
	if o.params.Sampling, err = dataset.ReadSampling(o.policy); err != nil {
		return err
	}
	lock, err := dataset.Claim(dir)
	if err != nil {
		return err
	}
	defer lock.Release()
	programs, err := o.open(ctx)
	if err != nil {
		return err
	}
	provenance := programs.Provenance()
	fmt.Fprintf(a.stderr, "%s: %s, %s\n", provenance.Name, describeProvenance(provenance), count(programs.Shards(), "shard"))
	tok, err := a.datasetTokenizer(ctx, dir, programs, o)
	if err != nil {
		return err
	}
	description, err := dataset.Build(ctx, dir, programs, tok, o.params, dataset.BuildOptions{
		Workers: o.workers, Range: shards, Progress: a.datasetProgress(),
	})
	if errors.Is(err, context.Canceled) {
		return interruptedf("; the same command goes on from here")
	}
	if err != nil {
		return err
	}
	if !description.Complete {
		fmt.Fprintf(a.stdout, "%s: shards %d to %d of %d are made; with the others beside them, the command without --shards completes the dataset\n",
			dir, shards.From, shards.To-1, programs.Shards())
		return nil
	}
	fmt.Fprintf(a.stdout, "%s: %s, %.1f M tokens in %s\n", dir,
		count(description.Stats.Train.Programs+description.Stats.HeldOut.Programs, "program"),
		float64(description.Stats.Tokens())/1e6, count(description.Shards, "shard"))
	if description.Stats.Tokens() == 0 {
		return fmt.Errorf("nothing was kept: %s", describeDropped(description.Stats.Dropped))
	}
	return nil
}

// describeDropped says how many programs or trajectories were left out, and why.
func describeDropped(dropped map[dataset.Reason]int) string {
	var parts []string
	for _, reason := range slices.Sorted(maps.Keys(dropped)) {
		parts = append(parts, fmt.Sprintf("%s (%d)", reason, dropped[reason]))
	}
	return strings.Join(parts, ", ")
}

// open opens the corpus that --corpus names. Code that people have written has
// longer runs and values than the generator's.
func (o *datasetOptions) open(ctx context.Context) (dataset.Corpus, error) {
	kind, of, more := strings.Cut(o.corpus, ":")
	random := kind == "generated" || kind == "drills"
	if of == "" && (more || !random) || more && kind == "generated" {
		return nil, usagef("--corpus %s: it is %s", o.corpus, corpora)
	}
	if !random && !o.changed("max-repr") {
		o.params.Value = 500
	}
	if kind != "traces" {
		o.params.Activations = 0
	}
	if kind != "tree" && o.variations != 0 {
		return nil, usagef("--variations is for --corpus tree:DIR")
	}
	var collection corpus.Collection
	var err error
	switch kind {
	case "generated":
		collection = corpus.NewGenerated(o.corpusSeed, o.programs)
	case "drills":
		collection, err = o.openDrills(of)
	case "tree":
		collection, err = o.openTree(ctx, of)
	case "jsonl":
		collection, err = corpus.OpenJSONL(of)
	case "traces":
		if !o.changed("max-states") {
			o.params.Events = 5000
		}
		return dataset.OpenTraces(of, o.params)
	default:
		return nil, usagef("--corpus %s: it is %s", o.corpus, corpora)
	}
	if err != nil {
		return nil, err
	}
	cases := dataset.NewCases(collection, o.params)
	cases.Python = o.python
	return cases, nil
}

// openDrills generates drills of the kinds in a list with commas, or of many sorts.
func (o *datasetOptions) openDrills(list string) (corpus.Collection, error) {
	var kinds []string
	if list != "" {
		kinds = strings.Split(list, ",")
	}
	known := corpus.DrillKinds()
	for _, kind := range kinds {
		if !slices.Contains(known, kind) {
			return nil, usagef("--corpus drills:%s: there are no drills of %q; the kinds are %s", list, kind, strings.Join(known, ", "))
		}
	}
	return corpus.NewDrills(o.corpusSeed, o.programs, kinds...), nil
}

// openTree finds the calls in a tree of files, and varies them if --variations says so.
func (o *datasetOptions) openTree(ctx context.Context, dir string) (corpus.Collection, error) {
	tree, err := corpus.ScanTree(ctx, dir, o.python)
	if err != nil || o.variations == 0 {
		return tree, err
	}
	return tree, tree.Vary(ctx, o.variations, o.python)
}

// parseRange reads A:B.
func parseRange(text string) (dataset.Range, error) {
	if text == "" {
		return dataset.Range{}, nil
	}
	from, to, _ := strings.Cut(text, ":")
	a, errA := strconv.Atoi(from)
	b, errB := strconv.Atoi(to)
	if errA != nil || errB != nil || a < 0 || a >= b {
		return dataset.Range{}, usagef("--shards must be A:B with A below B, got %s", text)
	}
	return dataset.Range{From: a, To: b}, nil
}

// wrapped lists names with commas between them, in lines of at most width characters
// besides the indentation, which all but the first have.
func wrapped(names []string, width, indent int) string {
	lines := []string{""}
	for i, name := range names {
		if i < len(names)-1 {
			name += ","
		}
		line := strings.TrimSpace(lines[len(lines)-1] + " " + name)
		if len(line) <= width {
			lines[len(lines)-1] = line
		} else {
			lines = append(lines, name)
		}
	}
	return strings.Join(lines, "\n"+strings.Repeat(" ", indent))
}

// describeProvenance counts what a corpus has.
func describeProvenance(p corpus.Provenance) string {
	var parts []string
	for _, c := range []struct {
		n    int
		noun string
	}{{p.Entries, "call"}, {p.Functions, "function"}, {p.Files, "file"}} {
		if c.n > 0 {
			parts = append(parts, count(c.n, c.noun))
		}
	}
	return strings.Join(parts, ", ")
}

// datasetProgress shows the shards that are done: as a bar on a terminal, as lines
// elsewhere.
func (a *app) datasetProgress() func(done, of int, total dataset.Stats) {
	tell := func(total dataset.Stats) string {
		return fmt.Sprintf("%s, %.1f M tokens", count(total.Cases, "program"), float64(total.Tokens())/1e6)
	}
	file, ok := a.stderr.(*os.File)
	if !ok || !isatty.IsTerminal(file.Fd()) {
		return func(done, of int, total dataset.Stats) {
			fmt.Fprintf(a.stderr, "%d of %s, %s\n", done, count(of, "shard"), tell(total))
		}
	}
	var bar *progressbar.ProgressBar
	return func(done, of int, total dataset.Stats) {
		if bar == nil {
			bar = progressbar.NewOptions(of, progressbar.OptionSetWriter(a.stderr), progressbar.OptionFullWidth(),
				progressbar.OptionShowCount(), progressbar.OptionSetPredictTime(true), progressbar.OptionClearOnFinish())
		}
		bar.Describe(tell(total))
		if err := bar.Set(done); err != nil {
			a.log.Debug().Err(err).Msg("the progress bar cannot be shown")
		}
	}
}

// datasetTokenizer returns the tokenizer that the flags name, or the one that a
// stopped run left in the folder, or trains one.
func (a *app) datasetTokenizer(ctx context.Context, dir string, programs dataset.Corpus, o datasetOptions) (*tokenizer.Tokenizer, error) {
	path := o.tokenizer
	if path == "" {
		path = filepath.Join(dir, tokenizer.File)
		if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
			fmt.Fprintf(a.stderr, "training a tokenizer of %d entries\n", o.vocabulary)
			t, err := dataset.TrainTokenizer(ctx, programs, o.params, o.vocabulary, tokenizerPrograms)
			if err != nil && ctx.Err() == nil {
				err = fmt.Errorf("%w; see --vocabulary, or --tokenizer to use another's", err)
			}
			return t, err
		}
	}
	return tokenizer.Load(path)
}
