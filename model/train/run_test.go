package train

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/neuraldbg/neuraldbg/internal/folderlock"
	"github.com/neuraldbg/neuraldbg/model/torch"
)

// copySource makes sequences x1 … xn 0 x1 … xn; the copy is to be predicted.
// Its state is the number of batches given.
type copySource struct {
	seed  uint64
	given uint64
	after func() // runs after each batch
}

func (c *copySource) Next(context.Context) (torch.Sequences, error) {
	random := rand.New(rand.NewPCG(c.seed, c.given))
	c.given++
	var b torch.Sequences
	for range 32 {
		n := 4 + random.IntN(2)
		row, predict := make([]int32, 2*n+1), make([]bool, 2*n+1)
		for i := range n {
			row[i] = int32(1 + random.IntN(7))
			row[n+1+i] = row[i]
			predict[n+1+i] = true
		}
		b.Tokens, b.Predict, b.Lengths = append(b.Tokens, row...), append(b.Predict, predict...), append(b.Lengths, 2*n+1)
	}
	if c.after != nil {
		c.after()
	}
	return b, nil
}

func (c *copySource) State() ([]byte, error) { return json.Marshal(c.given) }

func (c *copySource) Restore(state []byte) error { return json.Unmarshal(state, &c.given) }

func copyConfig(dir string, tokens int64) Config {
	c := DefaultConfig()
	c.Model = torch.Config{
		ModelType: "llama", VocabSize: 8, HiddenSize: 32, IntermediateSize: 64, NumHiddenLayers: 2,
		NumAttentionHeads: 4, MaxPositionEmbeddings: 16, RMSNormEps: 1e-5, TieWordEmbeddings: true,
	}
	c.LearningRate, c.TotalTokens, c.Dir, c.LogSeconds = 4e-3, tokens, dir, 1
	c.ValidateBatches = 2
	return c
}

func lastMetrics(t *testing.T, dir string) Metrics {
	t.Helper()
	text, err := os.ReadFile(metricsPath(dir))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	var m Metrics
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &m); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestLearnsToCopy(t *testing.T) {
	dir := t.TempDir()
	var out bytes.Buffer
	c := copyConfig(dir, 400_000)
	if err := Run(context.Background(), c, &copySource{seed: 1}, &copySource{seed: 2}, &out); err != nil {
		t.Fatal(err)
	}
	m := lastMetrics(t, dir)
	if m.Validation == nil || *m.Validation > 0.05 {
		t.Errorf("held-out loss did not go to zero: %+v\n%s", m, out.String())
	}
	if !strings.Contains(out.String(), "100.0%") && !strings.Contains(out.String(), "done:") {
		t.Errorf("no end in the progress:\n%s", out.String())
	}
}

