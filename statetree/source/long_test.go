package source_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/source"
)

// TestLongModule builds the control flow of modules of some length: the memory
// that it takes grows with the length, not with its square.
func TestLongModule(t *testing.T) {
	perLine := func(lines int) float64 {
		var code strings.Builder
		for i := range lines {
			fmt.Fprintf(&code, "x%d = %d\n", i, i)
		}
		program := statetree.Program{Code: code.String(), Entry: statetree.Entry{Kind: statetree.ModuleEntry, Function: statetree.ModuleFunction}}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := source.NewFlow(program); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		return float64(after.TotalAlloc-before.TotalAlloc) / float64(lines)
	}
	perLine(100) // what is made once
	short, long := perLine(2000), perLine(16000)
	if long > 1.5*short {
		t.Errorf("a line of 16,000 takes %.0f bytes, one of 2,000 takes %.0f", long, short)
	}
}
