package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/neuraldbg/neuraldbg/model/dataset"
	"github.com/neuraldbg/neuraldbg/model/tokenizer"
	"github.com/neuraldbg/neuraldbg/statetree/record"
)

// pipelineTraces is how many traces the pipeline is measured with: one for each
// of two processors, twice.
const pipelineTraces = 4

// pipelineProgram runs much of the standard library's text handling: some
// hundred functions, called from each other.
const pipelineProgram = "bench/pipeline/repository.py"

// measurePipeline records a program and measures how many tokens a second the
// way from the trace files to the shards gives: decoding, state trees, sampling,
// text, token ids, Parquet. Two processors are used at most.
func measurePipeline(ctx context.Context, o options) ([]Result, error) {
	dir, err := os.MkdirTemp("", "neuraldbg-bench-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for traces: %w", err)
	}
	defer os.RemoveAll(dir)
	library, err := standardLibrary(ctx)
	if err != nil {
		return nil, err
	}
	for i := range pipelineTraces {
		_, err := record.Write(ctx, record.Options{
			File: pipelineProgram, Files: library, Trace: filepath.Join(dir, fmt.Sprintf("%d.trace", i)),
			Limits: record.Limits{Events: 200_000, Repr: 300, Time: 10 * time.Minute},
		})
		if err != nil {
			return nil, fmt.Errorf("record %s: %w", pipelineProgram, err)
		}
	}
	tok, err := tokenizer.Load("model/nano/" + tokenizer.File)
	if err != nil {
		return nil, err
	}
	p := dataset.DefaultParams()
	p.Activations, p.Trajectories, p.Events, p.Value = 8, 4, 5000, 500
	begun := time.Now()
	traces, err := dataset.OpenTraces(dir, p)
	if err != nil {
		return nil, err
	}
	d, err := dataset.Build(ctx, filepath.Join(dir, "shards"), traces, tok, p, dataset.BuildOptions{Workers: min(2, runtime.NumCPU())})
	if err != nil {
		return nil, err
	}
	return []Result{{
		Name: "pipeline_tokens_per_s", Unit: "tokens/s", Value: float64(d.Stats.Tokens()) / time.Since(begun).Seconds(),
	}}, nil
}

// standardLibrary returns the files of the modules that the program calls.
func standardLibrary(ctx context.Context) ([]string, error) {
	const script = `import colorsys, difflib, fnmatch, fractions, graphlib, html, posixpath, shlex, statistics, textwrap, urllib.parse
for m in (colorsys, difflib, fnmatch, fractions, graphlib, html, posixpath, shlex, statistics, textwrap, urllib.parse):
    print(m.__file__)`
	output, err := exec.CommandContext(ctx, record.DefaultPython, "-c", script).Output()
	if err != nil {
		return nil, fmt.Errorf("ask %s for its library: %w", record.DefaultPython, err)
	}
	return strings.Fields(string(output)), nil
}
