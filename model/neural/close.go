package neural

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/grammar"
)

// A model that is lost goes on listing names and values. When the room for a
// state is nearly used up, the decoder closes it: the open value ends with an
// ellipsis, names that must be there get one for a value, and SRC is chosen as
// always. So a state always comes out. It is marked as truncated, and nothing
// about its values is certain.

// slack is how many tokens closing takes besides names and SRC: separators,
// quotes, an open name.
const slack = 24

// valueTokens is how many tokens a name takes in closing besides its own bytes:
// quotes, colon, ellipsis.
const valueTokens = 12

// mustClose reports whether the tokens that are left, of those that a state may
// have, are those that closing it takes.
func (d *decoder) mustClose(left int) bool {
	if d.closing {
		return true
	}
	if d.tail == 0 {
		longest := 0
		for _, sources := range d.expect.Sources {
			for _, s := range sources {
				longest = max(longest, len(d.vocabulary.tokenizer.Encode(nil, s)))
			}
		}
		d.tail = slack + longest
	}
	need := d.tail
	for _, name := range d.required {
		need += len(name) + valueTokens
	}
	return left <= need
}

// close ends what is open, or takes an ordinary step where only a few tokens can
// come: an event, SRC, separators.
func (d *decoder) close(ctx context.Context) error {
	d.closing = true
	d.narrow()
	part := d.parser.Part()
	if _, limited := d.expect.Sources[d.parser.Event()]; part == grammar.PartSource && !limited {
		if specials := d.parser.AllowedSpecials(nil); len(specials) > 0 {
			return d.append(d.vocabulary.ids[specials[0]])
		}
	}
	if !d.parser.AllowsText() || part == grammar.PartSource || part == grammar.PartEvent {
		return d.step(ctx)
	}
	if !d.truncated {
		d.truncated = true
		d.certainty.add(&d.parser, math.Inf(-1))
	}
	text, ok := d.closingText()
	if !ok {
		return fmt.Errorf("%w, and it cannot be closed", errTooLong)
	}
	return d.append(d.vocabulary.tokenizer.Encode(nil, text)...)
}

// closingText returns what ends the values that are being written.
func (d *decoder) closingText() (string, bool) {
	p := d.parser.Clone()
	text := ""
	for p.AllowsText() && p.Part() != grammar.PartSource && p.Part() != grammar.PartEvent {
		piece, ok := d.closingPiece(&p)
		if !ok || p.FeedText(piece) != nil {
			return "", false
		}
		text += piece
	}
	return text, true
}

// closingPiece returns the next part of what ends the values: up to the end of a
// name, of a value, or of all.
func (d *decoder) closingPiece(p *grammar.StateParser) (string, bool) {
	switch p.Part() {
	case grammar.PartValue, grammar.PartArg:
		return firstThat(valueEnds, p.Try)
	case grammar.PartName:
		return firstThat(d.nameEnds(), p.Try)
	}
	pieces := []string{"}", "{}", `{"..": ".."`, `"..": ".."`}
	for _, name := range d.required {
		for _, before := range []string{", ", "", " ", "{"} {
			pieces = append(pieces, before+`"`+name+`": "…"`)
		}
	}
	return firstThat(pieces, func(piece string) bool {
		if !p.Try(piece) {
			return false
		}
		after := p.Clone()
		return after.FeedText(piece) == nil && !d.lacks(&after)
	})
}

func firstThat(pieces []string, ok func(string) bool) (string, bool) {
	i := slices.IndexFunc(pieces, ok)
	if i < 0 {
		return "", false
	}
	return pieces[i], true
}

// valueEnds are the ways to end a value: with an ellipsis if nothing is in the
// way, else behind the rest of an escape sequence or of a character in UTF-8, or
// as the unchanged mark.
var valueEnds = func() []string {
	ends := []string{`"…"`, `"`, `."`, `.."`, `".."`, ` "…"`, `: "…"`}
	rests := []string{"", "n", "1", "f", "1f", "01f", "001f", "\x80", "\x80\x80", "\x80\x80\x80", "\xa0\x80", "\x90\x80\x80"}
	for i := len(rests) - 1; i >= 0; i-- {
		ends = append([]string{rests[i] + `…"`}, ends...)
	}
	return ends
}()

// nameEnds are the ways to end the name being written, shortest first: as one of
// the names that there can be or, when there can be any, at once.
func (d *decoder) nameEnds() []string {
	ends := []string{`": "…"`, `: "…"`, ` "…"`, `..": ".."`, `.": ".."`, `": ".."`, `: ".."`, ` ".."`}
	names := d.expect.Names
	if names == nil {
		for i := range 1000 {
			ends = append(ends, fmt.Sprintf(`_%d": "…"`, i))
		}
	}
	var rests []string
	for _, name := range names {
		for i := range name {
			rests = append(rests, name[i:]+`": "…"`)
		}
	}
	slices.SortStableFunc(rests, func(a, b string) int { return len(a) - len(b) })
	return append(ends, rests...)
}

// lacks reports whether LOCALS has ended without all the required names.
func (d *decoder) lacks(after *grammar.StateParser) bool {
	if len(d.required) == 0 || after.Part() != grammar.PartEnd && after.Part() != grammar.PartEvent {
		return false
	}
	listed := map[string]bool{}
	if after.IsDifference() {
		for _, local := range d.options.known {
			listed[local.Name] = true
		}
	}
	for _, name := range after.Changed() {
		listed[name] = true
	}
	return slices.ContainsFunc(d.required, func(name string) bool { return !listed[name] })
}

// outcomeTokens is how many tokens an outcome may have that begins now: at most
// as many as the model's context has room for. When that is little, the history is
// to blame, and not the state: the outcome is not closed but fails with
// model.ErrContextFull, and the history is shortened.
func (d *decoder) outcomeTokens() (tokens int, full bool) {
	if d.sequence.limit <= 0 {
		return d.limit, false
	}
	room := d.sequence.limit - len(d.sequence.ids)
	return min(d.limit, room), room < d.sequence.limit/runaway && !d.sequence.short
}

// run decodes the outcome. Its tokens, the last of them action_sep or
// end_of_text, are appended to the sequence.
func (d *decoder) run(ctx context.Context) (statetree.Outcome, error) {
	begin := len(d.sequence.ids)
	tokens, full := d.outcomeTokens()
	for !d.parser.Done() {
		used := len(d.sequence.ids) - begin
		var err error
		switch {
		case used > tokens:
			err = fmt.Errorf("%w: %d tokens so far", errTooLong, used)
		case d.sampler.sampling.Unconstrained || !d.mustClose(tokens-used):
			err = d.step(ctx)
		case full:
			err = model.ErrContextFull
		default:
			err = d.close(ctx)
		}
		if err != nil {
			return statetree.Outcome{}, err
		}
	}
	return d.parser.Outcome()
}
