package torch

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/neuraldbg/neuraldbg/model/tokenizer"
)

// smollm2Env names the environment variable with the folder of SmolLM2 135M and
// what transformers makes of it; testdata/smollm2/greedy.py says how to make both.
const smollm2Env = "SMOLLM2"

// TestGreedyEqualsTransformers continues prompts with a real model, one that
// nobody here trained, as transformers continues them.
func TestGreedyEqualsTransformers(t *testing.T) {
	dir := os.Getenv(smollm2Env)
	if dir == "" {
		t.Skipf("set %s to the folder of SmolLM2 135M", smollm2Env)
	}
	text, err := os.ReadFile(filepath.Join(dir, "greedy.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Text   string  `json:"text"`
		Prompt []int32 `json:"prompt"`
		Greedy []int32 `json:"greedy"`
	}
	if err := json.Unmarshal(text, &cases); err != nil || len(cases) != 10 {
		t.Fatalf("%d cases, %v", len(cases), err)
	}
	tok, err := tokenizer.Load(filepath.Join(dir, tokenizer.File))
	if err != nil {
		t.Fatal(err)
	}
	e := openEngine(t, dir, EngineOptions{Device: "cpu", Kind: "float32"})
	for _, c := range cases {
		if ids := tok.Encode(nil, c.Text); !slices.Equal(ids, c.Prompt) {
			t.Errorf("%q is encoded as %v, want %v", c.Text, ids, c.Prompt)
		}
		cache := newCache(t, e)
		ids := c.Prompt
		var got []int32
		for range c.Greedy {
			next := highest(extend(t, cache, ids, len(ids)-1))
			got, ids = append(got, next), []int32{next}
		}
		if !slices.Equal(got, c.Greedy) {
			t.Errorf("%q goes on with %q, want %q", c.Text, tok.Decode(got), tok.Decode(c.Greedy))
		}
	}
}

// highest is the token of the highest logit.
func highest(logits []float32) int32 {
	best := 0
	for i, v := range logits {
		if v > logits[best] {
			best = i
		}
	}
	return int32(best)
}
