package torch

// A GPU takes as long to be told of an operation as it computes with some hundred
// thousand numbers. There, blocks of queries are not computed one after another, as
// attend does on the CPU: those that see about as many keys are padded to one shape and
// computed together. Letters in shapes, beside those of pass: B blocks of T queries
// that see up to S keys, G heads to a key-value head.

// turnRows multiplies the q and k of all rows of qkv by their rotations.
func (t *worker) turnRows(s *scope, p *pass, qkv, turns tensor) {
	c := t.config
	pairs := int64((c.NumAttentionHeads + c.NumKeyValueHeads) * c.HeadDim / 2)
	width := int64((c.NumAttentionHeads + 2*c.NumKeyValueHeads) * c.HeadDim)
	x := s.asStrided(qkv, 0, []int64{p.n, pairs, 2}, []int64{width, 2, 1})
	s.mulIn(s.viewAsComplex(x), s.viewAsComplex(turns))
}

// headRange is which columns of a matrix [rows, width] are the heads that a product
// takes: for each key-value head so many.
type headRange struct {
	width, first int64
	each         int64 // to a key-value head
}

func (t *worker) headRanges() (q, k, v, out headRange) {
	c := t.config
	dim, h, kv := int64(c.HeadDim), int64(c.NumAttentionHeads), int64(c.NumKeyValueHeads)
	width := (h + 2*kv) * dim
	return headRange{width, 0, h / kv}, headRange{width, h * dim, 1}, headRange{width, (h + kv) * dim, 1}, headRange{h * dim, 0, h / kv}
}

// columnsOf are the heads' columns of a matrix with so many rows.
func (t *worker) columnsOf(s *scope, matrix tensor, r headRange, rows int64) tensor {
	n := int64(t.config.NumKeyValueHeads) * r.each * int64(t.config.HeadDim)
	return s.columns(matrix, rows, r.width, r.first, n)
}

// byHead copies heads that stand row by row, rows [B*L, K*each*P], to matrices of
// heads, an operand [B*K, each*L, P]; byRow copies such matrices to rows, from the row
// from on.
func (t *worker) byHead(s *scope, name string, rows tensor, r headRange, b, length int64) tensor {
	kv, dim := int64(t.config.NumKeyValueHeads), int64(t.config.HeadDim)
	flat := t.buffers.flat(s, name, t.opt.operandKind(), b*kv*r.each*length*dim)
	s.copyIn(t.headsOfMatrices(s, flat, r, b, length), t.headsOfRows(s, rows, 0, r, b, length))
	return s.asStrided(flat, 0, []int64{b * kv, r.each * length, dim}, []int64{r.each * length * dim, dim, 1})
}

func (t *worker) byRow(s *scope, rows tensor, from int64, matrices tensor, r headRange, b, length int64) {
	s.copyIn(t.headsOfRows(s, rows, from, r, b, length), t.headsOfMatrices(s, matrices, r, b, length))
}

// headsOfRows and headsOfMatrices view both as [B, L, K*each, P].
func (t *worker) headsOfRows(s *scope, rows tensor, from int64, r headRange, b, length int64) tensor {
	dim := int64(t.config.HeadDim)
	n := int64(t.config.NumKeyValueHeads) * r.each
	return s.asStrided(rows, from*n*dim, []int64{b, length, n, dim}, []int64{length * n * dim, n * dim, dim, 1})
}

func (t *worker) headsOfMatrices(s *scope, matrices tensor, r headRange, b, length int64) tensor {
	dim := int64(t.config.HeadDim)
	n := int64(t.config.NumKeyValueHeads) * r.each
	return s.asStrided(matrices, 0, []int64{b, length, n, dim}, []int64{n * length * dim, dim, length * dim, 1})
}

// gathered is the heads of the rows that index names, of which there are B*L.
func (t *worker) gathered(s *scope, name string, matrix tensor, r headRange, p *pass, index tensor, b, length int64) tensor {
	return t.byHead(s, name, s.indexSelect(t.columnsOf(s, matrix, r, p.n), index), r, b, length)
}

// scoresOfClass is how many scores a class has.
func (t *worker) scoresOfClass(c paddedClass) int64 {
	return c.b * int64(t.config.NumAttentionHeads) * c.t * c.s
}

