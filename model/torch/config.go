package torch

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/neuraldbg/neuraldbg/internal/regularfile"
	"github.com/neuraldbg/neuraldbg/model/jsonerror"
)

// Config describes a transformer. Its JSON form is Hugging Face's config.json.
type Config struct {
	Architectures         []string     `json:"architectures,omitempty"`
	ModelType             string       `json:"model_type"`
	VocabSize             int          `json:"vocab_size"`
	HiddenSize            int          `json:"hidden_size"`
	IntermediateSize      int          `json:"intermediate_size"`
	NumHiddenLayers       int          `json:"num_hidden_layers"`
	NumAttentionHeads     int          `json:"num_attention_heads"`
	NumKeyValueHeads      int          `json:"num_key_value_heads"` // default: NumAttentionHeads
	HeadDim               int          `json:"head_dim,omitempty"`  // default: HiddenSize / NumAttentionHeads
	MaxPositionEmbeddings int          `json:"max_position_embeddings"`
	RMSNormEps            float64      `json:"rms_norm_eps"`
	HiddenAct             string       `json:"hidden_act"`
	TieWordEmbeddings     bool         `json:"tie_word_embeddings"`
	AttentionBias         bool         `json:"attention_bias"`
	MLPBias               bool         `json:"mlp_bias"`
	RopeTheta             float64      `json:"rope_theta,omitempty"`
	RopeScaling           *RopeScaling `json:"rope_scaling,omitempty"`
	RopeParameters        *RopeScaling `json:"rope_parameters,omitempty"` // the newer place of both
	LayerTypes            []string     `json:"layer_types,omitempty"`
	SlidingWindow         int          `json:"sliding_window,omitempty"`
	UseSlidingWindow      *bool        `json:"use_sliding_window,omitempty"` // qwen2, qwen3
	TorchDtype            string       `json:"torch_dtype,omitempty"`
	BOSTokenID            *tokenIDs    `json:"bos_token_id,omitempty"`
	EOSTokenID            *tokenIDs    `json:"eos_token_id,omitempty"`
}

// RopeScaling stretches the rotary embedding to longer contexts.
type RopeScaling struct {
	Type         string  `json:"rope_type"`
	OldType      string  `json:"type,omitempty"`
	Theta        float64 `json:"rope_theta,omitempty"`
	Factor       float64 `json:"factor,omitempty"`
	LowFreq      float64 `json:"low_freq_factor,omitempty"`
	HighFreq     float64 `json:"high_freq_factor,omitempty"`
	OriginalSize int     `json:"original_max_position_embeddings,omitempty"`
}

// tokenIDs is a token id or a list of them; files have both.
type tokenIDs []int

func (t *tokenIDs) UnmarshalJSON(text []byte) error {
	var one int
	if json.Unmarshal(text, &one) == nil {
		*t = tokenIDs{one}
		return nil
	}
	if json.Unmarshal(text, (*[]int)(t)) != nil {
		return fmt.Errorf("a token id is %s, must be a whole number or a list of them", text)
	}
	return nil
}

func (t tokenIDs) MarshalJSON() ([]byte, error) {
	if len(t) == 1 {
		return json.Marshal(t[0])
	}
	return json.Marshal([]int(t))
}

// family is what a model_type means beyond its numbers.
type family struct {
	architecture string // in transformers
	qkvBias      bool   // q, k and v have biases
	qkNorm       bool   // q and k are normalised per head before RoPE
}

var families = map[string]family{
	"llama": {architecture: "LlamaForCausalLM"},
	"qwen2": {architecture: "Qwen2ForCausalLM", qkvBias: true},
	"qwen3": {architecture: "Qwen3ForCausalLM", qkNorm: true},
	"cwm":   {architecture: "CwmForCausalLM"},
}

// ReadConfig reads the config.json of a checkpoint's folder.
func ReadConfig(dir string) (Config, error) {
	path := filepath.Join(dir, "config.json")
	text, err := regularfile.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return Config{}, fmt.Errorf("%s is no checkpoint: it has no config.json; give the folder that has config.json, the weights and the tokenizer", dir)
	}
	if err != nil {
		return Config{}, fmt.Errorf("read the model's configuration: %w", err)
	}
	var c Config
	if err := json.Unmarshal(text, &c); err != nil {
		return Config{}, fmt.Errorf("read %s: %w", path, jsonerror.Describe(err))
	}
	if err = refuseZeros(text); err == nil {
		c, err = c.complete()
	}
	if err != nil {
		return Config{}, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}

// complete fills in defaults and checks that the numbers describe a model that
// this package computes.
func (c Config) complete() (Config, error) {
	if c.ModelType == "" {
		return c, errors.New("there is no model_type; a config.json of Hugging Face's layout has one")
	}
	if _, ok := families[c.ModelType]; !ok {
		return c, fmt.Errorf("model_type %q is not supported; llama, qwen2, qwen3 and cwm are", c.ModelType)
	}
	for _, check := range []func(*Config) error{(*Config).completeSizes, (*Config).completeNorm, (*Config).checkLayers} {
		if err := check(&c); err != nil {
			return c, err
		}
	}
	if c.HiddenAct == "" {
		c.HiddenAct = "silu"
	}
	if c.HiddenAct != "silu" {
		return c, fmt.Errorf("hidden_act %q is not supported, silu is", c.HiddenAct)
	}
	if c.AttentionBias || c.MLPBias {
		return c, errors.New("attention_bias and mlp_bias are not supported")
	}
	if _, err := c.ropeFrequencies(); err != nil {
		return c, err
	}
	return c, nil
}

