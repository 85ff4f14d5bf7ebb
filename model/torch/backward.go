package torch

import "fmt"

// backward adds the gradients of the pass's loss to t.grad. dX is the gradient
// of the residual stream, from the last layer to the first.
func (t *worker) backward(s *scope, p *pass) {
	if p.r == 0 {
		return
	}
	c := t.config
	d := int64(c.HiddenSize)

	s.where = "head, backward"
	dLogits := t.operand(s, "dLogits", p.dLogits, p.r, t.head.rows)
	t.scaledBackward(s, t.head, t.finalNorm, dLogits, p.final.operand)
	dNormed := t.buffers.matrix(s, "dNormed", p.r, d)
	t.productOut(s, dNormed, dLogits, p.weight)
	dX := t.buffers.matrix(s, "dXRows", p.r, d)
	s.zeroIn(dX)
	t.normalizeBackward(s, dX, dNormed, p.final, p.r)

	for i := len(t.layers) - 1; i >= 0; i-- {
		l, w := &p.layers[i], &t.layers[i]
		m, f := l.rows, w.down.cols

		s.where = fmt.Sprintf("layer %d, feed-forward, backward", i)
		dOut := t.operand(s, "dOut", dX, m, d)
		t.addProductIn(s, w.down.grad, s.transposed(dOut), l.hidden)
		dHidden := t.buffers.matrix(s, "dHidden", m, f)
		t.productOut(s, dHidden, dOut, t.weightOperand(s, "down", w.down))
		dGateUp := t.buffers.matrix(s, "dGateUp", m, 2*f)
		s.mulOut(s.columns(dGateUp, m, 2*f, f, f), dHidden, l.silu)
		s.mulIn(dHidden, s.columns(l.gateUp, m, 2*f, f, f))
		s.siluBackwardOut(s.columns(dGateUp, m, 2*f, 0, f), dHidden, s.columns(l.gateUp, m, 2*f, 0, f))
		dGateUp = t.operand(s, "dGateUpOperand", dGateUp, m, 2*f)
		t.scaledBackward(s, w.gateUp, w.norm2, dGateUp, l.norm2.operand)
		dNormed := t.buffers.matrix(s, "dNormed", m, d)
		t.productOut(s, dNormed, dGateUp, l.gateUpWeight)
		t.normalizeBackward(s, dX, dNormed, l.norm2, m)

		s.where = fmt.Sprintf("layer %d, attention, backward", i)
		dOut = t.operand(s, "dOut", dX, m, d)
		outWeight := t.weightOperand(s, "out", w.out)
		t.addProductIn(s, w.out.grad, s.transposed(dOut), l.attendedRows)
		dAttended := t.buffers.matrix(s, "dAttended", p.n, w.out.cols)
		if i == len(t.layers)-1 {
			rows := t.buffers.matrix(s, "dAttendedRows", p.r, w.out.cols)
			t.productOut(s, rows, dOut, outWeight)
			s.zeroIn(dAttended)
			s.indexCopyIn(dAttended, p.sources, rows)
			all := t.buffers.matrix(s, "dX", p.n, d)
			s.zeroIn(all)
			s.indexCopyIn(all, p.sources, dX)
			dX = all
		} else {
			t.productOut(s, dAttended, dOut, outWeight)
		}
		dQKV := t.buffers.matrix(s, "dQKV", p.n, w.qkv.rows)
		t.attendBackward(s, p, l, int64(c.window(i)), dQKV, dAttended)
		if w.qNorm.value.defined() {
			t.normalizeHeadsBackward(s, dQKV, t.queries(p.n), l.qHeads, w.qNorm)
			t.normalizeHeadsBackward(s, dQKV, t.keys(p.n), l.kHeads, w.kNorm)
		}
		if w.bias.value.defined() {
			s.addIn(w.bias.grad, s.sum(dQKV, 0))
		}
		dQKV = t.operand(s, "dQKVOperand", dQKV, p.n, w.qkv.rows)
		t.scaledBackward(s, w.qkv, w.norm1, dQKV, l.norm1.operand)
		dNormed = t.buffers.matrix(s, "dNormed", p.n, d)
		t.productOut(s, dNormed, dQKV, l.qkvWeight)
		t.normalizeBackward(s, dX, dNormed, l.norm1, p.n)
	}
	s.where = "embedding, backward"
	s.addIn(t.embed.grad, s.embeddingBackward(dX, p.tokens, int64(c.VocabSize)))
}

// scaledBackward adds to the gradients of w and of the norm's weight, whose
// product was applied to x [M, cols], from that of the result dY [M, rows].
func (t *worker) scaledBackward(s *scope, w, norm parameter, dY, x tensor) {
	dScaled := t.buffers.matrix(s, "dScaled", w.rows, w.cols)
	t.productOut(s, dScaled, s.transposed(dY), x)
	s.addcmulIn(w.grad, dScaled, norm.value)
	s.mulIn(dScaled, w.value)
	s.addIn(norm.grad, s.sum(dScaled, 0))
}

// normalizeBackward adds to dX the gradient that normalize's argument has from
// that of its result, dNormed, which it overwrites:
// dX += inverse * (dNormed - x * mean(dNormed*x)).
func (t *worker) normalizeBackward(s *scope, dX, dNormed tensor, n normed, rows int64) {
	d := int64(t.config.HiddenSize)
	s.subtractAlong(dNormed, n.x, t.buffers.matrix(s, "product", rows, d), d)
	s.addcmulIn(dX, dNormed, n.inverse)
}

// subtractAlong subtracts from each row of d [..., width] the part along the same
// row of x, whose mean square is 1: d -= x * mean(d*x). product is room for a
// matrix of that shape.
func (s *scope) subtractAlong(d, x, product tensor, width int64) {
	s.mulOut(product, d, x)
	mean := s.sum(product, -1)
	s.mulScalarIn(mean, 1/float64(width))
	s.mulOut(product, x, mean)
	s.subIn(d, product)
}
