package neural

import (
	"errors"
	"fmt"
	"sync"
)

// ErrClosed is returned by a predictor that was closed.
var ErrClosed = errors.New("the model is closed")

// CheckTokenizer refuses a tokenizer with ids that the model does not have.
func CheckTokenizer(e Engine, t Tokenizer) error {
	if t.Size() > e.VocabSize() {
		return fmt.Errorf("the tokenizer has %d tokens, the model %d: they do not belong together", t.Size(), e.VocabSize())
	}
	return nil
}

// Sessions are a predictor's open sessions and the engine that they share, which
// it owns.
type Sessions[S comparable] struct {
	engine Engine

	mu     sync.Mutex
	open   map[S]struct{}
	closed bool
}

// NewSessions has no session yet.
func NewSessions[S comparable](e Engine) *Sessions[S] {
	return &Sessions[S]{engine: e, open: map[S]struct{}{}}
}

// Add makes a session; after Close it returns ErrClosed.
func (r *Sessions[S]) Add(newSession func() (S, error)) (S, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var none S
	if r.closed {
		return none, ErrClosed
	}
	s, err := newSession()
	if err != nil {
		return none, err
	}
	r.open[s] = struct{}{}
	return s, nil
}

// Forget drops a session that was closed.
func (r *Sessions[S]) Forget(s S) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.open, s)
}

// Close releases the open sessions and closes the engine, once.
func (r *Sessions[S]) Close(release func(S) error) error {
	r.mu.Lock()
	if r.closed {
		r.mu.Unlock()
		return nil
	}
	r.closed = true
	open := r.open
	r.open = map[S]struct{}{}
	r.mu.Unlock()
	var errs []error
	for s := range open {
		errs = append(errs, release(s))
	}
	return errors.Join(append(errs, r.engine.Close())...)
}
