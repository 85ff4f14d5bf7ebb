package main

import (
	"errors"
	"runtime"
	"testing"
)

func TestBenchRefusesThreads(t *testing.T) {
	for _, threads := range []int{-1, runtime.NumCPU() + 1} {
		err := runBench(t.Context(), benchFlags{context: 1, tokens: 1, rounds: 1, threads: threads})
		if usage := (usageError{}); !errors.As(err, &usage) {
			t.Errorf("%d threads: got %v, want an error of usage", threads, err)
		}
	}
}
