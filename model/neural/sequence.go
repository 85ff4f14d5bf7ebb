package neural

import (
	"context"
	"errors"
	"fmt"

	"github.com/neuraldbg/neuraldbg/model"
)

// errNotNumbers is returned when a model computes NaN.
var errNotNumbers = errors.New("the model computes no numbers (NaN): its weights are damaged; get the checkpoint anew")

// sequence is the tokens of a session with the cache of their keys and values.
// Callers change ids as they like: the cache follows when logits are asked for,
// and computes what it does not have, in one pass.
type sequence struct {
	ids    []int32
	cache  Cache
	cached []int32 // the ids whose keys and values the cache holds
	limit  int     // positions that the engine can hold
	// short says that the history cannot be shortened any more.
	short bool
}

func newSequence(e Engine) (*sequence, error) {
	cache, err := e.NewCache()
	if err != nil {
		return nil, fmt.Errorf("making room for a session: %w", err)
	}
	return &sequence{cache: cache, limit: e.MaxContext()}, nil
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
	// The last token is run again if the cache has it: logits are not kept.
	kept := 0
	for kept < len(s.cached) && kept < len(s.ids)-1 && s.cached[kept] == s.ids[kept] {
		kept++
	}
	if kept < len(s.cached) {
		if err := s.cache.Rewind(kept); err != nil {
			return nil, fmt.Errorf("rewinding the cache: %w", err)
		}
		s.cached = s.cached[:kept]
	}
	pending := s.ids[kept:]
	logits, err := s.cache.Extend(ctx, pending, len(pending)-1)
	if err != nil {
		return nil, err
	}
	s.cached = append(s.cached, pending...)
	for _, v := range logits {
		if v != v {
			return nil, errNotNumbers
		}
	}
	return logits, nil
}

// full reports whether there are more tokens than the engine can hold.
func (s *sequence) full() bool { return s.limit > 0 && len(s.ids) > s.limit }

func (s *sequence) close() error { return s.cache.Close() }
