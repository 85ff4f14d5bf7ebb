package completions

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/neuraldbg/neuraldbg/model/neural"
)

// batch is a neural.Batch. What the server's last answers do not tell is asked for
// with one request a sequence, at the same time: servers compute such requests
// together, and what the prompts have in common once. The API's own way to several
// answers, n, draws them from one prompt at random, which would not repeat for a
// seed.
type batch struct {
	sequences []*cache
}

var _ neural.Batch = (*batch)(nil)

// Fork implements neural.Cache.
func (c *cache) Fork(lengths []int) (neural.Batch, error) {
	b := &batch{}
	for _, n := range lengths {
		if n < 0 || n > len(c.ids) {
			return nil, fmt.Errorf("cannot fork at position %d of %d", n, len(c.ids))
		}
		b.sequences = append(b.sequences, &cache{engine: c.engine, ids: slices.Clone(c.ids[:n]), ahead: c.ahead})
	}
	return b, nil
}

// Extend implements neural.Batch.
func (b *batch) Extend(ctx context.Context, ids [][]int32) ([][]float32, error) {
	if len(ids) != len(b.sequences) {
		return nil, fmt.Errorf("tokens for %d of %d sequences", len(ids), len(b.sequences))
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	logits := make([][]float32, len(ids))
	var requests sync.WaitGroup
	for i, more := range ids {
		if len(more) == 0 {
			continue
		}
		requests.Go(func() {
			row, err := b.sequences[i].Extend(ctx, more, len(more)-1)
			if err != nil {
				cancel(err) // the others need not go on
				return
			}
			logits[i] = row
		})
	}
	requests.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return logits, nil
}

// Close implements neural.Batch.
func (b *batch) Close() error {
	b.sequences = nil
	return nil
}
