package train

import (
	"bytes"
	"context"
	"math"
	"strings"
	"testing"

	"github.com/neuraldbg/neuraldbg/model/torch"
)

func TestMixtureTakesPartsByWeight(t *testing.T) {
	a, b := &copySource{seed: 1}, &copySource{seed: 2}
	m, err := Mix(7, []Part{{a, 3}, {b, 1}})
	if err != nil {
		t.Fatal(err)
	}
	const n = 2000
	for range n {
		if _, err := m.Next(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	if a.given+b.given != n {
		t.Fatalf("%d and %d batches were taken, want %d in all", a.given, b.given, n)
	}
	if part := float64(a.given) / n; math.Abs(part-0.75) > 0.03 {
		t.Errorf("%.3f of the batches are of the first part, want 0.75", part)
	}
}

func TestMixtureGoesOnAtItsState(t *testing.T) {
	mix := func() Source {
		m, err := Mix(7, []Part{{&copySource{seed: 1}, 1}, {&copySource{seed: 2}, 2}})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	next := func(s Source) torch.Sequences {
		b, err := s.Next(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	first := mix()
	for range 13 {
		next(first)
	}
	state, err := first.State()
	if err != nil {
		t.Fatal(err)
	}
	second := mix()
	if err := second.Restore(state); err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		a, b := next(first), next(second)
		for j := range a.Tokens {
			if a.Tokens[j] != b.Tokens[j] {
				t.Fatalf("batch %d after the state differs", i)
			}
		}
	}
	three, err := Mix(7, []Part{{&copySource{}, 1}, {&copySource{}, 1}, {&copySource{}, 1}})
	if err != nil {
		t.Fatal(err)
	}
	for state, want := range map[string]string{
		string(state):                        "the number of its parts was 2 when it was saved, now it is 3",
		`{"epoch": 0, "batching": "by any"}`: "the number of its parts was 1 when it was saved, now it is 3",
	} {
		if err := three.Restore([]byte(state)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the state %s: %v, want %q", state, err, want)
		}
	}
}

func TestMixtureIsChecked(t *testing.T) {
	if _, err := Mix(1, nil); err == nil {
		t.Error("a mixture of nothing is not refused")
	}
	if _, err := Mix(1, []Part{{&copySource{}, 0}}); err == nil {
		t.Error("a weight of 0 is not refused")
	}
}

// TestFineTunes checks that a run that begins with another's model goes on from
// its loss, with a constant rate.
func TestFineTunes(t *testing.T) {
	base, tuned := t.TempDir(), t.TempDir()
	if err := Run(context.Background(), copyConfig(base, 150_000), &copySource{seed: 1}, nil, &bytes.Buffer{}); err != nil {
		t.Fatal(err)
	}
	from, err := Latest(base)
	if err != nil {
		t.Fatal(err)
	}
	c := copyConfig(tuned, 2_000)
	c.Init, c.Schedule, c.LearningRate, c.Warmup = from, Constant, 1e-4, 0
	if err := Run(context.Background(), c, &copySource{seed: 3}, nil, &bytes.Buffer{}); err != nil {
		t.Fatal(err)
	}
	before, after := lastMetrics(t, base), lastMetrics(t, tuned)
	if after.Loss > before.Loss+0.1 {
		t.Errorf("the loss was %.3f and is %.3f after fine-tuning", before.Loss, after.Loss)
	}
	if after.LearningRate != 1e-4 {
		t.Errorf("the last learning rate is %g, want 1e-4", after.LearningRate)
	}
	c.Dir, c.Model.HiddenSize = t.TempDir(), 64
	if err := Run(context.Background(), c, &copySource{seed: 3}, nil, &bytes.Buffer{}); err == nil {
		t.Error("a model of another shape than the configuration's is not refused")
	}
}

func TestEstimate(t *testing.T) {
	c := copyConfig(t.TempDir(), 400_000)
	e, err := Plan(context.Background(), c, &copySource{seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	model, err := c.newTrainer()
	if err != nil {
		t.Fatal(err)
	}
	defer model.Close()
	if want := model.Config().Parameters(); e.Parameters != want {
		t.Errorf("%d parameters, want %d", e.Parameters, want)
	}
	if e.Tokens != 400_000 || e.TokensPerSecond <= 0 || e.TokensPerProcessorSecond < 0.4*e.TokensPerSecond || e.Memory < int64(16*e.Parameters) {
		t.Errorf("estimate is %+v", e)
	}
	if list, err := checkpoints(c.Dir); err != nil || len(list) > 0 {
		t.Errorf("a plan left checkpoints: %v, %v", list, err)
	}
}
