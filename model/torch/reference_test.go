package torch

import (
	"fmt"
	"math"
)

// reference is an independent forward pass, in float64 and plain Go, with the
// semantics of Hugging Face's LlamaForCausalLM (and its kin): weights by their
// names in files, RoPE by halves of a head.
type reference struct {
	config  Config
	weights map[string][]float64
}

// logits returns [len(tokens)][vocab].
func (m reference) logits(tokens []int32) [][]float64 {
	c := m.config
	h, kv, p := c.NumAttentionHeads, c.NumKeyValueHeads, c.HeadDim
	freq, err := c.ropeFrequencies()
	if err != nil {
		panic(err)
	}
	turn := func(v []float64, pos int) { // one head
		half := p / 2
		for i := range half {
			sin, cos := math.Sincos(float64(pos) * freq[i])
			a, b := v[i], v[i+half]
			v[i], v[i+half] = a*cos-b*sin, b*cos+a*sin
		}
	}
	x := make([][]float64, len(tokens))
	for t, id := range tokens {
		x[t] = append([]float64(nil), m.weights["model.embed_tokens.weight"][int(id)*c.HiddenSize:][:c.HiddenSize]...)
	}
	for layer := range c.NumHiddenLayers {
		name := fmt.Sprintf("model.layers.%d.", layer)
		window := c.window(layer)
		ks, vs := make([][]float64, len(x)), make([][]float64, len(x))
		attended := make([][]float64, len(x))
		for t := range x {
			normed := m.norm(x[t], name+"input_layernorm.weight")
			q := m.linear(normed, name+"self_attn.q_proj", h*p)
			ks[t] = m.linear(normed, name+"self_attn.k_proj", kv*p)
			vs[t] = m.linear(normed, name+"self_attn.v_proj", kv*p)
			for i := range h {
				head := q[i*p : (i+1)*p]
				if families[c.ModelType].qkNorm {
					copy(head, m.norm(head, name+"self_attn.q_norm.weight"))
				}
				turn(head, t)
			}
			for i := range kv {
				head := ks[t][i*p : (i+1)*p]
				if families[c.ModelType].qkNorm {
					copy(head, m.norm(head, name+"self_attn.k_norm.weight"))
				}
				turn(head, t)
			}
			attended[t] = make([]float64, h*p)
			for i := range h {
				j := i / (h / kv)
				first := 0
				if window > 0 {
					first = max(0, t-window+1)
				}
				scores := make([]float64, t+1-first)
				largest := math.Inf(-1)
				for u := range scores {
					for d := range p {
						scores[u] += q[i*p+d] * ks[first+u][j*p+d]
					}
					scores[u] /= math.Sqrt(float64(p))
					largest = math.Max(largest, scores[u])
				}
				sum := 0.0
				for u := range scores {
					scores[u] = math.Exp(scores[u] - largest)
					sum += scores[u]
				}
				for u := range scores {
					for d := range p {
						attended[t][i*p+d] += scores[u] / sum * vs[first+u][j*p+d]
					}
				}
			}
		}
		for t := range x {
			add(x[t], m.linear(attended[t], name+"self_attn.o_proj", c.HiddenSize))
			normed := m.norm(x[t], name+"post_attention_layernorm.weight")
			gate := m.linear(normed, name+"mlp.gate_proj", c.IntermediateSize)
			up := m.linear(normed, name+"mlp.up_proj", c.IntermediateSize)
			for i := range gate {
				gate[i] = gate[i] / (1 + math.Exp(-gate[i])) * up[i]
			}
			add(x[t], m.linear(gate, name+"mlp.down_proj", c.HiddenSize))
		}
	}
	head := "lm_head"
	if c.TieWordEmbeddings {
		head = "model.embed_tokens"
	}
	out := make([][]float64, len(x))
	for t := range x {
		out[t] = m.linear(m.norm(x[t], "model.norm.weight"), head, c.VocabSize)
	}
	return out
}

// loss is the mean loss over the batch's targets.
func (m reference) loss(b Sequences) float64 {
	sum, at := 0.0, 0
	for _, n := range b.Lengths {
		logits := m.logits(b.Tokens[at : at+n])
		for i := 1; i < n; i++ {
			if !b.Predict[at+i] {
				continue
			}
			total := 0.0
			for _, v := range logits[i-1] {
				total += math.Exp(v)
			}
			sum += math.Log(total) - logits[i-1][b.Tokens[at+i]]
		}
		at += n
	}
	return sum / float64(b.Targets())
}

func (m reference) norm(x []float64, name string) []float64 {
	sum := 0.0
	for _, v := range x {
		sum += v * v
	}
	inverse := 1 / math.Sqrt(sum/float64(len(x))+m.config.RMSNormEps)
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = v * inverse * m.weights[name][i]
	}
	return out
}

// linear is the product with name.weight [rows, len(x)], plus name.bias.
func (m reference) linear(x []float64, name string, rows int) []float64 {
	w := m.weights[name+".weight"]
	out := make([]float64, rows)
	if b, ok := m.weights[name+".bias"]; ok {
		copy(out, b)
	}
	for i := range out {
		for j, v := range x {
			out[i] += w[i*len(x)+j] * v
		}
	}
	return out
}

func add(x, y []float64) {
	for i := range x {
		x[i] += y[i]
	}
}
