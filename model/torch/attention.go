package torch

// heads are views of one segment's rows of a matrix [N, width], seen as a
// batch of matrices, one a key-value head. Where several heads share keys and
// values, a group is the j-th head of each.
type heads struct {
	matrix tensor
	width  int64 // of a row of the matrix
	start  int64 // row of the segment's first token
	first  int64 // column of the first head
	stride int64 // columns from one head to the next
	count  int64
	dim    int64 // of a head
}

// rows views rows [from, from+n) as [count, n, dim].
func (h heads) rows(s *scope, from, n int64) tensor {
	return s.asStrided(h.matrix, (h.start+from)*h.width+h.first,
		[]int64{h.count, n, h.dim}, []int64{h.stride, h.width, 1})
}

// columns views the same rows as [count, dim, n].
func (h heads) columns(s *scope, from, n int64) tensor {
	return s.asStrided(h.matrix, (h.start+from)*h.width+h.first,
		[]int64{h.count, h.dim, n}, []int64{h.stride, 1, h.width})
}

// attentionViews are the parts of qkv [N, W] and attended [N, H*P], or of their
// gradients, that belong to one segment and one group of heads.
type attentionViews struct {
	q, k, v, out heads
}

func (t *worker) attentionViews(qkv, attended tensor, start, group int64) attentionViews {
	c := t.config
	dim := int64(c.HeadDim)
	h, k := int64(c.NumAttentionHeads), int64(c.NumKeyValueHeads)
	width := (h + 2*k) * dim
	shared := h / k // heads to a key-value head
	return attentionViews{
		q:   heads{qkv, width, start, group * dim, shared * dim, k, dim},
		k:   heads{qkv, width, start, h * dim, dim, k, dim},
		v:   heads{qkv, width, start, (h + k) * dim, dim, k, dim},
		out: heads{attended, h * dim, start, group * dim, shared * dim, k, dim},
	}
}

// block is a run of queries of one segment and group, and the keys that they
// see, with its place in the scores: [K, size, keys] from offset on.
type block struct {
	segment     int
	group       int64
	first, size int64 // of the segment's rows
	from, keys  int64 // the first key's position in its sequence, and how many
	offset      int64
}

// queryBlocks cuts the segments of a pass into blocks, for all groups of heads. With
// a window, a query sees so many keys at most, itself included; 0: all.
func (p *pass) queryBlocks(window int64) (list []block) {
	for i, segment := range p.segments {
		most := evenly(segment.length, attentionBlock)
		for first := int64(0); first < segment.length; first += most {
			b := block{segment: i, first: first, size: min(most, segment.length-first)}
			if window > 0 {
				b.from = max(0, segment.past+first-window+1)
			}
			b.keys = segment.past + first + b.size - b.from
			list = append(list, b)
		}
	}
	return list
}

// blocks lists the blocks of the batch, each group of heads with its own, and the
// number of all their scores.
func (t *worker) blocks(p *pass, window int64) (list []block, scores int64) {
	k := int64(t.config.NumKeyValueHeads)
	groups := int64(t.config.NumAttentionHeads) / k
	for _, b := range p.queryBlocks(window) {
		for b.group = range groups {
			b.offset = scores
			list = append(list, b)
			scores += k * b.size * b.keys
		}
	}
	return list, scores
}

// evenly is the size of the parts if n is cut into as few as possible that have at
// most so many, and about the same.
func evenly(n, most int64) int64 {
	parts := (n + most - 1) / most
	return (n + parts - 1) / parts
}

// turn multiplies the q and k of a segment's rows of qkv by the table's complex
// numbers.
func (t *worker) turn(s *scope, qkv, table tensor, g segment) {
	c := t.config
	pairs := int64((c.NumAttentionHeads + c.NumKeyValueHeads) * c.HeadDim / 2)
	width := int64((c.NumAttentionHeads + 2*c.NumKeyValueHeads) * c.HeadDim)
	sizes := []int64{g.length, pairs, 2}
	x := s.asStrided(qkv, g.start*width, sizes, []int64{width, 2, 1})
	by := s.asStrided(table, g.past*2*pairs, sizes, []int64{2 * pairs, 2, 1})
	s.mulIn(s.viewAsComplex(x), s.viewAsComplex(by))
}

// turnAll turns all segments.
func (t *worker) turnAll(s *scope, p *pass, qkv, table tensor) {
	for _, g := range p.segments {
		mark := s.mark()
		t.turn(s, qkv, table, g)
		s.freeTo(mark)
	}
}

// scoresOf views the scores of a block for a run of its keys, as [K, size, n], in
// storage that has the block's at offset.
func (t *worker) scoresOf(s *scope, storage tensor, offset int64, b block, r keyRun) tensor {
	return s.asStrided(storage, offset+r.column,
		[]int64{int64(t.config.NumKeyValueHeads), b.size, r.n}, []int64{b.size * b.keys, b.keys, 1})
}

