package cwm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/model/neural"
	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/grammar"
)

// errTooLong is returned when a frame does not end within the limit of tokens.
var errTooLong = errors.New("the model does not come to the end of the frame")

// errStuck is returned when no token is allowed.
var errStuck = errors.New("no token of the vocabulary can continue the frame")

// unchanged is the value of a name whose value stayed.
const unchanged = ".."

// decoder writes one frame at the end of a sequence, token by token.
type decoder struct {
	*vocabulary
	listing  *listing
	sequence *neural.Sequence
	sampler  neural.Sampler
	options  options
	limit    int // tokens

	begin  int
	scores scores
}

// scores are the logarithms of the probabilities of what was chosen.
type scores struct {
	event, source, values float64
	locals                map[string]float64 // of names that were written
}

func (s *scores) total() float64 { return s.event + s.source + s.values }

// confidence is that of a state with these locals; before is the logarithm of
// the probability of what was predicted on the way to it.
func (s *scores) confidence(o statetree.Outcome, before float64) model.Confidence {
	c := model.Confidence{
		State: math.Exp(before + s.total()), Event: math.Exp(before + s.event),
		Source: math.Exp(s.source), Values: math.Exp(s.values),
	}
	if len(o.State.Locals) > 0 {
		c.Locals = make(map[string]float64, len(o.State.Locals))
		for _, l := range o.State.Locals {
			c.Locals[l.Name] = math.Exp(s.locals[l.Name])
		}
	}
	return c
}

// frame decodes a frame, or the end of the trace: then the event is NoEvent.
// With force the event is given. Locals are as written, with unchanged values.
func (d *decoder) frame(ctx context.Context, force statetree.Event) (s statetree.State, err error) {
	d.begin = len(d.sequence.IDs)
	if s.Event, err = d.chooseEvent(ctx, force); err != nil || s.Event == statetree.NoEvent {
		return s, err
	}
	var values grammar.StateParser
	if s.Event.HasLocals() {
		names := d.listing.names(d.options, s.Event)
		if values, err = d.chooseValues(ctx, statetree.Call, names, d.specials[actionSep]); err != nil {
			return s, err
		}
	} else {
		d.append(d.specials[actionSep])
	}
	end := d.specials[frameSep]
	if s.Event.HasArg() {
		end = d.specials[argSep]
	}
	if s.Source, err = d.chooseSource(ctx, s.Event, end); err != nil {
		return s, err
	}
	if s.Event.HasArg() {
		if values, err = d.chooseValues(ctx, statetree.Return, nil, d.specials[frameSep]); err != nil {
			return s, err
		}
	}
	o, err := values.Outcome()
	s.Locals, s.Arg = o.State.Locals, o.State.Arg
	return s, err
}

func (d *decoder) append(ids ...int32) { d.sequence.IDs = append(d.sequence.IDs, ids...) }

func (d *decoder) logits(ctx context.Context) ([]float32, error) {
	if n := len(d.sequence.IDs) - d.begin; n > d.limit {
		return nil, fmt.Errorf("%w: %d tokens so far", errTooLong, n)
	}
	return d.sequence.Logits(ctx)
}

func (d *decoder) chooseEvent(ctx context.Context, force statetree.Event) (statetree.Event, error) {
	if force != statetree.NoEvent {
		d.append(d.specials[eventTokens[force]])
		return force, nil
	}
	ids := d.eventIDs(d.options.events())
	if d.options.exit {
		ids = append(ids, d.specials[endOfText])
	}
	if len(ids) == 0 {
		return statetree.NoEvent, errStuck
	}
	id := ids[0]
	if len(ids) > 1 {
		logits, err := d.logits(ctx)
		if err != nil {
			return statetree.NoEvent, err
		}
		var logProb float64
		id, logProb = d.sampler.ChooseAmong(logits, ids, d.sequence.IDs)
		d.scores.event += logProb
	}
	d.append(id)
	return d.events[id], nil
}

// chooseValues writes LOCALS of the names that there can be, for the event Call,
// or a value, for Return, and the special token behind it. Both are JSON as in
// package grammar.
func (d *decoder) chooseValues(ctx context.Context, like statetree.Event, names []string, end int32) (grammar.StateParser, error) {
	p := grammar.NewStateParser(statetree.Forward, grammar.Base{}, &grammar.Expect{Names: names})
	open := []grammar.Special{grammar.FrameSep, grammar.CallSep, grammar.SrcSep}
	if like == statetree.Return {
		open[1] = grammar.ReturnSep
	}
	for _, s := range open {
		if err := p.Feed(s); err != nil {
			return p, fmt.Errorf("decoding: %w", err)
		}
	}
	if err := errors.Join(p.FeedText("x"), p.Feed(grammar.ArgSep)); err != nil {
		return p, fmt.Errorf("decoding: %w", err)
	}
	allowed := func(id int32) bool {
		if int(id) >= len(d.texts) { // engines pad their vocabulary
			return false
		}
		return d.texts[id] != "" && p.Try(d.texts[id])
	}
	for !p.Allows(grammar.ActionSep) {
		logits, err := d.logits(ctx)
		if err != nil {
			return p, err
		}
		id, logProb, ok := d.sampler.Choose(logits, allowed, d.sequence.IDs)
		if !ok {
			return p, errStuck
		}
		d.scores.addValue(&p, logProb)
		if err := p.FeedText(d.texts[id]); err != nil {
			return p, fmt.Errorf("decoding: %w", err)
		}
		d.append(id)
	}
	d.append(end)
	return p, p.Feed(grammar.ActionSep)
}

// addValue counts a token chosen where the parser stands.
func (s *scores) addValue(p *grammar.StateParser, logProb float64) {
	s.values += logProb
	if name := p.Variable(); name != "" {
		if s.locals == nil {
			s.locals = map[string]float64{}
		}
		s.locals[name] += logProb
	}
}

// chooseSource writes one of the lines that the frame can be at, and the special
// token behind it.
func (d *decoder) chooseSource(ctx context.Context, e statetree.Event, end int32) (string, error) {
	sources := d.listing.sources(d.options, e)
	tokens := make([][]int32, len(sources))
	left := make([]int, len(sources))
	for i, s := range sources {
		tokens[i] = append(d.text(nil, d.listing.written(s)+"\n"), end)
		left[i] = i
	}
	for at := 0; ; at++ {
		var ids []int32 // that can come next
		for _, i := range left {
			if id := tokens[i][at]; !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
		id := ids[0]
		if len(ids) > 1 {
			logits, err := d.logits(ctx)
			if err != nil {
				return "", err
			}
			var logProb float64
			id, logProb = d.sampler.ChooseAmong(logits, ids, d.sequence.IDs)
			d.scores.source += logProb
		}
		d.append(id)
		left = slices.DeleteFunc(left, func(i int) bool { return tokens[i][at] != id })
		if id == end {
			return sources[left[0]], nil
		}
	}
}
