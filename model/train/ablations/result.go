package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/neuraldbg/neuraldbg/model/atomicfile"
	"github.com/neuraldbg/neuraldbg/model/checkpoint"
)

// result is what came of a variant: result.json in its folder.
type result struct {
	Name string `json:"name"`
	// Flags are those of the training, Own those in which it differs.
	Flags      []string `json:"flags"`
	Own        []string `json:"own"`
	Data       string   `json:"data"` // that the losses were measured on
	Batches    int      `json:"batches"`
	Parameters int64    `json:"parameters"`
	Tokens     int64    `json:"tokens"`
	// ProcessorSeconds are those of the training, all threads together.
	ProcessorSeconds float64 `json:"processor_seconds"`
	// Losses are held out, in nats a token, by what is predicted.
	Losses map[string]float64 `json:"losses"`
}

// resultFile is the name of a result in the variant's folder.
const resultFile = "result.json"

// variant returns the result of a variant, which it trains and measures unless
// that was done.
func (s study) variant(ctx context.Context, v variant) (result, error) {
	dir := filepath.Join(s.out, v.folder())
	flags := v.all
	if !v.hasData() {
		flags = slices.Concat([]string{"--data", s.data}, flags)
	}
	r := result{Name: v.name, Flags: flags, Own: v.own, Data: s.data, Batches: s.batches}
	if done, err := r.read(dir); done || err != nil {
		return r, err
	}
	if err := s.engineRun(ctx, nil, slices.Concat([]string{"train", "--out", dir}, flags)...); err != nil {
		return r, err
	}
	if err := ctx.Err(); err != nil { // a run that is stopped ends well
		return r, err
	}
	if err := r.readMetrics(filepath.Join(dir, "metrics.jsonl")); err != nil {
		return r, err
	}
	model := filepath.Join(dir, "model")
	d, err := checkpoint.Describe(model)
	if err != nil {
		return r, err
	}
	r.Parameters = d.Parameters
	var losses bytes.Buffer
	if err := s.engineRun(ctx, &losses, "loss", "--model", model, "--data", s.data, "--batches", fmt.Sprint(s.batches), "--loss", "states,values"); err != nil {
		return r, err
	}
	if err := r.readLosses(losses.Bytes()); err != nil {
		return r, err
	}
	return r, r.write(dir)
}

// engineRun runs the program that trains. Without out, what it prints goes to
// standard error.
func (s study) engineRun(ctx context.Context, out *bytes.Buffer, args ...string) error {
	engine := exec.CommandContext(ctx, s.engine, args...)
	engine.Stdout, engine.Stderr = os.Stderr, os.Stderr
	if out != nil {
		engine.Stdout = out
	}
	engine.Cancel = func() error { return engine.Process.Signal(syscall.SIGTERM) } // it saves a checkpoint
	if err := engine.Run(); err != nil {
		return fmt.Errorf("%s %s: %w", s.engine, args[0], err)
	}
	return nil
}

// read takes over the result in a variant's folder, if there is one.
func (r *result) read(dir string) (done bool, err error) {
	text, err := os.ReadFile(filepath.Join(dir, resultFile))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read a result: %w", err)
	}
	var old result
	if err := json.Unmarshal(text, &old); err != nil {
		return false, fmt.Errorf("read %s in %s: %w", resultFile, dir, err)
	}
	if !slices.Equal(old.Flags, r.Flags) || old.Data != r.Data || old.Batches != r.Batches {
		return false, fmt.Errorf("%s holds a variant with other flags (%s), or measured in another way; delete it, or choose another name", dir, strings.Join(old.Flags, " "))
	}
	*r = old
	return true, nil
}

func (r *result) write(dir string) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err == nil {
		err = atomicfile.WriteFile(filepath.Join(dir, resultFile), append(text, '\n'))
	}
	if err != nil {
		return fmt.Errorf("write a result: %w", err)
	}
	return nil
}

// readMetrics takes the tokens and the time from the last line of a run's metrics.
func (r *result) readMetrics(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read the run's metrics: %w", err)
	}
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	var last struct {
		Tokens           int64   `json:"tokens"`
		ProcessorSeconds float64 `json:"processor_seconds"`
	}
	if err := json.Unmarshal(lines[len(lines)-1], &last); err != nil {
		return fmt.Errorf("read the last line of %s: %w", path, err)
	}
	r.Tokens, r.ProcessorSeconds = last.Tokens, last.ProcessorSeconds
	return nil
}

// readLosses reads what `neuraldbg-model loss` printed.
func (r *result) readLosses(text []byte) error {
	r.Losses = map[string]float64{}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		var line struct {
			Loss string  `json:"loss"`
			Nats float64 `json:"nats"`
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			return fmt.Errorf("read the loss: %w", err)
		}
		r.Losses[line.Loss] = line.Nats
	}
	return lines.Err()
}
