package report

import (
	"maps"
	"slices"
)

// distribution counts small whole numbers. Its memory is that of the different
// ones.
type distribution struct {
	counts map[int]int
	n, sum int
}

func newDistribution() *distribution { return &distribution{counts: map[int]int{}} }

func (d *distribution) add(value int) {
	d.counts[value]++
	d.n++
	d.sum += value
}

func (d *distribution) mean() float64 { return float64(d.sum) / float64(max(1, d.n)) }

// quantile is the smallest value that at least the share q of all values does not
// exceed; 0 of none.
func (d *distribution) quantile(q float64) int {
	need := q * float64(d.n)
	seen := 0
	value := 0
	for _, value = range slices.Sorted(maps.Keys(d.counts)) {
		if seen += d.counts[value]; float64(seen) >= need && seen > 0 {
			return value
		}
	}
	return value
}

// shares are the shares of the values in bins of equal width, from 0 up to and
// including most.
func (d *distribution) shares(bins, most int) []float64 {
	list := make([]float64, bins)
	for value, count := range d.counts {
		list[min(bins-1, value*bins/(most+1))] += float64(count) / float64(d.n)
	}
	return list
}
