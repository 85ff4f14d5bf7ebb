package torch

import "context"

// The forward pass of an Engine. Letters in shapes are those of pass, with n
// new positions after past ones. A matrix [n, D] is a vector [D] when n is 1:
// products are then of matrix and vector, which are quicker.

// cacheWidth is the number of cached numbers of a position in one layer.
func (c Config) cacheWidth() int64 { return int64(2 * c.NumKeyValueHeads * c.HeadDim) }

// span is the new positions of a forward pass. Their keys and values are written
// to the cache one after another, behind the past ones.
type span struct {
	cache *cache
	past  int64
	n     int64
	// angles is what RoPE turns the new positions by, from row turns on: [n, P/2]
	// complex. It is the engine's table where they follow each other.
	angles tensor
	turns  int64
	// branches says what they attend to where they belong to several sequences; nil
	// where each attends to all before it.
	branches *branches
}

// sequel is a span of n positions after past ones.
func (e *Engine) sequel(c *cache, past, n int64) span {
	return span{cache: c, past: past, n: n, angles: e.rope, turns: past}
}

// forward computes the positions of p, whose tokens are ids, writes their keys and
// values to the cache, and the logits of positions [from, n) among them to out.
// A cancelled context is seen before each layer.
func (e *Engine) forward(ctx context.Context, s *scope, p span, ids []int32, from int64, out []float32) {
	if e.computesFew(p) {
		e.forwardFew(ctx, s, p, ids, int(from), out)
		return
	}
	if p.branches != nil {
		p.branches.makeMasks(s)
	}
	n, d := p.n, int64(e.config.HiddenSize)
	s.where = "embedding"
	x := s.to(s.indexSelect(e.embed, e.indices(s, ids)), float32Kind) // the residual stream
	x = e.rows(s, x, 0, n, d)
	for i := range e.layers {
		if err := ctx.Err(); err != nil {
			s.fail(err)
			return
		}
		l := &e.layers[i]
		mark := s.mark()
		s.where = l.attention
		normed := e.normalize(s, x, d)
		e.storeKeysValues(s, p, int64(i), l, normed)
		first := int64(0)
		if i == len(e.layers)-1 {
			if from == n {
				return
			}
			first = from // what follows is needed of these positions only
			if first > 0 {
				x, normed = e.rows(s, x, first, n, d), e.rows(s, normed, first, n, d)
			}
		}
		attended := e.attend(s, p, int64(i), l, normed, first)
		e.addProductIn(s, x, l.out, attended, n-first)

		s.where = l.feedForward
		e.addProductIn(s, x, l.down, e.gated(s, l, e.normalize(s, x, d), n-first), n-first)
		if i < len(e.layers)-1 {
			s.freeTo(mark)
		}
	}
	s.where = "head"
	logits := e.product(s, e.head, e.normalize(s, x, d), n-from)
	s.read(s.to(logits, float32Kind), out)
}

// indices is ids, or the numbers of rows, on the device.
func (e *Engine) indices(s *scope, ids []int32) tensor {
	index := make([]int64, len(ids))
	for i, id := range ids {
		index[i] = int64(id)
	}
	return s.toDevice(s.int64s(index, int64(len(ids))), e.device)
}

// rows views rows [from, n) of x [n, cols].
func (e *Engine) rows(s *scope, x tensor, from, n, cols int64) tensor {
	if n-from == 1 {
		return s.asStrided(x, from*cols, []int64{cols}, []int64{1})
	}
	return s.matrix(x, from*cols, n-from, cols)
}

// normalize divides rows of width numbers by their root mean square, and rounds.
func (e *Engine) normalize(s *scope, x tensor, width int64) tensor {
	return e.rounded(s, e.normalize32(s, x, width))
}

// rounded is x in the engine's number type.
func (e *Engine) rounded(s *scope, x tensor) tensor {
	if e.kind == float32Kind {
		return x
	}
	return s.to(x, e.kind)
}

// product is x [n, cols] times l: [n, rows].
func (e *Engine) product(s *scope, l linear, x tensor, n int64) tensor {
	var y tensor
	if n == 1 {
		y = s.mv(l.weight, x)
	} else {
		y = s.mm(x, l.transposed)
	}
	if l.bias.defined() {
		s.addIn(y, l.bias)
	}
	return y
}

// addProductIn adds the product to acc, the residual stream.
func (e *Engine) addProductIn(s *scope, acc tensor, l linear, x tensor, n int64) {
	switch {
	case e.kind != float32Kind:
		s.addIn(acc, e.product(s, l, x, n))
	case n == 1:
		s.addmvIn(acc, l.weight, x)
	default:
		s.addmmIn(acc, x, l.transposed)
	}
}

// gated is silu(gate)*up of the feed-forward part: [n, F].
func (e *Engine) gated(s *scope, l *engineLayer, x tensor, n int64) tensor {
	both := e.product(s, l.gateUp, x, n)
	f := l.down.cols
	part := func(from int64) tensor {
		if n == 1 {
			return s.asStrided(both, from, []int64{f}, []int64{1})
		}
		return s.columns(both, n, 2*f, from, f)
	}
	hidden := s.silu(part(0))
	s.mulIn(hidden, part(f))
	return hidden
}

