package report

import (
	"context"
	"flag"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/neuraldbg/neuraldbg/model/dataset"
	"github.com/neuraldbg/neuraldbg/model/tokenizer"
	"github.com/neuraldbg/neuraldbg/statetree/corpus"
)

var update = flag.Bool("update", false, "rewrite the expected report in testdata")

// few is two programs that people might have written, and one that does not
// compile.
type few struct{}

func (few) Len() int                 { return 3 }
func (few) Foreign() *corpus.Foreign { return nil }
func (few) Provenance() corpus.Provenance {
	return corpus.Provenance{
		Name: "tree/few", Files: 2, Functions: 2, Entries: 3, Dropped: map[string]int{"entry found twice": 4},
		Licences: []corpus.Licence{{Of: "few", Version: "1.0", Terms: "MIT"}},
	}
}

func (few) Range(from, to int) iter.Seq2[corpus.Case, error] {
	list := []corpus.Case{
		{Index: 0, Source: "def f(s):\n    n = 0\n    for c in s:\n        n += 1\n    return n\n", Entry: "f('abc')"},
		{Index: 1, Source: "def g(x):\n    if x > 2:\n        return 'big'\n    return 'small'\n", Entry: "g(3)"},
		{Index: 2, Source: "def h(:\n", Entry: "h()"},
	}
	return func(yield func(corpus.Case, error) bool) {
		for _, c := range list[from:to] {
			if !yield(c, nil) {
				return
			}
		}
	}
}

// build makes a dataset of few.
func build(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("recording needs python3")
	}
	tok, err := tokenizer.Load("../../nano/tokenizer.json")
	if err != nil {
		t.Fatal(err)
	}
	p := dataset.DefaultParams()
	p.HeldOut, p.Trajectories, p.Seconds = 0, 6, 60
	dir := t.TempDir()
	if _, err := dataset.Build(context.Background(), dir, dataset.NewCases(few{}, p), tok, p, dataset.BuildOptions{}); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestReport(t *testing.T) {
	dir := build(t)
	r, err := New(dir)
	if err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "few.md")
	if *update {
		if err := os.WriteFile(golden, []byte(r.Markdown()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Markdown(); got != string(want) {
		t.Errorf("the report has changed; run with -update if it should:\n%s", got)
	}
	// The counts agree with those that were made with the shards.
	d, err := dataset.ReadDescription(dir)
	if err != nil {
		t.Fatal(err)
	}
	tokens := 0
	for _, g := range r.groups {
		tokens += g.quantities[0].sum
	}
	if tokens != d.Stats.Tokens() {
		t.Errorf("%d tokens, the dataset says %d", tokens, d.Stats.Tokens())
	}
	if err := r.Plot(dir); err != nil {
		t.Fatal(err)
	}
	for _, q := range quantities {
		if info, err := os.Stat(filepath.Join(dir, plotFile(q))); err != nil || info.Size() < 1000 {
			t.Errorf("the plot of %s: %v", q, err)
		}
	}
}

func TestReportOfWhatIsNoDataSet(t *testing.T) {
	if _, err := New(t.TempDir()); err == nil {
		t.Error("an empty folder has a report")
	}
}

func TestDistribution(t *testing.T) {
	d := newDistribution()
	if d.quantile(.5) != 0 || d.mean() != 0 {
		t.Errorf("of nothing: median %d, mean %g", d.quantile(.5), d.mean())
	}
	for _, v := range []int{5, 1, 3, 2, 4, 100} {
		d.add(v)
	}
	for q, want := range map[float64]int{0: 1, .25: 2, .5: 3, .75: 5, 1: 100} {
		if got := d.quantile(q); got != want {
			t.Errorf("quantile %g: %d, want %d", q, got, want)
		}
	}
	shares := d.shares(3, 8) // 0-2, 3-5, 6-
	if shares[0] != 2./6 || shares[1] < 3./6-1e-9 || shares[2] != 1./6 {
		t.Errorf("shares %v", shares)
	}
}
