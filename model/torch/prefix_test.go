package torch

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// related is a batch of sequences that begin with the same tokens, none of which is to
// be predicted.
func related(seed uint64, vocab, prefix int, lengths ...int) Sequences {
	b := randomBatch(seed, vocab, lengths...)
	at := 0
	for _, n := range lengths {
		for i := range min(prefix, n) {
			b.Tokens[at+i], b.Predict[at+i] = b.Tokens[i], false
		}
		at += n
	}
	return b
}

// join puts batches one after another.
func join(batches ...Sequences) Sequences {
	var all Sequences
	for _, b := range batches {
		all.Tokens = append(all.Tokens, b.Tokens...)
		all.Predict = append(all.Predict, b.Predict...)
		all.Lengths = append(all.Lengths, b.Lengths...)
	}
	return all
}

// singly are a batch's sequences as batches.
func singly(b Sequences) []Sequences {
	var all []Sequences
	at := 0
	for _, n := range b.Lengths {
		all = append(all, Sequences{Tokens: b.Tokens[at : at+n], Predict: b.Predict[at : at+n], Lengths: []int{n}})
		at += n
	}
	return all
}

func TestPrefixGroups(t *testing.T) {
	// A sequence of length tokens is like the others of its family up to common, and
	// like none after it; from target on all is to be predicted.
	type sequence struct{ family, common, target, length int }
	for name, test := range map[string]struct {
		sequences []sequence
		want      []prefixGroup
	}{
		"strangers":           {[]sequence{{1, 80, 80, 100}, {2, 80, 80, 100}}, []prefixGroup{{0, 1, 0}, {1, 1, 0}}},
		"two groups":          {[]sequence{{1, 80, 90, 100}, {1, 80, 95, 99}, {2, 60, 80, 90}, {2, 60, 70, 80}, {2, 60, 90, 99}}, []prefixGroup{{0, 2, 80}, {2, 3, 60}}},
		"too little":          {[]sequence{{1, leastPrefix - 1, 60, 100}, {1, leastPrefix - 1, 60, 100}}, []prefixGroup{{0, 1, 0}, {1, 1, 0}}},
		"just enough":         {[]sequence{{1, leastPrefix, 60, 100}, {1, leastPrefix, 60, 100}}, []prefixGroup{{0, 2, leastPrefix}}},
		"a target in one":     {[]sequence{{1, 80, 80, 100}, {1, 80, 50, 100}}, []prefixGroup{{0, 2, 49}}},
		"targets at once":     {[]sequence{{1, 80, 80, 100}, {1, 80, 80, 100}}, []prefixGroup{{0, 2, 79}}},
		"a target at the end": {[]sequence{{1, 80, 99, 100}, {1, 80, 99, 100}}, []prefixGroup{{0, 2, 80}}},
		"no targets":          {[]sequence{{1, 80, 80, 80}, {1, 80, 80, 80}}, []prefixGroup{{0, 2, 79}}},
		"one token":           {[]sequence{{1, 1, 1, 1}, {1, 1, 1, 1}}, []prefixGroup{{0, 1, 0}, {1, 1, 0}}},
		// Two that share 100 save 100 tokens; with a third they would save twice 40.
		"less would be saved": {[]sequence{{1, 100, 110, 120}, {1, 100, 110, 120}, {1, 40, 110, 120}}, []prefixGroup{{0, 2, 100}, {2, 1, 0}}},
		"more is saved":       {[]sequence{{1, 100, 110, 120}, {1, 100, 110, 120}, {1, 60, 110, 120}}, []prefixGroup{{0, 3, 60}}},
	} {
		t.Run(name, func(t *testing.T) {
			var b Sequences
			for n, s := range test.sequences {
				b.Lengths = append(b.Lengths, s.length)
				for i := range s.length {
					token := 1000*s.family + i
					if i >= s.common {
						token = 10_000*(n+1) + i
					}
					b.Tokens = append(b.Tokens, int32(token))
					b.Predict = append(b.Predict, i >= s.target)
				}
			}
			if got := b.prefixGroups(); !slices.Equal(got, test.want) {
				t.Errorf("the groups are %+v, want %+v", got, test.want)
			}
		})
	}
}

