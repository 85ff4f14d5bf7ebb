package main

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/neuraldbg/neuraldbg/model/dataset"
	"github.com/neuraldbg/neuraldbg/model/tokenizer"
	"github.com/neuraldbg/neuraldbg/model/torch"
	"github.com/neuraldbg/neuraldbg/model/train"
	"github.com/neuraldbg/neuraldbg/statetree/grammar"
)

// trainingData is what a run reads: a mixture of datasets.
type trainingData struct {
	training   train.Source
	validation train.Source // nil for none
	tokenizer  *tokenizer.Tokenizer
	longest    int // sequence, in tokens
	open       []*dataset.Source
}

// openTrainingData opens the datasets that --data names. All must have been made
// with the same tokenizer.
func openTrainingData(flags trainFlags, config train.Config) (*trainingData, error) {
	d := &trainingData{}
	var training, validation []train.Part
	weights, total, err := parseWeights(flags.data)
	if err != nil {
		return nil, err
	}
	for _, w := range weights {
		err := d.describe(w.dir)
		if err == nil {
			training, err = d.add(training, w, dataset.SourceOptions{
				Split: dataset.Train, Seed: config.Seed, BatchTokens: flags.batchTokens, Loss: dataset.Loss(flags.loss),
				Curriculum: int64(math.Ceil(float64(flags.curriculum) * w.weight / total)),
			})
		}
		if err == nil && config.ValidateBatches > 0 && !flags.dryRun {
			// The held-out loss is that on states always: so runs can be compared.
			validation, err = d.add(validation, w, dataset.SourceOptions{
				Split: dataset.HeldOut, BatchTokens: flags.batchTokens,
			})
			if err != nil {
				err = fmt.Errorf("%w; --validation 0 trains without held-out data", err)
			}
		}
		if err != nil {
			d.Close()
			return nil, err
		}
	}
	if d.training, err = train.Mix(config.Seed, training); err == nil && len(validation) > 0 {
		d.validation, err = train.Mix(config.Seed, validation)
	}
	if err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

// weighted is a dataset of a mixture.
type weighted struct {
	dir    string
	weight float64
}

// parseWeights reads what --data says, and adds the weights up.
func parseWeights(names []string) (parts []weighted, total float64, err error) {
	for _, name := range names {
		dir, weight, err := parseWeight(name)
		if err != nil {
			return nil, 0, fmt.Errorf("--data %s: %w", name, err)
		}
		parts = append(parts, weighted{dir, weight})
		total += weight
	}
	return parts, total, nil
}

// parseWeight splits NAME=WEIGHT; without a weight it is 1.
func parseWeight(text string) (name string, weight float64, err error) {
	at := strings.LastIndex(text, "=")
	if at < 0 {
		return text, 1, nil
	}
	weight, err = strconv.ParseFloat(text[at+1:], 64)
	if err != nil || !(weight > 0) {
		return "", 0, fmt.Errorf("the weight %q is no positive number", text[at+1:])
	}
	return text[:at], weight, nil
}

// describe reads what a dataset says of itself.
func (d *trainingData) describe(dir string) error {
	description, tok, err := openDataset(dir)
	if err != nil {
		return err
	}
	if d.tokenizer != nil && d.tokenizer.Hash() != tok.Hash() {
		return fmt.Errorf("the dataset %s was made with another tokenizer than the first: a model has one; make it anew with --tokenizer", dir)
	}
	d.tokenizer = tok
	d.longest = max(d.longest, description.Params.MaxTokens)
	return nil
}

// add opens a split of the dataset as one more part of a mixture.
func (d *trainingData) add(parts []train.Part, w weighted, opts dataset.SourceOptions) ([]train.Part, error) {
	s, err := dataset.OpenSource(w.dir, opts)
	if err != nil {
		return nil, err
	}
	d.open = append(d.open, s)
	return append(parts, train.Part{Source: batches{s}, Weight: w.weight}), nil
}

// Close waits for what is being read ahead.
func (d *trainingData) Close() {
	for _, s := range d.open {
		s.Close()
	}
}

// openDataset reads what a dataset says about itself, and refuses one that this
// program would misread.
func openDataset(dir string) (dataset.Description, *tokenizer.Tokenizer, error) {
	d, err := dataset.ReadDescription(dir)
	if err != nil {
		return d, nil, err
	}
	if now := grammar.Hash(); d.Grammar != now {
		return d, nil, fmt.Errorf("the dataset %s was made with the grammar %s, this program has %s: make it anew", dir, d.Grammar, now)
	}
	tok, err := tokenizer.Load(filepath.Join(dir, tokenizer.File))
	if err != nil {
		return d, nil, err
	}
	if tok.Hash() != d.Tokenizer {
		return d, nil, fmt.Errorf("the tokenizer in %s is not the one that the dataset was made with", dir)
	}
	return d, tok, nil
}

// batches makes a dataset.Source the train.Source that it nearly is: training
// does not know the dataset's package.
type batches struct{ *dataset.Source }

func (b batches) Next(ctx context.Context) (torch.Sequences, error) {
	next, err := b.Source.Next(ctx)
	return torch.Sequences{Tokens: next.Tokens, Lengths: next.Lengths, Predict: next.Loss}, err
}
