package timeline

import (
	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/source"
)

// callees are the functions that a program's states can enter, by the control
// flow. They say where stepping over leaves nothing out.
type callees struct {
	places *locator
	// functions has the callees of each function that was asked for.
	functions map[string][]string
}

// mayEnter reports whether the line that a state is about to run can enter, at
// any depth, a function for which wanted holds. What is not known may.
func (c *callees) mayEnter(s statetree.State, wanted func(function string) bool) bool {
	l := c.places
	if l.flow == nil || s.Line == 0 {
		return true
	}
	seen := map[string]bool{}
	queue := c.from(l.position(&s))
	for len(queue) > 0 {
		f := queue[0]
		queue = queue[1:]
		if seen[f] {
			continue
		}
		if seen[f] = true; wanted(f) {
			return true
		}
		queue = append(queue, c.of(f)...)
	}
	return false
}

// from returns the functions that can be called at a position.
func (c *callees) from(at source.Position) []string {
	var out []string
	for _, candidate := range c.places.flow.Targets(statetree.StepInto, at).Candidates {
		if candidate.Event == statetree.Call && candidate.Line >= 1 && candidate.Line <= len(c.places.program.Origins) {
			origin := c.places.program.Origins[candidate.Line-1]
			out = append(out, c.places.functionOf(statetree.State{Event: statetree.Call, File: origin.File, Line: origin.Line}))
		}
	}
	return out
}

// of returns the functions that a function can call directly.
func (c *callees) of(function string) []string {
	if out, ok := c.functions[function]; ok {
		return out
	}
	var out []string
	for i, origin := range c.places.program.Origins {
		if origin.Line > 0 && c.places.ownsPlace(function, origin) {
			out = append(out, c.from(source.Position{Event: statetree.Line, Lines: []int{i + 1}})...)
		}
	}
	if c.functions == nil {
		c.functions = map[string][]string{}
	}
	c.functions[function] = out
	return out
}
