package torch

// heads are views of one sequence's rows of a matrix [N, width], seen as a
// batch of matrices, one a key-value head. Where several heads share keys and
// values, a group is the j-th head of each.
type heads struct {
	matrix tensor
	width  int64 // of a row of the matrix
	start  int64 // row of the sequence's first token
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
// gradients, that belong to one sequence and one group of heads.
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

// block is a run of queries of one sequence and group, and the keys that they
// see, with its place in the scores: [K, size, keys] from offset on.
type block struct {
	sequence    int
	group       int64
	first, size int64
	from, keys  int64 // the first key, and how many
	offset      int64
}

// blocks lists the blocks of the batch and the number of all their scores. With
// a window, a query sees so many keys at most, itself included; 0: all.
func (t *worker) blocks(p *pass, window int64) (list []block, scores int64) {
	k := int64(t.config.NumKeyValueHeads)
	groups := int64(t.config.NumAttentionHeads) / k
	for i, length := range p.lengths {
		for first := int64(0); first < length; first += attentionBlock {
			size := min(attentionBlock, length-first)
			from := int64(0)
			if window > 0 {
				from = max(0, first-window+1)
			}
			keys := first + size - from
			for g := range groups {
				list = append(list, block{i, g, first, size, from, keys, scores})
				scores += k * size * keys
			}
		}
	}
	return list, scores
}

// turn multiplies the q and k of a sequence's rows of qkv by the table's
// complex numbers.
func (t *worker) turn(s *scope, qkv, table tensor, start, length int64) {
	c := t.config
	pairs := int64((c.NumAttentionHeads + c.NumKeyValueHeads) * c.HeadDim / 2)
	width := int64((c.NumAttentionHeads + 2*c.NumKeyValueHeads) * c.HeadDim)
	sizes := []int64{length, pairs, 2}
	x := s.asStrided(qkv, start*width, sizes, []int64{width, 2, 1})
	by := s.asStrided(table, 0, sizes, []int64{2 * pairs, 2, 1})
	s.mulIn(s.viewAsComplex(x), s.viewAsComplex(by))
}

// attend turns q and k of l.qkv, and computes l.scores and l.attended.
func (t *worker) attend(s *scope, p *pass, l *layerPass, window int64, scoresName string) {
	for i, start := range p.starts {
		mark := s.mark()
		t.turn(s, l.qkv, t.rope, start, p.lengths[i])
		s.freeTo(mark)
	}
	list, size := t.blocks(p, window)
	l.scores = t.buffers.flat(s, scoresName, float32Kind, size)
	k := int64(t.config.NumKeyValueHeads)
	for _, b := range list {
		mark := s.mark()
		v := t.attentionViews(l.qkv, l.attended, p.starts[b.sequence], b.group)
		scores := s.asStrided(l.scores, b.offset, []int64{k, b.size, b.keys}, []int64{b.size * b.keys, b.keys, 1})
		s.bmmOut(scores, v.q.rows(s, b.first, b.size), v.k.columns(s, b.from, b.keys))
		t.masks.apply(s, l.scores, b.offset, k, b.size, b.keys, b.first-b.from, window)
		s.softmaxOut(scores, scores)
		s.bmmOut(v.out.rows(s, b.first, b.size), scores, v.v.rows(s, b.from, b.keys))
		s.freeTo(mark)
	}
}

// attendBackward computes dQKV [N, W], the gradient of qkv before turning, from
// dAttended [N, H*P].
func (t *worker) attendBackward(s *scope, p *pass, l *layerPass, window int64, dQKV, dAttended tensor) {
	s.zeroIn(dQKV)
	list, _ := t.blocks(p, window)
	k := int64(t.config.NumKeyValueHeads)
	for _, b := range list {
		mark := s.mark()
		start := p.starts[b.sequence]
		v := t.attentionViews(l.qkv, l.attended, start, b.group)
		d := t.attentionViews(dQKV, dAttended, start, b.group)
		sizes, strides := []int64{k, b.size, b.keys}, []int64{b.size * b.keys, b.keys, 1}
		transposedSizes, transposedStrides := []int64{k, b.keys, b.size}, []int64{b.size * b.keys, 1, b.keys}
		dOut := d.out.rows(s, b.first, b.size)
		scores := s.asStrided(l.scores, b.offset, sizes, strides)
		s.baddbmmIn(d.v.rows(s, b.from, b.keys), s.asStrided(l.scores, b.offset, transposedSizes, transposedStrides), dOut)
		flat := t.buffers.flat(s, "dScores", float32Kind, k*b.size*b.keys)
		dScores := s.asStrided(flat, 0, sizes, strides)
		s.bmmOut(dScores, dOut, v.v.columns(s, b.from, b.keys))
		s.softmaxBackwardOut(dScores, dScores, scores)
		s.bmmOut(d.q.rows(s, b.first, b.size), dScores, v.k.rows(s, b.from, b.keys))
		s.baddbmmIn(d.k.rows(s, b.from, b.keys), s.asStrided(flat, 0, transposedSizes, transposedStrides), v.q.rows(s, b.first, b.size))
		s.freeTo(mark)
	}
	for i, start := range p.starts {
		mark := s.mark()
		t.turn(s, dQKV, t.ropeInverse, start, p.lengths[i])
		s.freeTo(mark)
	}
}
