package torch

import (
	"cmp"
	"slices"
)

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
	queriesAt, keysAt := slices.Repeat([]int64{paddedQuery}, int(c.b*c.t)), slices.Repeat([]int64{paddedKey}, int(c.b*c.s))
	oldestSeen := make([]int64, c.b*c.t)
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
