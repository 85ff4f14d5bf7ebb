package torch

import (
	"errors"
	"fmt"
)

// attentionBlock is the number of queries whose scores are computed at once.
// The scores of a block stay in the processor's cache, and a block sees only
// the keys up to its end, so that about half of the products fall away.
const attentionBlock = 128

var errNotFinite = errors.New("the loss is not a finite number: lower the learning rate")

// pass is what a forward pass over one batch leaves for the backward pass.
// Letters in shapes: N rows, which are the tokens of the batch with shared prefixes
// once, R targets, D hidden size, V vocabulary, F intermediate size, H heads,
// K key-value heads, P head_dim, W = (H+2K)*P.
type pass struct {
	n, r                int64
	segments            []segment                 // of the N rows
	padded              map[int64]paddedAttention // by window, where the worker attends so
	turns, inverseTurns tensor                    // [N, (H+K)*P/2, 2]: each row's of the tables of rotations, likewise
	tokens              tensor                    // [N] int64
	sources             tensor                    // [R] int64: the rows whose logits are needed
	targets             tensor                    // [R, 1] int64: the tokens that follow them
	layers              []layerPass
	final               normed // [R, D]
	weight              tensor // [V, D]: the head with the last norm's weight in it
	dLogits             tensor // [R, V]
}

// layerPass is one layer's part of a pass. The last layer goes on, after
// attention, with the R rows that are needed.
type layerPass struct {
	norm1, norm2 normed
	qkvWeight    tensor // [W, D]: with norm1's weight in it; operand
	gateUpWeight tensor // [2F, D]: with norm2's weight in it; operand
	qHeads       normed // [N, H, P], if q and k are normalised per head
	kHeads       normed // [N, K, P]
	qkv          tensor // [N, W], q and k turned
	scores       tensor // attention probabilities, block after block or class after class
	attended     tensor // [N, H*P]
	attendedRows tensor // [M, H*P]: the rows of it that are needed; operand
	gateUp       tensor // [M, 2F]
	silu         tensor // [M, F]: silu(gate)
	hidden       tensor // [M, F]: silu(gate)*up; operand
	rows         int64  // M: N, in the last layer R
}

// normed is a matrix whose rows have mean square 1, and the numbers that the
// rows were multiplied by for it.
type normed struct {
	x       tensor // [M, D]
	operand tensor // [M, D]: x as a product takes it
	inverse tensor // [M, 1]
}

// forward computes up to the last norm.
func (t *worker) forward(s *scope, b Sequences) *pass {
	p := t.newPass(s, b)
	c := t.config
	d := int64(c.HiddenSize)
	x := t.buffers.matrix(s, "x", p.n, d)
	s.where = "embedding"
	s.indexSelectOut(x, t.embed.value, p.tokens)
	for i := range t.layers {
		l, w := &p.layers[i], &t.layers[i]
		name := func(what string) string { return fmt.Sprintf("%s.%d", what, i) }
		s.where = fmt.Sprintf("layer %d, attention", i)
		width := w.qkv.rows
		l.norm1 = t.normalize(s, name("norm1"), x, p.n)
		l.qkvWeight = t.scaledColumns(s, name("qkvWeight"), w.qkv, w.norm1)
		l.qkv = t.buffers.matrix(s, name("qkv"), p.n, width)
		t.productOut(s, l.qkv, l.norm1.operand, s.transposed(l.qkvWeight))
		if w.bias.value.defined() {
			s.addIn(l.qkv, w.bias.value)
		}
		if w.qNorm.value.defined() {
			l.qHeads = t.normalizeHeads(s, name("qHeads"), l.qkv, t.queries(p.n), w.qNorm)
			l.kHeads = t.normalizeHeads(s, name("kHeads"), l.qkv, t.keys(p.n), w.kNorm)
		}
		l.attended = t.buffers.matrix(s, name("attended"), p.n, w.out.cols)
		t.attend(s, p, l, int64(c.window(i)), name("scores"))

		l.rows, l.attendedRows = p.n, l.attended
		if i == len(t.layers)-1 {
			l.rows = p.r
			l.attendedRows = t.buffers.matrix(s, "attendedRows", p.r, w.out.cols)
			s.indexSelectOut(l.attendedRows, l.attended, p.sources)
			needed := t.buffers.matrix(s, "xRows", p.r, d)
			s.indexSelectOut(needed, x, p.sources)
			x = needed
		}
		l.attendedRows = t.operand(s, name("attendedOperand"), l.attendedRows, l.rows, w.out.cols)
		t.addProductIn(s, x, l.attendedRows, s.transposed(t.weightOperand(s, "out", w.out)))

		s.where = fmt.Sprintf("layer %d, feed-forward", i)
		f := w.down.cols
		l.norm2 = t.normalize(s, name("norm2"), x, l.rows)
		l.gateUpWeight = t.scaledColumns(s, name("gateUpWeight"), w.gateUp, w.norm2)
		l.gateUp = t.buffers.matrix(s, name("gateUp"), l.rows, 2*f)
		t.productOut(s, l.gateUp, l.norm2.operand, s.transposed(l.gateUpWeight))
		l.silu = t.buffers.matrix(s, name("silu"), l.rows, f)
		s.siluOut(l.silu, s.columns(l.gateUp, l.rows, 2*f, 0, f))
		hidden := t.buffers.matrix(s, t.keptAs("hidden", name("hidden")), l.rows, f)
		s.mulOut(hidden, l.silu, s.columns(l.gateUp, l.rows, 2*f, f, f))
		l.hidden = t.operand(s, name("hiddenOperand"), hidden, l.rows, f)
		t.addProductIn(s, x, l.hidden, s.transposed(t.weightOperand(s, "down", w.down)))
	}
	p.final = t.normalize(s, "final", x, p.r)
	return p
}

