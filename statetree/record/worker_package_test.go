package record

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestWorkerModule records a function of a module that imports its neighbour.
func TestWorkerModule(t *testing.T) {
	root := t.TempDir()
	files := map[string]string{
		"shop/__init__.py": "from .cart import total\n",
		"shop/tax.py":      "RATE = 2\n",
		"shop/cart.py":     "from .tax import RATE\ndef total(n):\n    return n * RATE\n",
	}
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	w, err := NewWorker(WorkerOptions{
		Prologue: "import sys\nsys.path.insert(0, " + "'" + root + "')\n",
		Limits:   Limits{Time: time.Minute},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for range 2 {
		trace, err := w.Record(context.Background(), Job{Path: "shop/cart.py", Source: files["shop/cart.py"], Entry: "total(4)", Module: "shop.cart"})
		if err != nil {
			t.Fatal(err)
		}
		states := trace.Recording.States
		if last := states[len(states)-1]; last.Arg != "8" {
			t.Errorf("total(4) gives %s", last.Arg)
		}
	}
	var unfit *ProgramError
	if _, err := w.Record(context.Background(), Job{Path: "shop/cart.py", Source: files["shop/cart.py"], Entry: "total(4)"}); !errors.As(err, &unfit) {
		t.Errorf("without its package it gives %v", err)
	}
}

func TestWorkerCPU(t *testing.T) {
	w, err := NewWorker(WorkerOptions{CPU: 200 * time.Millisecond, Limits: Limits{Time: time.Minute}})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	trace, err := w.Record(context.Background(), Job{Path: "p.py", Source: "def f(n):\n    return sum(1 for i in range(n))\n", Entry: "f(10 ** 12)"})
	if err != nil || LimitOf(trace.Recording.Cut) != TimeLimit {
		t.Errorf("%v, cut %q", err, trace.Recording.Cut)
	}
	if trace, err = w.Record(context.Background(), Job{Path: "p.py", Source: "import time\ndef f(n):\n    time.sleep(n)\n", Entry: "f(0.4)"}); err != nil || trace.Recording.Cut != "" {
		t.Errorf("sleeping: %v, cut %q", err, trace.Recording.Cut)
	}
}
