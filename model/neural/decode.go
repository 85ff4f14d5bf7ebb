package neural

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/grammar"
)

// errTooLong is returned when a state does not end within the limit of tokens.
var errTooLong = errors.New("the model does not come to the end of the state")

// runaway is the part of the context from which on a single state that fills it
// is to blame, and not the history.
const runaway = 4

// errStuck is returned when no token is allowed. The automaton can always be
// completed, so it means that the tokenizer lacks bytes that are needed.
var errStuck = errors.New("no token of the vocabulary can continue the state")

// decoder writes one outcome, token by token.
type decoder struct {
	vocabulary *vocabulary
	sampler    sampler
	sequence   *sequence
	listing    *listing
	parser     grammar.StateParser
	expect     *grammar.Expect // the parser's; narrowed as the outcome takes shape
	options    options
	limit      int // tokens
	valueLimit int // tokens of one value
	value      openValue

	// closing says that the outcome is being ended, truncated that values are
	// missing for it; tail is what ending takes.
	closing, truncated bool
	tail               int

	certainty certainty
	// required are the names that LOCALS must list.
	required []string
	// named is how far names were narrowed: by event, then by source.
	named namesKnown
	// segment is where in the sequence the current run of plain text begins.
	segment int
	// decisions are the choices made so far; the first of them may be given.
	decisions []decision
	script    []choice
}

type namesKnown uint8

const (
	byNothing namesKnown = iota
	byEvent
	bySource
)

// parserFor makes the automaton of an outcome that is narrowed by an Expect.
type parserFor func(*grammar.Expect) grammar.StateParser

// newDecoder prepares to decode an outcome at the end of a sequence.
// o says what the outcome can be; parser makes the automaton for it.
func newDecoder(p *Predictor, s sampler, seq *sequence, l *listing, o options, parser parserFor) *decoder {
	expect := o.expect()
	if s.sampling.Unconstrained {
		expect = &grammar.Expect{}
	}
	return &decoder{
		vocabulary: p.vocabulary, sampler: s, sequence: seq, listing: l,
		parser: parser(expect), expect: expect, options: o,
		limit: p.options.MaxStateTokens, valueLimit: p.options.MaxValueTokens, segment: len(seq.ids),
	}
}

// step appends the next token, or all up to the next choice.
func (d *decoder) step(ctx context.Context) error {
	if d.sampler.sampling.Unconstrained {
		return d.chooseFreely(ctx)
	}
	d.narrow()
	if d.parser.AllowsText() {
		if d.segment == len(d.sequence.ids) {
			if done, err := d.whole(ctx); done || err != nil {
				return err
			}
		}
		if d.endless() {
			if done, err := d.cut(); done || err != nil {
				return err
			}
		}
		return d.chooseAny(ctx)
	}
	switch specials := d.parser.AllowedSpecials(nil); len(specials) {
	case 0:
		return errStuck
	case 1:
		return d.append(d.vocabulary.ids[specials[0]])
	default:
		return d.chooseAmong(ctx, d.vocabulary.idsOf(specials))
	}
}

// narrow limits the names of LOCALS once it is known whose they are.
func (d *decoder) narrow() {
	event := d.parser.Event()
	if event == statetree.NoEvent || !event.HasLocals() {
		return
	}
	if d.named == byNothing {
		d.named = byEvent
		if event == statetree.Line {
			names := d.listing.lineNames(d.options)
			d.expect.Names, d.required = names.Allowed, names.Required
			return
		}
		d.expect.Names = d.listing.names(event, nil, d.options)
	}
	if d.named == byEvent && event != statetree.Line && d.parser.Part() >= grammar.PartLocals && d.parser.Part() != grammar.PartEnd {
		d.named = bySource
		src := d.parser.Source()
		d.expect.Names = d.listing.names(event, &src, d.options)
		d.required = d.listing.required(src, d.options)
	}
}

