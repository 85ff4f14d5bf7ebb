package torch

// branches says which slots the rows of a pass attend to (see batch).
type branches struct {
	batch *batch
	rows  []row
	seen  map[int64][][]int32  // what slots said, by the window
	masks map[int64]branchMask // by the window
}

// branchMask hides slots from rows. Those before first are not attended to at all,
// and those before begin by all rows. For the others hidden says it, as float32
// [rows, slots-begin]: 0, or -inf where the slot is hidden from the row.
type branchMask struct {
	first, begin int64
	hidden       tensor
}

// newBranches is for rows whose slots are the last of b's.
func newBranches(b *batch, rows []row) *branches {
	return &branches{batch: b, rows: rows, seen: map[int64][][]int32{}}
}

// slots lists those that each row attends to in layers with a window, 0 for none.
func (br *branches) slots(window int64) [][]int32 {
	if seen, made := br.seen[window]; made {
		return seen
	}
	trunk := len(br.batch.cache.tokens)
	slots := trunk + len(br.batch.tail)
	seen := make([][]int32, len(br.rows))
	for i, r := range br.rows {
		for j := range slots {
			if br.sees(r, slots-len(br.rows)+i, j, trunk, int(window)) {
				seen[i] = append(seen[i], int32(j))
			}
		}
	}
	br.seen[window] = seen
	return seen
}

// makeMasks says the same for products of whole matrices.
func (br *branches) makeMasks(s *scope) {
	br.masks = map[int64]branchMask{}
	for i := range br.batch.cache.engine.layers {
		window := br.batch.cache.engine.layers[i].window
		if _, made := br.masks[window]; !made {
			br.masks[window] = br.mask(s, window)
		}
	}
}

func (br *branches) mask(s *scope, window int64) (m branchMask) {
	b := br.batch
	trunk := len(b.cache.tokens)
	m.begin = int64(trunk)
	for _, r := range br.rows {
		m.begin = min(m.begin, int64(b.lengths[r.sequence]))
	}
	if window > 0 {
		earliest := br.rows[0].position
		for _, r := range br.rows {
			earliest = min(earliest, r.position)
		}
		m.first = min(max(0, int64(earliest)+1-window), m.begin)
		m.begin = m.first
	}
	slots := trunk + len(b.tail)
	hidden := make([]float32, 0, len(br.rows)*(slots-int(m.begin)))
	for i, r := range br.rows {
		own := slots - len(br.rows) + i
		for j := int(m.begin); j < slots; j++ {
			if br.sees(r, own, j, trunk, int(window)) {
				hidden = append(hidden, 0)
			} else {
				hidden = append(hidden, negativeInfinity)
			}
		}
	}
	m.hidden = s.toDevice(s.float32s(hidden, int64(len(br.rows)), int64(slots)-m.begin), b.cache.engine.device)
	return m
}

// sees reports whether a row, which has the slot own, attends to slot j.
func (br *branches) sees(r row, own, j, trunk, window int) bool {
	position := j
	if j >= trunk {
		other := br.batch.tail[j-trunk]
		if other.sequence != r.sequence || j > own {
			return false
		}
		position = other.position
	} else if j >= br.batch.lengths[r.sequence] {
		return false
	}
	return window == 0 || position > r.position-window
}

// attendBranches is attend for rows of several sequences, with q [n-from, H*P].
func (e *Engine) attendBranches(s *scope, at span, layer int64, l *engineLayer, q tensor, from int64) tensor {
	h, k, p := int64(e.config.NumAttentionHeads), int64(e.config.NumKeyValueHeads), int64(e.config.HeadDim)
	c, n, width, shared := at.cache, at.n-from, e.config.cacheWidth(), h/k
	mask := at.branches.masks[l.window]
	keys := at.past + at.n - mask.first
	start := (layer*c.capacity + mask.first) * width

	// Of each key-value head, the queries of all rows are one matrix.
	sizes := []int64{n, k, shared, p}
	byRow, byHead := []int64{h * p, shared * p, p, 1}, []int64{shared * p, n * shared * p, p, 1}
	queries := s.empty(e.kind, e.device, k, n*shared, p)
	s.copyIn(s.asStrided(queries, 0, sizes, byHead), s.asStrided(q, 0, sizes, byRow))
	scores := s.bmm(queries, s.asStrided(c.keysValues, start, []int64{k, p, keys}, []int64{p, 1, width}))
	columns := keys - (mask.begin - mask.first)
	s.addIn(s.asStrided(scores, mask.begin-mask.first, []int64{k, n, shared, columns}, []int64{n * shared * keys, shared * keys, keys, 1}),
		s.asStrided(mask.hidden, from*columns, []int64{1, n, 1, columns}, []int64{n * columns, columns, columns, 1}))
	attended := s.bmm(e.softmax(s, scores), s.asStrided(c.keysValues, start+k*p, []int64{k, keys, p}, []int64{p, width, 1}))
	out := s.empty(e.kind, e.device, n, h*p)
	s.copyIn(s.asStrided(out, 0, sizes, byRow), s.asStrided(attended, 0, sizes, byHead))
	return e.rows(s, out, 0, n, h*p)
}
