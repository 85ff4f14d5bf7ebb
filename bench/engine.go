package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
)

// engineModels are what the engine computes with: the bundled model, and a
// random Llama of 125 M parameters.
var engineModels = []struct {
	name    string
	folder  string
	random  bool
	context int
	tokens  int
}{
	{"nano", "model/nano", false, 256, 200},
	{"large", "bench/engine/large", true, 128, 24},
}

// batchSize is how many sequences are decoded at once.
const batchSize = 8

// engineSpeed is what `neuraldbg-model bench` says, and what both decode.py do.
type engineSpeed struct {
	Threads int     `json:"threads"`
	Decode  float64 `json:"decode_tokens_per_s"`
	Prefill float64 `json:"prefill_tokens_per_s"`
	Batch   float64 `json:"batch_tokens_per_s"`
	Traffic float64 `json:"decode_bytes_per_s"`
	Read    float64 `json:"read_bytes_per_s"`
	Growth  float64 `json:"growth_bytes"`
	Version string  `json:"version"` // of the peer
}

// enginePeer is a program that computes with the same model: a Python script that
// takes the config.json, threads, context, tokens and rounds.
type enginePeer struct {
	name, suffix string // of the program, and of its figures
	script       string
	find         func(context.Context) (python string, err error)
}

var enginePeers = []enginePeer{
	{"PyTorch", "", "bench/pytorch/decode.py", pythonWithTorch},
	{"llama.cpp", "_llamacpp", "bench/llamacpp/decode.py", pythonWithLlamaCpp},
}

// pythonWithLlamaCpp finds a Python that can write models for llama.cpp and run
// them.
func pythonWithLlamaCpp(ctx context.Context) (string, error) {
	for _, python := range []string{filepath.Join(peerFolder, "bin", "python"), "python3"} {
		if exec.CommandContext(ctx, python, "-c", "import xllamacpp, gguf").Run() == nil {
			return python, nil
		}
	}
	return "", fmt.Errorf("no Python with the modules xllamacpp and gguf: the comment in bench/main.go says how to get them; skipped")
}

// measureEngine measures how fast the engine computes: one token after another, a
// prompt at once, and several sequences at once; beside the same model in other
// programs. And how much of the memory's bandwidth the large one's decoding uses.
func measureEngine(ctx context.Context, o options) ([]Result, error) {
	engine := filepath.Join(filepath.Dir(o.command), "neuraldbg-model")
	pythons := map[string]string{} // of the peers that are there
	for _, p := range enginePeers {
		if !o.peer {
			break
		}
		python, err := p.find(ctx)
		if err != nil {
			fmt.Fprintf(o.out, "without %s: %v\n", p.name, err)
			continue
		}
		pythons[p.name] = python
	}
	var results []Result
	for _, m := range engineModels {
		size := []string{strconv.Itoa(m.context), strconv.Itoa(m.tokens), "5"}
		own, err := speedOf(ctx, engine, "bench", "--model", "./"+m.folder, "--random="+strconv.FormatBool(m.random),
			"--context", size[0], "--tokens", size[1], "--rounds", size[2], "--batch", strconv.Itoa(batchSize))
		if err != nil {
			return nil, err
		}
		for _, p := range enginePeers {
			decode := Result{Name: "decode_" + m.name + p.suffix, Value: own.Decode, Unit: "1/s"}
			prefill := Result{Name: "prefill_" + m.name + p.suffix, Value: own.Prefill, Unit: "1/s"}
			if python := pythons[p.name]; python != "" {
				peer, err := speedOf(ctx, python, append([]string{p.script,
					filepath.Join(m.folder, "config.json"), strconv.Itoa(own.Threads)}, size...)...)
				if err != nil {
					return nil, err
				}
				name := p.name + " " + peer.Version
				decode, prefill = decode.beside(name, peer.Decode), prefill.beside(name, peer.Prefill)
			} else if p.suffix != "" {
				continue
			}
			results = append(results, decode, prefill)
		}
		batch := Result{Name: fmt.Sprintf("decode_batch%d_%s", batchSize, m.name), Value: own.Batch, Unit: "1/s"}
		results = append(results, batch.beside("one by one", own.Decode))
		if m.name == "large" {
			results = append(results, Result{Name: "decode_large_bandwidth", Value: own.Traffic / 1e9, Unit: "GB/s"}.beside("read", own.Read/1e9))
		}
	}
	return results, nil
}

// measureMemory measures by how much the engine's memory grows while it decodes
// 100,000 tokens. The goal is at most 5 MB.
func measureMemory(ctx context.Context, o options) ([]Result, error) {
	engine := filepath.Join(filepath.Dir(o.command), "neuraldbg-model")
	s, err := speedOf(ctx, engine, "bench", "--model", "./model/nano", "--context", "100", "--tokens", "900", "--rounds", "111")
	if err != nil {
		return nil, err
	}
	return []Result{{Name: "decode_growth_mb", Value: s.Growth / 1e6, Unit: "MB"}}, nil
}

// speedOf runs a command that says its speed in JSON.
func speedOf(ctx context.Context, name string, args ...string) (s engineSpeed, err error) {
	err = readJSON(ctx, &s, name, args...)
	return s, err
}

// readJSON runs a command and reads the JSON that it prints.
func readJSON(ctx context.Context, said any, name string, args ...string) error {
	var stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stderr = &stderr
	output, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, lastLine(stderr.String()))
	}
	if err := json.Unmarshal(output, said); err != nil {
		return fmt.Errorf("read what %s says: %w", name, err)
	}
	return nil
}
