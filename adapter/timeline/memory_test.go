package timeline_test

import (
	"context"
	"runtime"
	"testing"

	"github.com/neuraldbg/neuraldbg/adapter/timeline"
)

// TestMemoryOfAState: long sessions stay small. Every state of the counter has
// locals of its own; a real one shares no more with others.
func TestMemoryOfAState(t *testing.T) {
	const steps, most = 10_000, 2048
	f, _ := counting(t, timeline.Options{})
	before := heap()
	for range steps {
		if _, err := f.StepOver(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	if size := (heap() - before) / steps; size > most {
		t.Errorf("a state takes %d bytes; want at most %d", size, most)
	} else {
		t.Logf("a state takes %d bytes", size)
	}
	runtime.KeepAlive(f)
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
