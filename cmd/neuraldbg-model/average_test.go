package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/neuraldbg/neuraldbg/model/checkpoint"
	"github.com/neuraldbg/neuraldbg/model/torch"
	"github.com/neuraldbg/neuraldbg/model/torch/safetensors"
)

func TestAverageModels(t *testing.T) {
	const nano = "../../model/nano"
	folder := t.TempDir()
	out := filepath.Join(folder, "averaged")
	if err := averageModels([]string{nano, nano + "=3"}, out); err != nil {
		t.Fatal(err)
	}
	if _, err := checkpoint.Open(out); err != nil {
		t.Error(err)
	}
	if _, err := checkpoint.Verify(out); err != nil {
		t.Error(err)
	}
	// The average of a model with itself is the model.
	of := func(dir string) []float32 {
		archive, err := safetensors.OpenDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer archive.Close()
		data, err := archive.Tensors["model.norm.weight"].Float32()
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	before, after := of(nano), of(out)
	for i := range before {
		if before[i] != after[i] {
			t.Fatalf("weight %d is %v, was %v", i, after[i], before[i])
		}
	}

	larger := filepath.Join(folder, "larger")
	if err := growModel(nano, larger, torch.Config{NumHiddenLayers: 7}, 1); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		models []string
		out    string
		want   string
	}{
		{[]string{nano, nano}, "", "needs --out"},
		{[]string{nano, nano}, out, "there is a model in"},
		{[]string{nano, larger}, "new", "have different shapes"},
		{[]string{nano, nano + "=much"}, "new", "is a number above 0"},
		{[]string{nano, nano + "=0"}, "new", "is a number above 0"},
		{[]string{nano, "no-such-model"}, "new", "no-such-model"},
	} {
		if c.out == "new" {
			c.out = filepath.Join(folder, "new")
		}
		if err := averageModels(c.models, c.out); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v to %q: error %v, want %q", c.models, c.out, err, c.want)
		}
	}
}
