package corpus

import "math/rand/v2"

// random draws what a generator decides.
type random struct{ *rand.Rand }

// newRandom returns the random numbers of case index.
func newRandom(seed, index uint64) random {
	return random{rand.New(rand.NewPCG(seed, index))}
}

func (r random) chance(p float64) bool { return r.Float64() < p }

// between returns an integer from low to high, both included.
func (r random) between(low, high int) int { return low + r.IntN(high-low+1) }

func pick[T any](r random, from []T) T { return from[r.IntN(len(from))] }

// option is one of several things to make, with its weight.
type option[T any] struct {
	weight float64
	make   func() T
}

// choose makes one of the options. Those of weight 0 are left out.
func choose[T any](r random, options []option[T]) T {
	total := 0.0
	for _, o := range options {
		total += o.weight
	}
	at := r.Float64() * total
	for _, o := range options {
		if o.weight > 0 {
			if at -= o.weight; at < 0 {
				return o.make()
			}
		}
	}
	return options[0].make()
}

// when is weight if the condition holds, and 0 otherwise.
func when(condition bool, weight float64) float64 {
	if condition {
		return weight
	}
	return 0
}

// statement is an option that writes something.
type statement = option[struct{}]

// do is the option to write something.
func do(weight float64, write func()) statement {
	return statement{weight, func() struct{} { write(); return struct{}{} }}
}