// whole appends a whole run of plain text where there are few to choose from:
// SRC, or text that follows from what was there. False when there are many.
func (d *decoder) whole(ctx context.Context) (bool, error) {
	if d.parser.Part() == grammar.PartSource {
		sources, limited := d.expect.Sources[d.parser.Event()]
		if !limited {
			return false, nil
		}
		return true, d.chooseSource(ctx, sources)
	}
	forced, ok := d.parser.Forced()
	if !ok || forced.Special != grammar.NoSpecial {
		return false, nil
	}
	after := d.parser.Clone()
	if err := after.FeedText(forced.Text); err != nil || after.AllowsText() {
		// The text goes on after what is forced, and a token may cross that
		// point.
		return false, nil
	}
	return true, d.append(d.vocabulary.tokenizer.Encode(nil, forced.Text)...)
}

// chooseSource appends SRC and the special token that ends it.
func (d *decoder) chooseSource(ctx context.Context, sources []string) error {
	then := grammar.ArgSep
	if e := d.parser.Event(); e == statetree.Line || e == statetree.InvLineCall {
		then = grammar.ActionSep
	}
	node := &trie{}
	for _, s := range sources {
		node.add(d.vocabulary.encode(s, then))
	}
	for len(node.order) > 0 {
		id := node.order[0]
		if len(node.order) > 1 {
			c, err := d.choose(ctx, func(logits []float32) (decision, bool) {
				return d.sampler.chooseAmong(logits, node.order, d.sequence.ids), true
			})
			if err != nil {
				return err
			}
			id = c.id
		} else if err := d.append(id); err != nil {
			return err
		}
		node = node.children[id]
	}
	return nil
}

// chooseAny appends one token of all that the parser allows.
func (d *decoder) chooseAny(ctx context.Context) error {
	_, err := d.choose(ctx, func(logits []float32) (decision, bool) {
		return d.sampler.chooseAllowed(logits, d.allows, d.sequence.ids)
	})
	return err
}

// chooseFreely appends one token of the whole vocabulary. One that the grammar
// has no place for ends the outcome with an error.
func (d *decoder) chooseFreely(ctx context.Context) error {
	anything := func(int32) bool { return true }
	_, err := d.choose(ctx, func(logits []float32) (decision, bool) {
		return d.sampler.chooseAllowed(logits, anything, d.sequence.ids)
	})
	return err
}

// chooseAmong appends one of a few tokens.
func (d *decoder) chooseAmong(ctx context.Context, ids []int32) error {
	_, err := d.choose(ctx, func(logits []float32) (decision, bool) {
		return d.sampler.chooseAmong(logits, ids, d.sequence.ids), true
	})
	return err
}

// choose makes the next decision, or takes the one that the script has for it,
// and appends its token.
func (d *decoder) choose(ctx context.Context, pick func(logits []float32) (decision, bool)) (choice, error) {
	var made decision
	if n := len(d.decisions); n < len(d.script) {
		made = decision{choice: d.script[n], only: true}
	} else {
		logits, err := d.sequence.logits(ctx)
		if err != nil {
			return choice{}, err
		}
		var ok bool
		if made, ok = pick(logits); !ok {
			return choice{}, errStuck
		}
	}
	d.certainty.add(&d.parser, made.logProb)
	d.decisions = append(d.decisions, made)
	return made.choice, d.append(made.id)
}

// allows reports whether a token may come next.
func (d *decoder) allows(id int32) bool {
	return d.vocabulary.allows(&d.parser, id) && !d.leavesOut(id)
}

// leavesOut reports whether a token would end LOCALS without all the required
// names.
func (d *decoder) leavesOut(id int32) bool {
	if len(d.required) == 0 || !strings.Contains(d.vocabulary.texts[id], "}") {
		return false
	}
	after := d.parser.Clone()
	return d.vocabulary.feed(&after, id) == nil && d.lacks(&after)
}

// append adds tokens to the sequence and moves the parser on.
func (d *decoder) append(ids ...int32) error {
	for _, id := range ids {
		if err := d.vocabulary.feed(&d.parser, id); err != nil {
			return fmt.Errorf("decoding: %w", err)
		}
		d.sequence.ids = append(d.sequence.ids, id)
		if d.vocabulary.specials[id] != grammar.NoSpecial {
			d.segment = len(d.sequence.ids)
		}
	}
	return nil
}
