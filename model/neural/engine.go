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
	// Fork returns a batch of len(lengths) sequences, of which the i-th begins
	// with the first lengths[i] positions of the receiver. They are not copied:
	// until the batch is closed, the cache must not be used otherwise.
	Fork(lengths []int) (Batch, error)
	// Close frees what the cache holds.
	Close() error
}

// Batch is several sequences that share the positions of the Cache that they were
// forked from, and are extended in the same pass. It is used by one goroutine at
// a time.
type Batch interface {
	// Extend appends ids[i] to the i-th sequence and returns, for each, the logits
	// after its last token: [vocab]. Sequences that get no ids stay as they are,
	// and get no logits. As with a Cache, a sequence has MaxContext positions at
	// most. After an error, that of a cancelled ctx included, the batch can only
	// be closed.
	Extend(ctx context.Context, ids [][]int32) ([][]float32, error)
	// Close frees what the batch holds. The cache is as it was before Fork.
	Close() error
}
