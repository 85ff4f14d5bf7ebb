package neural

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/neuraldbg/neuraldbg/statetree"
)

// Outcomes that begin alike are decoded together: one pass of the model computes
// the next token of all of them. The decoder is written for one outcome, and asks
// for logits where it needs them. So each runs as a coroutine that pauses there;
// when all pause, what they have appended since goes through the model at once.

// errGivenUp ends the decoders of a batch whose engine has failed.
var errGivenUp = errors.New("the other outcomes are not decoded any more")

// decoded is what a decoder came to.
type decoded struct {
	outcome statetree.Outcome
	err     error
}

// decodeTogether runs decoders, whose sequences begin as that of trunk does, and
// returns for each what it came to. What the trunk's cache holds is not computed
// again. An error is that of ctx, or of the engine, and is of all.
func decodeTogether(ctx context.Context, trunk *sequence, decoders []*decoder) ([]decoded, error) {
	results := make([]decoded, len(decoders))
	members := make([]*member, len(decoders))
	for i, d := range decoders {
		m := &member{}
		d.sequence.network = m
		m.resume, m.stop = iter.Pull(func(pause func(struct{}) bool) {
			m.pause = pause
			results[i].outcome, results[i].err = d.run(ctx)
		})
		defer m.stop()
		members[i] = m
	}
	b := batch{trunk: trunk.network.(*cachedNetwork), members: members}
	if err := b.run(ctx); err != nil {
		return nil, err
	}
	return results, ctx.Err()
}

// batch computes the logits of sequences that were forked from one.
type batch struct {
	trunk   *cachedNetwork
	members []*member // those that have not ended
}

// run lets every member go on until none is left.
func (b *batch) run(ctx context.Context) (err error) {
	b.advance()
	if len(b.members) == 0 {
		return nil
	}
	lengths := make([]int, len(b.members))
	for i, m := range b.members {
		m.place, m.computed = i, b.trunk.shared(m.ids)
		lengths[i] = m.computed
	}
	forked, err := b.trunk.cache.Fork(lengths)
	if err != nil {
		return fmt.Errorf("forking the cache: %w", err)
	}
	defer func() { err = errors.Join(err, forked.Close()) }()
	for len(b.members) > 0 {
		pending := make([][]int32, len(lengths))
		for _, m := range b.members {
			pending[m.place] = m.ids[m.computed:]
		}
		logits, err := forked.Extend(ctx, pending)
		if err != nil {
			return err
		}
		for _, m := range b.members {
			m.computed, m.row = len(m.ids), logits[m.place]
		}
		b.advance()
	}
	return nil
}

// advance runs each member up to where it waits for logits, one after another, and
// keeps those that do.
func (b *batch) advance() {
	b.members = slices.DeleteFunc(b.members, func(m *member) bool {
		_, waits := m.resume()
		return !waits
	})
}

// member is the network of one sequence of a batch.
type member struct {
	ids      []int32 // of the sequence, when it last asked
	computed int     // how many of them the batch holds
	place    int     // in the forked batch
	row      []float32

	resume func() (struct{}, bool) // runs the decoder; false when it has ended
	pause  func(struct{}) bool     // returns when resume is called again; false: not any more
	stop   func()
}

// after implements network.
func (m *member) after(_ context.Context, ids []int32) ([]float32, error) {
	m.ids = ids
	if !m.pause(struct{}{}) {
		return nil, errGivenUp
	}
	return m.row, nil
}
