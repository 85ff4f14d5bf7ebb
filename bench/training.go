package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/neuraldbg/neuraldbg/model/dataset"
)

// What is trained: nano's shape, in float32, on the tokens of trainingBatches
// batches.
const (
	trainingPrograms    = "1500"
	trainingBatchTokens = 4096
	trainingBatches     = 30
)

// measureTraining measures how many tokens a second the trainer trains on,
// beside the same model in PyTorch's eager mode on the same sequences. The first
// fifth of the batches warms both up.
func measureTraining(ctx context.Context, o options) ([]Result, error) {
	dir, err := os.MkdirTemp("", "neuraldbg-bench-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the run: %w", err)
	}
	defer os.RemoveAll(dir)
	data, runs := filepath.Join(dir, "data"), filepath.Join(dir, "run")
	if err := quietly(ctx, o.command, "dataset", data, "--programs", trainingPrograms, "--tokenizer", "model/nano/tokenizer.json"); err != nil {
		return nil, err
	}
	if err := quietly(ctx, o.command, "train", "--data", data, "--out", runs, "--layers", "6", "--width", "160", "--heads", "5",
		"--precision", "float32", "--batch-tokens", fmt.Sprint(trainingBatchTokens), "--validation", "0",
		"--tokens", fmt.Sprint(trainingBatches*trainingBatchTokens)); err != nil {
		return nil, err
	}
	speed, err := trainingSpeed(filepath.Join(runs, "metrics.jsonl"))
	if err != nil {
		return nil, err
	}
	result := Result{Name: "train_tokens_per_s", Value: speed, Unit: "1/s"}
	if !o.peer {
		return []Result{result}, nil
	}
	name, value, err := peerTrainingSpeed(ctx, data, filepath.Join(runs, "model", "config.json"), dir)
	if err != nil {
		fmt.Fprintf(o.out, "without PyTorch: %v\n", err)
		return []Result{result}, nil
	}
	return []Result{result.beside(name, value)}, nil
}

// quietly runs a command and shows its output only if it fails.
func quietly(ctx context.Context, command ...string) error {
	output, err := exec.CommandContext(ctx, command[0], command[1:]...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w: %s", strings.Join(command[:2], " "), err, lastLine(string(output)))
	}
	return nil
}

// trainingSpeed is the median of a run's tokens a second.
func trainingSpeed(metrics string) (float64, error) {
	file, err := os.Open(metrics)
	if err != nil {
		return 0, fmt.Errorf("read the run's metrics: %w", err)
	}
	defer file.Close()
	var speeds []float64
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var m struct {
			TokensPerSecond float64 `json:"tokens_per_second"`
		}
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			return 0, fmt.Errorf("read the run's metrics: %w", err)
		}
		if m.TokensPerSecond > 0 {
			speeds = append(speeds, m.TokensPerSecond)
		}
	}
	if len(speeds) < 10 {
		return 0, fmt.Errorf("the run made only %d steps", len(speeds))
	}
	warm := slices.Sorted(slices.Values(speeds[len(speeds)/5:]))
	return warm[len(warm)/2], nil
}

// peerTrainingSpeed trains the model of config on the dataset's batches in
// PyTorch. Its name says the version.
func peerTrainingSpeed(ctx context.Context, data, config, dir string) (name string, speed float64, err error) {
	python, err := pythonWithTorch(ctx)
	if err != nil {
		return "", 0, err
	}
	batches := filepath.Join(dir, "batches.jsonl")
	if err := writeBatches(ctx, data, batches); err != nil {
		return "", 0, err
	}
	var said struct {
		Speed float64 `json:"tokens_per_s"`
		Torch string  `json:"torch"`
	}
	if err := readJSON(ctx, &said, python, "bench/pytorch/train.py", config, batches); err != nil {
		return "", 0, err
	}
	return "PyTorch " + said.Torch, said.Speed, nil
}

// writeBatches writes the sequences that the trainer sees as train.py reads them: in
// padded batches of sequences of similar length, so that little is padding.
func writeBatches(ctx context.Context, data, path string) error {
	source, err := dataset.OpenSource(data, dataset.SourceOptions{Split: dataset.Train, Seed: 1, BatchTokens: trainingBatchTokens})
	if err != nil {
		return err
	}
	defer source.Close()
	var sequences []sequence
	for range trainingBatches {
		b, err := source.Next(ctx)
		if err != nil {
			return err
		}
		for tokens, loss := range b.Sequences() {
			sequences = append(sequences, sequence{tokens, loss})
		}
	}
	var text bytes.Buffer
	for _, b := range padded(sequences, trainingBatchTokens) {
		if err := json.NewEncoder(&text).Encode(b); err != nil {
			return err
		}
	}
	return os.WriteFile(path, text.Bytes(), 0o644)
}

type sequence struct {
	tokens []int32
	loss   []bool
}

// peerBatch is a line of train.py's input.
type peerBatch struct {
	Tokens [][]int32 `json:"tokens"`
	Loss   [][]bool  `json:"loss"`
	Real   int       `json:"real"` // tokens that are no padding
}

// padded sorts sequences by length and makes batches of at most limit tokens, padding
// included, which come in random order.
func padded(sequences []sequence, limit int) []peerBatch {
	slices.SortStableFunc(sequences, func(a, b sequence) int { return len(a.tokens) - len(b.tokens) })
	var batches []peerBatch
	for start := 0; start < len(sequences); {
		end := start + 1
		for end < len(sequences) && (end+1-start)*len(sequences[end].tokens) <= limit {
			end++
		}
		longest := len(sequences[end-1].tokens)
		var p peerBatch
		for _, s := range sequences[start:end] {
			p.Real += len(s.tokens)
			p.Tokens = append(p.Tokens, append(slices.Clone(s.tokens), make([]int32, longest-len(s.tokens))...))
			p.Loss = append(p.Loss, append(slices.Clone(s.loss), make([]bool, longest-len(s.loss))...))
		}
		batches = append(batches, p)
		start = end
	}
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(batches), func(i, j int) { batches[i], batches[j] = batches[j], batches[i] })
	return batches
}

// pythonWithTorch finds a Python that has PyTorch. On Debian, the system's has
// it, from python3-torch, with the same LibTorch.
func pythonWithTorch(ctx context.Context) (string, error) {
	for _, python := range []string{"python3", "/usr/bin/python3"} {
		if exec.CommandContext(ctx, python, "-c", "import torch").Run() == nil {
			return python, nil
		}
	}
	return "", errors.New("no python3 with the module torch (Debian: python3-torch)")
}
