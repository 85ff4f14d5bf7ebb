package torch

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// numbersOf draws n numbers from -size to size.
func numbersOf(random *rand.Rand, n int, size float32) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = (random.Float32()*2 - 1) * size
	}
	return x
}

// checkNear compares with what was computed in float64.
func checkNear(t *testing.T, got []float32, want []float64, tolerance float64) {
	t.Helper()
	if d := farthest(got, [][]float64{want}); !(d <= tolerance) {
		t.Errorf("farthest number is %g away", d)
	}
}

// rounded makes a tensor of a number type from x, and sets x to what it holds.
func rounded(s *scope, x []float32, k kind) tensor {
	t := s.to(s.float32s(x, int64(len(x))), k)
	s.read(s.to(t, float32Kind), x)
	return t
}

var weightKinds = []kind{float32Kind, bfloat16Kind, float16Kind}

// TestMultiply has sizes with and without a rest in rows, columns and vectors, more
// threads than rows, numbers to add to, and a bias.
func TestMultiply(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, k := range weightKinds {
		for _, size := range [][3]int{{1, 1, 1}, {5, 17, 2}, {16, 64, 4}, {33, 63, 7}, {100, 130, 8}, {257, 768, 1}} {
			for _, threads := range []int{1, 2, 3, 8} {
				name := fmt.Sprintf("%v, %dx%d by %d, threads %d", k, size[0], size[1], size[2], threads)
				t.Run(name, func(t *testing.T) { checkMultiply(t, random, k, size[0], size[1], size[2], threads) })
			}
		}
	}
}

