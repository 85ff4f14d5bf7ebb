package dataset

import (
	"fmt"
	"strings"

	"github.com/neuraldbg/neuraldbg/model/tokenizer"
	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/grammar"
)

// Encoder turns trajectories into sequences. It is used by one goroutine at a
// time.
type Encoder struct {
	tok      *tokenizer.Tokenizer
	specials map[grammar.Special]int32
	writer   grammar.Writer
	segments []grammar.Segment
	// codes are the ids of programs' code: all trajectories of a program begin
	// with it. It is emptied when it has maxCodes.
	codes map[string][]int32
}

// maxCodes bounds the memory of an Encoder: some ten megabytes.
const maxCodes = 512

// NewEncoder returns an encoder. It fails when the tokenizer lacks a special
// token of the grammar.
func NewEncoder(tok *tokenizer.Tokenizer) (*Encoder, error) {
	e := &Encoder{tok: tok, specials: make(map[grammar.Special]int32), codes: make(map[string][]int32)}
	for _, s := range grammar.Specials() {
		id, ok := tok.Special(s.String())
		if !ok {
			return nil, fmt.Errorf("the tokenizer has no special token %s; it is not one for this grammar", s)
		}
		e.specials[s] = id
	}
	return e, nil
}

// code returns the ids of a program's code. They must not be written to.
func (e *Encoder) code(text string) []int32 {
	ids, ok := e.codes[text]
	if !ok {
		if len(e.codes) >= maxCodes {
			clear(e.codes)
		}
		ids = e.tok.Encode(nil, text)
		e.codes[text] = ids
	}
	return ids
}

// Fits reports whether the code of a subject leaves room for a state in a context
// of maxTokens.
func (e *Encoder) Fits(s *statetree.Subject, maxTokens int) bool {
	for _, l := range []*statetree.Listing{&s.Whole, &s.Function} {
		if l.Program.Code != "" && len(e.code(l.Program.Code)) < maxTokens {
			return true
		}
	}
	return false
}

// Encode returns the trajectory as a sequence of at most maxTokens tokens. A
// longer one ends with the last state that fits, and is marked Truncated. It
// reports false when not even one predicted state fits. Source is left empty.
func (e *Encoder) Encode(t *statetree.Trajectory, maxTokens int) (Sequence, bool) {
	if len(e.code(t.Program.Code)) > maxTokens {
		return Sequence{Truncated: true}, false
	}
	e.segments = e.writer.AppendTrajectory(e.segments[:0], t)
	s := Sequence{Direction: t.Direction.String()}
	var text strings.Builder
	var whole struct{ tokens, bytes, actions int } // up to the last state that fits
	predicted := false                             // whether one of them is predicted
	before := grammar.NoSpecial
	for _, segment := range e.segments {
		if segment.Special != grammar.NoSpecial {
			s.InputIDs = append(s.InputIDs, e.specials[segment.Special])
			text.WriteString(segment.Special.String())
			if a := segment.Special.Action(); a != statetree.NoAction {
				s.Actions = append(s.Actions, a.String())
			}
		} else {
			if before == grammar.TraceContextStart {
				s.InputIDs = append(s.InputIDs, e.code(segment.Text)...)
			} else {
				s.InputIDs = e.tok.Encode(s.InputIDs, segment.Text)
			}
			text.WriteString(segment.Text)
		}
		before = segment.Special
		for len(s.LossMask) < len(s.InputIDs) {
			s.LossMask = append(s.LossMask, segment.Predicted)
		}
		if len(s.InputIDs) > maxTokens {
			break
		}
		if segment.Special == grammar.ActionSep || segment.Special == grammar.EndOfText {
			whole.tokens, whole.bytes, whole.actions = len(s.InputIDs), text.Len(), len(s.Actions)
			predicted = predicted || segment.Predicted
		}
	}
	s.Truncated = whole.tokens < len(s.InputIDs)
	s.InputIDs, s.LossMask = s.InputIDs[:whole.tokens], s.LossMask[:whole.tokens]
	s.Text, s.Actions = text.String()[:whole.bytes], s.Actions[:whole.actions]
	return s, predicted
}
