package torch

import (
	"context"
	"fmt"

	"github.com/neuraldbg/neuraldbg/model/neural"
)

const (
	// firstCapacity is the number of positions that a cache first has room for.
	// It doubles when it is full.
	firstCapacity = 256
	// chunk is the most positions that are computed at once, which limits the
	// memory for what lies between.
	chunk = 512
)

// cache is a neural.Cache. Its keys and values are written in place.
type cache struct {
	engine   *Engine
	length   int
	capacity int64
	// keysValues is [layers, capacity, 2*K*P]: of each position the keys of all
	// heads, turned, and then the values.
	keysValues tensor
}

// Len implements neural.Cache.
func (c *cache) Len() int { return c.length }

// Extend implements neural.Cache.
func (c *cache) Extend(ctx context.Context, ids []int32, from int) ([]float32, error) {
	e := c.engine
	switch {
	case from < 0 || from > len(ids):
		return nil, fmt.Errorf("logits are wanted from position %d of %d", from, len(ids))
	case c.length+len(ids) > e.MaxContext():
		return nil, fmt.Errorf("the model's context of %d positions is full: %d are there and %d are to be added", e.MaxContext(), c.length, len(ids))
	}
	for _, id := range ids {
		if id < 0 || int(id) >= e.config.VocabSize {
			return nil, fmt.Errorf("token id %d is not in a vocabulary of %d", id, e.config.VocabSize)
		}
	}
	vocab := e.config.VocabSize
	logits := make([]float32, (len(ids)-from)*vocab)
	for at := 0; at < len(ids); at += chunk {
		part := ids[at:min(at+chunk, len(ids))]
		partFrom := min(max(0, from-at), len(part))
		var out []float32
		if rows := len(part) - partFrom; rows > 0 {
			out = logits[(at+partFrom-from)*vocab:][:rows*vocab]
		}
		err := e.do(func(s *scope) error {
			c.reserve(s, int64(c.length+len(ids)))
			e.forward(ctx, s, c, int64(c.length+at), part, int64(partFrom), out)
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("compute %d positions: %w", len(part), err)
		}
	}
	c.length += len(ids)
	return logits, nil
}

// reserve makes room for n positions. What lies behind the length is lost.
func (c *cache) reserve(s *scope, n int64) {
	if n <= c.capacity || s.err != nil {
		return
	}
	capacity := max(c.capacity, firstCapacity)
	for capacity < n {
		capacity *= 2
	}
	c.move(s, min(capacity, int64(c.engine.MaxContext())), c)
}

// move gives c a new tensor with the positions of from.
func (c *cache) move(s *scope, capacity int64, from *cache) {
	e := c.engine
	layers, width := int64(len(e.layers)), e.cacheWidth()
	next := s.empty(e.kind, e.device, layers, capacity, width)
	if from.length > 0 {
		used := []int64{layers, int64(from.length), width}
		s.copyIn(s.asStrided(next, 0, used, []int64{capacity * width, width, 1}),
			s.asStrided(from.keysValues, 0, used, []int64{from.capacity * width, width, 1}))
	}
	if s.err == nil {
		c.keysValues.release()
		c.keysValues, c.capacity = s.detach(next), capacity
	}
}

// Rewind implements neural.Cache.
func (c *cache) Rewind(n int) error {
	if n < 0 || n > c.length {
		return fmt.Errorf("cannot rewind to position %d of %d", n, c.length)
	}
	c.length = n
	return nil
}

// Fork implements neural.Cache.
func (c *cache) Fork() (neural.Cache, error) {
	fork := &cache{engine: c.engine, length: c.length}
	if c.capacity == 0 {
		return fork, nil
	}
	err := c.engine.do(func(s *scope) error {
		fork.move(s, c.capacity, c)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("copy a cache of %d positions: %w", c.length, err)
	}
	return fork, nil
}

// Close implements neural.Cache.
func (c *cache) Close() error {
	c.length, c.capacity = 0, 0
	return do(func(*scope) error {
		c.keysValues.release()
		return nil
	})
}
