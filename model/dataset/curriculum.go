package dataset

import (
	"math"
	"math/rand/v2"
)

// firstCompetence is the share of the batches, the shortest of them, that a
// curriculum begins with: c0 of arXiv 1903.09848, section 2.
const firstCompetence = 0.01

// fromShortToLong puts batches, which are sorted by the length of their
// sequences, into the order of a curriculum: each is drawn at random from the
// shortest share of them that was not drawn yet. The share grows as the square
// root of time, so that new batches come in ever more slowly and short ones stay
// among those that are drawn (competence-based curriculum learning, arXiv
// 1903.09848, equation 7). Every batch comes once.
func fromShortToLong(batches []Batch, r *rand.Rand) []Batch {
	n := len(batches)
	ordered := make([]Batch, 0, n)
	var open []Batch // that may be drawn
	released := 0
	for i := range n {
		done := float64(i) / float64(n)
		competence := math.Sqrt(done*(1-firstCompetence*firstCompetence) + firstCompetence*firstCompetence)
		for released < min(n, max(i+1, int(math.Ceil(competence*float64(n))))) {
			open = append(open, batches[released])
			released++
		}
		drawn, last := r.IntN(len(open)), len(open)-1
		ordered = append(ordered, open[drawn])
		open[drawn] = open[last]
		open = open[:last]
	}
	return ordered
}
