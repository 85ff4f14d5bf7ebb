package dataset

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/neuraldbg/neuraldbg/statetree/record"
)

// TestMemoryDoesNotGrowWithTraces builds a dataset of many traces of a large file:
// what is kept of a trace that is done is far smaller than its file.
func TestMemoryDoesNotGrowWithTraces(t *testing.T) {
	needPython(t)
	const count, fileSize, perTrace = 24, 1 << 20, 1 << 18
	dir := t.TempDir()
	file := filepath.Join(t.TempDir(), "large.py")
	line := "# " + strings.Repeat("comment ", 12) + "\n"
	if err := os.WriteFile(file, []byte(repository+strings.Repeat(line, fileSize/len(line))), 0o644); err != nil {
		t.Fatal(err)
	}
	first := filepath.Join(dir, "00.trace")
	if _, err := record.Write(context.Background(), record.Options{File: file, Trace: first}); err != nil {
		t.Fatal(err)
	}
	for i := 1; i < count; i++ {
		if err := os.Link(first, filepath.Join(dir, fmt.Sprintf("%02d.trace", i))); err != nil {
			t.Fatal(err)
		}
	}
	p := params()
	p.Activations, p.Trajectories, p.Events = 2, 2, 1000

	before := heap()
	c, err := OpenTraces(dir, p)
	if err != nil {
		t.Fatal(err)
	}
	if kept := heap() - before; kept > count*perTrace {
		t.Errorf("%d traces that were opened keep %d bytes", count, kept)
	}
	var live []int
	_, err = Build(context.Background(), t.TempDir(), c, bytesTokenizer(t), p, BuildOptions{Workers: 1, Progress: func(int, int, Stats) {
		live = append(live, heap())
	}})
	if err != nil {
		t.Fatal(err)
	}
	const warm = 4 // shards
	if grown := live[len(live)-1] - live[warm-1]; grown > (count-warm)*perTrace {
		t.Errorf("%d shards have kept %d bytes", count-warm, grown)
	}
	runtime.KeepAlive(c)
}

// heap returns the bytes of what is in use.
func heap() int {
	runtime.GC()
	runtime.GC() // what finalizers and pools let go
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}
