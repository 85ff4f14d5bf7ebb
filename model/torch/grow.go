package torch

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/neuraldbg/neuraldbg/model/neural"
	"github.com/neuraldbg/neuraldbg/model/torch/safetensors"
)

// Grow writes a larger checkpoint to the folder to that computes the same as the
// one in from, so that training goes on where it was with more weights than it
// began with. larger names the new shape: its HiddenSize, IntermediateSize,
// NumHiddenLayers, NumAttentionHeads and NumKeyValueHeads, of which none may be
// smaller than before; 0 keeps one. seed draws the new weights.
//
// The old weights keep their places. What is new writes nothing yet: the columns
// of o_proj and down_proj that read a new head or feed-forward unit are zero, as
// are the rows that write to a new place of the residual stream, the embeddings'
// new columns, and all of both matrices in a new layer, which comes after the
// old ones. What is new reads with random weights, so that gradients flow and no
// two new units are alike. RMSNorm's mean is over more numbers, which are zero:
// its weights and its epsilon make up for it.
func Grow(from, to string, larger Config, seed uint64) error {
	small, err := ReadConfig(from)
	if err != nil {
		return err
	}
	large, err := small.grown(larger)
	if err != nil {
		return err
	}
	archive, err := safetensors.OpenDir(from)
	if err != nil {
		return err
	}
	defer archive.Close()
	old := map[string]weight{}
	for _, w := range small.weights() {
		old[w.name] = w
	}
	random := initialWeights(large, large.weights(), seed)
	var entries []safetensors.Entry
	for _, w := range large.weights() {
		data := random[w.offset : w.offset+w.size()]
		if w.writes() {
			clear(data)
		}
		if before, ok := old[w.name]; ok {
			kept, err := before.read(archive, "")
			if err != nil {
				return err
			}
			w.keep(data, before, kept)
		}
		entries = append(entries, safetensors.Entry{Name: w.name, Shape: w.shape(), Data: data})
	}
	if err := large.writeOver(from, to); err != nil {
		return err
	}
	return safetensors.Write(filepath.Join(to, "model.safetensors"), entries, map[string]string{"format": "pt"})
}

// grown is the configuration of the model of c's family in a larger shape.
func (c Config) grown(larger Config) (Config, error) {
	g := c
	if larger.NumKeyValueHeads == 0 {
		larger.NumKeyValueHeads = larger.NumAttentionHeads * c.NumKeyValueHeads / c.NumAttentionHeads
	}
	for _, n := range []struct {
		name string
		to   *int
		want int
	}{
		{"width", &g.HiddenSize, larger.HiddenSize},
		{"size of the feed-forward layers", &g.IntermediateSize, larger.IntermediateSize},
		{"number of layers", &g.NumHiddenLayers, larger.NumHiddenLayers},
		{"number of heads", &g.NumAttentionHeads, larger.NumAttentionHeads},
		{"number of key-value heads", &g.NumKeyValueHeads, larger.NumKeyValueHeads},
	} {
		if n.want == 0 {
			continue
		}
		if n.want < *n.to {
			return g, fmt.Errorf("the %s is %d and cannot become %d: a model grows", n.name, *n.to, n.want)
		}
		*n.to = n.want
	}
	// Which key-value head a head reads follows from this ratio.
	if g.NumAttentionHeads*c.NumKeyValueHeads != c.NumAttentionHeads*g.NumKeyValueHeads {
		return g, fmt.Errorf("%d heads on %d key-value heads cannot become %d on %d: their ratio must stay",
			c.NumAttentionHeads, c.NumKeyValueHeads, g.NumAttentionHeads, g.NumKeyValueHeads)
	}
	if len(c.LayerTypes) > 0 && g.NumHiddenLayers > c.NumHiddenLayers {
		return g, errors.New("config.json has layer_types: say there what new layers are; only the width of such a model grows")
	}
	g.RMSNormEps *= float64(c.HiddenSize) / float64(g.HiddenSize)
	return g.complete()
}

// writeOver writes the configuration in the folder from to the folder to, with
// c's shape and all else as it was.
func (c Config) writeOver(from, to string) error {
	const file = "config.json"
	text, err := os.ReadFile(filepath.Join(from, file))
	if err != nil {
		return fmt.Errorf("copy the model's configuration: %w", err)
	}
	if err := os.WriteFile(filepath.Join(to, file), text, 0o644); err != nil {
		return fmt.Errorf("copy the model's configuration: %w", err)
	}
	return neural.EditConfig(to, map[string]any{
		"hidden_size": c.HiddenSize, "intermediate_size": c.IntermediateSize, "num_hidden_layers": c.NumHiddenLayers,
		"num_attention_heads": c.NumAttentionHeads, "num_key_value_heads": c.NumKeyValueHeads, "head_dim": c.HeadDim,
		"rms_norm_eps": c.RMSNormEps, "torch_dtype": "float32",
	})
}

// writes is whether the weight writes into the residual stream.
func (w weight) writes() bool {
	return w.embeds() || strings.HasSuffix(w.name, ".o_proj.weight") || strings.HasSuffix(w.name, ".down_proj.weight")
}

// normalizes is whether the weight is that of a norm over the residual stream.
func (w weight) normalizes() bool {
	return w.name == "model.norm.weight" || strings.HasSuffix(w.name, "layernorm.weight")
}

// keep puts the weight of a smaller model to its place in data, the weight of
// the larger one.
func (w weight) keep(data []float32, before weight, kept []float32) {
	switch {
	case w.cols != 0:
		for row := range before.rows {
			copy(data[row*w.cols:], kept[row*before.cols:][:before.cols])
		}
	case w.normalizes():
		scale := float32(math.Sqrt(float64(before.rows) / float64(w.rows)))
		mean := float32(0)
		for _, v := range kept {
			mean += v / float32(before.rows)
		}
		for i := range data {
			data[i] = mean * scale
		}
		for i, v := range kept {
			data[i] = v * scale
		}
	default: // a bias, or a norm within heads, whose size stays
		clear(data)
		copy(data, kept)
	}
}
