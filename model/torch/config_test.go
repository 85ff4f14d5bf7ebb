package torch

import (
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The configurations of published models, as their config.json has them.
const (
	smolLM2 = `{
  "architectures": ["LlamaForCausalLM"], "attention_bias": false, "attention_dropout": 0.0, "bos_token_id": 0,
  "eos_token_id": 0, "hidden_act": "silu", "hidden_size": 576, "initializer_range": 0.041666666666666664,
  "intermediate_size": 1536, "max_position_embeddings": 8192, "mlp_bias": false, "model_type": "llama",
  "num_attention_heads": 9, "num_hidden_layers": 30, "num_key_value_heads": 3, "rms_norm_eps": 1e-05,
  "rope_scaling": null, "rope_theta": 100000, "tie_word_embeddings": true, "torch_dtype": "bfloat16", "vocab_size": 49152}`
	llama32 = `{
  "model_type": "llama", "hidden_size": 2048, "intermediate_size": 8192, "num_hidden_layers": 16, "num_attention_heads": 32,
  "num_key_value_heads": 8, "head_dim": 64, "vocab_size": 128256, "max_position_embeddings": 131072, "rms_norm_eps": 1e-05,
  "eos_token_id": [128001, 128008, 128009], "tie_word_embeddings": true, "rope_theta": 500000.0,
  "rope_scaling": {"factor": 32.0, "high_freq_factor": 4.0, "low_freq_factor": 1.0,
    "original_max_position_embeddings": 8192, "rope_type": "llama3"}}`
	qwen3 = `{
  "model_type": "qwen3", "hidden_size": 1024, "intermediate_size": 3072, "num_hidden_layers": 28, "num_attention_heads": 16,
  "num_key_value_heads": 8, "head_dim": 128, "vocab_size": 151936, "max_position_embeddings": 40960, "rms_norm_eps": 1e-06,
  "sliding_window": null, "use_sliding_window": false, "tie_word_embeddings": true, "rope_theta": 1000000}`
	newRope = `{
  "model_type": "llama", "hidden_size": 64, "intermediate_size": 64, "num_hidden_layers": 1, "num_attention_heads": 2,
  "vocab_size": 10, "max_position_embeddings": 64, "rope_parameters": {"rope_type": "default", "rope_theta": 5000.0}}`
)

func readConfigText(t *testing.T, text string) (Config, error) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "config.json"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return ReadConfig(dir)
}

func TestReadConfig(t *testing.T) {
	for _, test := range []struct {
		name, text          string
		headDim, parameters int // the number of weights as published
	}{
		{"SmolLM2-135M", smolLM2, 64, 134_515_008},
		{"Llama-3.2-1B", llama32, 64, 1_235_814_400},
		{"Qwen3-0.6B", qwen3, 128, 596_049_920},
		{"rope_parameters", newRope, 32, 2*10*64 + 7*64*64 + 3*64},
	} {
		c, err := readConfigText(t, test.text)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if c.HeadDim != test.headDim || c.Parameters() != test.parameters {
			t.Errorf("%s: head_dim %d and %d weights, want %d and %d", test.name, c.HeadDim, c.Parameters(), test.headDim, test.parameters)
		}
	}
}

func TestReadConfigErrors(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{`{`, "config.json"},
		{`{"model_type": "gpt2"}`, `"gpt2" is not supported`},
		{strings.Replace(newRope, `"vocab_size": 10`, `"vocab_size": 0`, 1), "vocab_size is 0"},
		{strings.Replace(newRope, `"vocab_size": 10`, `"vocab_size": 2000000000`, 1), "vocab_size is 2000000000, must be from 1 to 4194304"},
		{strings.Replace(newRope, `"default"`, `"yarn"`, 1), `"yarn" is not supported`},
		{strings.Replace(newRope, `"vocab_size": 10`, `"vocab_size": 10, "hidden_act": "gelu"`, 1), `"gelu" is not supported`},
		{strings.Replace(newRope, `"vocab_size": 10`, `"vocab_size": 10, "num_key_value_heads": 3`, 1), "not a multiple"},
		{strings.Replace(newRope, `"vocab_size": 10`, `"vocab_size": 10, "layer_types": ["a", "b"]`, 1), "2 entries for 1 layers"},
		{strings.Replace(newRope, `"vocab_size": 10`, `"vocab_size": 10, "layer_types": ["linear_attention"]`, 1), `"linear_attention", which is not supported`},
		{strings.Replace(newRope, `"vocab_size": 10`, `"vocab_size": 10, "layer_types": ["sliding_attention"]`, 1), "sliding_window is 0"},
		{strings.Replace(newRope, `"vocab_size": 10`, `"vocab_size": 10, "use_sliding_window": true`, 1), "without layer_types"},
		{strings.Replace(llama32, `"high_freq_factor": 4.0`, `"high_freq_factor": 0.5`, 1), "low_freq_factor 1, must be below"},
	} {
		if _, err := readConfigText(t, test.text); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("error of %s is %v, want %q in it", test.text, err, test.want)
		}
	}
}

