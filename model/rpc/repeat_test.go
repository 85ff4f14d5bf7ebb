package rpc_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// killAt has the next processes killed at a moment, so many times, and returns
// how often that has not happened yet.
func killAt(t *testing.T, moment string, times int) (left func() int) {
	t.Helper()
	dir := t.TempDir()
	t.Setenv(killsEnv, dir)
	for n := range times {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s-%d", moment, n)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return func() int {
		due, _ := os.ReadDir(dir)
		return len(due)
	}
}

// A process that is killed, whatever it was doing, is replaced by itself: nobody
// notices.
func TestKilledOnce(t *testing.T) {
	for _, moment := range []string{"start", "load", "open", "predict"} {
		t.Run(moment, func(t *testing.T) {
			t.Setenv(serveEnv, "current")
			left := killAt(t, moment, 1)
			p := newPredictor(t, shortDir(t), "count")
			if _, err := p.Load(context.Background()); err != nil {
				t.Fatal("load:", err)
			}
			s, _, err := p.Open(context.Background(), startAt("a"))
			if err != nil {
				t.Fatal("open:", err)
			}
			predict(t, s, "a+1")
			predict(t, s, "a+1+2")
			if n := left(); n != 0 {
				t.Errorf("%d kills did not happen", n)
			}
		})
	}
}

// What ends the process again is told in one line; the session goes on.
func TestKilledTwice(t *testing.T) {
	for _, moment := range []string{"start", "load", "open", "predict"} {
		t.Run(moment, func(t *testing.T) {
			t.Setenv(serveEnv, "current")
			dir := shortDir(t)
			left := killAt(t, moment, 2)
			p := newPredictor(t, dir, "count")
			var failures []error
			do := func(work func() error) {
				t.Helper()
				err := work()
				if err != nil {
					failures = append(failures, err)
					err = work()
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			do(func() error { _, err := p.Load(context.Background()); return err })
			var s model.Session
			do(func() (err error) { s, _, err = p.Open(context.Background(), startAt("a")); return err })
			do(func() error { _, err := s.Predict(context.Background(), stepInto); return err })
			predict(t, s, "a+1+2")
			if len(failures) != 1 || left() != 0 {
				t.Fatalf("failures %v, and %d kills did not happen; want one failure of two kills", failures, left())
			}
			text := failures[0].Error()
			if !errors.Is(failures[0], model.ErrUnavailable) || strings.Contains(text, "\n") ||
				!strings.Contains(text, "2 times in a row") || !strings.Contains(text, dir.Log()) {
				t.Errorf("got %q", text)
			}
		})
	}
}

// What was cancelled is not repeated.
func TestCancelledIsNotRepeated(t *testing.T) {
	t.Setenv(serveEnv, "current")
	p := newPredictor(t, shortDir(t), "count")
	s, _, err := p.Open(context.Background(), startAt("a"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Predict(ctx, statetree.Action{Kind: statetree.Breakpoint}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	predict(t, s, "a+1")
}
