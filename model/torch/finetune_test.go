package torch

import (
	"math"
	"path/filepath"
	"testing"
)

// crossEntropy is the mean negative log likelihood of tokens 1… under logits
// [tokens, vocab], in nats.
func crossEntropy(e expectation) float64 {
	vocab := len(e.logits) / len(e.tokens)
	sum := 0.0
	for i, id := range e.tokens[1:] {
		row := e.logits[i*vocab : (i+1)*vocab]
		total := 0.0
		for _, l := range row {
			total += math.Exp(float64(l))
		}
		sum += math.Log(total) - float64(row[id])
	}
	return sum / float64(len(e.tokens)-1)
}

// TestFineTunesWhatTheEngineLoads begins training with checkpoints of all
// architectures: their loss is what transformers' logits say, some steps lower it,
// and the engine computes with what was saved as the trainer does.
func TestFineTunesWhatTheEngineLoads(t *testing.T) {
	for _, name := range transformersCheckpoints {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(transformersFolder, name)
			want := readExpectation(t, dir)
			c, err := ReadConfig(dir)
			if err != nil {
				t.Fatal(err)
			}
			m, err := NewTrainerFrom(dir, c, DefaultOptimizer(), "cpu")
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			batch := Sequences{Tokens: want.tokens, Lengths: []int{len(want.tokens)}, Predict: make([]bool, len(want.tokens))}
			for i := range batch.Predict {
				batch.Predict[i] = true
			}
			loss := func() float64 {
				r, err := m.Loss([]Sequences{batch})
				if err != nil {
					t.Fatal(err)
				}
				return r.Loss
			}
			before := loss()
			if expected := crossEntropy(want); math.Abs(before-expected) > 1e-4*expected {
				t.Errorf("the loss is %.5f, by transformers' logits %.5f", before, expected)
			}
			for range 5 {
				if _, err := m.Step([]Sequences{batch}, 1e-3); err != nil {
					t.Fatal(err)
				}
			}
			after := loss()
			if !(after < before) {
				t.Errorf("the loss went from %.5f to %.5f", before, after)
			}
			saved := t.TempDir()
			if err := m.SaveModel(saved); err != nil {
				t.Fatal(err)
			}
			e := openEngine(t, saved, EngineOptions{Device: "cpu", Kind: "float32"})
			again := expectation{want.tokens, extend(t, newCache(t, e), want.tokens, 0)}
			if by := crossEntropy(again); math.Abs(by-after) > 1e-4*after {
				t.Errorf("the engine's loss is %.5f, the trainer's %.5f", by, after)
			}
		})
	}
}
