package source_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

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

// TestLongComments parses many lines of comments in a row. It would take minutes if
// every one were read again for each one before it.
func TestLongComments(t *testing.T) {
	text := "def f(x):\n    y = 1\n" + strings.Repeat("    # nothing\n", 20_000) + "    return x\n" + strings.Repeat("# nothing\n", 20_000)
	type result struct {
		file *source.File
		err  error
	}
	parsed := make(chan result, 1)
	go func() {
		f, err := source.Parse("long.py", []byte(text))
		parsed <- result{f, err}
	}()
	select {
	case r := <-parsed:
		if r.err != nil {
			t.Fatal(r.err)
		}
		if got := r.file.FunctionNamed("f"); got == nil || got.Last != 20_003 || !slices.Equal(got.Lines, []int{2, 20_003}) {
			t.Errorf("the function is %+v", got)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("40,000 lines of comments are not parsed in 20 s")
	}
}
