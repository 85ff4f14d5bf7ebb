package torch

import (
	"math"
	"slices"
	"testing"
)

// TestWorkersAgree compares losses, gradients and updates of one worker and
// several, more than there are sequences among them.
func TestWorkersAgree(t *testing.T) {
	c := tinyConfig()
	batches := []Sequences{randomBatch(3, c.VocabSize, 50, 1, 140, 7), randomBatch(4, c.VocabSize, 20)}
	var want []float32
	var wantLoss float64
	for _, n := range []int{1, 2, 7} {
		m := newTrainer(t, c)
		spread(t, m)
		if err := m.SetWorkers(n); err != nil {
			t.Fatal(err)
		}
		if _, err := m.Step(batches, 0.01); err != nil {
			t.Fatal(err)
		}
		result, err := m.Loss(batches)
		if err != nil {
			t.Fatal(err)
		}
		entries, err := m.entries(m.theta, "")
		if err != nil {
			t.Fatal(err)
		}
		var got []float32
		for _, e := range entries {
			got = append(got, e.Data...)
		}
		if n == 1 {
			want, wantLoss = got, result.Loss
			continue
		}
		if math.Abs(result.Loss-wantLoss) > 1e-4 {
			t.Errorf("%d workers: loss after a step is %.6f, with one %.6f", n, result.Loss, wantLoss)
		}
		for i := range got {
			if math.Abs(float64(got[i]-want[i])) > 1e-3 {
				t.Fatalf("%d workers: weight %d is %g, with one %g", n, i, got[i], want[i])
			}
		}
	}
}

func TestSplitSharesEvenly(t *testing.T) {
	b := randomBatch(1, 11, 300, 10, 20, 100, 90, 110, 5)
	shares := b.split(3)
	var lengths []int
	for i, s := range shares {
		if err := s.check(tinyConfig()); err != nil {
			t.Errorf("share %d: %v", i, err)
		}
		lengths = append(lengths, s.Lengths...)
	}
	slices.Sort(lengths)
	if !slices.Equal(lengths, []int{5, 10, 20, 90, 100, 110, 300}) {
		t.Errorf("the shares have lengths %v", lengths)
	}
	if !slices.Equal(shares[0].Lengths, []int{300}) {
		t.Errorf("the first share is %v, want the longest sequence alone", shares[0].Lengths)
	}
}