func checkMultiply(t *testing.T, random *rand.Rand, k kind, rows, cols, n, threads int) {
	w, x, bias, y := numbersOf(random, rows*cols, 1), numbersOf(random, n*cols, 1), numbersOf(random, rows, 1), numbersOf(random, n*rows, 1)
	w[0] = 3e-6 // subnormal as float16
	e := &Engine{kind: k, threads: threads}
	err := do(func(s *scope) error {
		l := linear{weight: rounded(s, w, k), rows: int64(rows), cols: int64(cols)}
		b := rounded(s, bias, k)
		products, biased, added := make([]float64, n*rows), make([]float64, n*rows), make([]float64, n*rows)
		for i := range products {
			for j := range cols {
				products[i] += float64(w[i%rows*cols+j]) * float64(x[i/rows*cols+j])
			}
			biased[i], added[i] = products[i]+float64(bias[i%rows]), products[i]+float64(y[i])
		}
		e.addFew(l, x, y, n)
		checkNear(t, y, added, 1e-4)
		e.multiplyFew(l, x, y, n)
		checkNear(t, y, products, 1e-4)
		l.bias = b
		e.multiplyFew(l, x, y, n)
		checkNear(t, y, biased, 1e-4)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestWiden has every number that has 16 bits, with infinities and NaN: what is none
// must not become one.
func TestWiden(t *testing.T) {
	for _, k := range weightKinds {
		var all []float32
		for bits := range 1 << 16 {
			all = append(all, math.Float32frombits(uint32(bits)<<16))
		}
		for i := range 1 << 11 { // subnormal and normal as float16
			all = append(all, float32(i)*0x1p-24, -float32(i)*0x1p-24, 1+float32(i)*0x1p-10)
		}
		got := make([]float32, len(all))
		err := do(func(s *scope) error {
			(&Engine{kind: k}).widen(rounded(s, all, k), 0, got)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range got {
			isNaN := v != v && all[i] != all[i]
			if !isNaN && math.Float32bits(v) != math.Float32bits(all[i]) {
				t.Fatalf("%v: %v is widened to %v", k, all[i], v)
			}
		}
	}
}

func TestNormalize(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, cols := range []int{1, 6, 16, 64, 100, 768} {
		const rows, epsilon = 3, 1e-5
		x, scale := numbersOf(random, rows*cols, 2), numbersOf(random, cols, 1)
		plain, scaled := make([]float64, rows*cols), make([]float64, rows*cols)
		for i := range plain {
			squares := 0.0
			for _, v := range x[i/cols*cols:][:cols] {
				squares += float64(v) * float64(v)
			}
			plain[i] = float64(x[i]) / math.Sqrt(squares/float64(cols)+epsilon)
			scaled[i] = plain[i] * float64(scale[i%cols])
		}
		y := make([]float32, len(x))
		normalizeRows(x, y, rows, cols, epsilon)
		checkNear(t, y, plain, 1e-5)
		normalizeHeads(x, scale, rows, cols, epsilon)
		checkNear(t, x, scaled, 1e-5)
	}
}

func TestRotate(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for _, dim := range []int{2, 6, 64} {
		const heads = 3
		x, angles := numbersOf(random, heads*dim, 1), numbersOf(random, dim, 1)
		want := make([]float64, len(x))
		for i := 0; i < len(x); i += 2 {
			turned := complex(float64(x[i]), float64(x[i+1])) * complex(float64(angles[i%dim]), float64(angles[i%dim+1]))
			want[i], want[i+1] = real(turned), imag(turned)
		}
		rotate(x, angles, heads, dim)
		checkNear(t, x, want, 1e-6)
	}
}

// TestGate has gates so large that their exponentials are no float32s.
func TestGate(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for _, n := range []int{1, 15, 16, 100, 2048} {
		gates, up, hidden, want := numbersOf(random, n, 8), numbersOf(random, n, 1), make([]float32, n), make([]float64, n)
		for i, huge := range []float32{0, 87.5, -87.5, 1000, -1000} {
			gates[i%n] = huge
		}
		for i := range want {
			want[i] = float64(gates[i]) / (1 + math.Exp(-float64(gates[i]))) * float64(up[i])
		}
		gate(gates, up, hidden)
		for i, v := range want {
			if d := math.Abs(float64(hidden[i]) - v); !(d <= 1e-6*max(1, math.Abs(v))) {
				t.Errorf("gate %v times %v is %v, want %v", gates[i], up[i], hidden[i], v)
			}
		}
	}
}

// TestAttend has key-value heads that are shared and not, sizes with and without rests,
// slots here and there, and scores so far apart that most weights are 0.
func TestAttend(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	for _, c := range []Config{
		{NumAttentionHeads: 1, NumKeyValueHeads: 1, HeadDim: 2},
		{NumAttentionHeads: 6, NumKeyValueHeads: 6, HeadDim: 32},
		{NumAttentionHeads: 12, NumKeyValueHeads: 4, HeadDim: 64},
		{NumAttentionHeads: 6, NumKeyValueHeads: 3, HeadDim: 22},
	} {
		for _, k := range weightKinds {
			for _, positions := range []int{1, 7, 16, 150} {
				for _, size := range []float32{1, 30} {
					e := &Engine{config: c, kind: k, threads: 1 + random.IntN(5)}
					name := fmt.Sprintf("%v, %d heads by %d of %d, %d positions, size %v, threads %d", k, c.NumAttentionHeads, c.NumKeyValueHeads, c.HeadDim, positions, size, e.threads)
					t.Run(name, func(t *testing.T) { checkAttend(t, e, random, positions, size) })
				}
			}
		}
	}
}

func checkAttend(t *testing.T, e *Engine, random *rand.Rand, positions int, size float32) {
	c := e.config
	queries, cached := numbersOf(random, c.NumAttentionHeads*c.HeadDim, size), numbersOf(random, 2*positions*int(c.cacheWidth()), 1)
	some, following := make([]int32, positions), make([]int32, positions)
	for p := range some {
		some[p], following[p] = int32(2*p+random.IntN(2)), int32(p)
	}
	scores := make([]float32, c.NumAttentionHeads*positions)
	err := do(func(s *scope) error {
		keys := rounded(s, cached, e.kind)
		attended, inOrder := make([]float32, len(queries)), make([]float32, len(queries))
		e.attendTo(queries, keys.data(), some, scores, attended, positions)
		checkNear(t, attended, attendedTo(c, queries, cached, some), 1e-4)
		e.attendTo(queries, keys.data(), following, scores, attended, positions)
		checkNear(t, attended, attendedTo(c, queries, cached, following), 1e-4)
		e.attendTo(queries, keys.data(), nil, scores, inOrder, positions)
		if !slices.Equal(attended, inOrder) {
			t.Error("slots that follow each other give other numbers when they are listed")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// attendedTo is what attendTo computes, in float64.
func attendedTo(c Config, queries, cached []float32, slots []int32) []float64 {
	width, dim, group := int(c.cacheWidth()), c.HeadDim, c.NumAttentionHeads/c.NumKeyValueHeads
	out := make([]float64, len(queries))
	for h := range c.NumAttentionHeads {
		weights, most, sum := make([]float64, len(slots)), math.Inf(-1), 0.0
		head := func(p int) []float32 { return cached[int(slots[p])*width+h/group*dim:] }
		for p := range weights {
			for i := range dim {
				weights[p] += float64(queries[h*dim+i]) * float64(head(p)[i])
			}
			most = max(most, weights[p])
		}
		for p, score := range weights {
			weights[p] = math.Exp(score - most)
			sum += weights[p]
		}
		for p, weight := range weights {
			for i := range dim {
				out[h*dim+i] += weight / sum * float64(head(p)[width/2+i])
			}
		}
	}
	return out
}