// TestSharedPrefixes compares loss and gradients of sequences that share prefixes
// with those of the same sequences, each a batch of its own.
func TestSharedPrefixes(t *testing.T) {
	for name, c := range particularConfigs() {
		t.Run(name, func(t *testing.T) {
			together := join(
				related(3, c.VocabSize, 40, 70, 41, 290),
				randomBatch(4, c.VocabSize, 30),
				related(5, c.VocabSize, attentionBlock+9, attentionBlock+30, attentionBlock+10, 2*attentionBlock+20))
			if groups := together.prefixGroups(); len(groups) != 3 || groups[0].prefix < leastPrefix || groups[2].count != 3 {
				t.Fatalf("the groups are %+v", groups)
			}
			got, gotLoss := gradients(t, c, 1, together)
			want, wantLoss := gradients(t, c, 1, singly(together)...)
			if math.Abs(gotLoss-wantLoss) > 1e-5 {
				t.Errorf("the loss is %.7f, one by one %.7f", gotLoss, wantLoss)
			}
			compareGradients(t, got, want)
			shared, _ := gradients(t, c, 3, together)
			compareGradients(t, shared, want)
		})
	}
}

// TestSharedPrefixIsNearlyAll has equal sequences of which only the last token is to be
// predicted, and fewer of them than workers.
func TestSharedPrefixIsNearlyAll(t *testing.T) {
	c := tinyConfig()
	const n = 2*attentionBlock + 30
	b := related(1, c.VocabSize, n, n, n, n)
	for i := range b.Predict {
		b.Predict[i] = i%n == 0 || i%n == n-1 // the first never is, whatever is said
	}
	if groups := b.prefixGroups(); !slices.Equal(groups, []prefixGroup{{0, 3, n - 2}}) {
		t.Fatalf("the groups are %+v", groups)
	}
	want, _ := gradients(t, c, 1, singly(b)...)
	for _, workers := range []int{1, 2, 5} {
		got, _ := gradients(t, c, workers, b)
		compareGradients(t, got, want)
	}
}

// gradients are those of a model with spread weights.
func gradients(t *testing.T, c Config, workers int, batches ...Sequences) (flat []float32, loss float64) {
	t.Helper()
	m := newTrainer(t, c)
	if err := m.SetWorkers(workers); err != nil {
		t.Fatal(err)
	}
	return gradientsOf(t, m, batches...)
}

// gradientsOf are a model's when its weights are spread.
func gradientsOf(t *testing.T, m *Trainer, batches ...Sequences) (flat []float32, loss float64) {
	t.Helper()
	spread(t, m)
	m.opt.ClipNorm = 0
	result, err := m.Step(batches, 0)
	if err != nil {
		t.Fatal(err)
	}
	entries, err := m.entries(m.workers[0].grad, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		flat = append(flat, e.Data...)
	}
	return flat, result.Loss
}

func compareGradients(t *testing.T, got, want []float32) {
	t.Helper()
	for i := range want {
		if diff := math.Abs(float64(got[i] - want[i])); diff > 1e-4*(1+math.Abs(float64(want[i]))) {
			t.Fatalf("gradient %d is %g, one by one %g", i, got[i], want[i])
		}
	}
}

// TestSplitCutsGroups shares out groups that are unequal: no share costs much more
// than its part, and all sequences are there once.
func TestSplitCutsGroups(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for round := range 50 {
		var parts []Sequences
		for i := range 1 + random.IntN(5) {
			var lengths []int
			for range 1 + random.IntN(8) {
				lengths = append(lengths, 110+random.IntN(200))
			}
			parts = append(parts, related(uint64(100*round+i), 1000, 100, lengths...))
		}
		b := join(parts...)
		costs, longest := make([]float64, 2), 0.0
		total := 0
		for i, share := range b.split(2) {
			total += len(share.Lengths)
			if len(share.Lengths) == 0 {
				continue
			}
			if err := share.check(Config{VocabSize: 1000, MaxPositionEmbeddings: 1000}); err != nil {
				t.Fatal(err)
			}
			costs[i] = share.Cost()
			for _, g := range share.prefixGroups() {
				for _, n := range share.Lengths[g.first:][:g.count] {
					longest = max(longest, cost(n-g.prefix, g.prefix)+cost(g.prefix, 0))
				}
			}
		}
		if total != len(b.Lengths) {
			t.Fatalf("round %d: %d sequences of %d", round, total, len(b.Lengths))
		}
		if math.Abs(costs[0]-costs[1]) > longest {
			t.Errorf("round %d: the shares cost %.0f, with %.0f for the most expensive sequence", round, costs, longest)
		}
	}
}

// TestCostOfSharedPrefixes compares a batch whose sequences share what they begin with
// to one of strangers as long.
func TestCostOfSharedPrefixes(t *testing.T) {
	lengths := []int{150, 120, 180}
	alone, shared := randomBatch(1, 1000, lengths...).Cost(), related(1, 1000, 100, lengths...).Cost()
	if want := alone - 2*cost(99, 0); math.Abs(shared-want) > 2*cost(2, 100) {
		t.Errorf("with 100 tokens shared by three it costs %.0f, alone %.0f; want about %.0f", shared, alone, want)
	}
}
