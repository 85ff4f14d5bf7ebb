package torch

import (
	"fmt"
	"math"
)

// ropeFrequencies returns the angles, in radians a position, by which the
// head_dim/2 pairs of a head turn.
func (c Config) ropeFrequencies() ([]float64, error) {
	theta, scaling := c.RopeTheta, c.RopeScaling
	if c.RopeParameters != nil {
		scaling = c.RopeParameters
		if scaling.Theta != 0 {
			theta = scaling.Theta
		}
	}
	if theta == 0 {
		theta = 10000
	}
	if err := within("rope_theta", theta, 1, 1e15); err != nil {
		return nil, err
	}
	half := c.HeadDim / 2
	freq := make([]float64, half)
	for i := range freq {
		freq[i] = math.Pow(theta, -float64(i)/float64(half))
	}
	if scaling == nil {
		return freq, nil
	}
	kind := scaling.Type
	if kind == "" {
		kind = scaling.OldType
	}
	switch kind {
	case "", "default":
	case "linear":
		if err := within("the factor of the rope scaling", scaling.Factor, 1, maxRopeFactor); err != nil {
			return nil, err
		}
		for i := range freq {
			freq[i] /= scaling.Factor
		}
	case "llama3":
		if err := scaling.llama3(freq); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("rope_type %q is not supported; default, linear and llama3 are", kind)
	}
	return freq, nil
}

// maxRopeFactor bounds the factors of a RopeScaling.
const maxRopeFactor = 1e6

// llama3 slows the pairs that turn slowly by the factor, leaves those that turn
// fast, and blends in between.
func (r *RopeScaling) llama3(freq []float64) error {
	for _, n := range []struct {
		name               string
		value, least, most float64
	}{
		{"factor", r.Factor, 1, maxRopeFactor},
		{"low_freq_factor", r.LowFreq, 1 / maxRopeFactor, maxRopeFactor},
		{"high_freq_factor", r.HighFreq, 1 / maxRopeFactor, maxRopeFactor},
		{"original_max_position_embeddings", float64(r.OriginalSize), 1, maxContext},
	} {
		if err := within(n.name+" of the rope scaling llama3", n.value, n.least, n.most); err != nil {
			return err
		}
	}
	if r.HighFreq <= r.LowFreq {
		return fmt.Errorf("rope scaling llama3 has low_freq_factor %g, must be below its high_freq_factor, %g", r.LowFreq, r.HighFreq)
	}
	for i, f := range freq {
		turns := float64(r.OriginalSize) * f / (2 * math.Pi)
		blend := (turns - r.LowFreq) / (r.HighFreq - r.LowFreq)
		blend = math.Max(0, math.Min(1, blend))
		freq[i] = (1-blend)*f/r.Factor + blend*f
	}
	return nil
}

// ropeTable returns, for each of the first n positions and each pair of the
// query and key heads, the complex number that turns it, as float32
// [n, heads+kvHeads, head_dim/2, 2]. The scale of attention, 1/sqrt(head_dim),
// is in the queries' numbers. With inverse it turns back: for gradients.
func (c Config) ropeTable(n int, inverse bool) ([]float32, error) {
	freq, err := c.ropeFrequencies()
	if err != nil {
		return nil, err
	}
	scale := 1 / math.Sqrt(float64(c.HeadDim))
	heads := c.NumAttentionHeads + c.NumKeyValueHeads
	table := make([]float32, 0, n*heads*len(freq)*2)
	for pos := range n {
		for h := range heads {
			size := 1.0
			if h < c.NumAttentionHeads {
				size = scale
			}
			for _, f := range freq {
				sin, cos := math.Sincos(float64(pos) * f)
				if inverse {
					sin = -sin
				}
				table = append(table, float32(size*cos), float32(size*sin))
			}
		}
	}
	return table, nil
}

// ropeAngles returns, for each of the first n positions and each pair of a head,
// the complex number that turns it: float32 [n, head_dim/2, 2].
func (c Config) ropeAngles(n int) ([]float32, error) {
	freq, err := c.ropeFrequencies()
	if err != nil {
		return nil, err
	}
	table := make([]float32, 0, n*len(freq)*2)
	for pos := range n {
		for _, f := range freq {
			sin, cos := math.Sincos(float64(pos) * f)
			table = append(table, float32(cos), float32(sin))
		}
	}
	return table, nil
}
