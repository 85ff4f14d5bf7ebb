package torch

import "fmt"

// weight is one tensor of a checkpoint and its place in the flat vector of all
// weights.
type weight struct {
	name   string // in Hugging Face's files
	rows   int    // 1-dimensional if cols == 0
	cols   int
	offset int
	turned bool // rows are heads that RoPE turns: reordered in memory
}

func (w weight) size() int {
	if w.cols == 0 {
		return w.rows
	}
	return w.rows * w.cols
}

func (w weight) shape() []int {
	if w.cols == 0 {
		return []int{w.rows}
	}
	return []int{w.rows, w.cols}
}

// embeds is whether the weight is the embedding or the output layer.
func (w weight) embeds() bool {
	return w.name == "model.embed_tokens.weight" || w.name == "lm_head.weight"
}

// weights lists the checkpoint's tensors in their order in memory: first the
// matrices, which weight decay applies to, then the vectors, which it does not.
// q, k and v follow each other, and so do gate and up, so that each group is
// one matrix.
func (c Config) weights() []weight {
	f := families[c.ModelType]
	d, hd := c.HiddenSize, c.HeadDim
	var list []weight
	add := func(name string, rows, cols int, turned bool) {
		w := weight{name: name, rows: rows, cols: cols, turned: turned}
		if n := len(list); n > 0 {
			w.offset = list[n-1].offset + list[n-1].size()
		}
		list = append(list, w)
	}
	add("model.embed_tokens.weight", c.VocabSize, d, false)
	if !c.TieWordEmbeddings {
		add("lm_head.weight", c.VocabSize, d, false)
	}
	for i := range c.NumHiddenLayers {
		layer := fmt.Sprintf("model.layers.%d.", i)
		add(layer+"self_attn.q_proj.weight", c.NumAttentionHeads*hd, d, true)
		add(layer+"self_attn.k_proj.weight", c.NumKeyValueHeads*hd, d, true)
		add(layer+"self_attn.v_proj.weight", c.NumKeyValueHeads*hd, d, false)
		add(layer+"self_attn.o_proj.weight", d, c.NumAttentionHeads*hd, false)
		add(layer+"mlp.gate_proj.weight", c.IntermediateSize, d, false)
		add(layer+"mlp.up_proj.weight", c.IntermediateSize, d, false)
		add(layer+"mlp.down_proj.weight", d, c.IntermediateSize, false)
	}
	for i := range c.NumHiddenLayers {
		layer := fmt.Sprintf("model.layers.%d.", i)
		add(layer+"input_layernorm.weight", d, 0, false)
		add(layer+"post_attention_layernorm.weight", d, 0, false)
		if f.qkvBias {
			add(layer+"self_attn.q_proj.bias", c.NumAttentionHeads*hd, 0, true)
			add(layer+"self_attn.k_proj.bias", c.NumKeyValueHeads*hd, 0, true)
			add(layer+"self_attn.v_proj.bias", c.NumKeyValueHeads*hd, 0, false)
		}
		if f.qkNorm {
			add(layer+"self_attn.q_norm.weight", hd, 0, true)
			add(layer+"self_attn.k_norm.weight", hd, 0, true)
		}
	}
	add("model.norm.weight", d, 0, false)
	return list
}

// toPairs reorders the rows of each head from Hugging Face's order, first the
// first halves of all pairs and then the second, to neighbouring pairs;
// fromPairs is its inverse. A row is cols numbers.
func toPairs(dst, src []float32, headDim, cols int)   { reorder(dst, src, headDim, cols, true) }
func fromPairs(dst, src []float32, headDim, cols int) { reorder(dst, src, headDim, cols, false) }

func reorder(dst, src []float32, headDim, cols int, pairs bool) {
	half := headDim / 2
	for head := 0; head < len(src); head += headDim * cols {
		for i := range headDim {
			halves, pair := head+i*cols, head+(i%half*2+i/half)*cols
			if pairs {
				copy(dst[pair:pair+cols], src[halves:halves+cols])
			} else {
				copy(dst[halves:halves+cols], src[pair:pair+cols])
			}
		}
	}
}
