package corpus

import (
	"context"
	"strings"
	"testing"

	"github.com/neuraldbg/neuraldbg/statetree"
)

// TestDrillsComputeInMostStates records drills: nearly all can be kept, and most of
// their lines give a name a value.
func TestDrillsComputeInMostStates(t *testing.T) {
	g := NewGenerator(1, DrillStyle())
	kept, lines, values := 0, 0, 0
	const n = 300
	for r, err := range Record(context.Background(), g.Cases(0, n), RecordOptions{Workers: 2, Events: 200, Value: 120}) {
		if err != nil {
			t.Fatal(err)
		}
		if r.Dropped != Kept {
			continue
		}
		kept++
		var before statetree.Locals
		for _, s := range r.Recording.States {
			if s.Event != statetree.Line || s.File == statetree.DriverFile {
				continue
			}
			lines++
			if before != nil && !s.Locals.Equal(before) {
				values++
			}
			before = s.Locals
		}
		if body := strings.Count(r.Case.Source, "\n    "); body < 5 {
			t.Errorf("a drill has %d lines:\n%s", body, r.Case.Source)
		}
	}
	if kept < n*95/100 {
		t.Errorf("%d of %d drills were kept", kept, n)
	}
	if share := float64(values) / float64(lines); share < 0.6 {
		t.Errorf("%.2f of the lines change a value", share)
	}
}
