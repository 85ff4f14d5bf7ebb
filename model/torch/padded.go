package torch

import (
	"cmp"
	"slices"
)

// A GPU takes as long to be told of an operation as it computes with some hundred
// thousand numbers. There, blocks of queries are not computed one after another, as
// attend does on the CPU: those that see about as many keys are padded to one shape and
// computed together. Letters in shapes, beside those of pass: B blocks of T queries
// that see up to S keys, G heads to a key-value head.

const (
	// paddedQueries and paddedKeys are what the queries and the keys of a block are
	// padded to multiples of.
	paddedQueries = 64
	paddedKeys    = 128
)

// paddedAttention is what the queries of a pass see, with one window.
type paddedAttention struct {
	classes []paddedClass
	queries int64  // of all classes, padding included: the sum of B*T
	scores  int64  // of all classes: the sum of B*H*T*S
	places  tensor // [N]: where each row of the pass is among them
}

// paddedClass is blocks that are padded to one shape. Padding takes the place of some
// rows of the pass. It sees and changes nothing: keys that are padding are hidden from
// all queries, and the gradients of queries that are padding are multiplied by 0.
type paddedClass struct {
	b, t, s int64
	first   int64  // the first of its queries among those of all classes
	scores  int64  // the first of its scores among those of all classes
	queries tensor // [B*T]: rows of the pass
	keys    tensor // [B*S]: rows of the pass
	real    tensor // [B*T, 1]: 0 for padding, otherwise 1
	hidden  tensor // [B, 1, T, S] bool: which keys a query does not see
}

// layOutPadded makes the pass's padded attention for the windows of all layers, and
// its rotations.
func (t *worker) layOutPadded(s *scope, p *pass) {
	positions := make([]int64, p.n)
	for _, g := range p.segments {
		for i := range g.length {
			positions[g.start+i] = g.past + i
		}
	}
	rows := t.indices(s, positions, p.n)
	p.turns, p.inverseTurns = s.indexSelect(t.rope, rows), s.indexSelect(t.ropeInverse, rows)
	p.padded = map[int64]paddedAttention{}
	for i := range t.layers {
		window := int64(t.config.window(i))
		if _, ok := p.padded[window]; !ok {
			p.padded[window] = t.newPaddedAttention(s, p, window)
		}
	}
}

func (t *worker) newPaddedAttention(s *scope, p *pass, window int64) paddedAttention {
	type shape struct{ t, s int64 }
	byShape := map[shape][]block{}
	for _, b := range p.queryBlocks(window) {
		padded := shape{upTo(b.size, paddedQueries), upTo(b.keys, paddedKeys)}
		byShape[padded] = append(byShape[padded], b)
	}
	var shapes []shape
	for padded := range byShape {
		shapes = append(shapes, padded)
	}
	slices.SortFunc(shapes, func(a, b shape) int { return cmp.Or(cmp.Compare(a.s, b.s), cmp.Compare(a.t, b.t)) })

	var a paddedAttention
	places := make([]int64, p.n)
	for _, padded := range shapes {
		blocks := byShape[padded]
		c := paddedClass{b: int64(len(blocks)), t: padded.t, s: padded.s, first: a.queries, scores: a.scores}
		for i, b := range blocks {
			start := p.segments[b.segment].start + b.first
			for q := range b.size {
				places[start+q] = c.first + int64(i)*c.t + q
			}
		}
		t.fillClass(s, &c, p, blocks, window)
		a.classes = append(a.classes, c)
		a.queries += c.b * c.t
		a.scores += t.scoresOfClass(c)
	}
	a.places = t.indices(s, places, p.n)
	return a
}

// upTo is the smallest multiple that is not less than n.
func upTo(n, multiple int64) int64 { return (n + multiple - 1) / multiple * multiple }

// fillClass makes the tensors of a class of the given blocks.
func (t *worker) fillClass(s *scope, c *paddedClass, p *pass, blocks []block, window int64) {
	// What is padding among the queries is after all keys, and those among the keys
	// are after it.
	const paddedQuery, paddedKey = 1 << 40, 1 << 41
	queries, keys, reality := make([]int64, c.b*c.t), make([]int64, c.b*c.s), make([]float32, c.b*c.t)
	queriesAt, oldestSeen, keysAt := filled(c.b*c.t, paddedQuery), make([]int64, c.b*c.t), filled(c.b*c.s, paddedKey)
	// Gradients are added to the rows of keys, of padding too. A GPU would add to a row
	// that is there many times one after another.
	for at := range keys {
		keys[at] = int64(at) % p.n
	}
	for i, b := range blocks {
		g := p.segments[b.segment]
		for q := range b.size {
			at := int64(i)*c.t + q
			queries[at], reality[at] = g.start+b.first+q, 1
			queriesAt[at] = g.past + b.first + q
			if window > 0 {
				oldestSeen[at] = queriesAt[at] - window + 1
			}
		}
		for k := range b.keys {
			at, position := int64(i)*c.s+k, b.from+k
			keysAt[at] = position
			if position < g.past {
				keys[at] = g.prefix + position
			} else {
				keys[at] = g.start + position - g.past
			}
		}
	}
	c.queries, c.keys = t.indices(s, queries, c.b*c.t), t.indices(s, keys, c.b*c.s)
	c.real = s.toDevice(s.float32s(reality, c.b*c.t, 1), t.device)
	of := t.indices(s, keysAt, c.b, 1, 1, c.s)
	c.hidden = s.greater(of, t.indices(s, queriesAt, c.b, 1, c.t, 1))
	if window > 0 {
		s.orIn(c.hidden, s.greater(t.indices(s, oldestSeen, c.b, 1, c.t, 1), of))
	}
}

