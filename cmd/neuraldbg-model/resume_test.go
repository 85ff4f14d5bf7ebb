package main

import (
	"context"
	"io"
	"os/exec"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/neuraldbg/neuraldbg/model/dataset"
	"github.com/neuraldbg/neuraldbg/model/tokenizer"
	"github.com/neuraldbg/neuraldbg/model/torch"
	"github.com/neuraldbg/neuraldbg/model/train"
	"github.com/neuraldbg/neuraldbg/statetree/corpus"
)

// makeDataset builds a dataset of generated programs.
func makeDataset(t *testing.T, seed uint64, programs int, tok *tokenizer.Tokenizer) string {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("recording needs python3")
	}
	dir := t.TempDir()
	p := dataset.DefaultParams()
	p.ShardPrograms, p.HeldOut, p.Seconds = programs, .2, 60
	cases := dataset.NewCases(corpus.NewGenerated(seed, programs), p)
	if _, err := dataset.Build(t.Context(), dir, cases, tok, p, dataset.BuildOptions{Workers: 1}); err != nil {
		t.Fatal(err)
	}
	return dir
}

// stopping ends a run after a number of batches, as a signal would.
type stopping struct {
	train.Source
	left int
	stop func()
}

func (s *stopping) Next(ctx context.Context) (torch.Sequences, error) {
	if s.left--; s.left < 0 {
		s.stop()
	}
	return s.Source.Next(ctx)
}

// TestResumeKeepsTheCurve compares a run over a mixture, with a curriculum, with
// the same one that is stopped twice.
func TestResumeKeepsTheCurve(t *testing.T) {
	dir := writeModel(t)
	tok, err := tokenizer.Load(filepath.Join(dir, tokenizer.File))
	if err != nil {
		t.Fatal(err)
	}
	flags := trainFlags{
		data:        []string{makeDataset(t, 1, 12, tok) + "=2", makeDataset(t, 2, 12, tok)},
		batchTokens: 1500, loss: string(dataset.LossValues), curriculum: 9000,
	}
	curve := func(out string, stops ...int) []train.Metrics {
		for _, left := range stops {
			config := train.DefaultConfig()
			config.Dir, config.TotalTokens, config.Seed, config.Threads, config.ValidateBatches = out, 16_000, 1, 1, 0
			config.Init, config.Optimizer.Method = dir, torch.Muon
			data, err := openTrainingData(flags, config)
			if err != nil {
				t.Fatal(err)
			}
			if config.Model, err = chooseModel(config, flags, data); err != nil {
				t.Fatal(err)
			}
			config.Model.MaxPositionEmbeddings = data.longest
			ctx, cancel := context.WithCancel(t.Context())
			if err := train.Run(ctx, config, &stopping{data.training, left, cancel}, nil, io.Discard); err != nil {
				t.Fatal(err)
			}
			cancel()
			data.Close()
		}
		metrics, err := train.ReadMetrics(out)
		if err != nil {
			t.Fatal(err)
		}
		for i := range metrics { // time differs
			metrics[i].TokensPerSecond, metrics[i].Seconds, metrics[i].ProcessorSeconds = 0, 0, 0
		}
		return metrics
	}
	const never = 1 << 30
	whole, parts := curve(t.TempDir(), never), curve(t.TempDir(), 3, 5, never)
	if !reflect.DeepEqual(whole, parts) {
		t.Errorf("the run's metrics are\n%+v\nresumed twice\n%+v", whole, parts)
	}
	if last := whole[len(whole)-1]; last.Step < 10 {
		t.Errorf("only %d steps were compared", last.Step)
	}
}

// TestResumeWithOtherDataSaysWhatToDo gives the command again with batches of another
// size.
func TestResumeWithOtherDataSaysWhatToDo(t *testing.T) {
	dir := writeModel(t)
	tok, err := tokenizer.Load(filepath.Join(dir, tokenizer.File))
	if err != nil {
		t.Fatal(err)
	}
	data, out := makeDataset(t, 1, 12, tok), t.TempDir()
	run := func(flags ...string) error {
		cmd := newTrainCommand()
		cmd.SilenceErrors, cmd.SilenceUsage = true, true
		cmd.SetArgs(append(flags, "--data", data, "--out", out, "--layers", "1", "--width", "8", "--heads", "1", "--validation", "0"))
		return execute(t, cmd)
	}
	if err := run("--tokens", "2000", "--batch-tokens", "1500"); err != nil {
		t.Fatal(err)
	}
	err = run("--tokens", "4000", "--batch-tokens", "2000")
	want := "resume training: the data are not as they were: restore the place in the dataset: " +
		"it is of data with batches of 1500 tokens, and these have batches of 2000 tokens; " +
		"resume with the same --data and flags, or begin the data anew with --new-data"
	if err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
	if err := run("--tokens", "4000", "--batch-tokens", "2000", "--new-data"); err != nil {
		t.Error(err)
	}
}
