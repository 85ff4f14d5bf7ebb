package torch

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/neuraldbg/neuraldbg/model/neural"
	"github.com/neuraldbg/neuraldbg/model/torch/safetensors"
)

var _ neural.Engine = (*Engine)(nil)

// testConfigs are tiny models with each family's peculiarities.
func testConfigs() map[string]Config {
	llama := tinyConfig()
	untied := tinyConfig()
	untied.TieWordEmbeddings = false
	qwen2 := tinyConfig()
	qwen2.ModelType = "qwen2"
	qwen3 := tinyConfig()
	qwen3.ModelType, qwen3.HeadDim = "qwen3", 6 // hidden/heads is 3
	cwm := tinyConfig()
	cwm.ModelType, cwm.NumHiddenLayers = "cwm", 4
	cwm.LayerTypes = []string{"sliding_attention", "sliding_attention", "full_attention", "sliding_attention"}
	cwm.SlidingWindow = 20
	cwm.RopeScaling = &RopeScaling{Type: "llama3", Factor: 16, LowFreq: 1, HighFreq: 4, OriginalSize: 64}
	return map[string]Config{"llama": llama, "untied": untied, "qwen2": qwen2, "qwen3": qwen3, "cwm": cwm}
}

// writeCheckpoint writes a random model in Hugging Face's layout.
func writeCheckpoint(t *testing.T, c Config) (dir string, ref reference) {
	t.Helper()
	dir = t.TempDir()
	c, err := c.complete()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.write(dir); err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(5, 5))
	ref = reference{c, map[string][]float64{}}
	var entries []safetensors.Entry
	for _, w := range c.weights() {
		data := make([]float32, w.size())
		for i := range data {
			data[i] = float32(random.NormFloat64() * 0.4)
			if w.cols == 0 && !strings.HasSuffix(w.name, "bias") {
				data[i]++
			}
			ref.weights[w.name] = append(ref.weights[w.name], float64(data[i]))
		}
		entries = append(entries, safetensors.Entry{Name: w.name, Shape: w.shape(), Data: data})
	}
	if err := safetensors.Write(filepath.Join(dir, "model.safetensors"), entries, nil); err != nil {
		t.Fatal(err)
	}
	return dir, ref
}

