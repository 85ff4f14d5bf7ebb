package dataset

import (
	"context"
	"reflect"
	"slices"
	"testing"
)

// lengths are the mean lengths of the sequences in each batch.
func lengths(batches []Batch) []float64 {
	var means []float64
	for _, b := range batches {
		sum := 0
		for _, n := range b.Lengths {
			sum += n
		}
		means = append(means, float64(sum)/float64(len(b.Lengths)))
	}
	return means
}

func mean(x []float64) float64 {
	sum := 0.
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// TestCurriculumGoesFromShortToLong has sequences of 2 to 40 tokens, in shards
// that are smaller than the curriculum.
func TestCurriculumGoesFromShortToLong(t *testing.T) {
	dir := numbered(t, 700, 800, 900)
	opts := SourceOptions{Seed: 1, BatchTokens: 100, Window: 64, Epochs: 2, Curriculum: 20 * 1500}
	s := open(t, dir, opts)
	var course, rest, later []Batch
	for {
		at := s.at
		b, err := s.Next(context.Background())
		if err != nil {
			break
		}
		switch {
		case s.at.Epoch > 0:
			later = append(later, b)
		case s.at.Window == 0 && at.Window == 0:
			course = append(course, b)
		default:
			rest = append(rest, b)
		}
	}
	quarter := len(course) / 4
	first, last := mean(lengths(course[:quarter])), mean(lengths(course[3*quarter:]))
	if first > 20 || last < 32 {
		t.Errorf("the curriculum's first quarter has sequences of %.1f tokens and its last of %.1f", first, last)
	}
	if most := slices.Max(lengths(course[:len(course)/20])); most > 20 {
		t.Errorf("a batch at the beginning has sequences of %.1f tokens", most)
	}
	if least := slices.Min(lengths(course[3*quarter:])); least > 18 {
		t.Errorf("no batch at the curriculum's end has sequences shorter than %.1f tokens", least)
	}
	for name, batches := range map[string][]Batch{"after the curriculum": rest, "in the second epoch": later} {
		half := len(batches) / 2
		if a, b := mean(lengths(batches[:half])), mean(lengths(batches[half:])); a < 0.9*b {
			t.Errorf("%s the first half has sequences of %.1f tokens and the second of %.1f", name, a, b)
		}
	}

	tokens := 0
	var ids []int32
	for _, b := range course {
		for _, q := range cut(b) {
			tokens += len(q.InputIDs)
			ids = append(ids, q.InputIDs[0])
		}
	}
	if tokens < 28_000 || tokens > 33_000 {
		t.Errorf("the curriculum has %d tokens, 30,000 were asked for", tokens)
	}
	for _, b := range rest {
		for _, q := range cut(b) {
			ids = append(ids, q.InputIDs[0])
		}
	}
	slices.Sort(ids)
	if len(ids) != 2400 || len(slices.Compact(ids)) != 2400 {
		t.Errorf("the first epoch has %d sequences, of which %d are different; want 2400", len(ids), len(slices.Compact(ids)))
	}
}

func TestCurriculumRestores(t *testing.T) {
	dir := numbered(t, 300, 300)
	opts := SourceOptions{Seed: 3, BatchTokens: 100, Window: 64, Epochs: 2, Curriculum: 4000}
	all := drain(t, open(t, dir, opts))
	for _, n := range []int{0, 1, 30, 100, len(all) - 1} {
		if rest := drain(t, restored(t, dir, opts, n)); !reflect.DeepEqual(rest, all[n:]) {
			t.Errorf("after %d batches the stream goes on in another way", n)
		}
	}
	state, err := open(t, dir, opts).State()
	if err != nil {
		t.Fatal(err)
	}
	opts.Curriculum = 5000
	if err := open(t, dir, opts).Restore(state); err == nil {
		t.Error("a state of another curriculum is accepted")
	}
	opts.Curriculum = 1 << 40 // more than there is
	if got := len(drain(t, open(t, dir, opts))); got == 0 {
		t.Error("a curriculum longer than the dataset gives nothing")
	}
}
