package gguf

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/neuraldbg/neuraldbg/model/atomicfile"
	"github.com/neuraldbg/neuraldbg/model/tokenizer"
	"github.com/neuraldbg/neuraldbg/model/torch/safetensors"
)

// Convert writes the model in the file at path to the folder dir: config.json,
// tokenizer.json, and model.safetensors in the number type "F32", "F16" or
// "BF16".
func Convert(path, dir, dtype string) error {
	f, err := Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.convert(dir, dtype); err != nil {
		return fmt.Errorf("convert %s: %w", path, err)
	}
	return nil
}

func (f *File) convert(dir, dtype string) error {
	config, err := f.config()
	if err != nil {
		return err
	}
	tok, err := f.tokenizer()
	if err != nil {
		return err
	}
	entries, err := f.entries(config)
	if err != nil {
		return err
	}
	for i := range entries {
		entries[i].DType = dtype
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := safetensors.Write(filepath.Join(dir, "model.safetensors"), entries, map[string]string{"format": "pt"}); err != nil {
		return err
	}
	if err := tok.Save(filepath.Join(dir, tokenizer.File)); err != nil {
		return err
	}
	text, err := json.MarshalIndent(config, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.WriteFile(filepath.Join(dir, "config.json"), append(text, '\n'))
}

// config is the config.json, as far as models need it.
type config struct {
	Architectures    []string `json:"architectures"`
	ModelType        string   `json:"model_type"`
	VocabSize        int      `json:"vocab_size"`
	HiddenSize       int      `json:"hidden_size"`
	IntermediateSize int      `json:"intermediate_size"`
	Layers           int      `json:"num_hidden_layers"`
	Heads            int      `json:"num_attention_heads"`
	KeyValueHeads    int      `json:"num_key_value_heads"`
	HeadDim          int      `json:"head_dim"`
	Context          int      `json:"max_position_embeddings"`
	NormEps          float64  `json:"rms_norm_eps"`
	Activation       string   `json:"hidden_act"`
	RopeTheta        float64  `json:"rope_theta"`
	Tied             bool     `json:"tie_word_embeddings"`
	BOS              *int     `json:"bos_token_id,omitempty"`
	EOS              *int     `json:"eos_token_id,omitempty"`
}

// architectures that are converted, with Hugging Face's names of the model.
var architectures = map[string]string{
	"llama": "LlamaForCausalLM", "qwen2": "Qwen2ForCausalLM", "qwen3": "Qwen3ForCausalLM",
}

func (f *File) config() (config, error) {
	kind := f.String("general.architecture")
	class, ok := architectures[kind]
	if !ok {
		return config{}, fmt.Errorf("the architecture %q is not supported; llama, qwen2 and qwen3 are", kind)
	}
	_, scaled := f.Tensors["rope_freqs.weight"]
	if s := f.String(kind + ".rope.scaling.type"); scaled || s != "" && s != "none" {
		return config{}, errors.New("a scaled RoPE is not supported: the file does not say by which rule")
	}
	c := config{Architectures: []string{class}, ModelType: kind, Activation: "silu", RopeTheta: 10000}
	for key, to := range map[string]*int{
		"embedding_length": &c.HiddenSize, "feed_forward_length": &c.IntermediateSize, "block_count": &c.Layers,
		"attention.head_count": &c.Heads, "context_length": &c.Context,
	} {
		if *to, ok = f.Int(kind + "." + key); !ok || *to == 0 {
			return config{}, fmt.Errorf("the metadata has no %s.%s", kind, key)
		}
	}
	c.KeyValueHeads = c.Heads
	if n, ok := f.Int(kind + ".attention.head_count_kv"); ok {
		c.KeyValueHeads = n
	}
	c.HeadDim = c.HiddenSize / c.Heads
	if n, ok := f.Int(kind + ".attention.key_length"); ok {
		c.HeadDim = n
	}
	if c.NormEps, ok = f.Float(kind + ".attention.layer_norm_rms_epsilon"); !ok {
		return config{}, fmt.Errorf("the metadata has no %s.attention.layer_norm_rms_epsilon", kind)
	}
	if theta, ok := f.Float(kind + ".rope.freq_base"); ok {
		c.RopeTheta = theta
	}
	embed, ok := f.Tensors["token_embd.weight"]
	if !ok {
		return config{}, errors.New("tensor token_embd.weight is missing")
	}
	c.VocabSize = embed.Shape[0]
	_, untied := f.Tensors["output.weight"]
	c.Tied = !untied
	for key, to := range map[string]**int{"bos": &c.BOS, "eos": &c.EOS} {
		if id, ok := f.Int("tokenizer.ggml." + key + "_token_id"); ok {
			*to = &id
		}
	}
	return c, nil
}

// names are Hugging Face's for the format's, outside of layers and in them.
var names = map[string]string{
	"token_embd": "model.embed_tokens", "output_norm": "model.norm", "output": "lm_head",
}

var layerNames = map[string]string{
	"attn_norm": "input_layernorm", "ffn_norm": "post_attention_layernorm",
	"attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj", "attn_v": "self_attn.v_proj", "attn_output": "self_attn.o_proj",
	"attn_q_norm": "self_attn.q_norm", "attn_k_norm": "self_attn.k_norm",
	"ffn_gate": "mlp.gate_proj", "ffn_up": "mlp.up_proj", "ffn_down": "mlp.down_proj",
}

// name is Hugging Face's name of a tensor, with what it is within a layer.
func name(own string) (theirs, part string, ok bool) {
	stem, kind, ok := cutLast(own, ".")
	if !ok || kind != "weight" && kind != "bias" {
		return "", "", false
	}
	if theirs, ok := names[stem]; ok {
		return theirs + "." + kind, stem, true
	}
	layer, isLayer := strings.CutPrefix(stem, "blk.")
	number, part, ok := strings.Cut(layer, ".")
	theirs, known := layerNames[part]
	return "model.layers." + number + "." + theirs + "." + kind, part, isLayer && ok && known
}

func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return "", "", false
	}
	return s[:i], s[i+len(sep):], true
}

