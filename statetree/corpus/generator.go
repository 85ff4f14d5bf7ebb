package corpus

import "iter"

// Generator makes random programs. It holds no state between cases: Case may be
// called from several goroutines, in any order.
type Generator struct {
	seed  uint64
	style Style
}

// NewGenerator returns the generator of a seed and a style.
func NewGenerator(seed uint64, style Style) *Generator { return &Generator{seed, style} }

// Cases returns count cases, from case first on.
func (g *Generator) Cases(first uint64, count int) iter.Seq[Case] {
	return func(yield func(Case) bool) {
		for i := range count {
			if !yield(g.Case(first + uint64(i))) {
				return
			}
		}
	}
}

// Case returns case index.
func (g *Generator) Case(index uint64) Case {
	r := newRandom(g.seed, index)
	var c Case
	if r.chance(g.style.Never) {
		c = neverEnding(r, g.style)
	} else {
		shape := drawShape(r, g.style)
		for range attempts {
			p := newProgram(r, g.style)
			p.build(shape)
			c = Case{Source: p.source(), Entry: p.entry}
			if p.tidy() {
				break
			}
		}
	}
	c.Index = index
	return c
}

// attempts is how often a program is made anew because it is not tidy. One
// program in some 200, most with a helper and a constant, is not tidy even then.
const attempts = 40

// shape is what is decided about a program before it is made, so that the
// shares hold however many attempts are needed.
type shape struct{ constant, recursion, helper, module bool }

func drawShape(r random, s Style) shape {
	return shape{r.chance(s.Constant), r.chance(s.Recursion), r.chance(s.Helper), r.chance(s.Module)}
}
