package torch

import (
	"cmp"
	"fmt"
	"math"
)

// Method names an optimizer.
type Method string

const (
	// AdamW is what the paper trains with.
	AdamW Method = "adamw"
	// Muon orthogonalises the updates of the layers' matrices; embeddings and
	// vectors are AdamW's.
	Muon Method = "muon"
)

// Optimizer is the setting of AdamW, and of Muon where that is the method.
type Optimizer struct {
	Method      Method  `json:"method,omitempty"` // default adamw
	Beta1       float64 `json:"beta1"`
	Beta2       float64 `json:"beta2"`
	Epsilon     float64 `json:"epsilon"`
	Momentum    float64 `json:"momentum,omitempty"` // of Muon
	WeightDecay float64 `json:"weight_decay"`       // of matrices; norms have none
	ClipNorm    float64 `json:"clip_norm"`          // largest norm of the gradient; 0: any
	// EmbeddingRate multiplies the learning rate of the embeddings and of the
	// output layer; 0 is 1. What suits Muon's matrices may be too much for them.
	EmbeddingRate float64 `json:"embedding_rate,omitempty"`

	Precision Precision `json:"precision,omitempty"` // of products; default float32
}

// DefaultOptimizer is the setting that small language models are usually
// trained with.
func DefaultOptimizer() Optimizer {
	return Optimizer{Method: AdamW, Beta1: 0.9, Beta2: 0.95, Epsilon: 1e-8, Momentum: 0.95, WeightDecay: 0.1, ClipNorm: 1}
}

// Check reports what is wrong with the setting.
func (o Optimizer) Check() error {
	switch o.Method {
	case "", AdamW:
	case Muon:
		if o.Momentum < 0 || o.Momentum >= 1 {
			return fmt.Errorf("muon's momentum is %g, must be at least 0 and less than 1", o.Momentum)
		}
	default:
		return fmt.Errorf("optimizer %q is unknown; adamw and muon are known", o.Method)
	}
	if o.EmbeddingRate < 0 || math.IsNaN(o.EmbeddingRate) || math.IsInf(o.EmbeddingRate, 0) {
		return fmt.Errorf("the embeddings' learning rate is %g of the others', must be positive", o.EmbeddingRate)
	}
	return o.Precision.check()
}

// update clips the gradient, makes the optimizer's step on the flat vectors, and
// returns the gradient's norm before clipping.
func (t *Trainer) update(learningRate float64) (norm float64, err error) {
	err = do(func(s *scope) error {
		s.where = "optimizer"
		grad := t.workers[0].grad
		norm = s.item(s.norm(grad))
		if math.IsNaN(norm) || math.IsInf(norm, 0) {
			s.fail(errNotFinite)
			return nil
		}
		if t.opt.ClipNorm > 0 && norm > t.opt.ClipNorm {
			s.mulScalarIn(grad, t.opt.ClipNorm/norm)
		}
		// First lie the embeddings, then the layers' matrices, last the vectors.
		t.adamW(s, learningRate*cmp.Or(t.opt.EmbeddingRate, 1), 0, t.embedded, t.decayed)
		rest := t.embedded
		if t.opt.Method == Muon {
			rest = t.decayed
		}
		t.adamW(s, learningRate, rest, t.flat-rest, t.decayed)
		return nil
	})
	if err != nil || t.opt.Method != Muon {
		return norm, err
	}
	return norm, t.muon(learningRate)
}
