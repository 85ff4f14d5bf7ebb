package safetensors

import (
	"errors"
	"fmt"
	"slices"
)

// Average writes the weighted mean of archives with the same tensors, in the number
// type that each has in the first one. There is a weight for each archive; they are
// divided by their sum.
func Average(to string, archives []*Archive, weights []float64) error {
	if len(archives) == 0 || len(weights) != len(archives) {
		return fmt.Errorf("%d archives have %d weights", len(archives), len(weights))
	}
	total := 0.0
	for _, w := range weights {
		total += w
	}
	if total == 0 {
		return errors.New("the weights sum to nothing")
	}
	first := archives[0]
	var entries []Entry
	for _, name := range first.Names() {
		t := first.Tensors[name]
		sum := make([]float64, t.Len())
		for i, a := range archives {
			other, ok := a.Tensors[name]
			if !ok || !slices.Equal(other.Shape, t.Shape) || len(a.Tensors) != len(first.Tensors) {
				return fmt.Errorf("the tensors differ: %s", name)
			}
			data, err := other.Float32()
			if err != nil {
				return fmt.Errorf("read %s of %s: %w", name, other.Path(), err)
			}
			for j, v := range data {
				sum[j] += weights[i] / total * float64(v)
			}
		}
		mean := make([]float32, len(sum))
		for i, v := range sum {
			mean[i] = float32(v)
		}
		entries = append(entries, Entry{Name: name, Shape: t.Shape, Data: mean, DType: t.DType})
	}
	return Write(to, entries, first.Metadata)
}