// TestResumesExactly compares a run that is stopped twice with one that is not.
func TestResumesExactly(t *testing.T) {
	whole, parts := t.TempDir(), t.TempDir()
	const tokens = 9000
	if err := Run(context.Background(), copyConfig(whole, tokens), &copySource{seed: 1}, nil, &bytes.Buffer{}); err != nil {
		t.Fatal(err)
	}
	for _, stopAfter := range []uint64{5, 11, 1000} {
		ctx, cancel := context.WithCancel(context.Background())
		source := &copySource{seed: 1}
		source.after = func() {
			if source.given == stopAfter {
				cancel()
			}
		}
		if err := Run(ctx, copyConfig(parts, tokens), source, nil, &bytes.Buffer{}); err != nil {
			t.Fatal(err)
		}
		cancel()
	}
	for _, name := range []string{"model.safetensors", "optimizer.safetensors"} {
		var files [2][]byte
		for i, dir := range []string{whole, parts} {
			latest, err := Latest(dir)
			if err != nil {
				t.Fatal(err)
			}
			if files[i], err = os.ReadFile(filepath.Join(latest, name)); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(files[0], files[1]) {
			t.Errorf("%s of the resumed run differs", name)
		}
	}
	if a, b := lastMetrics(t, whole), lastMetrics(t, parts); a.Loss != b.Loss || a.Step != b.Step {
		t.Errorf("metrics differ: %+v and %+v", a, b)
	}
	list, err := checkpoints(parts)
	if err != nil || len(list) != kept {
		t.Errorf("%d checkpoints are kept (%v), want %d", len(list), err, kept)
	}
}

// TestEndsByProcessorTime checks that the processors' time is counted over
// resumes, and ends the run.
func TestEndsByProcessorTime(t *testing.T) {
	dir := t.TempDir()
	c := copyConfig(dir, 0)
	c.ProcessorMinutes = 0.4 / 60
	ctx, cancel := context.WithCancel(context.Background())
	first := &copySource{seed: 1}
	first.after = func() {
		if first.given == 3 {
			cancel()
		}
	}
	if err := Run(ctx, c, first, nil, &bytes.Buffer{}); err != nil {
		t.Fatal(err)
	}
	begun := lastMetrics(t, dir)
	if err := Run(context.Background(), c, &copySource{seed: 1}, nil, &bytes.Buffer{}); err != nil {
		t.Fatal(err)
	}
	ended := lastMetrics(t, dir)
	if begun.ProcessorSeconds <= 0 || begun.ProcessorSeconds >= 0.4 || ended.Step <= begun.Step {
		t.Errorf("stopped at %+v, ended at %+v", begun, ended)
	}
	if ended.ProcessorSeconds < 0.4 || ended.ProcessorSeconds > 0.8 {
		t.Errorf("the run ended after %.2f s of the processors, want 0.4", ended.ProcessorSeconds)
	}
	if c.TotalTokens = 5; Run(context.Background(), c, &copySource{}, nil, &bytes.Buffer{}) == nil {
		t.Error("two lengths of a run are not refused")
	}
}

func TestNoSuchDevice(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	c := copyConfig(dir, 1000)
	c.Device = "cuda:99"
	err := Run(context.Background(), c, &copySource{}, nil, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "device cuda:99 is not there") {
		t.Errorf("the error is %v", err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the run left its folder behind: %v", err)
	}
}

func TestTwoRunsInOneFolder(t *testing.T) {
	c := copyConfig(t.TempDir(), 10_000)
	lock, err := folderlock.Take(c.Dir)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Release()
	if err := Run(context.Background(), c, &copySource{seed: 1}, nil, &bytes.Buffer{}); !errors.Is(err, folderlock.ErrHeld) {
		t.Errorf("in a folder that another writes into: %v", err)
	}
}

func TestHeldOutLossIsThatOfTheRun(t *testing.T) {
	dir := t.TempDir()
	c := copyConfig(dir, 40_000)
	if err := Run(context.Background(), c, &copySource{seed: 1}, &copySource{seed: 2}, &bytes.Buffer{}); err != nil {
		t.Fatal(err)
	}
	latest, err := Latest(dir)
	if err != nil {
		t.Fatal(err)
	}
	results, err := HeldOutLoss(context.Background(), latest, "cpu", 1, c.ValidateBatches, &copySource{seed: 2}, &copySource{seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	if want := *lastMetrics(t, dir).Validation; math.Abs(results[0].Loss-want) > 1e-4*want {
		t.Errorf("the held-out loss is %.5f, the run measured %.5f", results[0].Loss, want)
	}
	if results[1].Loss == results[0].Loss || results[1].Targets == 0 {
		t.Errorf("two sources gave %+v", results)
	}
}

func TestGoesOnWithNewData(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	first := &copySource{seed: 1}
	first.after = func() {
		if first.given == 20 {
			cancel()
		}
	}
	c := copyConfig(dir, 20_000)
	if err := Run(ctx, c, first, nil, &bytes.Buffer{}); err != nil {
		t.Fatal(err)
	}
	begun := lastMetrics(t, dir)

	second := &copySource{seed: 3}
	c.NewData = true
	if err := Run(context.Background(), c, second, nil, &bytes.Buffer{}); err != nil {
		t.Fatal(err)
	}
	ended := lastMetrics(t, dir)
	if ended.Step <= begun.Step || ended.Tokens < c.TotalTokens {
		t.Errorf("the run ended at step %d with %d tokens, having resumed at step %d", ended.Step, ended.Tokens, begun.Step)
	}
	if steps := uint64(ended.Step - begun.Step); second.given != steps {
		t.Errorf("the new data gave %d batches for %d steps: it was not begun at its start", second.given, steps)
	}
}

// changed is a source that has no place which an earlier one saved.
type changed struct{ copySource }

func (*changed) Restore([]byte) error { return errors.New("no such place") }

func TestOtherDataAreRefused(t *testing.T) {
	dir := t.TempDir()
	if err := Run(context.Background(), copyConfig(dir, 1000), &copySource{seed: 1}, nil, &bytes.Buffer{}); err != nil {
		t.Fatal(err)
	}
	err := Run(context.Background(), copyConfig(dir, 2000), &changed{}, nil, &bytes.Buffer{})
	if !errors.Is(err, ErrOtherData) || err.Error() != "resume training: the data are not as they were: no such place" {
		t.Errorf("got %v", err)
	}
}

func TestDamagedCheckpointIsSkipped(t *testing.T) {
	dir := t.TempDir()
	for _, tokens := range []int64{1000, 2000} {
		if err := Run(context.Background(), copyConfig(dir, tokens), &copySource{seed: 1}, nil, &bytes.Buffer{}); err != nil {
			t.Fatal(err)
		}
	}
	latest, err := Latest(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(latest, "model.safetensors"), 100); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := Run(context.Background(), copyConfig(dir, 2500), &copySource{seed: 1}, nil, &out); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "damaged") {
		t.Errorf("the damaged checkpoint is not mentioned:\n%s", out.String())
	}
}

func TestRateFallsToZero(t *testing.T) {
	c := Config{LearningRate: 2, Warmup: 0.1}
	for _, test := range []struct{ done, want float64 }{{0, 0}, {0.05, 1}, {0.1, 2}, {0.55, 1}, {1, 0}, {1.2, 0}} {
		if got := c.rate(test.done); got < test.want-1e-9 || got > test.want+1e-9 {
			t.Errorf("rate(%g) = %g, want %g", test.done, got, test.want)
		}
	}
}
