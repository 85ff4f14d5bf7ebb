package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// standIn puts a shell script in the place of neuraldbg-model.
func standIn(t *testing.T, script string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "neuraldbg-model"), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// A training run that is interrupted ends in order, and its own exit code
// counts.
func TestEngineIsToldToEnd(t *testing.T) {
	for _, c := range []struct {
		name   string
		onTerm string
		want   error
	}{
		{"saves and ends", "exit 0", nil},
		{"fails to save", "exit 5", exitStatus(5)},
		{"does not listen", "trap - TERM; kill $$", context.Canceled},
	} {
		t.Run(c.name, func(t *testing.T) {
			standIn(t, "trap 'echo saved; "+c.onTerm+"' TERM\necho started\nwhile :; do sleep 0.1; done\n")
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			out := &notifyingBuffer{written: make(chan struct{}, 8)}
			a := &app{stdin: &bytes.Buffer{}, stdout: out, stderr: &bytes.Buffer{}}
			ended := make(chan error, 1)
			go func() { ended <- a.runEngine(ctx, "train") }()
			select {
			case <-out.written:
			case err := <-ended:
				t.Fatalf("the stand-in ended early: %v", err)
			case <-time.After(time.Minute):
				t.Fatal("the stand-in did not start")
			}
			cancel()
			if err := <-ended; !errors.Is(err, c.want) {
				t.Errorf("runEngine returned %v, want %v", err, c.want)
			}
			if got := out.buffer.String(); got != "started\nsaved\n" {
				t.Errorf("output is %q, want started and saved", got)
			}
		})
	}
}

// notifyingBuffer says when something was written to it.
type notifyingBuffer struct {
	buffer  bytes.Buffer
	written chan struct{}
}

func (b *notifyingBuffer) Write(p []byte) (int, error) {
	n, err := b.buffer.Write(p)
	b.written <- struct{}{}
	return n, err
}
