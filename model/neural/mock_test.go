package neural

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
)

// mockEngine computes logits from the ids before a position by a function, and
// counts how it is used.
type mockEngine struct {
	vocab, context int
	logits         func(history []int32) []float32

	passes    atomic.Int64 // calls of Extend
	positions atomic.Int64 // positions that were run
	longest   atomic.Int64 // positions of the longest pass
	open      atomic.Int64 // caches not yet closed
	// onPass runs before each pass when it is set.
	onPass func()
	// onBatch may fail a pass of a batch when it is set.
	onBatch func() error
}

func (e *mockEngine) VocabSize() int  { return e.vocab }
func (e *mockEngine) MaxContext() int { return e.context }
func (e *mockEngine) Close() error    { return nil }
func (e *mockEngine) NewCache() (Cache, error) {
	e.open.Add(1)
	return &mockCache{engine: e}, nil
}

type mockCache struct {
	engine *mockEngine
	ids    []int32
	closed bool
}

func (c *mockCache) Len() int { return len(c.ids) }

func (c *mockCache) Extend(ctx context.Context, ids []int32, from int) ([]float32, error) {
	if c.engine.onPass != nil {
		c.engine.onPass()
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if c.closed {
		return nil, fmt.Errorf("extending a closed cache")
	}
	if from < 0 || from > len(ids) {
		return nil, fmt.Errorf("logits from %d of %d", from, len(ids))
	}
	if len(c.ids)+len(ids) > c.engine.context {
		return nil, fmt.Errorf("%d positions in a context of %d", len(c.ids)+len(ids), c.engine.context)
	}
	c.engine.passes.Add(1)
	c.engine.positions.Add(int64(len(ids)))
	c.engine.longest.Store(max(c.engine.longest.Load(), int64(len(ids))))
	var out []float32
	for i, id := range ids {
		if id < 0 || int(id) >= c.engine.vocab {
			return nil, fmt.Errorf("id %d in a vocabulary of %d", id, c.engine.vocab)
		}
		c.ids = append(c.ids, id)
		if i >= from {
			out = append(out, c.engine.logits(c.ids)...)
		}
	}
	return out, nil
}

func (c *mockCache) Rewind(n int) error {
	if n < 0 || n > len(c.ids) {
		return fmt.Errorf("rewinding to %d of %d positions", n, len(c.ids))
	}
	c.ids = c.ids[:n]
	return nil
}

func (c *mockCache) Fork(lengths []int) (Batch, error) {
	b := &mockBatch{engine: c.engine}
	for _, n := range lengths {
		if n < 0 || n > len(c.ids) {
			return nil, fmt.Errorf("forking at %d of %d positions", n, len(c.ids))
		}
		b.sequences = append(b.sequences, &mockCache{engine: c.engine, ids: slices.Clone(c.ids[:n])})
	}
	c.engine.open.Add(1)
	return b, nil
}

// mockBatch extends sequences in what counts as one pass.
type mockBatch struct {
	engine    *mockEngine
	sequences []*mockCache
}

func (b *mockBatch) Extend(ctx context.Context, ids [][]int32) ([][]float32, error) {
	rows := make([][]float32, len(ids))
	if len(ids) != len(b.sequences) {
		return nil, fmt.Errorf("ids for %d of %d sequences", len(ids), len(b.sequences))
	}
	if b.engine.onBatch != nil {
		if err := b.engine.onBatch(); err != nil {
			return nil, err
		}
	}
	before := b.engine.passes.Load()
	for i, more := range ids {
		if len(more) == 0 {
			continue
		}
		var err error
		if rows[i], err = b.sequences[i].Extend(ctx, more, len(more)-1); err != nil {
			return nil, err
		}
	}
	if b.engine.passes.Load() == before {
		return nil, errors.New("a batch is extended by nothing")
	}
	b.engine.passes.Store(before + 1)
	return rows, nil
}

func (b *mockBatch) Close() error {
	b.engine.open.Add(-1)
	return nil
}

func (c *mockCache) Close() error {
	if !c.closed {
		c.closed = true
		c.engine.open.Add(-1)
	}
	return nil
}

// byHeart returns logits that continue the documents: the document that shares
// the longest run of ids with the end of the history says what comes next. The
// logit of its id exceeds all others by margin.
func byHeart(vocab int, margin float32, documents ...[]int32) func(history []int32) []float32 {
	return func(history []int32) []float32 {
		logits := make([]float32, vocab)
		best, next := -1, int32(0)
		for _, doc := range documents {
			for end := 1; end < len(doc); end++ {
				n := 0
				for n < end && n < len(history) && doc[end-1-n] == history[len(history)-1-n] {
					n++
				}
				if n > best {
					best, next = n, doc[end]
				}
			}
		}
		logits[next] += margin
		return logits
	}
}

// atRandom returns logits that depend on the history and mean nothing.
func atRandom(vocab int, seed uint64) func(history []int32) []float32 {
	return func(history []int32) []float32 {
		h := seed
		for _, id := range history {
			h = (h ^ uint64(id)) * 1099511628211
		}
		rng := rand.New(rand.NewPCG(h, seed))
		logits := make([]float32, vocab)
		for i := range logits {
			logits[i] = float32(rng.NormFloat64() * 4)
		}
		return logits
	}
}