func openEngine(t *testing.T, dir string, o EngineOptions) *Engine {
	t.Helper()
	e, err := OpenEngine(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

func newCache(t *testing.T, e *Engine) neural.Cache {
	t.Helper()
	c, err := e.NewCache()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func extend(t *testing.T, c neural.Cache, ids []int32, from int) []float32 {
	t.Helper()
	logits, err := c.Extend(context.Background(), ids, from)
	if err != nil {
		t.Fatal(err)
	}
	return logits
}

// farthest is the largest difference of logits from the reference's last rows.
func farthest(got []float32, want [][]float64) float64 {
	worst := 0.0
	vocab := len(want[0])
	want = want[len(want)-len(got)/vocab:]
	for i, row := range want {
		for j, v := range row {
			worst = math.Max(worst, math.Abs(v-float64(got[i*vocab+j])))
		}
	}
	return worst
}

func TestEngineEqualsReference(t *testing.T) { engineEqualsReference(t, cpu) }

func TestDeviceEngineEqualsReference(t *testing.T) { engineEqualsReference(t, someDevice(t)) }

func engineEqualsReference(t *testing.T, on device) {
	for name, c := range testConfigs() {
		t.Run(name, func(t *testing.T) {
			dir, ref := writeCheckpoint(t, c)
			e := openEngine(t, dir, EngineOptions{Device: on.String(), Kind: "float32"})
			ids := randomBatch(3, c.VocabSize, 2*attentionBlock+17).Tokens
			want := ref.logits(ids)

			if d := farthest(extend(t, newCache(t, e), ids, 0), want); d > 1e-3 {
				t.Errorf("all at once: logits differ by %g", d)
			}
			cache := newCache(t, e) // parts of several lengths, one by one among them
			for at, n := 0, 0; at < len(ids); at += n {
				n = min([]int{1, 2, 40, 1, 1, attentionBlock + 3, 1, 7}[at%8], len(ids)-at)
				got := extend(t, cache, ids[at:at+n], n-min(n, 2))
				if d := farthest(got, want[:at+n]); d > 1e-3 {
					t.Fatalf("positions %d to %d: logits differ by %g", at, at+n, d)
				}
			}
			if cache.Len() != len(ids) {
				t.Errorf("Len is %d after %d tokens", cache.Len(), len(ids))
			}
		})
	}
}

// TestEngineOfLongPrompt crosses chunks, with logits from the middle of one on.
func TestEngineOfLongPrompt(t *testing.T) {
	c := tinyConfig()
	c.MaxPositionEmbeddings = 3 * chunk
	dir, ref := writeCheckpoint(t, c)
	e := openEngine(t, dir, EngineOptions{Device: "cpu"})
	ids := randomBatch(3, c.VocabSize, 2*chunk+100).Tokens
	want := ref.logits(ids)
	for _, from := range []int{0, chunk - 1, chunk, chunk + 70, len(ids) - 1, len(ids)} {
		got := extend(t, newCache(t, e), ids, from)
		if len(got) != (len(ids)-from)*c.VocabSize {
			t.Fatalf("from %d: %d logits", from, len(got))
		}
		if d := farthest(got, want); d > 1e-3 {
			t.Errorf("from %d: logits differ by %g", from, d)
		}
	}
}

func TestCacheRewinds(t *testing.T) {
	c := tinyConfig()
	dir, ref := writeCheckpoint(t, c)
	e := openEngine(t, dir, EngineOptions{Device: "cpu"})
	ids := randomBatch(3, c.VocabSize, 30).Tokens
	other := randomBatch(4, c.VocabSize, 12).Tokens
	cache := newCache(t, e)
	extend(t, cache, ids, len(ids))
	if err := cache.Rewind(20); err != nil {
		t.Fatal(err)
	}
	if got, want := extend(t, cache, other, 0), ref.logits(append(append([]int32{}, ids[:20]...), other...)); farthest(got, want) > 1e-3 {
		t.Errorf("rewound: logits differ by %g", farthest(got, want))
	}
	for _, n := range []int{-1, 33} {
		if err := cache.Rewind(n); err == nil {
			t.Errorf("Rewind(%d) of %d positions does not fail", n, cache.Len())
		}
	}
}

func TestExtendFailsCleanly(t *testing.T) {
	c := tinyConfig()
	dir, ref := writeCheckpoint(t, c)
	e := openEngine(t, dir, EngineOptions{Device: "cpu"})
	cache := newCache(t, e)
	ids := randomBatch(3, c.VocabSize, 10).Tokens
	extend(t, cache, ids[:5], 5)
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	for _, test := range []struct {
		name string
		ctx  context.Context
		ids  []int32
		from int
	}{
		{"cancelled", cancelled, ids, 0},
		{"token out of the vocabulary", context.Background(), []int32{1, int32(c.VocabSize)}, 0},
		{"negative token", context.Background(), []int32{-1}, 0},
		{"context full", context.Background(), make([]int32, c.MaxPositionEmbeddings), 0},
		{"from outside", context.Background(), ids, 11},
	} {
		if _, err := cache.Extend(test.ctx, test.ids, test.from); err == nil {
			t.Errorf("%s: no error", test.name)
		} else if test.ctx == cancelled && !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: error is %v", err)
		}
		if cache.Len() != 5 {
			t.Fatalf("%s: %d positions are left of 5", test.name, cache.Len())
		}
	}
	if d := farthest(extend(t, cache, ids[5:], 0), ref.logits(ids)); d > 1e-3 {
		t.Errorf("after errors: logits differ by %g", d)
	}
}

func TestClosedEngineFailsCleanly(t *testing.T) {
	dir, _ := writeCheckpoint(t, tinyConfig())
	e := openEngine(t, dir, EngineOptions{Device: "cpu"})
	cache := newCache(t, e)
	extend(t, cache, []int32{1, 2}, 0)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := cache.Extend(context.Background(), []int32{1}, 0); !errors.Is(err, errClosed) {
		t.Errorf("Extend: error is %v", err)
	}
	if _, err := cache.Fork([]int{2}); !errors.Is(err, errClosed) {
		t.Errorf("Fork: error is %v", err)
	}
	if _, err := e.NewCache(); !errors.Is(err, errClosed) {
		t.Errorf("NewCache: error is %v", err)
	}
	if err := e.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
}

func TestEngineInOtherNumbers(t *testing.T) {
	for name, c := range testConfigs() {
		dir, ref := writeCheckpoint(t, c)
		e := openEngine(t, dir, EngineOptions{Device: "cpu", Kind: "bfloat16"})
		ids := randomBatch(3, c.VocabSize, 40).Tokens
		cache := newCache(t, e)
		got := append(extend(t, cache, ids[:39], 0), extend(t, cache, ids[39:], 0)...)
		want := ref.logits(ids)
		var sum, square float64
		for i, row := range want {
			for j, v := range row {
				sum += math.Abs(v - float64(got[i*c.VocabSize+j]))
				square += math.Abs(v)
			}
		}
		if sum > 0.1*square {
			t.Errorf("%s: bfloat16 logits are off by %.3f of their size", name, sum/square)
		}
	}
}

func TestCheckpointErrorsNameTheTensor(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(config map[string]any)
		want   string
	}{
		{"missing", func(c map[string]any) { c["num_hidden_layers"] = 3 }, "tensor model.layers.2.input_layernorm.weight of shape [12] is missing"},
		{"extra", func(c map[string]any) { c["num_hidden_layers"] = 1 }, "model.layers.1."},
		{"misshapen", func(c map[string]any) { c["intermediate_size"] = 11 }, "mlp.gate_proj.weight has shape [10 12], the configuration says [11 12]"},
		{"unknown type", func(c map[string]any) { c["model_type"] = "gpt2" }, `"gpt2" is not supported`},
		{"heads", func(c map[string]any) { c["num_attention_heads"] = 3 }, "not a multiple"},
		{"rope", func(c map[string]any) { c["rope_scaling"] = map[string]any{"rope_type": "yarn"} }, `"yarn" is not supported`},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir, _ := writeCheckpoint(t, tinyConfig())
			path := filepath.Join(dir, "config.json")
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var config map[string]any
			if err := json.Unmarshal(text, &config); err != nil {
				t.Fatal(err)
			}
			test.change(config)
			if text, err = json.Marshal(config); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, text, 0o644); err != nil {
				t.Fatal(err)
			}
			if _, err := OpenEngine(dir, EngineOptions{Device: "cpu"}); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error is %v, want %q in it", err, test.want)
			}
		})
	}
}