// storeKeysValues computes the keys and values of the new positions and writes
// them to the cache.
func (e *Engine) storeKeysValues(s *scope, p span, layer int64, l *engineLayer, x tensor) {
	c, width := p.cache, e.config.cacheWidth()
	heads := int64(e.config.NumKeyValueHeads)
	both := e.product(s, l.kv, x, p.n)
	e.turn(s, p, both, l.kNorm, heads, width, 0)
	s.copyIn(s.asStrided(c.keysValues, (layer*c.capacity+p.past)*width, []int64{p.n, width}, []int64{width, 1}),
		s.matrix(both, 0, p.n, width))
}

// turn applies a norm, if there is one, and RoPE to the first heads of each row
// of x [n-first, width], in place. The rows are the new positions from the first on.
func (e *Engine) turn(s *scope, at span, x, norm tensor, heads, width, first int64) {
	n, p := at.n-first, int64(e.config.HeadDim)
	sizes, strides := []int64{n, heads, p / 2, 2}, []int64{width, p, 2, 1}
	view := s.asStrided(x, 0, []int64{n, heads, p}, []int64{width, p, 1})
	exact := view
	if e.kind != float32Kind || norm.defined() {
		exact = s.to(view, float32Kind)
		if norm.defined() {
			r := e.normalize32(s, exact, p)
			s.mulIn(r, norm)
			exact = r
		}
		strides = []int64{heads * p, p, 2, 1}
	}
	table := s.asStrided(at.angles, (at.turns+first)*p/2, []int64{n, 1, p / 2}, []int64{p / 2, p / 2, 1})
	s.mulIn(s.viewAsComplex(s.asStrided(exact, 0, sizes, strides)), table)
	if e.kind != float32Kind || norm.defined() {
		s.copyIn(view, s.asStrided(exact, 0, []int64{n, heads, p}, []int64{heads * p, p, 1}))
	}
}

// normalize32 is normalize in float32, whatever the engine's number type.
func (e *Engine) normalize32(s *scope, x tensor, width int64) tensor {
	r := s.rowNorm(x)
	s.mulIn(r, r)
	s.mulScalarIn(r, 1/float64(width))
	s.addScalarIn(r, e.config.RMSNormEps)
	s.rsqrtIn(r)
	return s.mul(x, r)
}

// attend is what the new positions from the first on take from the values:
// [n-first, H*P].
func (e *Engine) attend(s *scope, at span, layer int64, l *engineLayer, x tensor, from int64) tensor {
	c, past, n := at.cache, at.past+from, at.n-from
	h, k, p := int64(e.config.NumAttentionHeads), int64(e.config.NumKeyValueHeads), int64(e.config.HeadDim)
	width, shared := e.config.cacheWidth(), h/k
	q := e.product(s, l.q, x, n)
	e.turn(s, at, q, l.qNorm, h, h*p, from)
	if at.branches != nil {
		return e.attendBranches(s, at, layer, l, q, from)
	}
	if n == 1 {
		first := int64(0)
		if l.window > 0 {
			first = max(0, past+1-l.window)
		}
		keys := past + 1 - first
		start := (layer*c.capacity + first) * width
		scores := s.bmm(s.asStrided(q, 0, []int64{k, shared, p}, []int64{shared * p, p, 1}),
			s.asStrided(c.keysValues, start, []int64{k, p, keys}, []int64{p, 1, width}))
		return s.asStrided(s.bmm(e.softmax(s, scores),
			s.asStrided(c.keysValues, start+k*p, []int64{k, keys, p}, []int64{p, width, 1})), 0, []int64{h * p}, []int64{1})
	}
	out := s.empty(e.kind, e.device, n, h*p)
	for begin := int64(0); begin < n; begin += attentionBlock {
		size := min(attentionBlock, n-begin)
		first, end := int64(0), past+begin+size
		if l.window > 0 {
			first = max(0, past+begin+1-l.window)
		}
		keys := end - first
		start := (layer*c.capacity + first) * width
		for g := range shared {
			mark := s.mark()
			offset := begin*h*p + g*p
			scores := s.bmm(s.asStrided(q, offset, []int64{k, size, p}, []int64{shared * p, h * p, 1}),
				s.asStrided(c.keysValues, start, []int64{k, p, keys}, []int64{p, 1, width}))
			e.masks.apply(s, scores, 0, k, size, keys, past+begin-first, l.window)
			s.bmmOut(s.asStrided(out, offset, []int64{k, size, p}, []int64{shared * p, h * p, 1}), e.softmax(s, scores),
				s.asStrided(c.keysValues, start+k*p, []int64{k, keys, p}, []int64{p, width, 1}))
			s.freeTo(mark)
		}
	}
	return out
}

// softmax of scores along the last dimension, in float32 inside.
func (e *Engine) softmax(s *scope, scores tensor) tensor {
	if e.kind == float32Kind {
		s.softmaxOut(scores, scores)
		return scores
	}
	exact := s.to(scores, float32Kind)
	s.softmaxOut(exact, exact)
	return s.to(exact, e.kind)
}
