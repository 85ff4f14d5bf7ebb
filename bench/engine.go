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

// engineSpeed is what `neuraldbg-model bench` says, and what decode.py does.
type engineSpeed struct {
	Threads int     `json:"threads"`
	Decode  float64 `json:"decode_tokens_per_s"`
	Prefill float64 `json:"prefill_tokens_per_s"`
	Traffic float64 `json:"decode_bytes_per_s"`
	Read    float64 `json:"read_bytes_per_s"`
	Growth  float64 `json:"growth_bytes"`
	Torch   string  `json:"torch"`
}

// measureEngine measures how fast the engine computes, one token after another
// and a prompt at once, beside the same model in PyTorch's eager mode; and how
// much of the memory's bandwidth the large one's decoding uses.
func measureEngine(ctx context.Context, o options) ([]Result, error) {
	engine := filepath.Join(filepath.Dir(o.command), "neuraldbg-model")
	python, missing := "", error(nil)
	if o.peer {
		if python, missing = pythonWithTorch(ctx); missing != nil {
			fmt.Fprintf(o.out, "without PyTorch: %v\n", missing)
		}
	}
	var results []Result
	for _, m := range engineModels {
		size := []string{strconv.Itoa(m.context), strconv.Itoa(m.tokens), "5"}
		own, err := speedOf(ctx, engine, "bench", "--model", "./"+m.folder, "--random="+strconv.FormatBool(m.random),
			"--context", size[0], "--tokens", size[1], "--rounds", size[2])
		if err != nil {
			return nil, err
		}
		decode := Result{Name: "decode_" + m.name, Value: own.Decode, Unit: "1/s"}
		prefill := Result{Name: "prefill_" + m.name, Value: own.Prefill, Unit: "1/s"}
		if python != "" {
			peer, err := speedOf(ctx, python, append([]string{"bench/pytorch/decode.py",
				filepath.Join(m.folder, "config.json"), strconv.Itoa(own.Threads)}, size...)...)
			if err != nil {
				return nil, err
			}
			decode = decode.beside("PyTorch "+peer.Torch, peer.Decode)
			prefill = prefill.beside("PyTorch "+peer.Torch, peer.Prefill)
		}
		results = append(results, decode, prefill)
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
