package statetree

import (
	"math/rand/v2"
	"strings"
)

// HeadSampling gives the heads of branches and loops more weight than other
// lines: where a run decides how it goes on is what is hard to predict.
type HeadSampling struct {
	// Weight is how much likelier a head is than another line, where a
	// breakpoint is set and where a trajectory starts.
	Weight float64 `json:"weight"`
	// Forward are the policies by which one goes on from the line state of a head.
	Forward []Policy `json:"forward"`
}

// SyntaxSampling returns options that differ from the default ones in that they
// look at the syntax: heads are stopped at more often, and left by single steps.
func SyntaxSampling() SampleOptions {
	o := DefaultSampling()
	o.Heads = &HeadSampling{Weight: 4, Forward: []Policy{
		{StepInto: .5, StepOver: .4, Breakpoint: .1},
	}}
	return o
}

// headWords begin the lines of which the next line depends on a value.
var headWords = map[string]bool{
	"if": true, "elif": true, "while": true, "for": true, "async": true,
	"match": true, "case": true, "except": true,
}

// isHead reports whether an executable line begins a branch or a loop.
func isHead(line string) bool {
	line = strings.TrimLeft(line, " \t\f")
	end := strings.IndexFunc(line, func(c rune) bool { return c < 'a' || c > 'z' })
	if end < 0 || !headWords[line[:end]] {
		return false
	}
	return !strings.HasPrefix(line, "async def") && !strings.HasPrefix(line[end:], " =") && !strings.HasPrefix(line[end:], ".")
}

// drawLine draws one of n lines, each with the weight that its text has.
func (h *HeadSampling) drawLine(rng *rand.Rand, n int, text func(int) string) int {
	sum := 0.0
	drawn := 0
	for i := range n {
		weight := 1.0
		if isHead(text(i)) {
			weight = h.Weight
		}
		sum += weight
		if rng.Float64()*sum < weight {
			drawn = i
		}
	}
	return drawn
}
