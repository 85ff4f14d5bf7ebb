package torch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// large is a configuration with round numbers: 1 GB of weights in float32 (and
// the tied head again), 64 kB a position.
func large() Config {
	return Config{
		ModelType: "llama", VocabSize: 32000, HiddenSize: 1024, IntermediateSize: 4096, NumHiddenLayers: 16,
		NumAttentionHeads: 8, NumKeyValueHeads: 4, HeadDim: 128, MaxPositionEmbeddings: 8192,
	}
}

func TestFit(t *testing.T) {
	c, err := large().complete()
	if err != nil {
		t.Fatal(err)
	}
	exact, rounded := c.footprint(float32Kind), c.footprint(bfloat16Kind)
	if exact.weights != int64(4*c.Parameters()) || rounded.weights*2 != exact.weights {
		t.Errorf("weights of %d and %d bytes", exact.weights, rounded.weights)
	}
	if position := int64(16*2*4*128*4 + 128/2*8); exact.position != position {
		t.Errorf("a position needs %d bytes, want %d", exact.position, position)
	}
	for _, test := range []struct {
		name    string
		asked   kind
		device  device
		free    int64
		kind    kind
		context int
		err     string
	}{
		{"plenty", 0, cpu, 1 << 40, float32Kind, 8192, ""},
		{"plenty on a GPU", 0, 0, 1 << 40, bfloat16Kind, 8192, ""},
		{"a shorter context", 0, cpu, exact.need(3000), float32Kind, 3000, ""},
		{"rounded", 0, cpu, exact.need(2047), bfloat16Kind, 8192, ""},
		{"asked for", float32Kind, cpu, exact.need(2047), 0, 0, "in bfloat16 it fits, with "},
		{"too large", 0, cpu, rounded.need(100), 0, 0, "a context of 100 tokens fits"},
		{"far too large", 0, 0, 1e9, 0, 0, "1.0 GB are free"},
		{"far too large", float32Kind, cpu, 1e9, 0, 0, "in bfloat16 it needs"},
	} {
		k, n, err := c.fit(test.asked, test.device, test.free)
		if test.err != "" {
			if err == nil || !strings.Contains(err.Error(), test.err) {
				t.Errorf("%s: the error is %v, want %q in it", test.name, err, test.err)
			}
		} else if err != nil || k != test.kind || n != test.context {
			t.Errorf("%s: %v, context %d, %v; want %v, %d", test.name, k, n, err, test.kind, test.context)
		}
	}
}

func TestTooLargeModelIsNotLoaded(t *testing.T) {
	dir, _ := writeCheckpoint(t, tinyConfig())
	_, err := OpenEngine(dir, EngineOptions{Device: "cpu", FreeMemory: 1000})
	if err == nil || !strings.Contains(err.Error(), "are free") {
		t.Errorf("the error is %v", err)
	}
}

// The whole message: need, what it is made of, free, what would fit, what to do.
func TestTooLargeMessage(t *testing.T) {
	c, err := large().complete()
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = c.fit(float32Kind, cpu, 1_700_000_000)
	const want = "the model needs 1.9 GB of memory on cpu in float32 (1.3 GB of weights, 0.5 GB to load them, " +
		"0.1 GB for a context of 2048 tokens), and 1.7 GB are free; in bfloat16 it fits, with 1.2 GB. " +
		"Free memory, take a smaller model or another device, or serve it elsewhere and give its http address"
	if err == nil || err.Error() != want {
		t.Errorf("the error is\n%v, want\n%s", err, want)
	}
}

func TestFreeSystemMemory(t *testing.T) {
	root := t.TempDir()
	write := func(path, text string) {
		t.Helper()
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, ok := freeSystemMemory(root); ok {
		t.Error("memory is known where nothing says it")
	}
	write("proc/meminfo", "MemTotal:       200 kB\nMemFree:        50 kB\nMemAvailable:   100 kB\n")
	if free, ok := freeSystemMemory(root); !ok || free != 100*1024 {
		t.Errorf("%d, %v are free", free, ok)
	}
	write("sys/fs/cgroup/memory.max", "max\n")
	write("sys/fs/cgroup/memory.current", "9000\n")
	if free, ok := freeSystemMemory(root); !ok || free != 100*1024 {
		t.Errorf("without a limit of the group: %d, %v are free", free, ok)
	}
	write("sys/fs/cgroup/memory.max", "30000\n")
	if free, ok := freeSystemMemory(root); !ok || free != 21000 {
		t.Errorf("with a limit of the group: %d, %v are free", free, ok)
	}
}
