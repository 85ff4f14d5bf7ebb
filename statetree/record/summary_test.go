package record

import (
	"context"
	"path/filepath"
	"testing"
)

// TestSummarize compares summaries with what reading the traces gives.
func TestSummarize(t *testing.T) {
	for _, c := range []struct{ name, source, entry string }{
		{"exit", "def f(s):\n    t = s + s\n    raise ValueError(t)\n", "f('~abcdefghi')"},
		{"normal", "class T:\n    def __repr__(self): return '~x'\nx = 'a' * 50\ny = T()\ndel x\n", ""},
		{"long line", "x = ['a' * 100_000]\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "app.trace")
			o := Options{Python: python(), File: write(t, c.source), Entry: c.entry, Trace: path, Limits: Limits{Repr: 8}}
			if c.name == "long line" {
				o.Limits.Repr = 1 << 20
			}
			want, err := Run(context.Background(), o)
			if err != nil {
				t.Fatal(err)
			}
			got, err := Write(context.Background(), o)
			if err != nil {
				t.Fatal(err)
			}
			r := want.Recording
			if got.States != len(r.States) || got.Shortened != want.Shortened || got.Exit != r.Exit || got.Cut != r.Cut || got.ExitCode != want.ExitCode {
				t.Errorf("summary %+v; the trace has %d states, %d shortened, exit %v, cut %q, code %d", got, len(r.States), want.Shortened, r.Exit, r.Cut, want.ExitCode)
			}
		})
	}
	// A thread's exit is that of its last root.
	for records, want := range map[string]string{
		"E\t0\t2\tE()\nR\t0\t2\tNone\n":                                     "error",
		"E\t0\t2\tE()\nR\t0\t2\tNone\nC\t1\t0\t1\nR\t1\t1\t1\n":             "normal",
		"E\t0\t2\tE()\nL\t0\t2\nR\t0\t2\tNone\n":                            "normal",
		"E\t0\t2\tSystemExit(0)\nR\t0\t2\tNone\n":                           "normal",
		"C\t1\t0\t1\nE\t1\t2\tE()\nR\t1\t2\tNone\nL\t0\t2\nR\t0\t2\tNone\n": "normal",
	} {
		path := writeTrace(t, "P\t{\"kind\": \"thread\"}\nF\t0\ta.py\tdef f():\\n    f()\nK\t0\t0\tf\t1\nC\t0\t0\t1\nL\t0\t2\n"+records+"X\tnormal\n")
		summary, err := Summarize(path)
		if err != nil || summary.Exit.String() != want {
			t.Errorf("%q: exit %v, %v; want %s", records, summary.Exit, err, want)
		}
		if trace, err := OpenTrace(path); err != nil || trace.Recording.Exit != summary.Exit || len(trace.Recording.States) != summary.States {
			t.Errorf("%q: the trace has exit %v, %d states, %v; the summary %+v", records, trace.Recording.Exit, len(trace.Recording.States), err, summary)
		}
	}
}
