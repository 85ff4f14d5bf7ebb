package torch

import (
	"context"
	"sync"
	"testing"

	"github.com/neuraldbg/neuraldbg/model/neural"
)

// TestCachesShareABudget has more sessions than there is memory for: what was
// dropped is computed anew, with the same logits, also after a rewind into it.
func TestCachesShareABudget(t *testing.T) {
	c := tinyConfig()
	c.MaxPositionEmbeddings = 600
	dir, ref := writeCheckpoint(t, c)
	e := openEngine(t, dir, EngineOptions{Device: "cpu"})
	position := int64(len(e.layers)) * e.config.cacheWidth() * e.kind.bytes()
	e.pool.budget = 2 * firstCapacity * position // two short sessions
	ids := randomBatch(3, c.VocabSize, 40).Tokens
	want := ref.logits(ids)

	var caches []neural.Cache
	for range 4 {
		cache := newCache(t, e)
		extend(t, cache, ids[:20], 20)
		caches = append(caches, cache)
	}
	for i, cache := range caches {
		if d := farthest(extend(t, cache, ids[20:30], 0), want[:30]); d > 1e-3 {
			t.Errorf("session %d: logits differ by %g", i, d)
		}
	}
	for i, cache := range caches {
		if err := cache.Rewind(10); err != nil {
			t.Fatal(err)
		}
		if d := farthest(extend(t, cache, ids[10:], 0), want); d > 1e-3 {
			t.Errorf("session %d, rewound: logits differ by %g", i, d)
		}
	}
	fork := newFork(t, caches[0], len(ids))
	if d := farthest(extendAll(t, fork, ids[:1])[0], ref.logits(append(append([]int32{}, ids...), ids[0]))); d > 1e-3 {
		t.Errorf("batch of a dropped session: logits differ by %g", d)
	}
	// What belongs to an open batch is not dropped.
	extend(t, caches[1], ids[:1], 0)
	if held := caches[0].(*cache).held; held != len(ids)+1 {
		t.Errorf("%d positions of the batch are left", held)
	}
	if e.pool.used > e.pool.budget || e.pool.drops < 4 {
		t.Errorf("%d of %d bytes are used, after %d drops", e.pool.used, e.pool.budget, e.pool.drops)
	}
	if err := fork.Close(); err != nil {
		t.Fatal(err)
	}
	for _, cache := range caches {
		if err := cache.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if e.pool.used != 0 || len(e.pool.caches) != 0 {
		t.Errorf("%d bytes in %d caches are left", e.pool.used, len(e.pool.caches))
	}
}

// A session larger than the budget still works: alone.
func TestCacheLargerThanTheBudget(t *testing.T) {
	dir, ref := writeCheckpoint(t, tinyConfig())
	e := openEngine(t, dir, EngineOptions{Device: "cpu"})
	e.pool.budget = 1
	ids := randomBatch(3, e.VocabSize(), 30).Tokens
	if d := farthest(extend(t, newCache(t, e), ids, 0), ref.logits(ids)); d > 1e-3 {
		t.Errorf("logits differ by %g", d)
	}
}

// TestSessionsTakeTurns checks that a short request does not wait for the end of
// another session's long one.
func TestSessionsTakeTurns(t *testing.T) {
	dir, _ := writeCheckpoint(t, tinyConfig())
	e := openEngine(t, dir, EngineOptions{Device: "cpu"})
	long, short := newCache(t, e), newCache(t, e)
	ctx, stop := context.WithCancel(context.Background())
	var begun, ended sync.WaitGroup
	begun.Add(1)
	ended.Go(func() {
		var once sync.Once
		for ctx.Err() == nil { // as a jump decodes: token by token, without end
			if _, err := long.Extend(ctx, []int32{1}, 0); err != nil {
				return
			}
			once.Do(begun.Done)
			_ = long.Rewind(0)
		}
	})
	begun.Wait()
	extend(t, short, []int32{1, 2, 3}, 0)
	stop()
	ended.Wait()
}

// TestSessionsAtOnce runs sessions in parallel that drop each other's caches.
func TestSessionsAtOnce(t *testing.T) {
	c := tinyConfig()
	dir, ref := writeCheckpoint(t, c)
	e := openEngine(t, dir, EngineOptions{Device: "cpu"})
	e.pool.budget = 2 * firstCapacity * int64(len(e.layers)) * e.config.cacheWidth() * e.kind.bytes()
	var sessions sync.WaitGroup
	for i := range 4 {
		sessions.Go(func() {
			ids := randomBatch(uint64(i), c.VocabSize, 60).Tokens
			want := ref.logits(ids)
			cache, err := e.NewCache()
			if err != nil {
				t.Error(err)
				return
			}
			defer cache.Close()
			for at := range ids {
				got, err := cache.Extend(context.Background(), ids[at:at+1], 0)
				if err != nil {
					t.Error(err)
					return
				}
				if d := farthest(got, want[:at+1]); d > 1e-3 {
					t.Errorf("session %d, position %d: logits differ by %g", i, at, d)
					return
				}
			}
		})
	}
	sessions.Wait()
}
