package neural

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/grammar"
)

// together are decoders of the step_into from where s stands, each with a sampler
// of its own, and their sequences.
func (f fixture) together(s *session, samplings []model.Sampling) []*decoder {
	last := s.last()
	o := s.listing.options(last.history, last.place, action(statetree.StepInto))
	ids := s.predictor.vocabulary.appendSegments(slices.Clone(s.sequence.ids), grammar.AppendAction(nil, action(statetree.StepInto)))
	var decoders []*decoder
	for _, sampling := range samplings {
		seq := &sequence{ids: slices.Clone(ids), limit: s.sequence.limit}
		decoders = append(decoders, newDecoder(s.predictor, sampler{sampling}, seq, s.listing, o, func(e *grammar.Expect) grammar.StateParser {
			return last.history.Parser(statetree.StepInto, e)
		}))
	}
	return decoders
}

// Outcomes that are decoded together are those that come one after another, for
// each seed and each length, with the same confidence; each token of all of them
// takes one pass.
func TestTogetherAsOneByOne(t *testing.T) {
	f := newFixture(t)
	whole := f.stepInto()
	samplings := []model.Sampling{{}}
	for seed := range uint64(7) {
		samplings = append(samplings, model.Sampling{Temperature: 1, TopP: .98, Seed: seed})
	}
	different := map[string]bool{}
	for seed := range uint64(6) {
		e := f.engine(f.closing(atRandom(f.tokenizer.Size(), seed)))
		s := f.open(f.predictor(e), &whole, model.Sampling{})
		for range 2 {
			alone := f.together(s, samplings)
			var want []decoded
			longest, all := int64(0), e.passes.Load()
			for _, d := range alone {
				d.sequence.network = s.sequence.network
				before := e.passes.Load()
				outcome, err := d.run(t.Context())
				want = append(want, decoded{outcome, err})
				longest = max(longest, e.passes.Load()-before)
			}
			all = e.passes.Load() - all

			decoders, before := f.together(s, samplings), e.passes.Load()
			got, err := decodeTogether(t.Context(), s.sequence, decoders)
			if err != nil {
				t.Fatal(err)
			}
			for i, d := range decoders {
				if !slices.Equal(d.sequence.ids, alone[i].sequence.ids) || (got[i].err == nil) != (want[i].err == nil) {
					t.Fatalf("model %d, sampler %d: %q, alone %q", seed, i, f.tokenizer.Decode(d.sequence.ids), f.tokenizer.Decode(alone[i].sequence.ids))
				}
				if c, w := d.certainty.confidence(got[i].outcome), alone[i].certainty.confidence(want[i].outcome); fmt.Sprint(c) != fmt.Sprint(w) {
					t.Errorf("model %d, sampler %d: confidence %v, alone %v", seed, i, c, w)
				}
				different[f.tokenizer.Decode(d.sequence.ids)] = true
			}
			if passes := e.passes.Load() - before; passes > longest+1 || passes*2 > all {
				t.Errorf("%d passes; one by one the longest took %d, and all %d", passes, longest, all)
			}
			f.predict(s, action(statetree.StepInto))
		}
	}
	if len(different) < 20 {
		t.Errorf("there were only %d different texts", len(different))
	}
}

// A batch that fails costs the alternatives, and one that is cancelled the
// prediction; the session goes on after both.
func TestTogetherFails(t *testing.T) {
	f := newFixture(t)
	whole := f.stepInto()
	e := f.byHeart(whole)
	e.logits = byHeart(f.tokenizer.Size(), 6, f.tokens(&whole))
	s := f.open(f.predictor(e), &whole, model.Sampling{Alternatives: 3})
	found := 0
	for _, step := range whole.Steps {
		e.onBatch = func() error { return errors.New("out of order") }
		p := f.predict(s, step.Action)
		if !p.State.Matches(step.Outcome.State) || len(p.Alternatives) > 0 {
			t.Fatalf("without a batch: %+v, want %+v", p, step.Outcome)
		}
		if err := s.Rewind(1); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		tried := false
		e.onBatch = func() error { cancel(); tried = true; return nil }
		switch _, err := s.Predict(ctx, step.Action); {
		case tried != errors.Is(err, context.Canceled):
			t.Fatalf("cancelled in a batch: %v; error is %v", tried, err)
		case err == nil: // nothing else there may be
			if err := s.Rewind(1); err != nil {
				t.Fatal(err)
			}
		}
		cancel()
		e.onBatch = nil
		p = f.predict(s, step.Action)
		if !p.State.Matches(step.Outcome.State) {
			t.Fatalf("after both: %+v, want %+v", p, step.Outcome)
		}
		found += len(p.Alternatives)
		if n := e.open.Load(); n != 1 {
			t.Fatalf("%d caches and batches are open for a session", n)
		}
	}
	if found == 0 {
		t.Error("there were no alternatives")
	}
}

// A sequence whose logits are no numbers ends alone.
func TestTogetherWithDamage(t *testing.T) {
	f := newFixture(t)
	whole := f.stepInto()
	logits := f.closing(atRandom(f.tokenizer.Size(), 2))
	damaged := int32(-1)
	e := f.engine(func(history []int32) []float32 {
		row := logits(history)
		if slices.Contains(history, damaged) {
			row[0] = float32(math.NaN())
		}
		return row
	})
	s := f.open(f.predictor(e), &whole, model.Sampling{})
	var samplings []model.Sampling
	for seed := range uint64(6) {
		samplings = append(samplings, model.Sampling{Temperature: 2, Seed: seed})
	}
	sound := f.together(s, samplings)
	if _, err := decodeTogether(t.Context(), s.sequence, sound); err != nil {
		t.Fatal(err)
	}
	// A token that some of the texts have is what damages them.
	count := func(id int32) (n int) {
		for _, d := range sound {
			if slices.Contains(d.sequence.ids[:len(d.sequence.ids)-1], id) && !slices.Contains(s.sequence.ids, id) {
				n++
			}
		}
		return n
	}
	for id := range int32(f.tokenizer.Size()) {
		if n := count(id); n > 0 && n < len(sound) {
			damaged = id
			break
		}
	}
	decoders := f.together(s, samplings)
	results, err := decodeTogether(t.Context(), s.sequence, decoders)
	if err != nil || damaged < 0 {
		t.Fatal(err, damaged)
	}
	ended := 0
	for i, r := range results {
		switch {
		case slices.Equal(decoders[i].sequence.ids, sound[i].sequence.ids):
		case errors.Is(r.err, errNotNumbers):
			ended++
		default:
			t.Errorf("sampler %d: %v, with other tokens", i, r.err)
		}
	}
	if ended == 0 || ended == len(results) {
		t.Errorf("%d of %d sequences ended with NaN", ended, len(results))
	}
}
