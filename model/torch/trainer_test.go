package torch

import (
	"math"
	"math/rand/v2"
	"testing"
)

func tinyConfig() Config {
	return Config{
		ModelType: "llama", VocabSize: 11, HiddenSize: 12, IntermediateSize: 10, NumHiddenLayers: 2,
		NumAttentionHeads: 4, NumKeyValueHeads: 2, HeadDim: 4, MaxPositionEmbeddings: 300,
		RMSNormEps: 1e-5, TieWordEmbeddings: true, RopeTheta: 100,
	}
}

// particularConfigs are tiny models, by what is particular about them.
func particularConfigs() map[string]Config {
	untied, own, biased, headNorms := tinyConfig(), tinyConfig(), tinyConfig(), tinyConfig()
	untied.TieWordEmbeddings = false
	own.NumKeyValueHeads = 4
	biased.ModelType, headNorms.ModelType = "qwen2", "qwen3"
	windowed := func(n int) Config { // shorter than a block, and longer
		c := tinyConfig()
		c.ModelType, c.SlidingWindow = "cwm", n
		c.LayerTypes = []string{"sliding_attention", "full_attention"}
		return c
	}
	return map[string]Config{
		"shared keys": tinyConfig(), "untied": untied, "own keys": own, "qwen2": biased, "qwen3": headNorms,
		"window 1": windowed(1), "window 50": windowed(50), "window 150": windowed(150),
	}
}

// randomBatch has sequences of the given lengths; two of three tokens are predicted.
func randomBatch(seed uint64, vocab int, lengths ...int) Sequences {
	random := rand.New(rand.NewPCG(seed, 1))
	b := Sequences{Lengths: lengths}
	for _, n := range lengths {
		for range n {
			b.Tokens = append(b.Tokens, int32(random.IntN(vocab)))
			b.Predict = append(b.Predict, random.IntN(3) > 0)
		}
	}
	return b
}

// spread makes a new model's weights large enough for every part to matter.
func spread(t *testing.T, m *Trainer) {
	t.Helper()
	random := rand.New(rand.NewPCG(7, 7))
	flat := make([]float32, m.flat)
	for _, w := range m.weights {
		for i := range w.size() {
			flat[w.offset+i] = float32(random.NormFloat64() * 0.4)
			if w.cols == 0 {
				flat[w.offset+i]++
			}
		}
	}
	err := do(func(s *scope) error {
		s.copyIn(m.theta, s.float32s(flat, int64(m.flat)))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func referenceOf(t *testing.T, m *Trainer) reference {
	t.Helper()
	entries, err := m.entries(m.theta, "")
	if err != nil {
		t.Fatal(err)
	}
	r := reference{m.config, map[string][]float64{}}
	for _, e := range entries {
		for _, v := range e.Data {
			r.weights[e.Name] = append(r.weights[e.Name], float64(v))
		}
	}
	return r
}

func newTrainer(t *testing.T, c Config) *Trainer {
	t.Helper()
	m, err := NewTrainer(c, DefaultOptimizer(), "cpu", 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

func TestLossEqualsReference(t *testing.T) {
	for name, c := range particularConfigs() {
		t.Run(name, func(t *testing.T) {
			m := newTrainer(t, c)
			spread(t, m)
			b := randomBatch(3, c.VocabSize, 5, 1, 2*attentionBlock+9, attentionBlock, 2)
			got, err := m.Loss([]Sequences{b})
			if err != nil {
				t.Fatal(err)
			}
			if want := referenceOf(t, m).loss(b); math.Abs(got.Loss-want) > 1e-4 {
				t.Errorf("loss is %.6f, reference says %.6f", got.Loss, want)
			}
		})
	}
}

// TestGradient compares the gradient of every weight with differences of the
// reference's loss.
func TestGradient(t *testing.T) {
	untied := tinyConfig()
	untied.TieWordEmbeddings = false
	biased, headNorms, windowed := tinyConfig(), tinyConfig(), tinyConfig()
	biased.ModelType = "qwen2"
	headNorms.ModelType = "qwen3"
	windowed.ModelType, windowed.SlidingWindow = "cwm", 4
	windowed.LayerTypes = []string{"sliding_attention", "full_attention"}
	for name, c := range map[string]Config{"tied": tinyConfig(), "untied": untied, "qwen2": biased, "qwen3": headNorms, "cwm": windowed} {
		t.Run(name, func(t *testing.T) {
			m := newTrainer(t, c)
			spread(t, m)
			first := randomBatch(3, c.VocabSize, 5, 1, 9)
			second := randomBatch(4, c.VocabSize, 7)
			m.opt.ClipNorm = 0
			ref := referenceOf(t, m)
			if _, err := m.Step([]Sequences{first, second}, 0); err != nil {
				t.Fatal(err)
			}
			entries, err := m.entries(m.workers[0].grad, "")
			if err != nil {
				t.Fatal(err)
			}
			all := Sequences{
				Tokens:  append(append([]int32{}, first.Tokens...), second.Tokens...),
				Lengths: append(append([]int{}, first.Lengths...), second.Lengths...),
				Predict: append(append([]bool{}, first.Predict...), second.Predict...),
			}
			for _, e := range entries {
				worst, at := 0.0, 0
				var worstWant float64
				for i := range e.Data {
					w := ref.weights[e.Name]
					const step = 1e-5
					old := w[i]
					w[i] = old + step
					up := ref.loss(all)
					w[i] = old - step
					down := ref.loss(all)
					w[i] = old
					want := (up - down) / (2 * step)
					if diff := math.Abs(want-float64(e.Data[i])) / (1 + math.Abs(want)); diff > worst {
						worst, at, worstWant = diff, i, want
					}
				}
				if worst > 1e-5 {
					t.Errorf("%s[%d]: gradient %.6f, reference %.6f", e.Name, at, e.Data[at], worstWant)
				}
			}
		})
	}
}
