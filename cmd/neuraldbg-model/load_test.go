package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/model/neural"
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
	tok, err := tokenizer.Train(slices.Values([]string{doubleCode, doubleCode}), 256+2+len(specials), specials)
	if err != nil {
		t.Fatal(err)
	}
	trainer, err := torch.NewTrainer(torch.Config{
		ModelType: "llama", VocabSize: tok.Size(), HiddenSize: 16, IntermediateSize: 32, NumHiddenLayers: 1,
		NumAttentionHeads: 2, MaxPositionEmbeddings: 512, RMSNormEps: 1e-5, RopeTheta: 10000, TieWordEmbeddings: true,
	}, torch.DefaultOptimizer(), 1)
	if err != nil {
		t.Fatal(err)
	}
	defer trainer.Close()
	dir := t.TempDir()
	if err := trainer.SaveModel(dir); err != nil {
		t.Fatal(err)
	}
	if err := describeText(dir, tok); err != nil {
		t.Fatal(err)
	}
	return dir
}

// A folder as training writes it loads, and the model in it moves through a
// program, however little it knows.
func TestLoadedModelPredicts(t *testing.T) {
	predictor, err := loadPredictor(t.Context(), writeModel(t), "cpu")
	if err != nil {
		t.Fatal(err)
	}
	defer predictor.Close()
	if info := predictor.Info(); info.Device != "cpu" || info.MaxContext != 512 || info.Parameters == 0 {
		t.Errorf("info %+v", info)
	}
	s, _, err := predictor.Open(t.Context(), model.Context{
		Program: statetree.Program{Code: doubleCode, Entry: statetree.Entry{Kind: statetree.FunctionEntry, Function: "double"}},
		Start: statetree.State{Event: statetree.Line, Source: "    m = n + n",
			Locals: statetree.Locals{{Name: "n", Repr: "2"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	p, err := s.Predict(t.Context(), statetree.Action{Kind: statetree.Continue})
	if err != nil || !p.Ended() || p.Confidence.State <= 0 {
		t.Errorf("continue: %+v, %v", p, err)
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
		p, err := loadPredictor(t.Context(), dir, "cpu")
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
