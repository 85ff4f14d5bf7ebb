package torch

import (
	"context"
	"fmt"
	"slices"

	"github.com/neuraldbg/neuraldbg/model/neural"
)

// batch is a neural.Batch. The keys and values of its sequences lie in the cache
// that they were forked from, behind those of the trunk: the cache's own
// positions. A place there is a slot. Every new position of every sequence takes
// the next slot, and attends to the slots that a mask leaves to it: those of the
// trunk that its sequence begins with, and the sequence's own. So one pass
// computes them all, whatever number each sequence gets, and reads the trunk once.
type batch struct {
	cache *cache
	// lengths are the positions of the trunk that sequences begin with, counts all
	// positions that they have.
	lengths, counts []int
	tail            []slot // behind the trunk
}

// slot is a position of a sequence.
type slot struct {
	sequence, position int
}

var _ neural.Batch = (*batch)(nil)

// Fork implements neural.Cache.
func (c *cache) Fork(lengths []int) (neural.Batch, error) {
	if c.engine.closed.Load() {
		return nil, errClosed
	}
	for _, n := range lengths {
		if n < 0 || n > len(c.tokens) {
			return nil, fmt.Errorf("cannot fork at position %d of %d", n, len(c.tokens))
		}
	}
	c.busy.Store(true) // other sessions must not take its memory
	return &batch{cache: c, lengths: slices.Clone(lengths), counts: slices.Clone(lengths)}, nil
}

// row is a token that a batch is extended by, with the slot that it gets.
type row struct {
	id int32
	slot
}

// Extend implements neural.Batch.
func (b *batch) Extend(ctx context.Context, ids [][]int32) ([][]float32, error) {
	rows, last, err := b.rows(ids)
	if err != nil {
		return nil, err
	}
	c, vocab := b.cache, b.cache.engine.config.VocabSize
	if len(b.tail) == 0 { // another session may have taken the trunk's memory before Fork
		if err := c.compute(ctx, len(c.tokens), nil); err != nil {
			return nil, fmt.Errorf("compute %d positions: %w", len(c.tokens), err)
		}
	}
	logits := make([]float32, last*vocab)
	from := len(rows) - last
	for at := 0; at < len(rows); at += chunk {
		part := rows[at:min(at+chunk, len(rows))]
		partFrom := min(max(0, from-at), len(part))
		var out []float32
		if n := len(part) - partFrom; n > 0 {
			out = logits[(at+partFrom-from)*vocab:][:n*vocab]
		}
		err := c.engine.do(func(s *scope) error {
			b.compute(ctx, s, part, int64(partFrom), out)
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("compute %d positions of %d sequences: %w", len(rows), last, err)
		}
	}
	return share(logits, ids, vocab), nil
}

// rows lists the tokens in the order in which they are computed: the last of each
// sequence, whose logits are wanted, stand at the end. last is how many these are.
func (b *batch) rows(ids [][]int32) (rows []row, last int, err error) {
	e := b.cache.engine
	if len(ids) != len(b.counts) {
		return nil, 0, fmt.Errorf("tokens for %d of %d sequences", len(ids), len(b.counts))
	}
	var ends []row
	for i, more := range ids {
		if n := b.counts[i] + len(more); n > e.MaxContext() {
			return nil, 0, fmt.Errorf("the model's context of %d positions is full: sequence %d would have %d", e.MaxContext(), i, n)
		}
		if err := e.checkIDs(more); err != nil {
			return nil, 0, err
		}
		for j, id := range more {
			r := row{id, slot{i, b.counts[i] + j}}
			if j < len(more)-1 {
				rows = append(rows, r)
			} else {
				ends = append(ends, r)
			}
		}
	}
	for i, more := range ids {
		b.counts[i] += len(more)
	}
	return append(rows, ends...), len(ends), nil
}

// compute computes the rows, and writes the logits of those from the row from on.
func (b *batch) compute(ctx context.Context, s *scope, rows []row, from int64, out []float32) {
	c, e := b.cache, b.cache.engine
	past := c.held
	c.reserve(s, int64(past+len(rows)))
	ids, positions := make([]int32, len(rows)), make([]int32, len(rows))
	for i, r := range rows {
		ids[i], positions[i] = r.id, int32(r.position)
		b.tail = append(b.tail, r.slot)
	}
	e.forward(ctx, s, span{
		cache: c, past: int64(past), n: int64(len(rows)),
		angles:   s.indexSelect(e.rope, e.indices(s, positions)),
		branches: newBranches(b, rows),
	}, ids, from, out)
	c.held = past + len(rows)
	c.valid = c.held
}

// share gives each sequence that got ids its row of the logits.
func share(logits []float32, ids [][]int32, vocab int) [][]float32 {
	out := make([][]float32, len(ids))
	for i, more := range ids {
		if len(more) > 0 {
			out[i], logits = logits[:vocab:vocab], logits[vocab:]
		}
	}
	return out
}

// Close implements neural.Batch.
func (b *batch) Close() error {
	c := b.cache
	return do(func(*scope) error {
		c.held, c.valid = min(c.held, len(c.tokens)), len(c.tokens)
		c.busy.Store(false)
		return nil
	})
}
