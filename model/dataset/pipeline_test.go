//go:build unix

package dataset

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/neuraldbg/neuraldbg/model/tokenizer"
	"github.com/neuraldbg/neuraldbg/statetree/record"
)

// BenchmarkPipeline is from trace files to token shards, as bench/pipeline.go
// measures it. What it reports is tokens for each second of two processors' time,
// so that other work of the machine counts little.
func BenchmarkPipeline(b *testing.B) {
	needPython(b)
	dir := b.TempDir()
	for _, name := range []string{"a.trace", "b.trace"} {
		_, err := record.Write(context.Background(), record.Options{
			File: "../../bench/pipeline/repository.py", Files: []string{standardLibrary(b)},
			Trace: filepath.Join(dir, name), Limits: record.Limits{Events: 200_000, Repr: 300, Time: 10 * time.Minute},
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	tok, err := tokenizer.Load("../nano/tokenizer.json")
	if err != nil {
		b.Fatal(err)
	}
	p := DefaultParams()
	p.Activations, p.Trajectories, p.Events, p.Value = 8, 4, 5000, 500
	tokens, begun := 0, processorTime(b)
	for b.Loop() {
		c, err := OpenTraces(dir, p)
		if err != nil {
			b.Fatal(err)
		}
		d, err := Build(context.Background(), b.TempDir(), c, tok, p, BuildOptions{Workers: 2})
		if err != nil {
			b.Fatal(err)
		}
		tokens += d.Stats.Tokens()
	}
	b.ReportMetric(float64(tokens)/(processorTime(b)-begun).Seconds()*2, "tokens/s-of-two")
	b.ReportMetric(float64(tokens)/float64(b.N), "tokens")
}

// standardLibrary is the folder of Python's own modules.
func standardLibrary(b *testing.B) string {
	b.Helper()
	output, err := exec.Command("python3", "-c", "import os; print(os.path.dirname(os.__file__))").Output()
	if err != nil {
		b.Fatal(err)
	}
	return strings.TrimSpace(string(output))
}

func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
