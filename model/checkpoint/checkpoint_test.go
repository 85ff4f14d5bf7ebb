package checkpoint

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/model/cwm"
	"github.com/neuraldbg/neuraldbg/model/neural"
	"github.com/neuraldbg/neuraldbg/model/tokenizer"
	"github.com/neuraldbg/neuraldbg/statetree/grammar"
)

// folder makes a checkpoint's folder without weights.
func folder(t *testing.T, config string, specials []string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "config.json"), []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	if specials != nil {
		tok, err := tokenizer.Train(slices.Values([]string{"x = 1\n", "x = 1\n"}), 256+len(specials), specials)
		if err != nil {
			t.Fatal(err)
		}
		if err := tok.Save(filepath.Join(dir, tokenizer.File)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func stateSpecials() []string {
	var names []string
	for _, s := range grammar.Specials() {
		names = append(names, s.String())
	}
	return names
}

// engine is one that computes nothing.
type engine struct{ neural.Engine }

func (engine) VocabSize() int  { return 1000 }
func (engine) MaxContext() int { return 77 }
func (engine) Close() error    { return nil }

func TestDialects(t *testing.T) {
	config := fmt.Sprintf(`{"model_type": "llama", "neuraldbg": {"grammar": %q, "dialect": "neuraldbg"}}`, grammar.Hash())
	for _, test := range []struct {
		name     string
		config   string
		specials []string
		want     Dialect
		err      string
	}{
		{"states", config, stateSpecials(), States, ""},
		{"traces", `{"model_type": "cwm"}`, cwm.Specials(), CWM, ""},
		{"neither", `{"model_type": "llama"}`, []string{"<|begin_of_text|>", "<|frame_sep|>"}, "", "was not trained to predict states: its tokenizer lacks <|end_of_text|>"},
		{"states without a grammar", `{"model_type": "llama"}`, stateSpecials(), "", "was not trained to be a debugger"},
		{"another grammar", `{"neuraldbg": {"grammar": "0123", "dialect": "neuraldbg"}}`, stateSpecials(), "", "0123"},
		{"an empty grammar", `{"neuraldbg": {"dialect": "neuraldbg"}}`, stateSpecials(), "", "does not say the grammar"},
		{"no tokenizer", config, nil, "", "has no tokenizer"},
	} {
		dir := folder(t, test.config, test.specials)
		c, err := Open(dir)
		if test.err != "" {
			if err == nil || !strings.Contains(err.Error(), test.err) || !strings.Contains(err.Error(), dir) {
				t.Errorf("%s: the error is %v, want %q in it", test.name, err, test.err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		p, err := c.NewPredictor(engine{}, model.Info{Name: "it"})
		if err != nil || c.Dialect != test.want || p.Info().MaxContext != 77 || len(c.StateEnds()) != 2 {
			t.Errorf("%s: dialect %q, %v", test.name, c.Dialect, err)
		}
	}
	if _, err := Open(t.TempDir()); err == nil || !strings.Contains(err.Error(), "no config.json") {
		t.Errorf("an empty folder: %v", err)
	}
}

// TestRankFile reads a checkpoint in the layout of CWM's release.
func TestRankFile(t *testing.T) {
	dir := folder(t, `{"model_type": "cwm"}`, nil)
	var ranks strings.Builder
	for b := range 256 {
		fmt.Fprintf(&ranks, "%s %d\n", base64.StdEncoding.EncodeToString([]byte{byte(b)}), b)
	}
	if err := os.WriteFile(filepath.Join(dir, tokenizer.RankFile), []byte(ranks.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	c, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if id, ok := c.Tokenizer.Special("<|frame_sep|>"); !ok || id != 256+100 || c.Dialect != CWM || c.Tokenizer.Size() != 512 {
		t.Errorf("frame_sep is %d, %v; dialect %q; %d tokens", id, ok, c.Dialect, c.Tokenizer.Size())
	}
}

// A model behind a server has no other check of its numbers.
func TestSizesOutOfBounds(t *testing.T) {
	for _, key := range []string{"max_position_embeddings", "vocab_size"} {
		for _, value := range []string{"-1", "16777217", "1e999"} {
			dir := folder(t, fmt.Sprintf(`{"model_type": "llama", %q: %s}`, key, value), nil)
			if _, err := ReadConfig(dir); err == nil || !strings.Contains(err.Error(), key+" is ") {
				t.Errorf("%s %s: the error is %v", key, value, err)
			}
		}
	}
}
