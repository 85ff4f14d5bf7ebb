package neural

import (
	"context"

	"github.com/neuraldbg/neuraldbg/model"
)

// What packages that speak another dialect have in common with this one: a
// sequence of tokens whose cache follows it, and the choice of tokens.

// Sequence is the tokens of a session with their cache on an Engine.
type Sequence struct {
	// IDs may be changed freely; the cache follows when logits are asked for.
	IDs []int32

	sequence *sequence
}

// NewSequence makes room for a session.
func NewSequence(e Engine) (*Sequence, error) {
	s, err := newSequence(e)
	return &Sequence{sequence: s}, err
}

// Logits returns those after the last token: [vocab]. A sequence longer than the
// engine's context is model.ErrContextFull.
func (s *Sequence) Logits(ctx context.Context) ([]float32, error) {
	s.sequence.ids = s.IDs
	return s.sequence.logits(ctx)
}

// Close frees the cache.
func (s *Sequence) Close() error { return s.sequence.close() }

// Sampler chooses tokens as a session's Sampling says. What it draws depends on
// that and on the tokens before alone.
type Sampler struct{ sampler sampler }

// NewSampler returns the sampler of a session.
func NewSampler(s model.Sampling) Sampler { return Sampler{sampler{s}} }

// Choose chooses among the tokens for which allowed is true, and returns the
// logarithm of the probability that the model gives the token among them. logits
// are [vocab]; history is all tokens before. ok is false when none is allowed.
func (s Sampler) Choose(logits []float32, allowed func(id int32) bool, history []int32) (id int32, logProb float64, ok bool) {
	d, ok := s.sampler.chooseAllowed(logits, allowed, history)
	return d.id, d.logProb, ok
}

// ChooseAmong chooses one of ids, all of which are allowed.
func (s Sampler) ChooseAmong(logits []float32, ids, history []int32) (id int32, logProb float64) {
	d := s.sampler.chooseAmong(logits, ids, history)
	return d.id, d.logProb
}
