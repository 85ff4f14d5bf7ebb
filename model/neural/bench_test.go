package neural

import (
	"testing"

	"github.com/neuraldbg/neuraldbg/model"
)

// BenchmarkStep measures what decoding costs beside the engine: one state of
// the golden run, by a model that knows it.
func BenchmarkStep(b *testing.B) {
	f := newFixture(b)
	whole := f.stepInto()
	known := f.tokens(&whole)
	// The engine looks its logits up.
	next := map[int]int32{}
	for i, id := range known[1:] {
		next[i+1] = id
	}
	logits := make([]float32, f.tokenizer.Size())
	e := f.engine(func(history []int32) []float32 {
		clear(logits)
		logits[next[len(history)]] = 20
		return logits
	})
	s := f.open(f.predictor(e), &whole, model.Sampling{})
	for b.Loop() {
		for _, step := range whole.Steps {
			f.predict(s, step.Action)
		}
		if err := s.Rewind(len(whole.Steps)); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(whole.Steps)), "µs/state")
}
