package corpus

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/neuraldbg/neuraldbg/statetree"
)

// patient is for programs that end: no busy machine makes one too slow.
const patient = time.Minute

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
	one := recordAll(t, 100, 300, RecordOptions{Workers: 1, Time: patient})
	three := recordAll(t, 100, 300, RecordOptions{Workers: 3, Time: patient})
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
	if testing.Short() {
		t.Skip("records thousands of programs")
	}
	const count = 4000
	var s statistics
	var long []Case
	distinct := map[string]bool{}
	for r, err := range Record(context.Background(), NewGenerator(1, DefaultStyle()).Cases(0, count), RecordOptions{Time: patient}) {
		if err != nil {
			t.Fatal(err)
		}
		s.add(r)
		distinct[r.Case.Source+r.Case.Entry] = true
		switch r.Dropped {
		case Kept, TooLong:
		case TooManyEvents:
			long = append(long, r.Case)
		default:
			t.Errorf("case %d was dropped (%s):\n%s# %s", r.Case.Index, r.Dropped, r.Case.Source, r.Case.Entry)
		}
		if r.Dropped == Kept && (r.Recording.Exit == statetree.ExitNever) != r.Case.Never {
			t.Errorf("case %d: exit %v, never %v", r.Case.Index, r.Recording.Exit, r.Case.Never)
		}
	}
	t.Logf("\n%s", &s)

	kept := float64(s.kept())
	for _, c := range []struct {
		name             string
		share, low, high float64
	}{
		{"kept", kept / count, 0.985, 1},
		{"normal exits", float64(s.Exits[statetree.ExitNormal]) / kept, 0.85, 0.97},
		{"error exits", float64(s.Exits[statetree.ExitError]) / kept, 0.01, 0.12},
		{"never exits", float64(s.Exits[statetree.ExitNever]) / kept, 0.005, 0.02},
		{"exceptions", float64(s.Exceptions) / kept, 0.02, 0.15},
		{"helpers", float64(s.Helpers) / kept, 0.25, 0.5},
		{"chains", float64(s.Chains) / kept, 0.1, 0.25},
		{"classes", float64(s.Classes) / kept, 0.01, 0.08},
		{"text loops", float64(s.TextLoops) / kept, 0.15, 0.5},
		{"modules", float64(s.Modules) / kept, 0.03, 0.1},
		{"lines", float64(s.Lines) / kept, 5, 10},
		{"states", float64(s.Events[statetree.Line]) / kept, 8, 25},
		{"distinct", float64(len(distinct)) / count, 0.99, 1},
	} {
		if c.share < c.low || c.share > c.high {
			t.Errorf("%s: %.3f, want %.3f to %.3f", c.name, c.share, c.low, c.high)
		}
	}

	// Those with too many events do end.
	for r, err := range Record(context.Background(), slices.Values(long), RecordOptions{Events: 20000, Value: 1 << 20, Time: patient}) {
		if err != nil {
			t.Fatal(err)
		}
		if r.Dropped != Kept {
			t.Errorf("case %d does not end (%s):\n%s# %s", r.Case.Index, r.Dropped, r.Case.Source, r.Case.Entry)
		}
	}
}

// TestCasesDoNotDependOnEachOther makes the same cases in another order.
func TestCasesDoNotDependOnEachOther(t *testing.T) {
	g := NewGenerator(3, DefaultStyle())
	var forwards []Case
	for c := range g.Cases(0, 200) {
		forwards = append(forwards, c)
	}
	for i := len(forwards) - 1; i >= 0; i-- {
		if c := NewGenerator(3, DefaultStyle()).Case(uint64(i)); c != forwards[i] {
			t.Fatalf("case %d differs:\n%s\n%s", i, c.Source, forwards[i].Source)
		}
	}
	if NewGenerator(4, DefaultStyle()).Case(0) == forwards[0] {
		t.Error("another seed makes the same case")
	}
}

// TestRecordDrops runs programs that break limits among ones that do not.
func TestRecordDrops(t *testing.T) {
	fine := "def f(n):\n    return n\n"
	cases := []Case{
		{Source: fine, Entry: "f(1)"},
		{Source: "def f(n):\n    for i in range(n):\n        n += 1\n", Entry: "f(500)"},
		{Source: "def f(n):\n    return 'ab' * n\n", Entry: "f(500)"},
		{Source: "def f(n):\n    return sum(1 for i in range(n))\n", Entry: "f(10 ** 12)"},
		{Source: "def f(n):\n    return f(n + 1)\n", Entry: "f(0)"},
		{Source: "import os\ndef f(n):\n    os._exit(n)\n", Entry: "f(0)"},
		{Source: "def f(n):\n    return n\n", Entry: "f(0", Index: 6},
		{Source: fine, Entry: "f(1)", Never: true},
		{Source: "def f(n):\n    while True:\n        n = 1 - n\n", Entry: "f(1)", Never: true},
		{Source: fine, Entry: "f(1)"},
	}
	want := []Reason{Kept, TooManyEvents, TooLong, TooSlow, TooManyEvents, Died, Unfit, NotNever, Kept, Kept}
	var got []Reason
	for r, err := range Record(context.Background(), slices.Values(cases), RecordOptions{Workers: 2, CPU: time.Second}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, r.Dropped)
	}
	if !slices.Equal(got, want) {
		t.Errorf("dropped %q, want %q", got, want)
	}
}

func TestRecordStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	n := 0
	var last error
	for _, err := range Record(ctx, NewGenerator(1, DefaultStyle()).Cases(0, 1_000_000), RecordOptions{}) {
		if n++; n == 10 {
			cancel()
		}
		last = err
	}
	if !errors.Is(last, context.Canceled) || n > 1000 {
		t.Errorf("error %v after %d cases", last, n)
	}
	for range Record(context.Background(), NewGenerator(1, DefaultStyle()).Cases(0, 1_000_000), RecordOptions{}) {
		break
	}
	for _, err := range Record(context.Background(), NewGenerator(1, DefaultStyle()).Cases(0, 1), RecordOptions{Python: "no-such-python"}) {
		if err == nil {
			t.Error("no error without a Python")
		}
	}
}

func BenchmarkRecord(b *testing.B) {
	events := 0
	for r, err := range Record(context.Background(), NewGenerator(1, DefaultStyle()).Cases(0, b.N), RecordOptions{Workers: 2}) {
		if err != nil {
			b.Fatal(err)
		}
		events += len(r.Recording.States)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "programs/s")
	b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
}

func BenchmarkGenerator(b *testing.B) {
	g := NewGenerator(1, DefaultStyle())
	for i := uint64(0); b.Loop(); i++ {
		g.Case(i)
	}
}
