package neural

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/neuraldbg/neuraldbg/model"
)

// logits4 are the logarithms of the probabilities .1 .2 .3 .4.
var logits4 = []float32{float32(math.Log(.1)), float32(math.Log(.2)), float32(math.Log(.3)), float32(math.Log(.4))}

func anyToken(int32) bool { return true }

func TestChooseAllowedRenormalises(t *testing.T) {
	for _, tt := range []struct {
		name    string
		allowed func(int32) bool
		id      int32
		prob    float64
	}{
		{"all", anyToken, 3, .4},
		{"without the highest", func(id int32) bool { return id != 3 }, 2, .5},
		{"two low ones", func(id int32) bool { return id < 2 }, 1, 2. / 3},
		{"one", func(id int32) bool { return id == 0 }, 0, 1},
	} {
		c, ok := sampler{}.chooseAllowed(logits4, tt.allowed, nil)
		if !ok || c.id != tt.id || math.Abs(math.Exp(c.logProb)-tt.prob) > 1e-6 {
			t.Errorf("%s: id %d with %.4f, want %d with %.4f", tt.name, c.id, math.Exp(c.logProb), tt.id, tt.prob)
		}
	}
	if _, ok := (sampler{}).chooseAllowed(logits4, func(int32) bool { return false }, nil); ok {
		t.Error("chose a token where none is allowed")
	}
}

func TestChooseAmong(t *testing.T) {
	c := sampler{}.chooseAmong(logits4, []int32{0, 2, 1}, nil)
	if c.id != 2 || math.Abs(math.Exp(c.logProb)-.5) > 1e-6 {
		t.Errorf("id %d with %.4f, want 2 with .5", c.id, math.Exp(c.logProb))
	}
}

// Drawing follows the tempered distribution, and the nucleus bounds it.
func TestDrawingFollowsTheDistribution(t *testing.T) {
	for _, tt := range []struct {
		name     string
		sampling model.Sampling
		want     [4]float64
	}{
		{"temperature 1", model.Sampling{Temperature: 1}, [4]float64{.1, .2, .3, .4}},
		{"temperature 0.5", model.Sampling{Temperature: .5}, [4]float64{1. / 30, 4. / 30, 9. / 30, 16. / 30}},
		{"nucleus", model.Sampling{Temperature: 1, TopP: .6}, [4]float64{0, 0, 3. / 7, 4. / 7}},
	} {
		const draws = 20000
		var counts [4]int
		for i := range draws {
			c, _ := sampler{tt.sampling}.chooseAllowed(logits4, anyToken, []int32{int32(i)})
			counts[c.id]++
		}
		for id, want := range tt.want {
			if got := float64(counts[id]) / draws; math.Abs(got-want) > .015 {
				t.Errorf("%s: token %d drawn with frequency %.3f, want %.3f", tt.name, id, got, want)
			}
		}
	}
}

func TestRandomnessIsSeedAndHistory(t *testing.T) {
	history := []int32{5, 6, 7}
	if uniform(1, history) != uniform(1, []int32{5, 6, 7}) {
		t.Error("the same seed and history give two numbers")
	}
	if uniform(1, history) == uniform(2, history) {
		t.Error("the seed does not matter")
	}
	if uniform(1, history) == uniform(1, history[:2]) {
		t.Error("the history does not matter")
	}
}

func TestUnusableLogits(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(-1))
	for _, logits := range [][]float32{
		{nan, nan, nan}, {inf, inf, inf}, {nan, 1, inf}, {float32(math.Inf(1)), 0, 0}, {0, -2000, -4000},
	} {
		for _, temperature := range []float64{0, 1} {
			s := sampler{model.Sampling{Temperature: temperature}}
			last := func(id int32) bool { return id == 2 }
			c, ok := s.chooseAllowed(logits, last, nil)
			if !ok || c.id != 2 {
				t.Errorf("%v: chose %d, %v; only 2 is allowed", logits, c.id, ok)
			}
			if p := math.Exp(c.logProb); math.IsNaN(p) || p < 0 || p > 1 {
				t.Errorf("%v: probability %v", logits, p)
			}
			c = s.chooseAmong(logits, []int32{1, 2}, nil)
			if p := math.Exp(c.logProb); math.IsNaN(p) || p < 0 || p > 1 {
				t.Errorf("%v: probability %v among two", logits, p)
			}
		}
	}
}

func TestRankingSorts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	logits := make([]float32, 257)
	for i := range logits {
		logits[i] = float32(rng.IntN(40))
	}
	r := newRanking(logits)
	var n int
	for last := float32(math.Inf(1)); ; n++ {
		id, ok := r.next()
		if !ok {
			break
		}
		if logits[id] > last {
			t.Fatalf("%v after %v", logits[id], last)
		}
		last = logits[id]
	}
	if n != len(logits) {
		t.Errorf("%d ids of %d", n, len(logits))
	}
}
