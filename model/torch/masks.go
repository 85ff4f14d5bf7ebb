package torch

import "math"

var negativeInfinity = float32(math.Inf(-1))

// attentionMasks are added to scores to hide positions.
type attentionMasks struct {
	future tensor // [block, block]: -inf where column > row
	past   tensor // [block, 2*block]: -inf where column < row
}

func newAttentionMasks(s *scope, on device) attentionMasks {
	future := make([]float32, attentionBlock*attentionBlock)
	past := make([]float32, attentionBlock*2*attentionBlock)
	for i := range attentionBlock {
		for j := i + 1; j < attentionBlock; j++ {
			future[i*attentionBlock+j] = negativeInfinity
		}
		for j := range i {
			past[i*2*attentionBlock+j] = negativeInfinity
		}
	}
	return attentionMasks{
		future: s.detach(s.toDevice(s.float32s(future, attentionBlock, attentionBlock), on)),
		past:   s.detach(s.toDevice(s.float32s(past, attentionBlock, 2*attentionBlock), on)),
	}
}

// apply masks the scores [k, size, keys] that begin at offset in their storage, and
// whose first query stands at the key number at: keys after a query's own position
// and, with a window, those that lie window or more before it.
func (m attentionMasks) apply(s *scope, scores tensor, offset, k, size, keys, at, window int64) {
	strides := []int64{size * keys, keys, 1}
	part := func(column, width int64) tensor {
		return s.asStrided(scores, offset+column, []int64{k, size, width}, strides)
	}
	s.addIn(part(at, size), s.asStrided(m.future, 0, []int64{size, size}, []int64{attentionBlock, 1}))
	if window == 0 {
		return
	}
	// Query i sees keys from at+i-window+1 on, which is i-late, where late keys
	// are lacking before the first query's window.
	late := window - 1 - at
	if width := min(size-late, keys); width > 0 {
		s.addIn(part(0, width), s.asStrided(m.past, late, []int64{size, width}, []int64{2 * attentionBlock, 1}))
	}
}

func (m *attentionMasks) release() {
	m.future.release()
	m.past.release()
}