// within refuses a number out of bounds, which are far from those of any model
// there is: a damaged config must not take the memory of the process, and the other
// sessions with it, nor must it compute nonsense.
func within[N int | float64](name string, value, least, most N) error {
	if !(value >= least && value <= most) { // so written, NaN is refused
		return fmt.Errorf("%s is %v, must be from %v to %v: is config.json damaged?", name, value, least, most)
	}
	return nil
}

// maxContext is the longest context, in tokens, that a configuration may have.
const maxContext = 1 << 24

func (c *Config) completeSizes() error {
	for _, n := range []struct {
		name        string
		value, most int
	}{
		{"vocab_size", c.VocabSize, 1 << 22}, {"hidden_size", c.HiddenSize, 1 << 20},
		{"intermediate_size", c.IntermediateSize, 1 << 22}, {"num_hidden_layers", c.NumHiddenLayers, 1 << 12},
		{"num_attention_heads", c.NumAttentionHeads, 1 << 12},
		{"max_position_embeddings", c.MaxPositionEmbeddings, maxContext},
	} {
		if err := within(n.name, n.value, 1, n.most); err != nil {
			return err
		}
	}
	if c.NumKeyValueHeads == 0 {
		c.NumKeyValueHeads = c.NumAttentionHeads
	}
	if c.NumKeyValueHeads < 0 || c.NumAttentionHeads%c.NumKeyValueHeads != 0 {
		return fmt.Errorf("num_attention_heads %d is not a multiple of num_key_value_heads %d", c.NumAttentionHeads, c.NumKeyValueHeads)
	}
	if c.HeadDim == 0 {
		c.HeadDim = c.HiddenSize / c.NumAttentionHeads
	}
	if c.HeadDim%2 != 0 {
		return fmt.Errorf("head_dim is %d, must be even", c.HeadDim)
	}
	return within("head_dim", c.HeadDim, 2, 1<<14)
}

func (c *Config) completeNorm() error {
	if c.RMSNormEps == 0 {
		c.RMSNormEps = 1e-6
	}
	return within("rms_norm_eps", c.RMSNormEps, 1e-30, 0.1)
}

// The types of layers by what they attend to.
const (
	fullAttention    = "full_attention"
	slidingAttention = "sliding_attention"
)

func (c *Config) checkLayers() error {
	if c.LayerTypes != nil && len(c.LayerTypes) != c.NumHiddenLayers {
		return fmt.Errorf("layer_types has %d entries for %d layers", len(c.LayerTypes), c.NumHiddenLayers)
	}
	sliding := false
	for _, kind := range c.LayerTypes {
		sliding = sliding || kind == slidingAttention
		if kind != fullAttention && kind != slidingAttention {
			return fmt.Errorf("layer_types has %q, which is not supported; %s and %s are", kind, fullAttention, slidingAttention)
		}
	}
	switch {
	case c.UseSlidingWindow != nil && !*c.UseSlidingWindow:
		return nil
	case sliding:
		return within("sliding_window", c.SlidingWindow, 1, maxContext)
	case c.UseSlidingWindow != nil && c.LayerTypes == nil:
		return errors.New("use_sliding_window without layer_types, which say where, is not supported")
	}
	return nil
}

// refuseZeros refuses a 0 in a config.json where Config has 0 for a default: 0 is no
// way to ask for it, and means nothing else either.
func refuseZeros(text []byte) error {
	var c struct {
		KeyValueHeads  *float64 `json:"num_key_value_heads"`
		HeadDim        *float64 `json:"head_dim"`
		Eps            *float64 `json:"rms_norm_eps"`
		RopeTheta      *float64 `json:"rope_theta"`
		RopeParameters struct {
			Theta *float64 `json:"rope_theta"`
		} `json:"rope_parameters"`
	}
	if err := json.Unmarshal(text, &c); err != nil {
		return jsonerror.Describe(err)
	}
	for _, n := range []struct {
		name  string
		value *float64
	}{
		{"num_key_value_heads", c.KeyValueHeads}, {"head_dim", c.HeadDim}, {"rms_norm_eps", c.Eps},
		{"rope_theta", c.RopeTheta}, {"rope_parameters.rope_theta", c.RopeParameters.Theta},
	} {
		if n.value != nil && *n.value == 0 {
			return fmt.Errorf("%s is 0, must be positive: is config.json damaged?", n.name)
		}
	}
	return nil
}

// write writes the configuration to a checkpoint's folder.
func (c Config) write(dir string) error {
	text, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return fmt.Errorf("write the model's configuration: %w", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "config.json"), append(text, '\n'), 0o644); err != nil {
		return fmt.Errorf("write the model's configuration: %w", err)
	}
	return nil
}

// window is the number of positions that layer attends to, or 0 for all.
func (c Config) window(layer int) int {
	if c.UseSlidingWindow != nil && !*c.UseSlidingWindow {
		return 0
	}
	if layer < len(c.LayerTypes) && c.LayerTypes[layer] == slidingAttention {
		return c.SlidingWindow
	}
	return 0
}

// Parameters is the number of weights.
func (c Config) Parameters() int {
	total := 0
	for _, w := range c.weights() {
		total += w.size()
	}
	return total
}
