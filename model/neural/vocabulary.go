package neural

import (
	"fmt"
	"slices"

	"github.com/neuraldbg/neuraldbg/statetree/grammar"
)

// Tokenizer is what this package needs of model/tokenizer.
type Tokenizer interface {
	// Size is the number of ids; valid ones are smaller.
	Size() int
	// Encode appends the ids of plain text; it never yields a special token.
	Encode(dst []int32, text string) []int32
	// Token returns the bytes of an id, and whether it is a special token.
	Token(id int32) (text []byte, special bool)
	// Special returns the id of a special token by its spelling.
	Special(text string) (id int32, ok bool)
}

// vocabulary joins a tokenizer with the grammar: it knows the id of every
// special token and the text of every other.
type vocabulary struct {
	tokenizer Tokenizer
	ids       map[grammar.Special]int32
	specials  []grammar.Special // by id; NoSpecial for plain text
	texts     []string          // by id; empty for special and unused ids
}

func newVocabulary(t Tokenizer) (*vocabulary, error) {
	v := &vocabulary{
		tokenizer: t, ids: map[grammar.Special]int32{},
		specials: make([]grammar.Special, t.Size()), texts: make([]string, t.Size()),
	}
	for _, s := range grammar.Specials() {
		id, ok := t.Special(s.String())
		if !ok {
			return nil, fmt.Errorf("the tokenizer has no %s: the checkpoint was not trained for this grammar", s)
		}
		v.ids[s] = id
		v.specials[id] = s
	}
	for id := range v.texts {
		if text, special := t.Token(int32(id)); !special {
			v.texts[id] = string(text)
		}
	}
	return v, nil
}

// appendSegments appends the ids of segments.
func (v *vocabulary) appendSegments(dst []int32, segments []grammar.Segment) []int32 {
	for _, s := range segments {
		if s.Special != grammar.NoSpecial {
			dst = append(dst, v.ids[s.Special])
		} else {
			dst = v.tokenizer.Encode(dst, s.Text)
		}
	}
	return dst
}

// encode returns the ids of plain text followed by a special token.
func (v *vocabulary) encode(text string, then grammar.Special) []int32 {
	return append(v.tokenizer.Encode(nil, text), v.ids[then])
}

// allows reports whether a parser can go on with a token.
func (v *vocabulary) allows(p *grammar.StateParser, id int32) bool {
	switch {
	case int(id) >= len(v.texts): // engines pad their vocabulary
		return false
	case v.specials[id] != grammar.NoSpecial:
		return p.Allows(v.specials[id])
	}
	return v.texts[id] != "" && p.Try(v.texts[id])
}

// feed moves a parser on by a token.
func (v *vocabulary) feed(p *grammar.StateParser, id int32) error {
	if s := v.specials[id]; s != grammar.NoSpecial {
		return p.Feed(s)
	}
	return p.FeedText(v.texts[id])
}

// idsOf returns the ids of special tokens.
func (v *vocabulary) idsOf(specials []grammar.Special) []int32 {
	ids := make([]int32, len(specials))
	for i, s := range specials {
		ids[i] = v.ids[s]
	}
	slices.Sort(ids)
	return ids
}
