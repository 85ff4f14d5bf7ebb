package neural

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/neuraldbg/neuraldbg/model"
)

// errNotNumbers is returned when a model computes NaN.
var errNotNumbers = errors.New("the model computes no numbers (NaN): its weights are damaged; get the checkpoint anew")

// sequence is tokens with what computes the logits after them. Callers change ids
// as they like.
type sequence struct {
	ids     []int32
	network network
	limit   int // positions that the engine can hold
	// short says that the history cannot be shortened any more.
	short bool
}

// network computes the logits after ids: [vocab]. It remembers the keys and values
// of those that it was asked for before.
type network interface {
	after(ctx context.Context, ids []int32) ([]float32, error)
}

// newSequence returns an empty sequence with a cache of its own.
func newSequence(e Engine) (*sequence, error) {
	cache, err := e.NewCache()
	if err != nil {
		return nil, fmt.Errorf("making room for a session: %w", err)
	}
	return &sequence{network: &cachedNetwork{cache: cache}, limit: e.MaxContext()}, nil
}

// logits returns those after the last token: [vocab].
func (s *sequence) logits(ctx context.Context) ([]float32, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(s.ids) == 0 {
		return nil, errors.New("logits of an empty sequence")
	}
	if s.full() {
		return nil, model.ErrContextFull
	}
	logits, err := s.network.after(ctx, s.ids)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(logits, func(v float32) bool { return v != v }) {
		return nil, errNotNumbers
	}
	return logits, nil
}

// full reports whether there are more tokens than the engine can hold.
func (s *sequence) full() bool { return s.limit > 0 && len(s.ids) > s.limit }

// close frees the cache of a sequence that newSequence made.
func (s *sequence) close() error { return s.network.(*cachedNetwork).cache.Close() }

// cachedNetwork is a Cache that follows a sequence: it computes what it does not
// have, in one pass.
type cachedNetwork struct {
	cache Cache
	ids   []int32 // whose keys and values the cache holds
}

// after implements network.
func (n *cachedNetwork) after(ctx context.Context, ids []int32) ([]float32, error) {
	kept := n.shared(ids)
	if kept < len(n.ids) {
		if err := n.cache.Rewind(kept); err != nil {
			return nil, fmt.Errorf("rewinding the cache: %w", err)
		}
		n.ids = n.ids[:kept]
	}
	pending := ids[kept:]
	logits, err := n.cache.Extend(ctx, pending, len(pending)-1)
	if err != nil {
		return nil, err
	}
	n.ids = append(n.ids, pending...)
	return logits, nil
}

// shared is how many of ids need not be computed for the logits after them. The
// last is run again if the cache has it: logits are not kept.
func (n *cachedNetwork) shared(ids []int32) int {
	kept := 0
	for kept < len(n.ids) && kept < len(ids)-1 && n.ids[kept] == ids[kept] {
		kept++
	}
	return kept
}
