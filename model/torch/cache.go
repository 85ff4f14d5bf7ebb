package torch

import (
	"context"
	"fmt"
	"sync/atomic"
)

const (
	// firstCapacity is the number of positions that a cache first has room for.
	// It doubles when it is full.
	firstCapacity = 256
	// chunk is the most positions that are computed at once, which limits the
	// memory for what lies between.
	chunk = 512
)

// cache is a neural.Cache. Its keys and values are written in place. Another
// session's cache may take their memory (see cachePool); the next Extend then
// computes them anew from the tokens.
type cache struct {
	engine *Engine
	tokens []int32 // of the positions
	// valid is how many of the tokens are those that keys and values were last
	// computed for.
	valid int
	// busy says that an Extend is under way, or a batch is open.
	busy atomic.Bool

	// What follows is used on LibTorch's thread only.

	// held is the number of positions in keysValues; of these, those below
	// valid are right.
	held     int
	capacity int64
	// keysValues is [layers, capacity, 2*K*P]: of each position the keys of all
	// heads, turned, and then the values.
	keysValues tensor
}

// Len implements neural.Cache.
func (c *cache) Len() int { return len(c.tokens) }

// Extend implements neural.Cache.
func (c *cache) Extend(ctx context.Context, ids []int32, from int) ([]float32, error) {
	e, length := c.engine, len(c.tokens)
	switch {
	case from < 0 || from > len(ids):
		return nil, fmt.Errorf("logits are wanted from position %d of %d", from, len(ids))
	case length+len(ids) > e.MaxContext():
		return nil, fmt.Errorf("the model's context of %d positions is full: %d are there and %d are to be added", e.MaxContext(), length, len(ids))
	}
	if err := e.checkIDs(ids); err != nil {
		return nil, err
	}
	c.busy.Store(true)
	defer c.busy.Store(false)
	c.tokens = append(c.tokens, ids...)
	logits := make([]float32, (len(ids)-from)*e.config.VocabSize)
	if err := c.compute(ctx, length+from, logits); err != nil {
		c.tokens, c.valid = c.tokens[:length], min(c.valid, length)
		return nil, fmt.Errorf("compute %d positions: %w", len(ids), err)
	}
	return logits, nil
}

// checkIDs refuses ids that the model does not have.
func (e *Engine) checkIDs(ids []int32) error {
	for _, id := range ids {
		if id < 0 || int(id) >= e.config.VocabSize {
			return fmt.Errorf("token id %d is not in a vocabulary of %d", id, e.config.VocabSize)
		}
	}
	return nil
}

// compute computes the keys and values of all tokens that have none, and writes
// the logits of those from the position from on. Other sessions' jobs come in
// between.
func (c *cache) compute(ctx context.Context, from int, logits []float32) error {
	for done := false; !done; {
		err := c.engine.do(func(s *scope) error {
			done = c.computeChunk(ctx, s, from, logits)
			return nil
		})
		if err != nil {
			return err
		}
	}
	c.valid = len(c.tokens)
	return nil
}

// computeChunk computes the keys and values of the next tokens that have none,
// and writes the logits of those from the position from on. It reports whether
// these were the last.
func (c *cache) computeChunk(ctx context.Context, s *scope, from int, logits []float32) (done bool) {
	c.held = min(c.held, c.valid)
	at, vocab := c.held, c.engine.config.VocabSize
	if at == len(c.tokens) {
		return true
	}
	part := c.tokens[at:min(at+chunk, len(c.tokens))]
	partFrom := min(max(0, from-at), len(part))
	var out []float32
	if rows := len(part) - partFrom; rows > 0 {
		out = logits[(at+partFrom-from)*vocab:][:rows*vocab]
	}
	c.reserve(s, int64(len(c.tokens)))
	c.engine.forward(ctx, s, c.engine.sequel(c, int64(at), int64(len(part))), part, int64(partFrom), out)
	if s.err != nil {
		return false
	}
	c.held = at + len(part)
	c.valid = max(c.valid, c.held)
	return c.held == len(c.tokens)
}

// reserve makes room for n positions. What lies behind those held is lost.
func (c *cache) reserve(s *scope, n int64) {
	if s.err != nil {
		return
	}
	c.engine.pool.touch(c)
	if n <= c.capacity {
		return
	}
	capacity := max(c.capacity, firstCapacity)
	for capacity < n {
		capacity *= 2
	}
	// A batch may need more than one sequence can have.
	c.move(s, max(n, min(capacity, int64(c.engine.MaxContext()))))
}

// move gives c a new tensor with the positions that it holds.
func (c *cache) move(s *scope, capacity int64) {
	e := c.engine
	layers, width := int64(len(e.layers)), e.config.cacheWidth()
	bytes := layers * capacity * width * e.kind.bytes()
	e.pool.makeRoom(bytes, c)
	next := s.empty(e.kind, e.device, layers, capacity, width)
	held := min(c.held, c.valid)
	if held > 0 {
		used := []int64{layers, int64(held), width}
		s.copyIn(s.asStrided(next, 0, used, []int64{capacity * width, width, 1}),
			s.asStrided(c.keysValues, 0, used, []int64{c.capacity * width, width, 1}))
	}
	if s.err == nil {
		c.drop()
		c.keysValues, c.capacity, c.held = s.detach(next), capacity, held
		e.pool.used += bytes
		e.pool.touch(c)
	}
}

// bytes is the size of keysValues.
func (c *cache) bytes() int64 {
	return int64(len(c.engine.layers)) * c.capacity * c.engine.config.cacheWidth() * c.engine.kind.bytes()
}

// drop gives up the keys and values.
func (c *cache) drop() {
	c.engine.pool.used -= c.bytes()
	c.engine.pool.remove(c)
	c.keysValues.release()
	c.held, c.capacity = 0, 0
}

// Rewind implements neural.Cache.
func (c *cache) Rewind(n int) error {
	if n < 0 || n > len(c.tokens) {
		return fmt.Errorf("cannot rewind to position %d of %d", n, len(c.tokens))
	}
	c.tokens, c.valid = c.tokens[:n], min(c.valid, n)
	return nil
}

// Close implements neural.Cache.
func (c *cache) Close() error {
	c.tokens, c.valid = nil, 0
	return do(func(*scope) error {
		c.drop()
		return nil
	})
}