func filled(n, v int64) []int64 {
	list := make([]int64, n)
	for i := range list {
		list[i] = v
	}
	return list
}

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

// columnsOf are the heads' columns of a matrix with so many rows, from the row from on.
func (t *worker) columnsOf(s *scope, matrix tensor, r headRange, from, rows int64) tensor {
	n := int64(t.config.NumKeyValueHeads) * r.each * int64(t.config.HeadDim)
	return s.asStrided(matrix, from*r.width+r.first, []int64{rows, n}, []int64{r.width, 1})
}

// byHead copies heads that stand row by row, rows [B*L, K*each*P], to matrices of
// heads, an operand [B*K, each*L, P]; byRow copies them back.
func (t *worker) byHead(s *scope, name string, rows tensor, r headRange, b, length int64) tensor {
	kv, dim := int64(t.config.NumKeyValueHeads), int64(t.config.HeadDim)
	flat := t.buffers.flat(s, name, t.opt.operandKind(), b*kv*r.each*length*dim)
	s.copyIn(t.rowOrder(s, flat, r, b, length), s.asStrided(rows, 0,
		[]int64{b, length, kv * r.each, dim}, []int64{length * kv * r.each * dim, kv * r.each * dim, dim, 1}))
	return s.asStrided(flat, 0, []int64{b * kv, r.each * length, dim}, []int64{r.each * length * dim, dim, 1})
}

// byRow writes heads [B*K, each*L, P] to the rows of a matrix [.., K*each*P], from the
// row from on.
func (t *worker) byRow(s *scope, matrix tensor, from int64, heads tensor, r headRange, b, length int64) {
	kv, dim := int64(t.config.NumKeyValueHeads), int64(t.config.HeadDim)
	width := kv * r.each * dim
	s.copyIn(s.asStrided(matrix, from*width, []int64{b, length, kv * r.each, dim}, []int64{length * width, width, dim, 1}),
		t.rowOrder(s, heads, r, b, length))
}

// rowOrder views matrices of heads [B*K, each*L, P] as [B, L, K*each, P].
func (t *worker) rowOrder(s *scope, heads tensor, r headRange, b, length int64) tensor {
	kv, dim := int64(t.config.NumKeyValueHeads), int64(t.config.HeadDim)
	return s.asStrided(heads, 0, []int64{b, length, kv * r.each, dim}, []int64{kv * r.each * length * dim, dim, length * dim, 1})
}

// gathered is the heads of the rows that index names, of which there are B*L.
func (t *worker) gathered(s *scope, name string, matrix tensor, r headRange, p *pass, index tensor, b, length int64) tensor {
	return t.byHead(s, name, s.indexSelect(t.columnsOf(s, matrix, r, 0, p.n), index), r, b, length)
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
		s.bmmOut(scores, queries, s.swapped(keys))
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
			s.indexAddIn(t.columnsOf(s, dQKV, r, 0, p.n), c.keys, rows)
		}
		addKeys(v, s.bmm(s.swapped(probabilities), dOut))

		values := t.gathered(s, "values", l.qkv, v, p, c.keys, c.b, c.s)
		dProbabilities, dScores := t.scoresBuffer(s, "scores", c), t.scoresBuffer(s, "dScores", c)
		s.bmmOut(dProbabilities, dOut, s.swapped(values))
		s.softmaxBackwardOut(dScores, dProbabilities, probabilities, t.opt.operandKind())

		queries := t.gathered(s, "queries", l.qkv, q, p, c.queries, c.b, c.t)
		keys := t.gathered(s, "keys", l.qkv, k, p, c.keys, c.b, c.s)
		addKeys(k, s.bmm(s.swapped(dScores), queries))
		t.byRow(s, dQueries, c.first, s.bmm(dScores, keys), q, c.b, c.t)
		s.freeTo(mark)
	}
	s.copyIn(t.columnsOf(s, dQKV, q, 0, p.n), s.indexSelect(dQueries, a.places))
	t.turnRows(s, p, dQKV, p.inverseTurns)
}