func (t *worker) newPass(s *scope, b Sequences) *pass {
	p := &pass{layers: make([]layerPass, len(t.layers))}
	var tokens, sources, targets []int64
	add := func(ids []int32) (row int64) {
		row = int64(len(tokens))
		for _, id := range ids {
			tokens = append(tokens, int64(id))
		}
		return row
	}
	at := 0 // among the batch's tokens
	for _, g := range b.prefixGroups() {
		past, prefix := int64(g.prefix), int64(0)
		if g.prefix > 0 {
			prefix = add(b.Tokens[at:][:g.prefix])
			p.segments = append(p.segments, segment{start: prefix, length: past})
		}
		for _, length := range b.Lengths[g.first:][:g.count] {
			start := add(b.Tokens[at+g.prefix : at+length])
			p.segments = append(p.segments, segment{start: start, length: int64(length) - past, past: past, prefix: prefix})
			for i := g.prefix + 1; i < length; i++ {
				if b.Predict[at+i] {
					sources, targets = append(sources, start+int64(i-1)-past), append(targets, int64(b.Tokens[at+i]))
				}
			}
			at += length
		}
	}
	p.n, p.r = int64(len(tokens)), int64(len(sources))
	p.tokens = t.indices(s, tokens, p.n)
	p.sources = t.indices(s, sources, p.r)
	p.targets = t.indices(s, targets, p.r, 1)
	if t.padsAttention() {
		t.layOutPadded(s, p)
	}
	return p
}

// indices are numbers of rows or columns, on the device.
func (t *worker) indices(s *scope, numbers []int64, shape ...int64) tensor {
	return s.toDevice(s.int64s(numbers, shape...), t.device)
}

// normalize divides the rows of x [rows, D] by their root mean square. The
// norm's weight is multiplied into the matrix that follows instead, which is
// smaller.
func (t *worker) normalize(s *scope, name string, x tensor, rows int64) normed {
	d := int64(t.config.HiddenSize)
	r := t.inverseSize(s, x, d)
	out := t.buffers.matrix(s, name, rows, d)
	s.mulOut(out, x, r)
	return normed{out, t.operand(s, name+"Operand", out, rows, d), r}
}

// inverseSize is 1 divided by the root mean square of each row of x [..., d], as
// [..., 1].
func (t *worker) inverseSize(s *scope, x tensor, d int64) tensor {
	r := s.rowNorm(x)
	s.mulIn(r, r)
	s.mulScalarIn(r, 1/float64(d))
	s.addScalarIn(r, t.config.RMSNormEps)
	s.rsqrtIn(r)
	return r
}

// scaledColumns is w with each column multiplied by the norm's weight, as an
// operand.
func (t *worker) scaledColumns(s *scope, name string, w, norm parameter) tensor {
	out := t.buffers.matrix(s, t.keptAs("scaled", name), w.rows, w.cols)
	s.mulOut(out, w.value, norm.value)
	return t.operand(s, name+"Operand", out, w.rows, w.cols)
}

// loss computes the logits of the R positions and the sum of their losses,
// times scale, and leaves the logits' gradient in the pass.
func (t *worker) loss(s *scope, p *pass, scale float64) float64 {
	if p.r == 0 {
		return 0
	}
	s.where = "head and loss"
	p.weight = t.scaledColumns(s, "headWeight", t.head, t.finalNorm)
	logits := t.buffers.matrix(s, "logits", p.r, int64(t.config.VocabSize))
	t.productOut(s, logits, p.final.operand, s.transposed(p.weight))
	p.dLogits = s.logSoftmax(logits)
	loss := -s.item(s.total(s.gather(p.dLogits, p.targets))) * scale
	s.expIn(p.dLogits)
	minus := s.zeros(float32Kind, t.device, p.r, 1)
	s.addScalarIn(minus, -1)
	s.scatterAddIn(p.dLogits, p.targets, minus)
	s.mulScalarIn(p.dLogits, scale)
	return loss
}
