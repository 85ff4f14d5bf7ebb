package torch

import (
	"fmt"
	"math"
)

// loader reads an engine's weights in their order in memory.
type loader struct {
	engine  *Engine
	read    func(weight) ([]float32, error)
	weights map[string]weight
	err     error // the first
}

// load reads all weights, one layer after another.
func (e *Engine) load(read func(weight) ([]float32, error)) error {
	c := e.config
	l := &loader{engine: e, read: read, weights: map[string]weight{}}
	for _, w := range c.weights() {
		l.weights[w.name] = w
	}
	d := c.HiddenSize
	embed := l.values("model.embed_tokens.weight")
	e.embed = l.tensor(embed, int64(c.VocabSize), int64(d))
	head := embed
	if !c.TieWordEmbeddings {
		head = l.values("lm_head.weight")
	}
	scaleColumns(head, l.values("model.norm.weight"))
	e.head = l.linear(head, nil, d)

	// Attention's scale is in q, or in the norm of q where there is one.
	scale := float32(1 / math.Sqrt(float64(c.HeadDim)))
	f := families[c.ModelType]
	e.layers = make([]engineLayer, c.NumHiddenLayers)
	for i := range e.layers {
		if l.err != nil {
			return l.err
		}
		layer := &e.layers[i]
		name := fmt.Sprintf("model.layers.%d.", i)
		layer.attention = fmt.Sprintf("layer %d, attention", i)
		layer.feedForward = fmt.Sprintf("layer %d, feed-forward", i)
		layer.window = int64(c.window(i))

		norm := l.values(name + "input_layernorm.weight")
		q := l.values(name + "self_attn.q_proj.weight")
		kv := append(l.values(name+"self_attn.k_proj.weight"), l.values(name+"self_attn.v_proj.weight")...)
		scaleColumns(q, norm)
		scaleColumns(kv, norm)
		var qBias, kvBias []float32
		if f.qkvBias {
			qBias = l.values(name + "self_attn.q_proj.bias")
			kvBias = append(l.values(name+"self_attn.k_proj.bias"), l.values(name+"self_attn.v_proj.bias")...)
		}
		if f.qkNorm {
			qNorm := l.values(name + "self_attn.q_norm.weight")
			scaleAll(qNorm, scale)
			layer.qNorm = l.tensor(qNorm, int64(c.HeadDim))
			layer.kNorm = l.tensor(l.values(name+"self_attn.k_norm.weight"), int64(c.HeadDim))
		} else {
			scaleAll(q, scale)
			scaleAll(qBias, scale)
		}
		layer.q = l.linear(q, qBias, d)
		layer.kv = l.linear(kv, kvBias, d)
		layer.out = l.linear(l.values(name+"self_attn.o_proj.weight"), nil, c.NumAttentionHeads*c.HeadDim)

		norm = l.values(name + "post_attention_layernorm.weight")
		gateUp := append(l.values(name+"mlp.gate_proj.weight"), l.values(name+"mlp.up_proj.weight")...)
		scaleColumns(gateUp, norm)
		layer.gateUp = l.linear(gateUp, nil, d)
		layer.down = l.linear(l.values(name+"mlp.down_proj.weight"), nil, c.IntermediateSize)
	}
	table, err := c.ropeAngles(e.context)
	if err != nil {
		return err
	}
	if l.err != nil {
		return l.err
	}
	return do(func(s *scope) error {
		angles := s.float32s(table, int64(e.context), int64(c.HeadDim/2), 2)
		e.rope = s.detach(s.viewAsComplex(s.toDevice(angles, e.device)))
		e.masks = newAttentionMasks(s, e.device)
		return nil
	})
}

// values reads a weight; after an error it returns zeros.
func (l *loader) values(name string) []float32 {
	w := l.weights[name]
	if l.err == nil {
		data, err := l.read(w)
		if err == nil {
			return data
		}
		l.err = err
	}
	return make([]float32, w.size())
}

func (l *loader) tensor(data []float32, shape ...int64) (t tensor) {
	if l.err == nil && l.engine.kind == float16Kind {
		l.err = checkFloat16(data)
	}
	if l.err != nil {
		return tensor{}
	}
	l.err = do(func(s *scope) error {
		t = s.float32s(data, shape...)
		if e := l.engine; e.kind != float32Kind || e.device != cpu {
			given := t
			t = s.empty(e.kind, e.device, shape...)
			s.copyIn(t, given)
		}
		t = s.detach(t)
		return nil
	})
	return t
}

// checkFloat16 refuses weights that float16 rounds to infinities, as those of models
// trained in bfloat16 may be.
func checkFloat16(data []float32) error {
	const most = 65520 // half-way from the largest number to the next there would be
	for _, v := range data {
		if v >= most || v <= -most {
			return fmt.Errorf("a weight is %g, and float16 ends at 65504: choose bfloat16 or float32", v)
		}
	}
	return nil
}

func (l *loader) linear(data, bias []float32, cols int) linear {
	m := linear{rows: int64(len(data) / cols), cols: int64(cols)}
	m.weight = l.tensor(data, m.rows, m.cols)
	if bias != nil {
		m.bias = l.tensor(bias, m.rows)
	}
	if l.err == nil {
		l.err = do(func(s *scope) error {
			m.transposed = s.detach(s.transposed(m.weight))
			return nil
		})
	}
	return m
}

// scaleColumns multiplies each row of data, a matrix, by scale.
func scaleColumns(data, scale []float32) {
	for i := range data {
		data[i] *= scale[i%len(scale)]
	}
}

func scaleAll(data []float32, by float32) {
	for i := range data {
		data[i] *= by
	}
}
