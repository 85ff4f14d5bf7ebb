package completions

import (
	"context"
	"fmt"
	"slices"
)

// cache is a neural.Cache: the tokens, and the last answer of the server. The
// keys and values are the server's business.
type cache struct {
	engine *Engine
	ids    []int32
	ahead  continuation
}

// continuation is how the server goes on after some tokens.
type continuation struct {
	after []int32
	ids   []int32
	rows  []row // rows[i] is the distribution that ids[i] was taken from
}

// row returns the distribution after ids, if the continuation tells it.
func (c *continuation) row(ids []int32) (row, bool) {
	n := len(ids) - len(c.after)
	if n < 0 || n >= len(c.rows) || !slices.Equal(ids[:len(c.after)], c.after) || !slices.Equal(ids[len(c.after):], c.ids[:n]) {
		return row{}, false
	}
	return c.rows[n], true
}

// Len implements neural.Cache.
func (c *cache) Len() int { return len(c.ids) }

// Extend implements neural.Cache.
func (c *cache) Extend(ctx context.Context, ids []int32, from int) ([]float32, error) {
	e := c.engine
	switch limit := e.MaxContext(); {
	case e.closed.Load():
		return nil, errClosed
	case from < 0 || from > len(ids):
		return nil, fmt.Errorf("logits are wanted from position %d of %d", from, len(ids))
	case limit > 0 && len(c.ids)+len(ids) > limit:
		return nil, fmt.Errorf("the model's context of %d positions is full: %d are there and %d are to be added", limit, len(c.ids), len(ids))
	}
	length := len(c.ids)
	c.ids = append(c.ids, ids...)
	vocab := e.VocabSize()
	logits := make([]float32, 0, (len(ids)-from)*vocab)
	for end := length + from + 1; end <= len(c.ids); end++ {
		r, err := c.after(ctx, c.ids[:end])
		if err != nil {
			c.ids = c.ids[:length]
			return nil, err
		}
		logits = r.appendLogits(logits, vocab)
	}
	return logits, nil
}

// after returns the distribution of the token after ids.
func (c *cache) after(ctx context.Context, ids []int32) (row, error) {
	if r, ok := c.ahead.row(ids); ok {
		return r, ctx.Err()
	}
	next, err := c.engine.complete(ctx, ids)
	if err != nil {
		return row{}, fmt.Errorf("asking %s: %w", c.engine.options.Address, err)
	}
	c.ahead = next
	return next.rows[0], nil
}

// Rewind implements neural.Cache.
func (c *cache) Rewind(n int) error {
	if n < 0 || n > len(c.ids) {
		return fmt.Errorf("cannot rewind to position %d of %d", n, len(c.ids))
	}
	c.ids = c.ids[:n]
	return nil
}

// Close implements neural.Cache.
func (c *cache) Close() error {
	c.ids, c.ahead = nil, continuation{}
	return nil
}
