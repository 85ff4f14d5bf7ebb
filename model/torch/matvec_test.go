package torch

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestMatvec compares products with sums in float64: sizes with and without a rest
// in rows and columns, more threads than rows, and with numbers to add to.
func TestMatvec(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, size := range [][2]int64{{1, 1}, {5, 17}, {16, 64}, {33, 63}, {100, 130}, {257, 768}} {
		for _, threads := range []int{1, 2, 3, 8} {
			for _, add := range []bool{false, true} {
				t.Run(fmt.Sprintf("%dx%d threads %d add %v", size[0], size[1], threads, add), func(t *testing.T) {
					rows, cols := size[0], size[1]
					w, x, y := make([]float32, rows*cols), make([]float32, cols), make([]float32, rows)
					for _, numbers := range [][]float32{w, x, y} {
						for i := range numbers {
							numbers[i] = random.Float32()*2 - 1
						}
					}
					want := make([][]float64, 1)
					for i := range rows {
						sum := 0.0
						if add {
							sum = float64(y[i])
						}
						for j := range cols {
							sum += float64(w[i*cols+j]) * float64(x[j])
						}
						want[0] = append(want[0], sum)
					}
					err := do(func(s *scope) error {
						l := linear{weight: s.float32s(w, rows, cols), rows: rows, cols: cols}
						out := s.float32s(y, rows)
						s.matvec(l, s.float32s(x, cols), out, add, threads)
						s.read(out, y)
						return nil
					})
					if err != nil {
						t.Fatal(err)
					}
					if d := farthest(y, want); d > 1e-4 {
						t.Errorf("farthest number is %g away", d)
					}
				})
			}
		}
	}
}

// TestEngineWithLargeMatrices computes with every matrix as if it were large.
func TestEngineWithLargeMatrices(t *testing.T) {
	before := largeMatrix
	t.Cleanup(func() { largeMatrix = before })
	largeMatrix = 0
	TestEngineEqualsReference(t)
}
