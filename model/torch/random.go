package torch

import (
	"fmt"
	"math/rand/v2"
)

// OpenRandomEngine makes an engine of random weights: for measurements, which
// need a model's shape and not what it knows.
func OpenRandomEngine(c Config, o EngineOptions) (*Engine, error) {
	c, err := c.complete()
	if err != nil {
		return nil, fmt.Errorf("random model: %w", err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	return newEngine(c, o, func(w weight) ([]float32, error) {
		data := make([]float32, w.size())
		for i := range data {
			if w.cols == 0 {
				data[i] = 1
			} else {
				data[i] = random.Float32()*0.08 - 0.04
			}
		}
		return data, nil
	})
}
