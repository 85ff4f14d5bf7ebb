package torch

import (
	"context"
	"slices"
)

// Few positions, as in decoding, are computed on the CPU with kernels of our own. Each
// matrix is read from memory for them, once, and that takes most of the time; a call
// of LibTorch takes some microseconds besides, which for a small model was more.

// fewPositions is up to how many positions that is quicker than LibTorch, which is
// made for many.
const fewPositions = 8

// computesFew reports whether p is computed by forwardFew.
func (e *Engine) computesFew(p span) bool {
	return p.n <= fewPositions && e.device == cpu && e.kind == float32Kind
}

// workspace is the memory for what forwardFew computes. Letters are those of pass.
type workspace struct {
	x        []float32 // [n, D], the residual stream
	normed   []float32 // [n, D]
	queries  []float32 // [n, H*P]
	scores   []float32 // [H, positions]
	attended []float32 // [n, H*P]
	gateUp   []float32 // [n, 2*F]
	hidden   []float32 // [n, F]
}

// room makes *buffer n numbers long.
func room(buffer *[]float32, n int) []float32 {
	*buffer = slices.Grow((*buffer)[:0], n)[:n]
	return *buffer
}

// forwardFew is forward for few positions on the CPU.
func (e *Engine) forwardFew(ctx context.Context, s *scope, p span, ids []int32, from int, logits []float32) {
	if s.err != nil {
		return
	}
	c, w := &e.config, &e.workspace
	n, d, f := int(p.n), c.HiddenSize, c.IntermediateSize
	x := room(&w.x, n*d)
	for i, id := range ids {
		copy(x[i*d:], floats(e.embed, c.VocabSize*d)[int(id)*d:][:d])
	}
	normed := room(&w.normed, n*d)
	for i := range e.layers {
		if err := ctx.Err(); err != nil {
			s.fail(err)
			return
		}
		l := &e.layers[i]
		normalizeRows(x, normed, n, d, c.RMSNormEps)
		e.storeFew(p, i, l, normed)
		skipped := 0
		if i == len(e.layers)-1 {
			if from == n {
				return
			}
			skipped = from // what follows is needed of the others only
			n, x, normed = n-from, x[from*d:], normed[from*d:]
		}
		multiplyIn(l.out, e.attendFew(p, i, l, normed, skipped), x, n, e.threads)

		normalizeRows(x, normed, n, d, c.RMSNormEps)
		both, hidden := room(&w.gateUp, n*2*f), room(&w.hidden, n*f)
		multiply(l.gateUp, normed, both, n, e.threads)
		for t := range n {
			gate(both[t*2*f:][:f], both[t*2*f+f:][:f], hidden[t*f:][:f])
		}
		multiplyIn(l.down, hidden, x, n, e.threads)
	}
	normalizeRows(x, normed, n, d, c.RMSNormEps)
	multiply(e.head, normed, logits, n, e.threads)
}

// cached is the cache of one layer from a position on.
func (e *Engine) cached(c *cache, layer int, position int64) []float32 {
	all := floats(c.keysValues, len(e.layers)*int(c.capacity*e.config.cacheWidth()))
	return all[(int64(layer)*c.capacity+position)*e.config.cacheWidth():]
}

// storeFew is storeKeysValues for x [n, D].
func (e *Engine) storeFew(p span, layer int, l *engineLayer, x []float32) {
	width := int(e.config.cacheWidth())
	rows := e.cached(p.cache, layer, p.past)[:int(p.n)*width]
	multiply(l.kv, x, rows, int(p.n), e.threads)
	for t := range int(p.n) {
		e.turnFew(p, t, rows[t*width:][:width/2], l.kNorm)
	}
}

// turnFew is turn for the heads x of the new position number t.
func (e *Engine) turnFew(p span, t int, x []float32, norm tensor) {
	dim := e.config.HeadDim
	heads := len(x) / dim
	if norm.defined() {
		normalizeHeads(x, floats(norm, dim), heads, dim, e.config.RMSNormEps)
	}
	rotate(x, floats(p.angles, (int(p.turns)+t+1)*dim)[(int(p.turns)+t)*dim:], heads, dim)
}

// smallAttention is the numbers of keys and values from which several threads read them
// quicker than one.
const smallAttention = 1 << 14

// attendFew is attend for x [n-from, D], those of the new positions from the first on.
func (e *Engine) attendFew(p span, layer int, l *engineLayer, x []float32, from int) []float32 {
	c, w := &e.config, &e.workspace
	n, width := int(p.n)-from, c.NumAttentionHeads*c.HeadDim
	queries, attended := room(&w.queries, n*width), room(&w.attended, n*width)
	multiply(l.q, x, queries, n, e.threads)
	for t := range n {
		q := queries[t*width:][:width]
		e.turnFew(p, from+t, q, l.qNorm)
		first, positions, slots := e.sight(p, from+t, l.window)
		threads := e.threads
		if positions*int(c.cacheWidth()) < smallAttention {
			threads = 1
		}
		c.attend(q, e.cached(p.cache, layer, first), slots, room(&w.scores, c.NumAttentionHeads*positions), attended[t*width:][:width], positions, threads)
	}
	return attended
}

// sight is what the new position number t attends to: so many slots of the cache,
// which are listed from the first on, or follow it.
func (e *Engine) sight(p span, t int, window int64) (first int64, positions int, slots []int32) {
	if p.branches != nil {
		slots = p.branches.slots(window)[t]
		return 0, len(slots), slots
	}
	end := p.past + int64(t) + 1
	if window > 0 {
		first = max(0, end-window)
	}
	return first, int(end - first), nil
}
