package main

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/model/cwm"
	"github.com/neuraldbg/neuraldbg/model/neural"
	"github.com/neuraldbg/neuraldbg/model/rpc"
	"github.com/neuraldbg/neuraldbg/model/tokenizer"
	"github.com/neuraldbg/neuraldbg/model/torch"
	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/grammar"
)

const doubleCode = "def double(n):\n    m = n + n\n    return m\n"

// writeModel writes a small model that has learned nothing, as export does.
func writeModel(t *testing.T) string {
	t.Helper()
	var specials []string
	for _, s := range grammar.Specials() {
		specials = append(specials, s.String())
	}
	dir, tok := writeWeights(t, specials)
	if err := describeText(dir, tok); err != nil {
		t.Fatal(err)
	}
	return dir
}

// writeWeights writes a small random model and trains a tokenizer with the given
// special tokens for it.
func writeWeights(t *testing.T, specials []string) (dir string, tok *tokenizer.Tokenizer) {
	t.Helper()
	tok, err := tokenizer.Train(slices.Values([]string{doubleCode, doubleCode}), 256+2+len(specials), specials)
	if err != nil {
		t.Fatal(err)
	}
	trainer, err := torch.NewTrainer(torch.Config{
		ModelType: "llama", VocabSize: tok.Size(), HiddenSize: 16, IntermediateSize: 32, NumHiddenLayers: 1,
		NumAttentionHeads: 2, MaxPositionEmbeddings: 512, RMSNormEps: 1e-5, RopeTheta: 10000, TieWordEmbeddings: true,
	}, torch.DefaultOptimizer(), "cpu", 1)
	if err != nil {
		t.Fatal(err)
	}
	defer trainer.Close()
	dir = t.TempDir()
	if err := trainer.SaveModel(dir); err != nil {
		t.Fatal(err)
	}
	return dir, tok
}

// doubleAt is a session's context at the first line of double.
func doubleAt(d statetree.Direction) model.Context {
	c := model.Context{
		Program:   statetree.Program{Code: doubleCode, Entry: statetree.Entry{Kind: statetree.FunctionEntry, Function: "double"}},
		Direction: d,
		Start: statetree.State{Event: statetree.Line, Source: "    m = n + n",
			Locals: statetree.Locals{{Name: "n", Repr: "2"}}},
	}
	if d == statetree.Inverse {
		c.Start.Event = statetree.InvLine
	}
	return c
}

// A folder as training writes it loads, and the model in it moves through a
// program, however little it knows.
func TestLoadedModelPredicts(t *testing.T) {
	predictor, err := loadPredictor(t.Context(), rpc.LoadParams{Model: writeModel(t), Device: "cpu"})
	if err != nil {
		t.Fatal(err)
	}
	defer predictor.Close()
	if info := predictor.Info(); info.Device != "cpu" || info.MaxContext != 512 || info.Parameters == 0 {
		t.Errorf("info %+v", info)
	}
	s, _, err := predictor.Open(t.Context(), doubleAt(statetree.Forward))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	p, err := s.Predict(t.Context(), statetree.Action{Kind: statetree.Continue})
	if err != nil || !p.Ended() || p.Confidence.State <= 0 {
		t.Errorf("continue: %+v, %v", p, err)
	}
}

// A checkpoint with the special tokens of CWM's traces is driven by those.
func TestModelOfCWMsTraces(t *testing.T) {
	dir, tok := writeWeights(t, cwm.ReservedTokens())
	if err := tok.Save(filepath.Join(dir, tokenizer.File)); err != nil {
		t.Fatal(err)
	}
	if err := neural.EditConfig(dir, map[string]any{
		"model_type": "cwm", "layer_types": []string{"sliding_attention"}, "sliding_window": 100,
	}); err != nil {
		t.Fatal(err)
	}
	predictor, err := loadPredictor(t.Context(), rpc.LoadParams{Model: dir, Device: "auto"})
	if err != nil {
		t.Fatal(err)
	}
	defer predictor.Close()
	if _, _, err := predictor.Open(t.Context(), doubleAt(statetree.Inverse)); err == nil || !strings.Contains(err.Error(), "CWM's traces") {
		t.Errorf("backward: %v", err)
	}
	s, _, err := predictor.Open(t.Context(), doubleAt(statetree.Forward))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	// Knowing nothing, it may never end a value.
	p, err := s.Predict(t.Context(), statetree.Action{Kind: statetree.StepOver})
	if err == nil && p.State.Source != "    m = n + n" && p.State.Source != "    return m" || err != nil && !errors.Is(err, model.ErrContextFull) {
		t.Errorf("step over: %+v, %v", p, err)
	}
}

// What is wrong with a folder is told in one line, before weights are read.
func TestFoldersThatAreNoModels(t *testing.T) {
	for _, tt := range []struct {
		name  string
		spoil func(dir string) error
		wrong string
	}{
		{"no config", func(dir string) error { return os.Remove(filepath.Join(dir, "config.json")) }, "no config.json"},
		{"no tokenizer", func(dir string) error { return os.Remove(filepath.Join(dir, "tokenizer.json")) }, "tokenizer.json"},
		{"no weights", func(dir string) error { return os.Remove(filepath.Join(dir, "model.safetensors")) }, "safetensors"},
		{"cut weights", func(dir string) error { return os.Truncate(filepath.Join(dir, "model.safetensors"), 1000) }, "safetensors"},
		{"another grammar", func(dir string) error {
			return neural.Format{Grammar: "old", Dialect: neural.DialectStates}.Write(dir)
		}, "grammar old"},
		{"another vocabulary", func(dir string) error {
			return neural.EditConfig(dir, map[string]any{"vocab_size": 7})
		}, ""},
	} {
		dir := writeModel(t)
		if err := tt.spoil(dir); err != nil {
			t.Fatal(err)
		}
		p, err := loadPredictor(t.Context(), rpc.LoadParams{Model: dir, Device: "cpu"})
		if err == nil {
			p.Close()
			t.Errorf("%s: it loaded", tt.name)
			continue
		}
		if !strings.Contains(err.Error(), tt.wrong) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

// Weights that are cut while they are read, as by a copy over them that meets a
// full disk, are told or do not matter any more.
func TestWeightsCutWhileLoading(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0))
	failed := 0
	for range 12 {
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS("../../model/nano")); err != nil {
			t.Fatal(err)
		}
		weights := filepath.Join(dir, "model.safetensors")
		cut := make(chan error, 1)
		time.AfterFunc(time.Duration(random.IntN(40))*time.Millisecond, func() { cut <- os.Truncate(weights, 1<<20) })
		p, err := loadPredictor(t.Context(), rpc.LoadParams{Model: dir, Device: "cpu"})
		if err == nil {
			p.Close()
		} else if failed++; !strings.Contains(err.Error(), "cut short") || !strings.Contains(err.Error(), weights) || strings.Contains(err.Error(), "\n") {
			t.Errorf("it failed with %v", err)
		}
		if err := <-cut; err != nil {
			t.Fatal(err)
		}
	}
	if failed == 0 {
		t.Log("no cut met a load")
	}
}
