// Command ablations trains the variants of a file one after another, each for the
// same time or the same number of tokens, and writes one table of what came of
// them. docs/ablations.md says how to use it.
//
// The file has one variant a line, a name and flags of `neuraldbg train`; the
// flags that all have stand in a line named "all":
//
//	all: --layers 6 --width 160 --heads 5 --processor-minutes 3
//	base:
//	half the rate: --lr 2e-3
//
// Each variant is a run of its own, in a folder of -out, and is measured by
// `neuraldbg-model loss` on the same held-out sequences, whatever it was trained
// on. What is done already is kept when the command is given again; a run that
// was stopped goes on. The command knows nothing of models: it reads what the
// runs leave behind.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/neuraldbg/neuraldbg/model/atomicfile"
)

// tableFile is the name of the table in -out.
const tableFile = "ablations.md"

func main() {
	var s study
	flag.StringVar(&s.engine, "engine", filepath.Join("bin", "neuraldbg-model"), "the `program` that trains")
	flag.StringVar(&s.data, "data", "", "the dataset's `folder`: to train on, unless a variant names others, and to measure on")
	flag.StringVar(&s.out, "out", "", "the `folder` of the runs and of the table")
	flag.IntVar(&s.batches, "batches", 24, "held-out batches of 4,096 tokens to measure on")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "ablations -data FOLDER -out FOLDER [flags] VARIANTS")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 1 || s.data == "" || s.out == "" {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := s.run(ctx, flag.Arg(0)); err != nil {
		fmt.Fprintf(os.Stderr, "ablations: %v\n", err)
		os.Exit(1)
	}
}

// study is one call of the command.
type study struct {
	engine, data, out string
	batches           int
}

// run trains and measures all variants in the file. The table is written anew
// after each.
func (s study) run(ctx context.Context, path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read the variants: %w", err)
	}
	variants, err := parseVariants(string(text))
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	var results []result
	for i, v := range variants {
		fmt.Fprintf(os.Stderr, "%d of %d: %s\n", i+1, len(variants), v.name)
		r, err := s.variant(ctx, v)
		if ctx.Err() != nil {
			return errors.New("stopped; the same command goes on from here")
		}
		if err != nil {
			return fmt.Errorf("variant %q: %w", v.name, err)
		}
		results = append(results, r)
		if err := atomicfile.WriteFile(filepath.Join(s.out, tableFile), []byte(table(results))); err != nil {
			return err
		}
	}
	_, err = fmt.Print(table(results))
	return err
}
