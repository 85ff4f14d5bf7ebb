package neural

import "context"

// Engine computes logits: token ids in, logits out. It may be used from several
// goroutines at once.
type Engine interface {
	// VocabSize is the number of logits of one position.
	VocabSize() int
	// MaxContext is the number of positions that a Cache can hold.
	MaxContext() int
	// NewCache returns an empty cache.
	NewCache() (Cache, error)
	// Close frees the model. Its caches must not be used afterwards.
	Close() error
}

// Cache is one sequence's keys and values on an Engine. A Cache is used by one
// goroutine at a time.
type Cache interface {
	// Len is the number of positions held.
	Len() int
	// Extend appends ids and returns the logits of the positions
	// [from, len(ids)) among them, row-major: float32 [len(ids)-from, vocab].
	// With from == len(ids) no logits are computed. When ctx is cancelled or
	// an error occurs, the cache is as it was before the call.
	Extend(ctx context.Context, ids []int32, from int) ([]float32, error)
	// Rewind keeps the first n positions and forgets the others.
	Rewind(n int) error
	// Fork returns a cache with the same positions that shares no mutable
	// state with the receiver.
	Fork() (Cache, error)
	// Close frees what the cache holds.
	Close() error
}