// TestConfigNumbers gives every number of a configuration values that no model has.
func TestConfigNumbers(t *testing.T) {
	for _, test := range []struct {
		key    string
		values []string
	}{
		{"vocab_size", []string{"0", "-1", "1.5", "1e30", "4194305"}},
		{"hidden_size", []string{"0", "-1", "1e30"}},
		{"intermediate_size", []string{"0", "-1", "1e30"}},
		{"num_hidden_layers", []string{"0", "-1", "1e30"}},
		{"num_attention_heads", []string{"0", "-1", "1e30"}},
		{"num_key_value_heads", []string{"0", "1e30"}},
		{"head_dim", []string{"0", "-2", "3", "1e30", "32768"}},
		{"max_position_embeddings", []string{"0", "-1", "1e30"}},
		{"rms_norm_eps", []string{"0", "-1e-6", "1", "1e-300", "1e999"}},
		{"rope_theta", []string{"0", "-10000", "0.5", "1e300", "1e999"}},
		{"factor", []string{"0", "-8", "0.5", "1e300", "1e999"}},
		{"low_freq_factor", []string{"0", "-1", "1e300"}},
		{"high_freq_factor", []string{"0", "-4", "1e300"}},
		{"original_max_position_embeddings", []string{"0", "-8192", "1e30", "99999999"}},
	} {
		of := regexp.MustCompile(`"` + test.key + `": [^,}]*`)
		for _, value := range test.values {
			text := of.ReplaceAllString(llama32, `"`+test.key+`": `+value)
			if text == llama32 {
				t.Fatalf("the configuration has no %s", test.key)
			}
			_, err := readConfigText(t, text)
			if err == nil || !strings.Contains(err.Error(), test.key) || !strings.Contains(err.Error(), "must be") || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s %s: the error is %v", test.key, value, err)
			}
		}
	}
	for _, value := range []string{"0", "-1", "1e300"} {
		text := strings.Replace(newRope, "5000.0", value, 1)
		if _, err := readConfigText(t, text); err == nil || !strings.Contains(err.Error(), "rope_theta is") {
			t.Errorf("rope_parameters.rope_theta %s: the error is %v", value, err)
		}
	}
}

func TestConfigSurvivesWriting(t *testing.T) {
	for name, want := range testConfigs() {
		want, err := want.complete()
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		if err := want.write(dir); err != nil {
			t.Fatal(err)
		}
		got, err := ReadConfig(dir)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.LayerTypes, want.LayerTypes) || got.Parameters() != want.Parameters() || got.RMSNormEps != want.RMSNormEps {
			t.Errorf("%s: wrote %+v, read %+v", name, want, got)
		}
	}
}

// TestLlama3Frequencies compares with the definition: long waves are slowed by
// the factor, short ones stay.
func TestLlama3Frequencies(t *testing.T) {
	c, err := readConfigText(t, llama32)
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.ropeFrequencies()
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range got {
		plain := math.Pow(500000, -2*float64(i)/64)
		wave := 2 * math.Pi / plain
		switch {
		case wave < 8192/4.0 && f != plain:
			t.Errorf("pair %d: short wave %g is changed to %g", i, plain, f)
		case wave > 8192/1.0 && math.Abs(f*32/plain-1) > 1e-12:
			t.Errorf("pair %d: long wave %g becomes %g, want 32 times slower", i, plain, f)
		case f > plain || f < plain/32.0001:
			t.Errorf("pair %d: %g becomes %g", i, plain, f)
		}
	}
}

func TestPairsAndHalves(t *testing.T) {
	const headDim, cols = 6, 2
	halves := make([]float32, 2*headDim*cols)
	for i := range halves {
		halves[i] = float32(i)
	}
	pairs, back := make([]float32, len(halves)), make([]float32, len(halves))
	toPairs(pairs, halves, headDim, cols)
	fromPairs(back, pairs, headDim, cols)
	if !slices.Equal(back, halves) {
		t.Errorf("there and back gives %v", back)
	}
	// Row 1 of a head is the partner of row 0: row 3 of the halves.
	if want := []float32{0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11}; !slices.Equal(pairs[:headDim*cols], want) {
		t.Errorf("the first head is %v, want %v", pairs[:headDim*cols], want)
	}
}
