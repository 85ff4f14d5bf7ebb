package torch

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/neuraldbg/neuraldbg/model/torch/safetensors"
)

// grownShape is a shape larger than the fixture's in everything.
func grownShape(t *testing.T, dir string) Config {
	t.Helper()
	c, err := ReadConfig(dir)
	if err != nil {
		t.Fatal(err)
	}
	larger := Config{
		HiddenSize: c.HiddenSize + 24, IntermediateSize: c.IntermediateSize + 7,
		NumAttentionHeads: 2 * c.NumAttentionHeads, NumKeyValueHeads: 2 * c.NumKeyValueHeads,
	}
	if len(c.LayerTypes) == 0 {
		larger.NumHiddenLayers = c.NumHiddenLayers + 2
	}
	return larger
}

// TestGrownModelIsTheSame holds the logits of a grown model to those of
// transformers for the one that it grew from.
func TestGrownModelIsTheSame(t *testing.T) {
	for _, name := range transformersCheckpoints {
		t.Run(name, func(t *testing.T) {
			from, to := filepath.Join(transformersFolder, name), t.TempDir()
			if err := Grow(from, to, grownShape(t, from), 1); err != nil {
				t.Fatal(err)
			}
			want := readExpectation(t, from)
			e := openEngine(t, to, EngineOptions{Device: "cpu", Kind: "float32"})
			if d := difference(extend(t, newCache(t, e), want.tokens, 0), want.logits); d > 1e-4 {
				t.Errorf("logits differ by %g", d)
			}
		})
	}
}

// TestGrownModelLearns has every matrix of a grown model change within a few
// steps: what is new neither stays zero nor keeps the old weights from learning.
func TestGrownModelLearns(t *testing.T) {
	from, grown, trained := filepath.Join(transformersFolder, "llama-tied"), t.TempDir(), t.TempDir()
	if err := Grow(from, grown, grownShape(t, from), 1); err != nil {
		t.Fatal(err)
	}
	c, err := ReadConfig(grown)
	if err != nil {
		t.Fatal(err)
	}
	m, err := NewTrainerFrom(grown, c, DefaultOptimizer(), "cpu")
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	for range 3 {
		if _, err := m.Step([]Sequences{randomBatch(3, c.VocabSize, 12)}, 1e-3); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.SaveModel(trained); err != nil {
		t.Fatal(err)
	}
	before, after := readWeights(t, grown), readWeights(t, trained)
	for _, w := range c.weights() {
		if slices.Equal(before[w.name], after[w.name]) {
			t.Errorf("%s is as it was", w.name)
		}
		if !slices.ContainsFunc(after[w.name][len(after[w.name])*9/10:], func(v float32) bool { return v != 0 }) {
			t.Errorf("the last part of %s is zero", w.name)
		}
	}
}

func readWeights(t *testing.T, dir string) map[string][]float32 {
	t.Helper()
	archive, err := safetensors.OpenDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	all := map[string][]float32{}
	for name, entry := range archive.Tensors {
		if all[name], err = entry.Float32(); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

func TestGrowRefuses(t *testing.T) {
	llama, cwm := filepath.Join(transformersFolder, "llama-tied"), filepath.Join(transformersFolder, "cwm")
	c, err := ReadConfig(llama)
	if err != nil {
		t.Fatal(err)
	}
	layers, err := ReadConfig(cwm)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		dir    string
		larger Config
		want   string
	}{
		{llama, Config{HiddenSize: c.HiddenSize - 1}, "a model grows"},
		{llama, Config{NumAttentionHeads: c.NumAttentionHeads * 3, NumKeyValueHeads: c.NumKeyValueHeads}, "ratio must stay"},
		{cwm, Config{NumHiddenLayers: layers.NumHiddenLayers + 1}, "layer_types"},
		{t.TempDir(), Config{}, "no config.json"},
	} {
		if err := Grow(test.dir, t.TempDir(), test.larger, 1); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("grow %s to %+v: %v, want %q", test.dir, test.larger, err, test.want)
		}
	}
}
