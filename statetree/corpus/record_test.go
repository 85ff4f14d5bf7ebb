package corpus

import (
	"context"
	"os"
	"reflect"
	"testing"
	"time"

	"github.com/neuraldbg/neuraldbg/statetree"
)

func recordAll(t testing.TB, first uint64, count int, o RecordOptions) []Recorded {
	t.Helper()
	var all []Recorded
	for r, err := range Record(context.Background(), NewGenerator(7, DefaultStyle()).Cases(first, count), o) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	return all
}

func TestRecordIsTheSameForAnyNumberOfWorkers(t *testing.T) {
	one := recordAll(t, 100, 300, RecordOptions{Workers: 1})
	three := recordAll(t, 100, 300, RecordOptions{Workers: 3})
	if len(one) != 300 || len(three) != 300 {
		t.Fatalf("%d and %d results, want 300", len(one), len(three))
	}
	for i := range one {
		if !reflect.DeepEqual(one[i], three[i]) {
			t.Fatalf("case %d differs:\n%s", one[i].Case.Index, one[i].Case.Source)
		}
	}
}

// TestGeneratedPrograms records some thousands of programs: each compiles, ends
// or is known not to, and the whole is what the style says.
func TestGeneratedPrograms(t *testing.T) {
	var s Statistics
	start := time.Now()
	for r, err := range Record(context.Background(), NewGenerator(1, DefaultStyle()).Cases(0, 5000), RecordOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
		s.Add(r)
		switch r.Dropped {
		case Kept, TooLong, TooManyEvents:
		default:
			t.Errorf("case %d was dropped (%s):\n%s# %s", r.Case.Index, r.Dropped, r.Case.Source, r.Case.Entry)
		}
		if r.Dropped == TooManyEvents && os.Getenv("SHOW") != "" {
			t.Logf("case %d was dropped (%s):\n%s# %s", r.Case.Index, r.Dropped, r.Case.Source, r.Case.Entry)
		}
		if r.Dropped == Kept && (r.Recording.Exit == statetree.ExitNever) != r.Case.Never {
			t.Errorf("case %d: exit %v, never %v", r.Case.Index, r.Recording.Exit, r.Case.Never)
		}
	}
	s.WriteTo(os.Stdout)
	t.Logf("%.0f programs/s", 5000/time.Since(start).Seconds())
}
