package dataset

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/neuraldbg/neuraldbg/statetree/record"
)

const repository = `def weight(word):
    total = 0
    for c in word:
        total += value(c)
    return total

def value(c):
    if c in 'aeiou':
        return 2
    return 1

def main():
    words = ['berry', 'tea', 'plum']
    return [weight(w) for w in words]

main()
`

// traces records the repository twice into a folder.
func traces(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "weights.py")
	if err := os.WriteFile(file, []byte(repository), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a.trace", "b.trace"} {
		if _, err := record.Run(context.Background(), record.Options{File: file, Trace: filepath.Join(dir, name)}); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestTraces(t *testing.T) {
	needPython(t)
	p := params()
	p.Activations, p.Trajectories, p.Events, p.HeldOut = 2, 4, 1000, 0
	dir := traces(t)
	make := func(to string, workers int) Description {
		c, err := OpenTraces(dir, p)
		if err != nil {
			t.Fatal(err)
		}
		d, err := Build(context.Background(), to, c, bytesTokenizer(t), p, BuildOptions{Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	one, two := t.TempDir(), t.TempDir()
	d := make(one, 1)
	// The module, main, two calls of weight and of value, in each of two traces.
	if d.Shards != 2 || d.Stats.Train.Programs != 12 || d.Stats.Cases != 12 {
		t.Errorf("%d shards, %d programs of %d; dropped %v", d.Shards, d.Stats.Train.Programs, d.Stats.Cases, d.Stats.Dropped)
	}
	if v := d.Provenance; v.Functions != 4 || v.Files != 1 || v.Entries != 2*(1+1+3+12) {
		t.Errorf("provenance %+v", v)
	}
	sequences := read(t, one, Train)
	calls := 0
	for i := range sequences {
		s := &sequences[i]
		if !strings.HasPrefix(s.Source, "traces/") {
			t.Errorf("source %s", s.Source)
		}
		if strings.Contains(s.Text, "def value(c):") && !strings.Contains(s.Text, "def weight") {
			calls++
		}
	}
	if calls == 0 {
		t.Error("no trajectory is about the function value alone")
	}
	if e := make(two, 2); !sameJSON(d, e) || !reflect.DeepEqual(sequences, read(t, two, Train)) {
		t.Error("two workers make another dataset")
	}
}

func TestOpenTracesOfNone(t *testing.T) {
	if _, err := OpenTraces(t.TempDir(), params()); err == nil {
		t.Error("a folder without traces is opened")
	}
}