func TestTrainedModelOpens(t *testing.T) {
	m := newTrainer(t, tinyConfig())
	spread(t, m)
	dir := t.TempDir()
	if err := m.SaveModel(dir); err != nil {
		t.Fatal(err)
	}
	e := openEngine(t, dir, EngineOptions{Device: "cpu"})
	ids := randomBatch(3, m.config.VocabSize, 200).Tokens
	if d := farthest(extend(t, newCache(t, e), ids, 0), referenceOf(t, m).logits(ids)); d > 1e-3 {
		t.Errorf("logits differ by %g", d)
	}
}

func TestLibTorchErrorIsAnError(t *testing.T) {
	err := do(func(s *scope) error {
		s.where = "layer 7, attention"
		s.mm(s.zeros(float32Kind, cpu, 2, 3), s.zeros(float32Kind, cpu, 2, 3))
		return nil
	})
	if err == nil || !strings.Contains(err.Error(), "layer 7, attention: mm") {
		t.Errorf("error is %v", err)
	}
	err = do(func(s *scope) error { s.empty(float32Kind, cpu, 1<<50); return nil })
	if err == nil || !strings.Contains(err.Error(), "empty: the memory is used up") || strings.Contains(err.Error(), "\n") {
		t.Errorf("without memory for it: %v", err)
	}
	if err := do(func(*scope) error { panic("x") }); err == nil {
		t.Error("a panic is no error")
	}
}
