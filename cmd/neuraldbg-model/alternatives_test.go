package main

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/model/checkpoint"
	"github.com/neuraldbg/neuraldbg/model/neural"
	"github.com/neuraldbg/neuraldbg/model/torch"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// oneByOne is an engine whose batches extend one sequence after another, each by a
// pass of its own: what batches are compared with.
type oneByOne struct{ neural.Engine }

func (e oneByOne) NewCache() (neural.Cache, error) {
	c, err := e.Engine.NewCache()
	return &singleCache{Cache: c}, err
}

type singleCache struct {
	neural.Cache
	ids []int32
}

func (c *singleCache) Extend(ctx context.Context, ids []int32, from int) ([]float32, error) {
	logits, err := c.Cache.Extend(ctx, ids, from)
	if err == nil {
		c.ids = append(c.ids, ids...)
	}
	return logits, err
}

func (c *singleCache) Rewind(n int) error {
	c.ids = c.ids[:n]
	return c.Cache.Rewind(n)
}

func (c *singleCache) Fork(lengths []int) (neural.Batch, error) {
	b := &singleBatch{cache: c, trunk: append([]int32(nil), c.ids...)}
	for _, n := range lengths {
		b.sequences = append(b.sequences, append([]int32(nil), c.ids[:n]...))
	}
	return b, nil
}

type singleBatch struct {
	cache     *singleCache
	trunk     []int32
	sequences [][]int32
}

// Extend goes back to what the sequence has in common with the one before.
func (b *singleBatch) Extend(ctx context.Context, ids [][]int32) ([][]float32, error) {
	rows := make([][]float32, len(ids))
	for i, more := range ids {
		if len(more) == 0 {
			continue
		}
		var err error
		b.sequences[i] = append(b.sequences[i], more...)
		if rows[i], err = b.cache.follow(ctx, b.sequences[i]); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

func (b *singleBatch) Close() error {
	_, err := b.cache.follow(context.Background(), b.trunk)
	return err
}

// follow makes the cache hold ids, and returns the logits after the last.
func (c *singleCache) follow(ctx context.Context, ids []int32) ([]float32, error) {
	kept := 0
	for kept < len(c.ids) && kept < len(ids)-1 && c.ids[kept] == ids[kept] {
		kept++
	}
	if err := c.Rewind(kept); err != nil {
		return nil, err
	}
	return c.Extend(ctx, ids[kept:], len(ids)-kept-1)
}

const countCode = `def count(s, t):
    n = 0
    for c in s:
        n += int(c == t)
    return n
`

// The bundled model's alternatives are the same whether they are computed in one
// pass or one after another.
func TestAlternativesInOnePass(t *testing.T) {
	const dir = "../../model/nano"
	engine, err := torch.OpenEngine(dir, torch.EngineOptions{Device: "cpu"})
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	c, err := checkpoint.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	run := func(e neural.Engine) (predictions []model.Prediction, took time.Duration) {
		p, err := c.NewPredictor(e, model.Info{})
		if err != nil {
			t.Fatal(err)
		}
		s, _, err := p.Open(t.Context(), model.Context{
			Program: statetree.Program{Code: countCode, Entry: statetree.Entry{Kind: statetree.FunctionEntry, Function: "count"}},
			Start: statetree.State{Event: statetree.Call, Source: "def count(s, t):",
				Locals: statetree.Locals{{Name: "s", Repr: "'kiwi'"}, {Name: "t", Repr: "'i'"}}},
			Sampling: model.Sampling{Alternatives: 8},
		})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		for range 8 {
			prediction, err := s.Predict(t.Context(), statetree.Action{Kind: statetree.StepInto})
			if err != nil {
				t.Fatal(err)
			}
			predictions = append(predictions, prediction)
			took += prediction.Elapsed
		}
		return predictions, took
	}
	together, fast := run(engine)
	alone, slow := run(oneByOne{engine})
	found := 0
	for i, p := range together {
		q := alone[i]
		if !sameOutcome(p.Outcome, q.Outcome) || len(p.Alternatives) != len(q.Alternatives) {
			t.Fatalf("step %d: %+v with %d alternatives, one by one %+v with %d", i, p.Outcome, len(p.Alternatives), q.Outcome, len(q.Alternatives))
		}
		for j, a := range p.Alternatives {
			b := q.Alternatives[j]
			if !sameOutcome(a.Outcome, b.Outcome) || math.Abs(a.Confidence.State-b.Confidence.State) > 1e-4 {
				t.Errorf("step %d, alternative %d: %+v, one by one %+v", i, j, a, b)
			}
			found++
		}
	}
	if found == 0 {
		t.Error("there were no alternatives")
	}
	t.Logf("%d alternatives in %v; one by one in %v", found, fast, slow)
}

func sameOutcome(a, b statetree.Outcome) bool { return a.Exit == b.Exit && a.State.Matches(b.State) }
