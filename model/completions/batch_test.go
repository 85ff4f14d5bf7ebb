package completions

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/model/neural"
)

// TestBatch extends sequences that were forked from one: what the server has told
// is not asked again, the rest is asked at the same time.
func TestBatch(t *testing.T) {
	s := newTestServer(t, "vllm", document)
	e := s.open(t, nil)
	c, _ := e.NewCache()
	if _, err := c.Extend(t.Context(), []int32{40, 41, 42}, 2); err != nil {
		t.Fatal(err)
	}
	fork, err := c.Fork([]int{3, 3, 1, 2})
	if err != nil {
		t.Fatal(err)
	}
	defer fork.Close()
	// Both requests have to be there before one is answered.
	var both sync.WaitGroup
	both.Add(2)
	s.before = func(http.ResponseWriter, *http.Request) bool {
		both.Done()
		both.Wait()
		return false
	}
	logits, err := fork.Extend(t.Context(), [][]int32{{43}, {46}, {44, 45}, nil})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []int32{44, 47, 46} {
		if got := argmax(logits[i]); got != want {
			t.Errorf("sequence %d: %d is next, want %d", i, got, want)
		}
	}
	if logits[3] != nil {
		t.Error("a sequence got logits for nothing")
	}
	if n := e.requests.Load(); n != 3 {
		t.Errorf("%d requests, want 3", n)
	}
	if c.Len() != 3 {
		t.Errorf("the cache has %d positions after its batch", c.Len())
	}
	if _, err := c.Fork([]int{4}); err == nil {
		t.Error("forked at 4 of 3 positions")
	}
}

// One request that fails ends those beside it.
func TestBatchFails(t *testing.T) {
	s := newTestServer(t, "vllm", document)
	e := s.open(t, nil)
	c, _ := e.NewCache()
	fork, err := c.Fork([]int{0, 0})
	if err != nil {
		t.Fatal(err)
	}
	var first sync.Once
	s.before = func(w http.ResponseWriter, r *http.Request) bool {
		answered := false
		first.Do(func() { refuse(w, 400, "no more"); answered = true })
		if !answered {
			_, _ = io.Copy(io.Discard, r.Body) // only then does the server notice that the client is gone
			select {
			case <-r.Context().Done():
			case <-time.After(4 * time.Second):
			}
		}
		return true
	}
	began := time.Now()
	_, err = fork.Extend(t.Context(), [][]int32{{40}, {41}})
	if err == nil || !strings.Contains(err.Error(), "no more") || time.Since(began) > 3*time.Second {
		t.Errorf("error is %v, after %v", err, time.Since(began))
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := fork.Extend(cancelled, [][]int32{{40}, {41}}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: error is %v", err)
	}
}

// TestAlternatives steps with alternatives: they change no prediction.
func TestAlternatives(t *testing.T) {
	s := newTestServer(t, "vllm", nil)
	run := recordedRun(t)
	s.document = s.tokens(&run)
	p, err := neural.NewPredictor(s.open(t, nil), s.tok, neural.Options{MaxStateTokens: 200})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	session, _, err := p.Open(t.Context(), model.Context{Program: run.Program, Start: run.Start, Sampling: model.Sampling{Alternatives: 3}})
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for i, step := range run.Steps[:4] {
		got, err := session.Predict(t.Context(), step.Action)
		if err != nil {
			t.Fatalf("step %d: %v", i+1, err)
		}
		if got.Exit != step.Outcome.Exit || !got.State.Matches(step.Outcome.State) {
			t.Fatalf("step %d:\n got %+v\nwant %+v", i+1, got.Outcome, step.Outcome)
		}
		found += len(got.Alternatives)
	}
	if found == 0 {
		t.Error("no alternative was found")
	}
}
