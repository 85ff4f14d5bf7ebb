package torch

import (
	"math"
	"testing"
)

// TestBFloat16Gradient compares the gradients of both precisions: they point
// the same way.
func TestBFloat16Gradient(t *testing.T) {
	c := tinyConfig()
	b := randomBatch(3, c.VocabSize, 50, 1, 140)
	var grads [2][]float32
	for i, precision := range []Precision{Float32, BFloat16} {
		m := newTrainer(t, c)
		spread(t, m)
		m.opt.Precision, m.opt.ClipNorm = precision, 0
		if _, err := m.Step([]Sequences{b}, 0); err != nil {
			t.Fatal(err)
		}
		entries, err := m.entries(m.workers[0].grad, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			grads[i] = append(grads[i], e.Data...)
		}
	}
	var product, size0, size1 float64
	for i := range grads[0] {
		a, b := float64(grads[0][i]), float64(grads[1][i])
		product, size0, size1 = product+a*b, size0+a*a, size1+b*b
	}
	if cosine := product / math.Sqrt(size0*size1); cosine < 0.99 || cosine > 0.9999999 {
		t.Errorf("cosine of the gradients is %.6f, want near 1 but not 1", cosine)
	}
}

func TestPrecisionIsChecked(t *testing.T) {
	opt := DefaultOptimizer()
	opt.Precision = "float8"
	if _, err := NewTrainer(tinyConfig(), opt, "cpu", 1); err == nil {
		t.Error("precision float8 is accepted")
	}
	if p, err := QuickestPrecision("cpu"); err != nil || p.check() != nil {
		t.Errorf("QuickestPrecision is %q, %v", p, err)
	} else {
		t.Logf("quickest is %s", p)
	}
}
