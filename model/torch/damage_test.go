package torch

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/neuraldbg/neuraldbg/model/torch/safetensors"
)

// TestDamagedCheckpoints damages a good checkpoint in the ways that copying and
// converting do, and reads what the user is told.
func TestDamagedCheckpoints(t *testing.T) {
	const weights = "model.safetensors"
	edit := func(t *testing.T, path string, change func(string) string) {
		t.Helper()
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(change(string(text))), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	replace := func(old, new string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			edit(t, filepath.Join(dir, "config.json"), func(text string) string {
				if !strings.Contains(text, old) {
					t.Fatalf("config.json has no %s: %s", old, text)
				}
				return strings.Replace(text, old, new, 1)
			})
		}
	}
	remove := func(name string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			if err := os.Remove(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, test := range []struct {
		name   string
		damage func(t *testing.T, dir string)
		want   []string
	}{
		{"no config", remove("config.json"), []string{"is no checkpoint", "give the folder"}},
		{"no weights", remove(weights), []string{"has no weights", "copy them there"}},
		{"string for a number", replace(`"vocab_size": 11`, `"vocab_size": "11"`), []string{"config.json", "vocab_size is a string, must be a whole number"}},
		{"list for a number", replace(`"rms_norm_eps": 0.00001`, `"rms_norm_eps": []`), []string{"rms_norm_eps is an array, must be a number"}},
		{"no JSON", replace(`"vocab_size": 11,`, `"vocab_size": 11`), []string{"config.json", "not JSON at byte"}},
		{"no type", replace(`"model_type": "llama"`, `"model_type": ""`), []string{"no model_type"}},
		{"cut short", func(t *testing.T, dir string) {
			edit(t, filepath.Join(dir, weights), func(text string) string { return text[:len(text)-100] })
		}, []string{weights, "cut short: tensor ", "get it anew"}},
		{"cut in the header", func(t *testing.T, dir string) {
			edit(t, filepath.Join(dir, weights), func(text string) string { return text[:300] })
		}, []string{weights, "cut short"}},
		{"empty", func(t *testing.T, dir string) {
			edit(t, filepath.Join(dir, weights), func(string) string { return "" })
		}, []string{weights, "cut short"}},
		{"no numbers", func(t *testing.T, dir string) { damageTensor(t, dir, "model.layers.1.mlp.up_proj.weight", 7) },
			[]string{weights, "tensor model.layers.1.mlp.up_proj.weight has NaN at number 7", "damaged"}},
		{"wrong shape", replace(`"intermediate_size": 10`, `"intermediate_size": 11`), []string{weights, "mlp.gate_proj.weight has shape [10 12], the configuration says [11 12]"}},
		{"a shard is missing", func(t *testing.T, dir string) {
			index := `{"weight_map": {"model.norm.weight": "model-00002-of-00002.safetensors"}}`
			if err := os.WriteFile(filepath.Join(dir, weights+".index.json"), []byte(index), 0o644); err != nil {
				t.Fatal(err)
			}
		}, []string{"lacks model-00002-of-00002.safetensors", "copy it there"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir, _ := writeCheckpoint(t, tinyConfig())
			test.damage(t, dir)
			_, err := OpenEngine(dir, EngineOptions{Device: "cpu"})
			if err == nil {
				t.Fatal("it loads")
			}
			for _, want := range append(test.want, dir) {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("the error is %q, want %q in it", err, want)
				}
			}
			if strings.Contains(err.Error(), "Go ") || strings.Contains(err.Error(), "\n") {
				t.Errorf("the error is not for people: %q", err)
			}
		})
	}
}

// damageTensor sets one number of a checkpoint to NaN.
func damageTensor(t *testing.T, dir, name string, number int) {
	t.Helper()
	path := filepath.Join(dir, "model.safetensors")
	archive, err := safetensors.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	var entries []safetensors.Entry
	for _, n := range archive.Names() {
		data, err := archive.Tensors[n].Float32()
		if err != nil {
			t.Fatal(err)
		}
		if n == name {
			data[number] = float32(math.NaN())
		}
		entries = append(entries, safetensors.Entry{Name: n, Shape: archive.Tensors[n].Shape, Data: data})
	}
	if err := safetensors.Write(path, entries, nil); err != nil {
		t.Fatal(err)
	}
}
