package torch

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/neuraldbg/neuraldbg/model/neural"
)

func newFork(t *testing.T, c neural.Cache, lengths ...int) neural.Batch {
	t.Helper()
	b, err := c.Fork(lengths)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

func extendAll(t *testing.T, b neural.Batch, ids ...[]int32) [][]float32 {
	t.Helper()
	logits, err := b.Extend(context.Background(), ids)
	if err != nil {
		t.Fatal(err)
	}
	return logits
}

// checkBatch extends sequences which share more or less of a trunk, by spans of all
// lengths, some by nothing, and has check compare each one's logits with those of the
// sequence alone. The trunk is what it was then.
func checkBatch(t *testing.T, e *Engine, check func(what string, sequence []int32, logits []float32)) {
	t.Helper()
	vocab := e.VocabSize()
	trunk := randomBatch(3, vocab, 50).Tokens
	cache := newCache(t, e)
	extend(t, cache, trunk, len(trunk))
	lengths := []int{50, 31, 50, 0, 7, 31}
	fork := newFork(t, cache, lengths...)
	sequences := make([][]int32, len(lengths))
	for i, n := range lengths {
		sequences[i] = slices.Clone(trunk[:n])
	}
	random := rand.New(rand.NewPCG(8, 8))
	for pass, spans := range [][]int{{1, 1, 1, 1, 1, 1}, {3, 0, 25, 1, 2, 0}, {1, 1, 0, 1, 1, 0}, {0, 0, 0, 0, 9, 0}, {0, 0, 0, 0, 1, 0}, {1, 1, 1, 1, 1, 1}} {
		pending := make([][]int32, len(spans))
		for i, n := range spans {
			for range n {
				pending[i] = append(pending[i], int32(random.IntN(vocab)))
			}
			sequences[i] = append(sequences[i], pending[i]...)
		}
		for i, got := range extendAll(t, fork, pending...) {
			switch {
			case spans[i] == 0 && got != nil:
				t.Errorf("pass %d: sequence %d got logits for nothing", pass, i)
			case spans[i] > 0 && len(got) != vocab:
				t.Fatalf("pass %d, sequence %d: %d logits", pass, i, len(got))
			case spans[i] > 0:
				check(fmt.Sprintf("pass %d, sequence %d", pass, i), sequences[i], got)
			}
		}
	}
	if err := fork.Close(); err != nil {
		t.Fatal(err)
	}
	more := randomBatch(9, vocab, 3).Tokens
	check("the cache after its batch", append(slices.Clone(trunk), more...), extend(t, cache, more, 2))
}

func TestBatchEqualsReference(t *testing.T) {
	for name, c := range testConfigs() {
		t.Run(name, func(t *testing.T) {
			dir, ref := writeCheckpoint(t, c)
			checkBatch(t, openEngine(t, dir, EngineOptions{Device: "cpu"}), func(what string, sequence []int32, logits []float32) {
				if d := farthest(logits, ref.logits(sequence)); d > 1e-3 {
					t.Errorf("%s: logits differ by %g", what, d)
				}
			})
		})
	}
}

// In other numbers a batch is as far from the reference as single sequences are.
func TestBatchInOtherNumbers(t *testing.T) {
	for name, c := range testConfigs() {
		dir, ref := writeCheckpoint(t, c)
		var off, size float64
		checkBatch(t, openEngine(t, dir, EngineOptions{Device: "cpu", Kind: "bfloat16"}), func(_ string, sequence []int32, logits []float32) {
			want := ref.logits(sequence)
			for j, v := range want[len(want)-1] {
				off += math.Abs(v - float64(logits[j]))
				size += math.Abs(v)
			}
		})
		if off > 0.1*size {
			t.Errorf("%s: bfloat16 logits are off by %.3f of their size", name, off/size)
		}
	}
}

func TestDeviceBatchEqualsReference(t *testing.T) {
	on := someDevice(t)
	for name, c := range testConfigs() {
		dir, ref := writeCheckpoint(t, c)
		checkBatch(t, openEngine(t, dir, EngineOptions{Device: on.String(), Kind: "float32"}), func(what string, sequence []int32, logits []float32) {
			if d := farthest(logits, ref.logits(sequence)); d > 1e-2 {
				t.Errorf("%s, %s: logits differ by %g", name, what, d)
			}
		})
	}
}

// TestBatchOfLongSpans crosses chunks and outgrows the context of one sequence.
func TestBatchOfLongSpans(t *testing.T) {
	c := tinyConfig()
	c.MaxPositionEmbeddings = 400
	dir, ref := writeCheckpoint(t, c)
	e := openEngine(t, dir, EngineOptions{Device: "cpu"})
	trunk := randomBatch(3, c.VocabSize, 20).Tokens
	cache := newCache(t, e)
	extend(t, cache, trunk, len(trunk))
	fork := newFork(t, cache, 20, 20, 10)
	pending := [][]int32{randomBatch(4, c.VocabSize, 370).Tokens, randomBatch(5, c.VocabSize, 1).Tokens, randomBatch(6, c.VocabSize, 300).Tokens}
	for i, got := range extendAll(t, fork, pending...) {
		if d := farthest(got, ref.logits(append(slices.Clone(trunk[:[]int{20, 20, 10}[i]]), pending[i]...))); d > 1e-3 {
			t.Errorf("sequence %d: logits differ by %g", i, d)
		}
	}
	if _, err := fork.Extend(t.Context(), [][]int32{make([]int32, 11), nil, nil}); err == nil {
		t.Error("a sequence grew beyond the context")
	}
}

func TestBatchFailsCleanly(t *testing.T) {
	c := tinyConfig()
	dir, ref := writeCheckpoint(t, c)
	e := openEngine(t, dir, EngineOptions{Device: "cpu"})
	cache := newCache(t, e)
	ids := randomBatch(3, c.VocabSize, 10).Tokens
	extend(t, cache, ids[:5], 5)
	for _, n := range []int{-1, 6} {
		if _, err := cache.Fork([]int{0, n}); err == nil {
			t.Errorf("forked at %d of 5 positions", n)
		}
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, test := range []struct {
		name string
		ctx  context.Context
		ids  [][]int32
	}{
		{"cancelled", cancelled, [][]int32{{1}, {2, 3}}},
		{"token out of the vocabulary", t.Context(), [][]int32{{1}, {int32(c.VocabSize)}}},
		{"context full", t.Context(), [][]int32{nil, make([]int32, c.MaxPositionEmbeddings)}},
		{"a sequence too few", t.Context(), [][]int32{{1}}},
	} {
		fork := newFork(t, cache, 5, 3)
		if _, err := fork.Extend(test.ctx, test.ids); err == nil {
			t.Errorf("%s: no error", test.name)
		} else if test.ctx == cancelled && !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: error is %v", err)
		}
		if err := fork.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if d := farthest(extend(t, cache, ids[5:], 0), ref.logits(ids)); d > 1e-3 {
		t.Errorf("after errors: logits differ by %g", d)
	}
}
