package torch

import (
	"fmt"
	"os"
	"runtime/debug"
	"testing"
)

// TestMemoryStaysFlat decodes some thousand tokens: what every token, or every
// session, left behind would show. `make bench` does it with a hundred thousand.
func TestMemoryStaysFlat(t *testing.T) {
	dir, _ := writeCheckpoint(t, tinyConfig())
	e := openEngine(t, dir, EngineOptions{Device: "cpu"})
	decode := func(sessions int) {
		for range sessions {
			cache, err := e.NewCache()
			if err != nil {
				t.Fatal(err)
			}
			for i := range 100 {
				extend(t, cache, []int32{int32(i % e.VocabSize())}, 0)
			}
			if err := cache.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	decode(100) // the race detector's own memory grows with what is touched, up to a point
	before := residentMemory(t)
	decode(40)
	if grown := residentMemory(t) - before; grown > 2<<20 {
		t.Errorf("4,000 tokens in 40 sessions leave %d bytes behind", grown)
	}
}

// residentMemory is this process's, in bytes.
func residentMemory(t *testing.T) int64 {
	t.Helper()
	debug.FreeOSMemory() // what Go has not yet collected is no growth
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Skip("there is no /proc to tell the memory")
	}
	var size, resident int64
	if _, err := fmt.Sscan(string(text), &size, &resident); err != nil {
		t.Fatal(err)
	}
	return resident * int64(os.Getpagesize())
}
