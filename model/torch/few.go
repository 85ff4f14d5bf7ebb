package torch

import (
	"context"
	"slices"
	"unsafe"
)

// Few positions, as in decoding, are computed on the CPU with kernels of our own. Each
// matrix is read from memory for them, once, and that takes most of the time; a call
// of LibTorch takes some microseconds besides, which for a small model was more. What
// lies in memory as bfloat16 or float16 takes half the time; it is computed with, and
// added up, as float32.

// fewPositions is up to how many positions that is quicker than LibTorch, which is
// made for many.
const fewPositions = 8

// computesFew reports whether p is computed by forwardFew.
func (e *Engine) computesFew(p span) bool {
	return p.n <= fewPositions && e.device == cpu
}

// workspace is the memory for what forwardFew computes. Letters are those of pass.
type workspace struct {
	x        []float32 // [n, D], the residual stream
	normed   []float32 // [n, D]
	kv       []float32 // [n, 2*K*P], where the cache has another number type
	scale    []float32 // [P], of a norm of heads
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
		e.widen(e.embed, int(id)*d, x[i*d:][:d])
	}
	normed := room(&w.normed, n*d)
	for i := range e.layers {
		if err := ctx.Err(); err != nil {
			s.fail(err)
			return
		}
		l := &e.layers[i]
		normalizeRows(x, normed, n, d, c.RMSNormEps)
		e.storeFew(s, p, i, l, normed)
		skipped := 0
		if i == len(e.layers)-1 {
			if from == n {
				return
			}
			skipped = from // what follows is needed of the others only
			n, x, normed = n-from, x[from*d:], normed[from*d:]
		}
		e.addFew(l.out, e.attendFew(p, i, l, normed, skipped), x, n)

		normalizeRows(x, normed, n, d, c.RMSNormEps)
		both, hidden := room(&w.gateUp, n*2*f), room(&w.hidden, n*f)
		e.multiplyFew(l.gateUp, normed, both, n)
		for t := range n {
			gate(both[t*2*f:][:f], both[t*2*f+f:][:f], hidden[t*f:][:f])
		}
		e.addFew(l.down, hidden, x, n)
	}
	normalizeRows(x, normed, n, d, c.RMSNormEps)
	e.multiplyFew(e.head, normed, logits, n)
}

// cached is the place of a position in a layer's cache, counted in numbers.
func (e *Engine) cached(c *cache, layer int, position int64) int {
	return int((int64(layer)*c.capacity + position) * e.config.cacheWidth())
}

// storeFew is storeKeysValues for x [n, D].
func (e *Engine) storeFew(s *scope, p span, layer int, l *engineLayer, x []float32) {
	n, width := int(p.n), int(e.config.cacheWidth())
	at := e.cached(p.cache, layer, p.past)
	var rows []float32
	if e.kind == float32Kind {
		rows = unsafe.Slice((*float32)(e.numbersAt(p.cache.keysValues, at)), n*width)
	} else {
		rows = room(&e.workspace.kv, n*width)
	}
	e.multiplyFew(l.kv, x, rows, n)
	for t := range n {
		e.turnFew(p, t, rows[t*width:][:width/2], l.kNorm)
	}
	if e.kind != float32Kind {
		mark := s.mark()
		s.copyIn(s.matrix(p.cache.keysValues, int64(at), p.n, int64(width)), s.float32s(rows, p.n, int64(width)))
		s.freeTo(mark)
	}
}

// turnFew is turn for the heads x of the new position number t.
func (e *Engine) turnFew(p span, t int, x []float32, norm tensor) {
	dim := e.config.HeadDim
	heads := len(x) / dim
	if norm.defined() {
		scale := room(&e.workspace.scale, dim)
		e.widen(norm, 0, scale)
		normalizeHeads(x, scale, heads, dim, e.config.RMSNormEps)
	}
	rotate(x, floats(p.angles, (int(p.turns)+t+1)*dim)[(int(p.turns)+t)*dim:], heads, dim)
}

// attendFew is attend for x [n-from, D], those of the new positions from the first on.
func (e *Engine) attendFew(p span, layer int, l *engineLayer, x []float32, from int) []float32 {
	c, w := &e.config, &e.workspace
	n, width := int(p.n)-from, c.NumAttentionHeads*c.HeadDim
	queries, attended := room(&w.queries, n*width), room(&w.attended, n*width)
	e.multiplyFew(l.q, x, queries, n)
	for t := range n {
		q := queries[t*width:][:width]
		e.turnFew(p, from+t, q, l.qNorm)
		first, positions, slots := e.sight(p, from+t, l.window)
		keys := e.numbersAt(p.cache.keysValues, e.cached(p.cache, layer, first))
		e.attendTo(q, keys, slots, room(&w.scores, c.NumAttentionHeads*positions), attended[t*width:][:width], positions)
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
