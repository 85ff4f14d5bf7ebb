package corpus

import (
	"fmt"
	"iter"
	"strings"
)

// Generated is the first programs of a generator as a Collection.
type Generated struct {
	name      string
	generator *Generator
	count     int
}

// NewGenerated returns the first count programs of a seed, in the default style.
func NewGenerated(seed uint64, count int) *Generated {
	return &Generated{fmt.Sprintf("generated/%d", seed), NewGenerator(seed, DefaultStyle()), count}
}

// NewDrills returns the first count drills of a seed, of kinds among DrillKinds or, if
// there are none, of operations of many sorts.
func NewDrills(seed uint64, count int, kinds ...string) *Generated {
	name := fmt.Sprintf("drills/%d", seed)
	if len(kinds) > 0 {
		name = fmt.Sprintf("drills/%s/%d", strings.Join(kinds, ","), seed)
	}
	return &Generated{name, NewGenerator(seed, DrillStyle(kinds...)), count}
}

// Len returns how many there are.
func (g *Generated) Len() int { return g.count }

// Range yields programs.
func (g *Generated) Range(from, to int) iter.Seq2[Case, error] {
	return func(yield func(Case, error) bool) {
		for i := from; i < to; i++ {
			if !yield(g.generator.Case(uint64(i)), nil) {
				return
			}
		}
	}
}

// Provenance names the style and the seed.
func (g *Generated) Provenance() Provenance {
	return Provenance{Name: g.name, Entries: g.count}
}

// Foreign returns nil: the programs do nothing but compute.
func (g *Generated) Foreign() *Foreign { return nil }
