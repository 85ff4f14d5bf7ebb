package torch

import (
	"errors"
	"math"
	"sync"
)

// newtonSchulz are the coefficients of the quintic iteration that moves singular
// values towards 1, and its number of steps (Jordan et al., "Muon: an optimizer
// for hidden layers in neural networks", 2024). They end between about 0.7 and
// 1.2, which is near enough.
var newtonSchulz = struct {
	a, b, c float64
	steps   int
}{3.4445, -4.7750, 2.0315, 5}

// muonUpdateSize is the root mean square of an update's elements at learning
// rate 1. AdamW's is about the same, so that one learning rate suits both (Liu
// et al., "Muon is scalable for LLM training", 2025, section 2.2).
const muonUpdateSize = 0.2

// muon makes Muon's step on the layers' matrices: momentum with Nesterov's look
// ahead, orthogonalised. The matrices are shared out among the workers.
func (t *Trainer) muon(learningRate float64) error {
	var matrices []weight
	for _, w := range t.weights {
		if w.offset >= t.embedded && w.cols != 0 {
			matrices = append(matrices, w)
		}
	}
	errs := make([]error, len(t.workers))
	var group sync.WaitGroup
	for i, worker := range t.workers {
		group.Add(1)
		go func() {
			defer group.Done()
			errs[i] = doOn(worker.number, func(s *scope) error {
				for j := i; j < len(matrices); j += len(t.workers) {
					mark := s.mark()
					t.muonMatrix(s, matrices[j], learningRate)
					s.freeTo(mark)
				}
				return nil
			})
		}()
	}
	group.Wait()
	return errors.Join(errs...)
}

// muonMatrix makes Muon's step on one matrix.
func (t *Trainer) muonMatrix(s *scope, w weight, learningRate float64) {
	s.where = "optimizer, " + w.name
	part := func(v tensor) tensor { return s.matrix(v, int64(w.offset), int64(w.rows), int64(w.cols)) }
	theta, grad, momentum, update := part(t.theta), part(t.workers[0].grad), part(t.moment1), part(t.scratch)
	s.lerpIn(momentum, grad, 1-t.opt.Momentum)
	s.copyIn(update, grad)
	s.lerpIn(update, momentum, t.opt.Momentum)

	norm := s.item(s.norm(update))
	if norm == 0 {
		return // no gradient so far
	}
	s.mulScalarIn(update, 1/norm) // no singular value is above 1 now
	s.copyIn(update, t.orthogonal(s, update, w.rows > w.cols))

	s.mulScalarIn(theta, 1-learningRate*t.opt.WeightDecay)
	s.mulScalarIn(update, learningRate*muonUpdateSize*math.Sqrt(float64(max(w.rows, w.cols))))
	s.subIn(theta, update)
}

// orthogonal is x with singular values near 1, by Newton and Schulz's iteration
// in the precision of the products; x may be overwritten. A tall matrix is turned for it: the products
// x·xᵀ are then small.
func (t *Trainer) orthogonal(s *scope, x tensor, tall bool) tensor {
	if tall {
		x = s.transposed(x)
	}
	k := float32Kind
	if t.opt.Precision == BFloat16 {
		k = bfloat16Kind
	}
	x = s.to(x, k)
	for range newtonSchulz.steps {
		gram := s.mm(x, s.transposed(x))
		square := s.mm(gram, gram)
		s.mulScalarIn(square, newtonSchulz.c)
		s.mulScalarIn(gram, newtonSchulz.b)
		s.addIn(gram, square)
		product := s.mm(gram, x)
		s.mulScalarIn(x, newtonSchulz.a)
		s.addIn(x, product)
	}
	if tall {
		x = s.transposed(x)
	}
	return x
}
