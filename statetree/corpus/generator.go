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
	c := g.draw(r)
	c.Index = index
	return c
}

// draw decides what sort of program to make, and makes it.
func (g *Generator) draw(r random) Case {
	if r.chance(g.style.Never) {
		return neverEnding(r, g.style)
	}
	switch x := r.Float64(); {
	case x < g.style.Idiom:
		return newProgram(r, g.style).idiomProgram()
	case x < g.style.Idiom+g.style.Pipeline:
		return newProgram(r, g.style).pipelineProgram()
	case x < g.style.Idiom+g.style.Pipeline+g.style.Relay:
		return g.tidied(r, (*program).relay)
	case x < g.style.Idiom+g.style.Pipeline+g.style.Relay+g.style.Drill:
		p := newProgram(r, g.style)
		if kinds := g.style.DrillKinds; len(kinds) > 0 {
			p.drillOf(pick(r, kinds))
		} else {
			p.drill()
		}
		return Case{Source: p.source(), Entry: p.entry}
	}
	shape := drawShape(r, g.style)
	return g.tidied(r, func(p *program) { p.build(shape) })
}

// tidied makes a program anew until it is tidy.
func (g *Generator) tidied(r random, build func(*program)) Case {
	var c Case
	for range attempts {
		p := newProgram(r, g.style)
		build(p)
		c = Case{Source: p.source(), Entry: p.entry}
		if p.tidy() {
			break
		}
	}
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