// entries are all tensors under Hugging Face's names, in float32.
func (f *File) entries(c config) ([]safetensors.Entry, error) {
	var entries []safetensors.Entry
	for _, own := range slices.Sorted(maps.Keys(f.Tensors)) {
		t := f.Tensors[own]
		theirs, part, ok := name(own)
		if !ok {
			return nil, fmt.Errorf("tensor %s is none of a %s model", own, c.ModelType)
		}
		data, err := t.Float32()
		if err != nil {
			return nil, fmt.Errorf("tensor %s: %w", own, err)
		}
		if c.ModelType == "llama" && (part == "attn_q" || part == "attn_k") {
			if data, err = halves(data, c.HeadDim, len(data)/t.Shape[0]); err != nil {
				return nil, fmt.Errorf("tensor %s of shape %v: %w", own, t.Shape, err)
			}
		}
		entries = append(entries, safetensors.Entry{Name: theirs, Shape: t.Shape, Data: data})
	}
	return entries, nil
}

// halves reorders the rows of each head: the format has the two numbers that RoPE
// turns next to each other, Hugging Face's files half a head apart. Only Llama's
// are so. A row is cols numbers.
func halves(data []float32, headDim, cols int) ([]float32, error) {
	if headDim < 2 || headDim%2 != 0 || len(data)%(headDim*cols) != 0 {
		return nil, fmt.Errorf("it does not consist of heads of %d rows", headDim)
	}
	out := make([]float32, len(data))
	for head := 0; head < len(data); head += headDim * cols {
		for i := range headDim {
			from, to := head+i*cols, head+(i%2*headDim/2+i/2)*cols
			copy(out[to:to+cols], data[from:from+cols])
		}
	}
	return out, nil
}
