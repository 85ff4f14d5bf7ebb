package torch

import (
	"errors"
	"sync"
)

// worker computes losses and gradients of its share of the batches, with
// gradients and buffers of its own.
type worker struct {
	*Trainer
	number int // of its thread
	grad   tensor

	embed, head, finalNorm parameter
	layers                 []trainedLayer
	buffers                buffers
	views                  []tensor // of theta and grad, to release
}

// parameter is a weight and its gradient, views of theta and grad.
type parameter struct {
	value, grad tensor
	rows, cols  int64
}

// trainedLayer is one block's parameters.
type trainedLayer struct {
	norm1, norm2 parameter // [hidden]
	bias         parameter // [(heads+2*kvHeads)*head_dim]; not in every family
	qNorm, kNorm parameter // [head_dim]; not in every family
	qkv          parameter // [(heads+2*kvHeads)*head_dim, hidden]
	out          parameter // [hidden, heads*head_dim]
	gateUp       parameter // [2*intermediate, hidden]
	down         parameter // [hidden, intermediate]
}

// view makes the parameters of the flat vectors.
func (t *worker) view(s *scope) {
	c := t.config
	next := 0
	// take joins the next n weights of the list, which follow each other.
	take := func(n int) parameter {
		first := t.weights[next]
		rows := 0
		for _, w := range t.weights[next : next+n] {
			rows += w.rows
		}
		next += n
		p := parameter{rows: int64(rows), cols: int64(max(first.cols, 1))}
		if first.cols == 0 { // a vector is one row
			p.rows, p.cols = 1, int64(rows)
		}
		p.value = s.detach(s.matrix(t.theta, int64(first.offset), p.rows, p.cols))
		p.grad = s.detach(s.matrix(t.grad, int64(first.offset), p.rows, p.cols))
		t.views = append(t.views, p.value, p.grad)
		return p
	}
	t.embed = take(1)
	t.head = t.embed
	if !c.TieWordEmbeddings {
		t.head = take(1)
	}
	t.layers = make([]trainedLayer, c.NumHiddenLayers)
	for i := range t.layers {
		l := &t.layers[i]
		l.qkv, l.out, l.gateUp, l.down = take(3), take(1), take(2), take(1)
	}
	f := families[c.ModelType]
	for i := range t.layers {
		l := &t.layers[i]
		l.norm1, l.norm2 = take(1), take(1)
		if f.qkvBias {
			l.bias = take(3)
		}
		if f.qkNorm {
			l.qNorm, l.kNorm = take(1), take(1)
		}
	}
	t.finalNorm = take(1)
}

func (t *worker) release() {
	for i := range t.views {
		t.views[i].release()
	}
	t.views = nil
	t.grad.release()
	t.buffers.release()
}

// SetWorkers sets the number of threads that train on the CPU; a CUDA device has
// one. Gradients of shares are added in the order of workers, so a run on the CPU is
// exactly repeatable with the same number.
func (t *Trainer) SetWorkers(n int) error {
	n = max(n, 1)
	if t.device != cpu {
		n = 1
	}
	return do(func(s *scope) error {
		setNumThreads(1, 1) // of each worker's operations
		for len(t.workers) > n {
			last := len(t.workers) - 1
			t.workers[last].release()
			t.workers = t.workers[:last]
		}
		for len(t.workers) < n && s.err == nil {
			w := &worker{Trainer: t, number: len(t.workers), buffers: buffers{on: t.device}}
			w.grad = s.detach(s.zeros(float32Kind, t.device, int64(t.flat)))
			w.view(s)
			t.workers = append(t.workers, w)
		}
		return nil
	})
}

// compute adds the batches' losses, divided by all their targets, to the
// result. With gradients, their sum is the first worker's.
func (t *Trainer) compute(batches []Sequences, result *StepResult, gradients bool) error {
	shares := make([][]Sequences, len(t.workers))
	for _, b := range batches {
		for i, share := range b.split(len(t.workers)) {
			if share.Targets() > 0 {
				shares[i] = append(shares[i], share)
			}
		}
	}
	losses, errs := make([]float64, len(t.workers)), make([]error, len(t.workers))
	var group sync.WaitGroup
	for i, w := range t.workers {
		group.Add(1)
		go func() {
			defer group.Done()
			errs[i] = doOn(w.number, func(s *scope) error {
				losses[i] = w.run(s, shares[i], 1/float64(result.Targets), gradients)
				return nil
			})
		}()
	}
	group.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	for _, loss := range losses {
		result.Loss += loss
	}
	if !gradients {
		return nil
	}
	return do(func(s *scope) error {
		for _, w := range t.workers[1:] {
			s.addIn(t.workers[0].grad, w.grad)
		}
		return nil
	})
}

// run is a worker's part of compute.
func (t *worker) run(s *scope, share []Sequences, scale float64, gradients bool) (loss float64) {
	if gradients {
		s.zeroIn(t.grad)
	}
	for _, b := range share {
		mark := s.mark()
		p := t.forward(s, b)
		loss += t.loss(s, p, scale)
		if gradients {
			t.backward(s, p)
		}
		s.freeTo(mark)
	}
	return loss
}
