package neural

import (
	"cmp"
	"context"
	"slices"

	"github.com/neuraldbg/neuraldbg/model"
)

// alternatives decodes the other outcomes that were asked for: those that come
// of taking, at one decision, the second most probable token and going on
// greedily. Decisions whose other branch is the most probable come first. The
// main outcome was decoded by d, after answer tokens of the sequence.
func (s *session) alternatives(ctx context.Context, d *decoder, o options, answer int, parser parserFor) ([]model.Alternative, error) {
	if s.sampler.sampling.Alternatives <= 0 {
		return nil, nil
	}
	seen, err := d.parser.Outcome()
	if err != nil {
		return nil, err
	}
	found := []model.Alternative{{Outcome: seen}}
	others := s.otherDecoders(d, o, answer, parser)
	results, err := decodeTogether(ctx, s.sequence, others)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil { // the prediction is there; what is missing is what else there may be
		return nil, nil
	}
	for i, other := range others {
		outcome := results[i].outcome
		if results[i].err != nil || other.truncated { // an alternative that does not end is none
			continue
		}
		if slices.ContainsFunc(found, func(a model.Alternative) bool {
			return a.Exit == outcome.Exit && a.State.Matches(outcome.State)
		}) {
			continue
		}
		if !outcome.Ended() {
			s.listing.locate(&outcome.State, o)
		}
		found = append(found, model.Alternative{Outcome: outcome, Confidence: other.certainty.confidence(outcome)})
	}
	found = found[1:]
	slices.SortStableFunc(found, func(a, b model.Alternative) int { return cmp.Compare(b.Confidence.State, a.Confidence.State) })
	return found, nil
}

// otherDecoders are to decode the alternatives, each with the beginning of d's
// decisions as its script.
func (s *session) otherDecoders(d *decoder, o options, answer int, parser parserFor) []*decoder {
	greedy := s.sampler
	greedy.sampling.Temperature = 0
	var others []*decoder
	for _, script := range d.otherBranches(s.sampler.sampling.Alternatives) {
		sequence := &sequence{ids: slices.Clone(s.sequence.ids[:answer]), limit: s.sequence.limit, short: s.sequence.short}
		other := newDecoder(s.predictor, greedy, sequence, s.listing, o, parser)
		other.script = script
		others = append(others, other)
	}
	return others
}

// otherBranches returns the choices up to a decision and the other token there,
// for the n decisions at which the other token is the most probable.
func (d *decoder) otherBranches(n int) [][]choice {
	type branch struct {
		at      int
		logProb float64
	}
	var branches []branch
	var sofar float64
	for i, made := range d.decisions {
		if !made.only {
			branches = append(branches, branch{i, sofar + made.next.logProb})
		}
		sofar += made.logProb
	}
	slices.SortStableFunc(branches, func(a, b branch) int { return cmp.Compare(b.logProb, a.logProb) })
	if len(branches) > n {
		branches = branches[:n]
	}
	scripts := make([][]choice, len(branches))
	for i, b := range branches {
		for _, made := range d.decisions[:b.at] {
			scripts[i] = append(scripts[i], made.choice)
		}
		scripts[i] = append(scripts[i], d.decisions[b.at].next)
	}
	return scripts
}