// scoresBuffer is room for a class's scores.
func (t *worker) scoresBuffer(s *scope, name string, c paddedClass) tensor {
	return t.classScores(s, t.buffers.flat(s, name, t.opt.operandKind(), t.scoresOfClass(c)), 0, c)
}

// classScores views the scores of a class that begin at offset, as [B*K, G*T, S].
func (t *worker) classScores(s *scope, storage tensor, offset int64, c paddedClass) tensor {
	h, kv := int64(t.config.NumAttentionHeads), int64(t.config.NumKeyValueHeads)
	n := h / kv * c.t
	return s.asStrided(storage, offset, []int64{c.b * kv, n, c.s}, []int64{n * c.s, c.s, 1})
}

// attendPadded is attend. The probabilities of all classes share a buffer: one for each
// would in time be as large as the largest batch of that class.
func (t *worker) attendPadded(s *scope, p *pass, l *layerPass, window int64, scoresName string) {
	t.turnRows(s, p, l.qkv, p.turns)
	q, k, v, out := t.headRanges()
	a := p.padded[window]
	h := int64(t.config.NumAttentionHeads)
	padded := t.buffers.matrix(s, "attendedPadded", a.queries, out.width)
	l.scores = t.buffers.flat(s, scoresName, t.opt.operandKind(), a.scores)
	for _, c := range a.classes {
		mark := s.mark()
		probabilities := t.classScores(s, l.scores, c.scores, c)
		queries := t.gathered(s, "queries", l.qkv, q, p, c.queries, c.b, c.t)
		keys := t.gathered(s, "keys", l.qkv, k, p, c.keys, c.b, c.s)
		scores := t.scoresBuffer(s, "scores", c)
		s.bmmOut(scores, queries, s.transposed(keys))
		s.maskedFillIn(s.asStrided(scores, 0, []int64{c.b, h, c.t, c.s}, []int64{h * c.t * c.s, c.t * c.s, c.s, 1}),
			c.hidden, float64(negativeInfinity))
		s.softmaxOut(probabilities, scores)
		values := t.gathered(s, "values", l.qkv, v, p, c.keys, c.b, c.s)
		t.byRow(s, padded, c.first, s.bmm(probabilities, values), out, c.b, c.t)
		s.freeTo(mark)
	}
	s.indexSelectOut(l.attended, padded, a.places)
}

// attendPaddedBackward is attendBackward; dQKV is zero.
func (t *worker) attendPaddedBackward(s *scope, p *pass, l *layerPass, window int64, dQKV, dAttended tensor) {
	q, k, v, out := t.headRanges()
	a := p.padded[window]
	dQueries := t.buffers.matrix(s, "attendedPadded", a.queries, out.width)
	for _, c := range a.classes {
		mark := s.mark()
		dRows := s.indexSelect(dAttended, c.queries)
		s.mulIn(dRows, c.real)
		dOut := t.byHead(s, "dOutHeads", dRows, out, c.b, c.t)
		probabilities := t.classScores(s, l.scores, c.scores, c)
		addKeys := func(r headRange, d tensor) {
			rows := t.buffers.matrix(s, "dKeyRows", c.b*c.s, r.each*int64(t.config.NumKeyValueHeads*t.config.HeadDim))
			t.byRow(s, rows, 0, d, r, c.b, c.s)
			s.indexAddIn(t.columnsOf(s, dQKV, r, p.n), c.keys, rows)
		}
		addKeys(v, s.bmm(s.transposed(probabilities), dOut))

		values := t.gathered(s, "values", l.qkv, v, p, c.keys, c.b, c.s)
		dProbabilities, dScores := t.scoresBuffer(s, "scores", c), t.scoresBuffer(s, "dScores", c)
		s.bmmOut(dProbabilities, dOut, s.transposed(values))
		s.softmaxBackwardOut(dScores, dProbabilities, probabilities, t.opt.operandKind())

		queries := t.gathered(s, "queries", l.qkv, q, p, c.queries, c.b, c.t)
		keys := t.gathered(s, "keys", l.qkv, k, p, c.keys, c.b, c.s)
		addKeys(k, s.bmm(s.transposed(dScores), queries))
		t.byRow(s, dQueries, c.first, s.bmm(dScores, keys), q, c.b, c.t)
		s.freeTo(mark)
	}
	s.copyIn(t.columnsOf(s, dQKV, q, p.n), s.indexSelect(dQueries, a.places))
	t.turnRows(s, p, dQKV, p.inverseTurns)
}
