package completions

import "math"

// row is what a server tells of one distribution.
type row struct {
	told []told
}

// told is one token with the logarithm of its probability.
type told struct {
	id      int32
	logProb float64
}

func (r *row) add(id int32, logProb float64) {
	if !math.IsNaN(logProb) {
		r.told = append(r.told, told{id, min(0, logProb)})
	}
}

// appendLogits appends the logarithms of the probabilities of all tokens. What is
// not told shares what is left, evenly, but is nowhere above what is told.
func (r row) appendLogits(dst []float32, vocab int) []float32 {
	left, least := 1.0, 0.0
	for _, t := range r.told {
		left -= math.Exp(t.logProb)
		least = min(least, t.logProb)
	}
	// Rounding may leave nothing, or less; something always is.
	share := math.Log(max(left, 1e-9) / float64(max(1, vocab-len(r.told))))
	start := len(dst)
	for range vocab {
		dst = append(dst, float32(min(share, least)))
	}
	for _, t := range r.told {
		if t.id >= 0 && int(t.id) < vocab {
			dst[start+int(t.id)] = float32(t.logProb)
		}
	}
	return dst
}
