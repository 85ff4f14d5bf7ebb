package torch

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

func muonOptimizer() Optimizer {
	o := DefaultOptimizer()
	o.Method = Muon
	return o
}

// TestOrthogonal checks that the result has singular values near 1, and the
// singular vectors of what it was made from: both products with the transposed
// are then near the identity and symmetric.
func TestOrthogonal(t *testing.T) {
	m := newTrainer(t, tinyConfig())
	for _, shape := range [][2]int{{6, 6}, {4, 9}, {9, 4}} {
		rows, cols := shape[0], shape[1]
		x := randomMatrix(rows, cols)
		got := make([]float32, 2*rows*cols)
		err := do(func(s *scope) error {
			a := s.float32s(append(make([]float32, rows*cols), x...), 2, int64(rows), int64(cols))
			s.read(m.orthogonal(s, a, rows > cols), got)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		got = got[rows*cols:] // before it stood a matrix of zeros
		small := min(rows, cols)
		at := func(v []float32, i, j int) float64 { // as a wide matrix
			if rows > cols {
				i, j = j, i
			}
			return float64(v[i*cols+j])
		}
		trace := 0.0
		for i := range small {
			for j := range small {
				gram, cross, turned := 0.0, 0.0, 0.0
				for k := range max(rows, cols) {
					gram += at(got, i, k) * at(got, j, k)
					cross += at(got, i, k) * at(x, j, k)
					turned += at(got, j, k) * at(x, i, k)
				}
				if i == j {
					trace += gram
				}
				if math.Abs(cross-turned) > 1e-3 {
					t.Errorf("%d×%d: singular vectors changed: %.4f and %.4f at %d, %d", rows, cols, cross, turned, i, j)
				}
			}
		}
		if mean := trace / float64(small); mean < 0.5 || mean > 1.5 {
			t.Errorf("%d×%d: squares of singular values are %.2f in the mean, want about 1", rows, cols, mean)
		}
	}
}

// randomMatrix has a Frobenius norm of 1.
func randomMatrix(rows, cols int) []float32 {
	random := rand.New(rand.NewPCG(5, uint64(rows)))
	x := make([]float32, rows*cols)
	sum := 0.0
	for i := range x {
		v := random.NormFloat64()
		x[i] = float32(v)
		sum += v * v
	}
	for i := range x {
		x[i] /= float32(math.Sqrt(sum))
	}
	return x
}

// TestEmbeddingRate checks that embeddings alone move less, by the factor.
func TestEmbeddingRate(t *testing.T) {
	for _, method := range []Method{AdamW, Muon} {
		step := func(factor float64) (embedding, matrix, norm float64) {
			opt := DefaultOptimizer()
			opt.Method, opt.WeightDecay, opt.EmbeddingRate = method, 0, factor
			m, err := NewTrainer(tinyConfig(), opt, "cpu", 1)
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			before, err := m.entries(m.theta, "")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := m.Step([]Sequences{randomBatch(3, m.config.VocabSize, 40, 30)}, 1e-2); err != nil {
				t.Fatal(err)
			}
			after, err := m.entries(m.theta, "")
			if err != nil {
				t.Fatal(err)
			}
			moved := map[string]float64{}
			for i, e := range before {
				kind := "matrix"
				if strings.Contains(e.Name, "embed_tokens") {
					kind = "embedding"
				} else if strings.Contains(e.Name, "norm") {
					kind = "norm"
				}
				for j := range e.Data {
					moved[kind] += math.Abs(float64(after[i].Data[j] - e.Data[j]))
				}
			}
			return moved["embedding"], moved["matrix"], moved["norm"]
		}
		embedding, matrix, norm := step(0)
		less, sameMatrix, sameNorm := step(0.25)
		if math.Abs(less-0.25*embedding) > 1e-3*embedding {
			t.Errorf("%s: a quarter of the rate moves the embeddings by %.4g, the whole by %.4g", method, less, embedding)
		}
		if sameMatrix != matrix || sameNorm != norm {
			t.Errorf("%s: the embeddings' rate moves matrices and norms by %g and %g instead of %g and %g", method, sameMatrix, sameNorm, matrix, norm)
		}
	}
	if _, err := NewTrainer(tinyConfig(), Optimizer{EmbeddingRate: -1}, "cpu", 1); err == nil {
		t.Error("a negative rate is not refused")
	}
}

// TestMuonUpdateSize checks the size of a first update, and that embeddings and
// norms are AdamW's.
func TestMuonUpdateSize(t *testing.T) {
	c := tinyConfig()
	opt := muonOptimizer()
	opt.WeightDecay = 0
	m, err := NewTrainer(c, opt, "cpu", 1)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	spread(t, m)
	before, err := m.entries(m.theta, "")
	if err != nil {
		t.Fatal(err)
	}
	const rate = 1e-3
	if _, err := m.Step([]Sequences{randomBatch(3, c.VocabSize, 40, 30)}, rate); err != nil {
		t.Fatal(err)
	}
	after, err := m.entries(m.theta, "")
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range before {
		sum, largest := 0.0, 0.0
		for j := range e.Data {
			d := float64(after[i].Data[j] - e.Data[j])
			sum += d * d
			largest = max(largest, math.Abs(d))
		}
		size := math.Sqrt(sum / float64(len(e.Data)))
		if strings.Contains(e.Name, "_proj") {
			if want := rate * muonUpdateSize; size < want/2 || size > want*2 {
				t.Errorf("%s: update of size %.2e, want about %.2e", e.Name, size, want)
			}
			continue
		}
		// AdamW's first update is the learning rate for every element with a gradient.
		if math.Abs(largest-rate) > rate/100 {
			t.Errorf("%s: largest update %.3e, AdamW's is %.3e", e.Name, largest, rate)
		}
	}
}

// TestMuonLearns checks that the loss of one batch falls, with one and two
// workers alike.
func TestMuonLearns(t *testing.T) {
	c := tinyConfig()
	b := randomBatch(3, c.VocabSize, 12, 9)
	var losses [2]float64
	for workers := 1; workers <= 2; workers++ {
		m, err := NewTrainer(c, muonOptimizer(), "cpu", 1)
		if err != nil {
			t.Fatal(err)
		}
		if err := m.SetWorkers(workers); err != nil {
			t.Fatal(err)
		}
		first := 0.0
		for i := range 40 {
			r, err := m.Step([]Sequences{b}, 0.02)
			if err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				first = r.Loss
			}
			losses[workers-1] = r.Loss
		}
		if losses[workers-1] > first/2 {
			t.Errorf("%d workers: the loss goes from %.3f to %.3f", workers, first, losses[workers-1])
		}
		m.Close()
	}
	if math.Abs(losses[0]-losses[1]) > 0.05*losses[0] {
		t.Errorf("losses with one and two workers are %.4f and %.4f", losses[0], losses[1])
	}
}

func TestOptimizerIsChecked(t *testing.T) {
	for name, change := range map[string]func(*Optimizer){
		"sgd is unknown":     func(o *Optimizer) { o.Method = "sgd" },
		"momentum is 1":      func(o *Optimizer) { o.Method, o.Momentum = Muon, 1 },
		"precision \"int8\"": func(o *Optimizer) { o.Precision = "int8" },
	} {
		opt := DefaultOptimizer()
		change(&opt)
		if _, err := NewTrainer(tinyConfig(), opt, "cpu", 1); err == nil {
			t.Errorf("%s: not refused", name)
		}
	}
}