// transposedScoresOf views the same as [K, n, size].
func (t *worker) transposedScoresOf(s *scope, storage tensor, offset int64, b block, r keyRun) tensor {
	return s.asStrided(storage, offset+r.column,
		[]int64{int64(t.config.NumKeyValueHeads), r.n, b.size}, []int64{b.size * b.keys, 1, b.keys})
}

// attend turns q and k of l.qkv, and computes l.scores and l.attended.
func (t *worker) attend(s *scope, p *pass, l *layerPass, window int64, scoresName string) {
	if t.padsAttention() {
		t.attendPadded(s, p, l, window, scoresName)
		return
	}
	t.turnAll(s, p, l.qkv, t.rope)
	list, size := t.blocks(p, window)
	l.scores = t.buffers.flat(s, scoresName, float32Kind, size)
	k := int64(t.config.NumKeyValueHeads)
	for _, b := range list {
		mark := s.mark()
		g := p.segments[b.segment]
		v := t.attentionViews(l.qkv, l.attended, g.start, b.group)
		runs := g.keyRuns(b)
		for _, r := range runs {
			keys := t.attentionViews(l.qkv, l.attended, r.start, b.group).k
			s.bmmOut(t.scoresOf(s, l.scores, b.offset, b, r), v.q.rows(s, b.first, b.size), keys.columns(s, r.from, r.n))
		}
		t.masks.apply(s, l.scores, b.offset, k, b.size, b.keys, g.past+b.first-b.from, window)
		scores := t.scoresOf(s, l.scores, b.offset, b, keyRun{n: b.keys})
		s.softmaxOut(scores, scores)
		out := v.out.rows(s, b.first, b.size)
		for i, r := range runs {
			values := t.attentionViews(l.qkv, l.attended, r.start, b.group).v
			s.productOver(i, out, t.scoresOf(s, l.scores, b.offset, b, r), values.rows(s, r.from, r.n))
		}
		s.freeTo(mark)
	}
}

// productOver is run number i of a product that sums over runs of keys: out = a b
// for the first, out += a b for those after it.
func (s *scope) productOver(i int, out, a, b tensor) {
	if i == 0 {
		s.bmmOut(out, a, b)
	} else {
		s.baddbmmIn(out, a, b)
	}
}

// attendBackward computes dQKV [N, W], the gradient of qkv before turning, from
// dAttended [N, H*P].
func (t *worker) attendBackward(s *scope, p *pass, l *layerPass, window int64, dQKV, dAttended tensor) {
	s.zeroIn(dQKV)
	if t.padsAttention() {
		t.attendPaddedBackward(s, p, l, window, dQKV, dAttended)
		return
	}
	list, _ := t.blocks(p, window)
	k := int64(t.config.NumKeyValueHeads)
	for _, b := range list {
		mark := s.mark()
		g := p.segments[b.segment]
		v := t.attentionViews(l.qkv, l.attended, g.start, b.group)
		d := t.attentionViews(dQKV, dAttended, g.start, b.group)
		q, dQ, dOut := v.q.rows(s, b.first, b.size), d.q.rows(s, b.first, b.size), d.out.rows(s, b.first, b.size)
		flat := t.buffers.flat(s, "dScores", float32Kind, k*b.size*b.keys)
		runs := g.keyRuns(b)
		for _, r := range runs {
			values := t.attentionViews(l.qkv, l.attended, r.start, b.group).v
			dValues := t.attentionViews(dQKV, dAttended, r.start, b.group).v
			s.baddbmmIn(dValues.rows(s, r.from, r.n), t.transposedScoresOf(s, l.scores, b.offset, b, r), dOut)
			s.bmmOut(t.scoresOf(s, flat, 0, b, r), dOut, values.columns(s, r.from, r.n))
		}
		all := keyRun{n: b.keys}
		dScores := t.scoresOf(s, flat, 0, b, all)
		s.softmaxBackwardOut(dScores, dScores, t.scoresOf(s, l.scores, b.offset, b, all), float32Kind)
		for i, r := range runs {
			keys := t.attentionViews(l.qkv, l.attended, r.start, b.group).k
			dKeys := t.attentionViews(dQKV, dAttended, r.start, b.group).k
			s.productOver(i, dQ, t.scoresOf(s, flat, 0, b, r), keys.rows(s, r.from, r.n))
			s.baddbmmIn(dKeys.rows(s, r.from, r.n), t.transposedScoresOf(s, flat, 0, b, r), q)
		}
		s.freeTo(mark)
	}
	t.turnAll(s, p, dQKV, t.ropeInverse)
}
