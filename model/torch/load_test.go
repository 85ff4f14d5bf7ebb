package torch

import (
	"runtime"
	"strings"
	"testing"
)

// TestWeightsThatFloat16Lacks are refused, and those at its end are loaded.
func TestWeightsThatFloat16Lacks(t *testing.T) {
	for _, test := range []struct {
		kind   kind
		weight float32
		fits   bool
	}{
		{float16Kind, 65504, true}, {float16Kind, -65519, true}, {float16Kind, 65520, false}, {float16Kind, -1e9, false},
		{bfloat16Kind, 1e9, true}, {float32Kind, 1e9, true},
	} {
		l := &loader{engine: &Engine{kind: test.kind, device: cpu}}
		weights := l.tensor([]float32{1, test.weight}, 2)
		weights.release()
		switch {
		case test.fits && l.err != nil:
			t.Errorf("%v as %v: %v", test.weight, test.kind, l.err)
		case !test.fits && (l.err == nil || !strings.Contains(l.err.Error(), "choose bfloat16 or float32")):
			t.Errorf("%v as %v: the error is %v", test.weight, test.kind, l.err)
		}
	}
}

// TestDefaultThreads are no more than the process may use, which in a container can be
// fewer than the machine has, and one for a small model.
func TestDefaultThreads(t *testing.T) {
	before := runtime.GOMAXPROCS(3)
	defer runtime.GOMAXPROCS(before)
	if got := defaultThreads(large()); got != 3 {
		t.Errorf("a large model has %d threads where 3 can run", got)
	}
	if got := defaultThreads(tinyConfig()); got != 1 {
		t.Errorf("a small model has %d threads", got)
	}
}
