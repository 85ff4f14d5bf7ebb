package cwm

import (
	"fmt"
	"slices"

	"github.com/neuraldbg/neuraldbg/model/neural"
	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/grammar"
)

// vocabulary joins a tokenizer with the special tokens of the dialect.
type vocabulary struct {
	tokenizer neural.Tokenizer
	specials  map[string]int32
	events    map[int32]statetree.Event
	texts     []string // by id; empty for special and unused ids
}

func newVocabulary(t neural.Tokenizer) (*vocabulary, error) {
	v := &vocabulary{
		tokenizer: t, specials: map[string]int32{}, events: map[int32]statetree.Event{}, texts: make([]string, t.Size()),
	}
	for _, s := range Specials() {
		id, ok := t.Special(s)
		if !ok {
			return nil, fmt.Errorf("the tokenizer has no %s: the checkpoint does not speak CWM's traces", s)
		}
		v.specials[s] = id
	}
	for event, token := range eventTokens {
		v.events[v.specials[token]] = event
	}
	for id := range v.texts {
		if text, special := t.Token(int32(id)); !special {
			v.texts[id] = string(text)
		}
	}
	return v, nil
}

func (v *vocabulary) text(dst []int32, text string) []int32 { return v.tokenizer.Encode(dst, text) }

// appendPrompt appends the code up to where the first frame begins.
func (v *vocabulary) appendPrompt(dst []int32, code string) []int32 {
	dst = append(dst, v.specials[beginOfText], v.specials[contextStart])
	return append(v.text(dst, code), v.specials[frameSep])
}

// appendFrame appends the frame of a known state, with all values.
func (v *vocabulary) appendFrame(dst []int32, s *statetree.State, source string) []int32 {
	dst = append(dst, v.specials[eventTokens[s.Event]])
	values := v.text(nil, valuesText(s))
	if s.Event.HasLocals() {
		dst = append(dst, values...)
	}
	dst = v.text(append(dst, v.specials[actionSep]), source+"\n")
	if s.Event.HasArg() {
		dst = append(append(dst, v.specials[argSep]), values...)
	}
	return append(dst, v.specials[frameSep])
}

// valuesText is LOCALS or ARGS as package grammar writes them in full.
func valuesText(s *statetree.State) string {
	var text string
	behind := false
	for _, segment := range grammar.AppendFull(nil, &statetree.State{Event: s.Event, Source: "x", Locals: s.Locals, Arg: s.Arg}) {
		switch {
		case segment.Special == grammar.ArgSep:
			behind = true
		case segment.Special != grammar.NoSpecial:
			behind = false
		case behind:
			text += segment.Text
		}
	}
	return text
}

// eventIDs are the special tokens of events, in the order of their ids.
func (v *vocabulary) eventIDs(events []statetree.Event) []int32 {
	var ids []int32
	for _, e := range events {
		if id := v.specials[eventTokens[e]]; !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}
