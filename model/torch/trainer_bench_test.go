package torch

import (
	"fmt"
	"runtime"
	"testing"
)

// BenchmarkStep measures training steps of a small model on batches of 8,192
// tokens, all of them predicted, with a worker for each processor.
func BenchmarkStep(b *testing.B) {
	c := Config{
		ModelType: "llama", VocabSize: 768, HiddenSize: 192, IntermediateSize: 512, NumHiddenLayers: 6,
		NumAttentionHeads: 6, MaxPositionEmbeddings: 1024, RMSNormEps: 1e-5, TieWordEmbeddings: true,
	}
	for _, precision := range []Precision{Float32, BFloat16} {
		for _, length := range []int{128, 256, 512, 1024} {
			b.Run(fmt.Sprintf("%s/length=%d", precision, length), func(b *testing.B) {
				opt := DefaultOptimizer()
				opt.Precision = precision
				m, err := NewTrainer(c, opt, "cpu", 1)
				if err != nil {
					b.Fatal(err)
				}
				defer m.Close()
				if err := m.SetWorkers(runtime.NumCPU()); err != nil {
					b.Fatal(err)
				}
				const tokens = 8192
				lengths := make([]int, tokens/length)
				for i := range lengths {
					lengths[i] = length
				}
				batch := randomBatch(1, c.VocabSize, lengths...)
				for i := range batch.Predict {
					batch.Predict[i] = true
				}
				for range 2 {
					if _, err := m.Step([]Sequences{batch}, 1e-3); err != nil {
						b.Fatal(err)
					}
				}
				b.ResetTimer()
				for range b.N {
					if _, err := m.Step([]Sequences{batch}, 1e-3); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(tokens)*float64(b.N)/b.Elapsed().Seconds(), "tokens/s")
			})
		}
	}
}
