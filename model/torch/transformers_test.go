package torch

import (
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/neuraldbg/neuraldbg/model/torch/safetensors"
)

// transformersFolder has checkpoints with the logits that Hugging Face's
// transformers computes; its make.py made them.
const transformersFolder = "testdata/transformers"

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
	for _, name := range []string{
		"llama-tied", "llama-untied-llama3-rope", "llama-bfloat16-sharded", "llama-float16", "qwen2", "qwen3", "cwm",
	} {
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
