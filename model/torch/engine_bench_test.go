package torch

import (
	"context"
	"fmt"
	"testing"
)

// BenchmarkDecode measures single tokens after a context, on a model of 2.8 M
// weights.
func BenchmarkDecode(b *testing.B) {
	c := Config{
		ModelType: "llama", VocabSize: 768, HiddenSize: 192, IntermediateSize: 512, NumHiddenLayers: 6,
		NumAttentionHeads: 6, MaxPositionEmbeddings: 2048, RMSNormEps: 1e-5, TieWordEmbeddings: true,
	}
	m, err := NewTrainer(c, DefaultOptimizer(), "cpu", 1)
	if err != nil {
		b.Fatal(err)
	}
	defer m.Close()
	dir := b.TempDir()
	if err := m.SaveModel(dir); err != nil {
		b.Fatal(err)
	}
	e, err := OpenEngine(dir, EngineOptions{Device: "cpu"})
	if err != nil {
		b.Fatal(err)
	}
	defer e.Close()
	ctx := context.Background()
	for _, past := range []int{100, 500} {
		b.Run(fmt.Sprintf("context=%d", past), func(b *testing.B) {
			cache, err := e.NewCache()
			if err != nil {
				b.Fatal(err)
			}
			defer cache.Close()
			if _, err := cache.Extend(ctx, randomBatch(1, c.VocabSize, past).Tokens, past); err != nil {
				b.Fatal(err)
			}
			b.ResetTimer()
			for range b.N {
				if _, err := cache.Extend(ctx, []int32{5}, 0); err != nil {
					b.Fatal(err)
				}
				if err := cache.Rewind(past); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	for _, n := range []int{2, 4, 8, 16} {
		b.Run(fmt.Sprintf("tokens=%d", n), func(b *testing.B) {
			cache, err := e.NewCache()
			if err != nil {
				b.Fatal(err)
			}
			defer cache.Close()
			ids := randomBatch(1, c.VocabSize, 100+n).Tokens
			if _, err := cache.Extend(ctx, ids[:100], 100); err != nil {
				b.Fatal(err)
			}
			b.ResetTimer()
			for range b.N {
				if _, err := cache.Extend(ctx, ids[100:], n-1); err != nil {
					b.Fatal(err)
				}
				if err := cache.Rewind(100); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("prompt=500", func(b *testing.B) {
		ids := randomBatch(1, c.VocabSize, 500).Tokens
		for range b.N {
			cache, err := e.NewCache()
			if err != nil {
				b.Fatal(err)
			}
			if _, err := cache.Extend(ctx, ids, 499); err != nil {
				b.Fatal(err)
			}
			cache.Close()
		}
	})
}

// BenchmarkDecodeLarge measures single tokens on a model that no cache holds, beside
// what the memory gives.
func BenchmarkDecodeLarge(b *testing.B) {
	for _, kind := range []string{"float32", "bfloat16"} {
		b.Run(kind, func(b *testing.B) { benchmarkDecodeLarge(b, kind) })
	}
}

func benchmarkDecodeLarge(b *testing.B, kind string) {
	e, err := OpenRandomEngine(Config{
		ModelType: "llama", VocabSize: 32000, HiddenSize: 768, IntermediateSize: 2048, NumHiddenLayers: 16,
		NumAttentionHeads: 12, NumKeyValueHeads: 4, MaxPositionEmbeddings: 2048, RMSNormEps: 1e-5, TieWordEmbeddings: true,
	}, EngineOptions{Device: "cpu", Kind: kind})
	if err != nil {
		b.Fatal(err)
	}
	defer e.Close()
	cache, err := e.NewCache()
	if err != nil {
		b.Fatal(err)
	}
	defer cache.Close()
	ctx := context.Background()
	if _, err := cache.Extend(ctx, randomBatch(1, e.config.VocabSize, 100).Tokens, 100); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(e.DecodeTraffic(100))
	b.ResetTimer()
	for range b.N {
		if _, err := cache.Extend(ctx, []int32{5}, 0); err != nil {
			b.Fatal(err)
		}
		if err := cache.Rewind(100); err != nil {
			b.Fatal(err)
		}
	}
	b.StopTimer()
	read, err := e.ReadBandwidth()
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(read/1e6, "read-MB/s")
}
