package dataset

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/neuraldbg/neuraldbg/model/tokenizer"
	"github.com/neuraldbg/neuraldbg/statetree/grammar"
)

// Loss names the tokens of a sequence that a model is trained to predict.
type Loss string

const (
	// LossStates are the states and exits that answer actions: the tokens of
	// Sequence.LossMask, which are what a debugger asks a model for.
	LossStates Loss = "states"
	// LossValues are the LOCALS and ARGS of those states only. Sequences without
	// any are left out.
	LossValues Loss = "values"
	// LossAll are all tokens, those of the code, of the start state and of the
	// actions included, as in ordinary language models.
	LossAll Loss = "all"
)

// Losses are all that there are.
var Losses = []Loss{LossStates, LossValues, LossAll}

// lossMasker makes the masks of a Loss from those of LossStates.
type lossMasker struct {
	loss Loss
	// argSep begins a value, and any of the specials ends it. Both are set for
	// LossValues only.
	argSep   int32
	specials map[int32]bool
}

// newLossMasker reads the tokenizer of the dataset in dir, if the loss depends on it.
func newLossMasker(loss Loss, dir string) (lossMasker, error) {
	m := lossMasker{loss: loss}
	if !slices.Contains(Losses, loss) {
		return m, fmt.Errorf("the loss %q is unknown; known are %v", loss, Losses)
	}
	if loss != LossValues {
		return m, nil
	}
	tok, err := tokenizer.Load(filepath.Join(dir, tokenizer.File))
	if err != nil {
		return m, err
	}
	m.specials = map[int32]bool{}
	for _, special := range grammar.Specials() {
		id, ok := tok.Special(special.String())
		if !ok {
			return m, fmt.Errorf("the tokenizer of %s has no special token %s; it is not one for this grammar", dir, special)
		}
		m.specials[id] = true
		if special == grammar.ArgSep {
			m.argSep = id
		}
	}
	return m, nil
}

// apply replaces the masks of the sequences, and returns those in which there is
// something to predict.
func (m lossMasker) apply(sequences []tokens) []tokens {
	switch m.loss {
	case LossAll:
		for _, s := range sequences {
			for i := range s.LossMask {
				s.LossMask[i] = true
			}
		}
	case LossValues:
		for _, s := range sequences {
			m.keepValues(s)
		}
		return slices.DeleteFunc(sequences, func(s tokens) bool { return !slices.Contains(s.LossMask, true) })
	}
	return sequences
}

// keepValues takes all but the values out of the mask.
func (m lossMasker) keepValues(s tokens) {
	value := false
	for i, id := range s.InputIDs {
		if m.specials[id] {
			value = id == m.argSep
			s.LossMask[i] = false
		}
		s.LossMask[i] = s.LossMask[i] && value
	}
}
