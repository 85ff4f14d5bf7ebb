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

// stack is matrices of one shape at equal distances in the flat vectors: the same
// matrix of some layers.
type stack struct {
	name             string // of the first
	offset, distance int64
	n, rows, cols    int64
}

// view is the stack in a flat vector, as [n, rows, cols].
func (m stack) view(s *scope, v tensor) tensor {
	return s.asStrided(v, m.offset, []int64{m.n, m.rows, m.cols}, []int64{m.distance, m.cols, 1})
}

// stacks lists the layers' matrices: one by one for the CPU, and for a CUDA device,
// which computes several as quickly as one, those of all layers together.
func (t *Trainer) stacks() []stack {
	var list []stack
	for _, w := range t.weights {
		if w.offset >= t.embedded && w.cols != 0 {
			list = append(list, stack{name: w.name, offset: int64(w.offset), n: 1, rows: int64(w.rows), cols: int64(w.cols)})
		}
	}
	if t.device == cpu {
		return list
	}
	layers := t.config.NumHiddenLayers
	of := len(list) / layers // matrices of a layer
	for i := range list[:of] {
		list[i].n = int64(layers)
		if layers > 1 {
			list[i].distance = list[of].offset - list[0].offset
		}
	}
	return list[:of]
}

// muon makes Muon's step on the layers' matrices: momentum with Nesterov's look
// ahead, orthogonalised. The matrices are shared out among the workers.
func (t *Trainer) muon(learningRate float64) error {
	stacks := t.stacks()
	errs := make([]error, len(t.workers))
	var group sync.WaitGroup
	for i, worker := range t.workers {
		group.Add(1)
		go func() {
			defer group.Done()
			errs[i] = doOn(worker.number, func(s *scope) error {
				for j := i; j < len(stacks); j += len(t.workers) {
					mark := s.mark()
					t.muonStack(s, stacks[j], learningRate)
					s.freeTo(mark)
				}
				return nil
			})
		}()
	}
	group.Wait()
	return errors.Join(errs...)
}

// muonStack makes Muon's step on some matrices of one shape.
func (t *Trainer) muonStack(s *scope, m stack, learningRate float64) {
	s.where = "optimizer, " + m.name
	theta, grad, momentum, update := m.view(s, t.theta), m.view(s, t.workers[0].grad), m.view(s, t.moment1), m.view(s, t.scratch)
	s.lerpIn(momentum, grad, 1-t.opt.Momentum)
	s.copyIn(update, grad)
	s.lerpIn(update, momentum, t.opt.Momentum)

	// No singular value is above 1 when a matrix is divided by its norm; one that had
	// no gradient so far stays 0.
	norms := s.rowNorm(s.asStrided(t.scratch, m.offset, []int64{m.n, m.rows * m.cols}, []int64{m.distance, 1}))
	s.addScalarIn(norms, 1e-30)
	s.divOut(update, update, s.asStrided(norms, 0, []int64{m.n, 1, 1}, []int64{1, 1, 1}))
	s.copyIn(update, t.orthogonal(s, update, m.rows > m.cols))

	s.mulScalarIn(theta, 1-learningRate*t.opt.WeightDecay)
	s.mulScalarIn(update, learningRate*muonUpdateSize*math.Sqrt(float64(max(m.rows, m.cols))))
	s.subIn(theta, update)
}

// orthogonal is matrices x [n, rows, cols] with singular values near 1, by Newton and
// Schulz's iteration in the precision of the products; x may be overwritten. Tall
// matrices are turned for it: the products x·xᵀ are then small.
func (t *Trainer) orthogonal(s *scope, x tensor, tall bool) tensor {
	if tall {
		x = s.transposed(x)
	}
	x = s.to(x, t.opt.operandKind())
	for range newtonSchulz.steps {
		gram := s.bmm(x, s.transposed(x))
		square := s.bmm(gram, gram)
		s.mulScalarIn(square, newtonSchulz.c)
		s.mulScalarIn(gram, newtonSchulz.b)
		s.addIn(gram, square)
		product := s.bmm(gram, x)
		s.mulScalarIn(x, newtonSchulz.a)
		s.addIn(x, product)
	}
	if tall {
		x = s.transposed(x)
	}
	return x
}
