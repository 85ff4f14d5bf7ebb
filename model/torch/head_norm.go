package torch

// headColumns are the heads of a row of qkv [N, W] that are normalised alike.
type headColumns struct {
	n, first, count int64 // tokens; first column; heads
}

func (t *worker) queries(n int64) headColumns {
	return headColumns{n, 0, int64(t.config.NumAttentionHeads)}
}

func (t *worker) keys(n int64) headColumns {
	c := t.config
	return headColumns{n, int64(c.NumAttentionHeads * c.HeadDim), int64(c.NumKeyValueHeads)}
}

// headView is the heads in qkv as [n, count, head_dim].
func (t *worker) headView(s *scope, qkv tensor, h headColumns) tensor {
	c := t.config
	dim := int64(c.HeadDim)
	width := int64(c.NumAttentionHeads+2*c.NumKeyValueHeads) * dim
	return s.asStrided(qkv, h.first, []int64{h.n, h.count, dim}, []int64{width, dim, 1})
}

// normalizeHeads divides each head in qkv by its root mean square and multiplies
// it by the norm's weight, as Qwen3 does before RoPE.
func (t *worker) normalizeHeads(s *scope, name string, qkv tensor, h headColumns, norm parameter) normed {
	dim := int64(t.config.HeadDim)
	x := t.headView(s, qkv, h)
	out := s.asStrided(t.buffers.flat(s, name, float32Kind, h.n*h.count*dim), 0,
		[]int64{h.n, h.count, dim}, []int64{h.count * dim, dim, 1})
	inverse := t.inverseSize(s, x, dim)
	s.mulOut(out, x, inverse)
	s.mulOut(x, out, norm.value)
	return normed{x: out, inverse: inverse}
}

// normalizeHeadsBackward turns the gradient of normalizeHeads' results, in dQKV,
// into that of its arguments, and adds to the gradient of the norm's weight.
func (t *worker) normalizeHeadsBackward(s *scope, dQKV tensor, h headColumns, n normed, norm parameter) {
	dim := int64(t.config.HeadDim)
	d := t.headView(s, dQKV, h)
	sizes, strides := []int64{h.n, h.count, dim}, []int64{h.count * dim, dim, 1}
	flat := t.buffers.flat(s, "headProduct", float32Kind, h.n*h.count*dim)
	product := s.asStrided(flat, 0, sizes, strides)
	s.mulOut(product, d, n.x)
	s.addIn(norm.grad, s.sum(s.matrix(flat, 0, h.n*h.count, dim), 0))

	// d = inverse * (d*weight - x * mean(d*weight*x))
	s.mulIn(d, norm.value)
	s.subtractAlong(d, n.x, product, dim)
	s.mulIn(d, n.inverse)
}
