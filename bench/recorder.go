package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// The program that is recorded makes about eventsPerRound events a round.
const (
	recorderProgram = "bench/recorder/program.py"
	smallestTracer  = "bench/recorder/smallest.py"
	eventsPerRound  = 420
)

// measureRecorder records a program, and runs it beside under the smallest trace
// function that takes the same reprs and writes nothing. Both are timed from the
// start of the process to its end, in turns, and the median of each counts.
func measureRecorder(ctx context.Context, o options) ([]Result, error) {
	folder, err := os.MkdirTemp("", "neuraldbg-bench-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the trace: %w", err)
	}
	defer os.RemoveAll(folder)
	rounds := strconv.Itoa(o.events / eventsPerRound)
	trace := filepath.Join(folder, "program.trace")
	record := []string{o.command, "record", recorderProgram, "-o", trace, "--max-states", strconv.Itoa(2 * o.events), "--", rounds}
	smallest := []string{"python3", smallestTracer, recorderProgram, rounds}
	var recorded, traced []time.Duration
	for range o.rounds {
		for _, run := range []struct {
			command []string
			times   *[]time.Duration
		}{{smallest, &traced}, {record, &recorded}} {
			begun := time.Now()
			output, err := exec.CommandContext(ctx, run.command[0], run.command[1:]...).CombinedOutput()
			if err != nil {
				return nil, fmt.Errorf("%s: %w: %s", strings.Join(run.command, " "), err, lastLine(string(output)))
			}
			*run.times = append(*run.times, time.Since(begun))
		}
	}
	result := Result{Name: "recorder_overhead", Value: median(recorded).Seconds(), Unit: "s"}
	return []Result{result.beside("smallest settrace", median(traced).Seconds())}, nil
}
