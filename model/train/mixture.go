package train

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/neuraldbg/neuraldbg/model/torch"
)

// Part is a source of a mixture and how often its batches are taken, in
// proportion to the other parts' weights.
type Part struct {
	Source Source
	Weight float64
}

// Mix is a source that takes every batch from one of the parts, drawn by weight.
// Which part a batch comes from depends on the seed and on the batch's number
// alone.
func Mix(seed uint64, parts []Part) (Source, error) {
	m := &mixture{seed: seed, parts: parts}
	for i, p := range parts {
		if p.Weight <= 0 {
			return nil, fmt.Errorf("part %d of the mixture has the weight %g, must be positive", i+1, p.Weight)
		}
		m.total += p.Weight
	}
	switch len(parts) {
	case 0:
		return nil, errors.New("a mixture needs at least one part")
	case 1:
		return parts[0].Source, nil
	}
	return m, nil
}

type mixture struct {
	seed  uint64
	parts []Part
	total float64 // of the weights
	given uint64  // batches so far
}

func (m *mixture) Next(ctx context.Context) (torch.Sequences, error) {
	b, err := m.parts[m.draw()].Source.Next(ctx)
	if err == nil {
		m.given++
	}
	return b, err
}

// draw is the number of the part that the next batch comes from.
func (m *mixture) draw() int {
	at := rand.New(rand.NewPCG(m.seed, m.given)).Float64() * m.total
	last := len(m.parts) - 1
	for i, p := range m.parts[:last] {
		if at -= p.Weight; at < 0 {
			return i
		}
	}
	return last
}

// mixtureState is what State writes.
type mixtureState struct {
	Given uint64   `json:"given"`
	Parts [][]byte `json:"parts"`
}

func (m *mixture) State() ([]byte, error) {
	s := mixtureState{Given: m.given}
	for _, p := range m.parts {
		part, err := p.Source.State()
		if err != nil {
			return nil, err
		}
		s.Parts = append(s.Parts, part)
	}
	return json.Marshal(s)
}

func (m *mixture) Restore(state []byte) error {
	var s mixtureState
	if err := json.Unmarshal(state, &s); err != nil {
		return fmt.Errorf("restore the place in the mixture: %w", err)
	}
	if len(s.Parts) != len(m.parts) {
		saved := max(1, len(s.Parts)) // the state of one part alone, which is no mixture, has none
		return fmt.Errorf("restore the place in the mixture: the number of its parts was %d when it was saved, now it is %d", saved, len(m.parts))
	}
	for i, p := range m.parts {
		if err := p.Source.Restore(s.Parts[i]); err != nil {
			return err
		}
	}
	m.given = s.Given
	return nil
}
