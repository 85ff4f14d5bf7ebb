package torch

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/neuraldbg/neuraldbg/model/torch/safetensors"
)

// transformersFolder has checkpoints with the logits that Hugging Face's
// transformers computes; its make.py made them.
const transformersFolder = "testdata/transformers"

// transformersCheckpoints are the folders in it.
var transformersCheckpoints = []string{
	"llama-tied", "llama-untied-llama3-rope", "llama-bfloat16-sharded", "llama-float16", "qwen2", "qwen3", "cwm",
}

// expectation is what an expected.safetensors says.
type expectation struct {
	tokens []int32
	logits []float32 // [tokens, vocab]
}

func readExpectation(t *testing.T, dir string) (e expectation) {
	t.Helper()
	archive, err := safetensors.Open(filepath.Join(dir, "expected.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	for _, field := range strings.Fields(archive.Metadata["tokens"]) {
		id, err := strconv.Atoi(field)
		if err != nil {
			t.Fatal(err)
		}
		e.tokens = append(e.tokens, int32(id))
	}
	if e.logits, err = archive.Tensors["logits"].Float32(); err != nil {
		t.Fatal(err)
	}
	return e
}

// TestLogitsEqualTransformers holds float32 logits to 1e-4 of those of another
// implementation, for a prompt at once and token by token.
func TestLogitsEqualTransformers(t *testing.T) {
	for _, name := range transformersCheckpoints {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(transformersFolder, name)
			want := readExpectation(t, dir)
			e := openEngine(t, dir, EngineOptions{Device: "cpu", Kind: "float32"})
			if d := difference(extend(t, newCache(t, e), want.tokens, 0), want.logits); d > 1e-4 {
				t.Errorf("all at once: logits differ by %g", d)
			}
			cache := newCache(t, e)
			var got []float32
			for _, id := range want.tokens {
				got = append(got, extend(t, cache, []int32{id}, 0)...)
			}
			if d := difference(got, want.logits); d > 1e-4 {
				t.Errorf("one by one: logits differ by %g", d)
			}
		})
	}
}

// difference is the largest one between two lists of numbers of the same length.
func difference(a, b []float32) float64 {
	if len(a) != len(b) {
		return math.Inf(1)
	}
	worst := 0.0
	for i := range a {
		worst = math.Max(worst, math.Abs(float64(a[i])-float64(b[i])))
	}
	return worst
}

// TestShardsAreTested keeps the fixtures what the tests are about.
func TestShardsAreTested(t *testing.T) {
	if _, err := os.Stat(filepath.Join(transformersFolder, "llama-bfloat16-sharded", "model.safetensors.index.json")); err != nil {
		t.Error(err)
	}
}

// transformersPython names the environment variable with a Python that has torch
// and transformers.
const transformersPython = "TRANSFORMERS_PYTHON"

// TestTransformersReadsTrained has transformers compute with what a Trainer
// saved, and with the bundled model.
func TestTransformersReadsTrained(t *testing.T) {
	if os.Getenv(transformersPython) == "" {
		t.Skipf("set %s to a Python that has torch and transformers", transformersPython)
	}
	m := newTrainer(t, tinyConfig())
	spread(t, m)
	trained := t.TempDir()
	if err := m.SaveModel(trained); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{trained, "../nano"} {
		e := openEngine(t, dir, EngineOptions{Device: "cpu", Kind: "float32"})
		ids := randomBatch(3, e.VocabSize(), 40).Tokens
		got := extend(t, newCache(t, e), ids, 0)
		if d := difference(got, transformersLogits(t, dir, ids)); d > 1e-4 {
			t.Errorf("%s: logits differ by %g", dir, d)
		}
	}
}

// transformersLogits asks logits.py.
func transformersLogits(t *testing.T, dir string, ids []int32) (logits []float32) {
	t.Helper()
	args := []string{filepath.Join(transformersFolder, "logits.py"), dir}
	for _, id := range ids {
		args = append(args, fmt.Sprint(id))
	}
	out, err := exec.Command(os.Getenv(transformersPython), args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, field := range strings.Fields(string(out)) {
		v, err := strconv.ParseFloat(field, 32)
		if err != nil {
			t.Fatal(err)
		}
		logits = append(logits, float32(v))
	}
	return logits
}
