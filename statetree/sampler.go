package statetree

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sort"
)

// SampleOptions are the parameters of sampling. DefaultSampling has the values
// of the paper and, where it is silent, of this project.
type SampleOptions struct {
	// Forward and Inverse are the policies of each direction.
	Forward []Policy `json:"forward"`
	Inverse []Policy `json:"inverse"`
	// ForwardStart and InverseStart say where trajectories begin.
	ForwardStart StartWeights `json:"forward_start"`
	InverseStart StartWeights `json:"inverse_start"`
	// VisitedBreakpoint is how often a breakpoint is set on a line that will be
	// visited; otherwise it is any executable line.
	VisitedBreakpoint float64 `json:"visited_breakpoint"`
	// FunctionLine is how often a start at a line is within the function shown
	// without its driver, where a subject has both.
	FunctionLine float64 `json:"function_line"`
	// MaxStates is the most states of a trajectory; 0 means no limit.
	MaxStates int `json:"max_states"`
	// Heads, if set, treats the heads of branches and loops in another way.
	Heads *HeadSampling `json:"heads,omitempty"`
}

// StartWeights say how often a trajectory begins where. The weights of starts
// that a subject does not have are left out.
type StartWeights struct {
	// Entry is the first state of the walk, given: the driver's or module's call
	// (the paper's form), or the function's for a subject that is only that;
	// backward, the function's return state.
	Entry float64 `json:"entry"`
	// Proposal is the first state of the function's activation, shown without a
	// driver and counted in the loss.
	Proposal float64 `json:"proposal"`
	// Line is a random line state, in full, so that a debugger can start
	// anywhere.
	Line float64 `json:"line"`
}

// DefaultSampling returns the default options. Backward nothing is proposed: the
// value that a function returned, or the line at which to begin, is what a user
// who goes backward knows.
func DefaultSampling() SampleOptions {
	return SampleOptions{
		Forward:           TableA1,
		Inverse:           TableA1Inverse,
		ForwardStart:      StartWeights{Entry: .5, Proposal: .25, Line: .25},
		InverseStart:      StartWeights{Entry: .75, Line: .25},
		VisitedBreakpoint: .75,
		FunctionLine:      .5,
		MaxStates:         256,
	}
}

// Listing is a program as a model is shown it, with the executable lines of its
// code: the lines at which a breakpoint can be set, with their indentation and
// without their line ends.
type Listing struct {
	Program Program
	Lines   []string
}

// Subject is what trajectories are sampled from: a forward tree and the programs
// that show it. Either listing may be missing (its Program.Code empty), not both.
type Subject struct {
	Tree *Tree
	// Whole shows all that was recorded: the program with its driver, or a
	// module.
	Whole Listing
	// Function shows one function without a driver, and Level is its activation,
	// as EntryLevel gives it, or one drawn from the trace of a repository.
	// Inverse trajectories are over it.
	Function Listing
	Level    int
}

// Sampler draws trajectories from a Subject. It is not safe for use by several
// goroutines at once.
type Sampler struct {
	whole, function, inverse *scope // nil where the subject has none
}

// scope is one region of a tree with the listing that shows it.
type scope struct {
	tree    *Tree
	level   int // or Whole
	listing *Listing
	visits  []visit // by node, last first; nil until needed
}

// visit is the last visit of a source that a breakpoint can stop at.
type visit struct{ node, source int32 }

// NewSampler checks the subject and returns its sampler.
func NewSampler(s Subject) (*Sampler, error) {
	var sampler Sampler
	if s.Tree == nil || s.Tree.direction != Forward {
		return nil, errors.New("sampling needs a forward tree")
	}
	if s.Whole.Program.Code != "" {
		sampler.whole = &scope{tree: s.Tree, level: Whole, listing: &s.Whole}
	}
	if s.Function.Program.Code != "" {
		if s.Level < 0 || s.Level >= s.Tree.Levels() {
			return nil, fmt.Errorf("sampling: there is no activation %d; the recording has %d", s.Level, s.Tree.Levels())
		}
		sampler.function = &scope{tree: s.Tree, level: s.Level, listing: &s.Function}
		if s.Tree.Closed(s.Level) {
			sampler.inverse = &scope{level: s.Level, listing: &s.Function}
		}
	}
	if sampler.whole == nil && sampler.function == nil {
		return nil, errors.New("sampling needs the code of the whole program or of a function")
	}
	return &sampler, nil
}

// Sample draws one trajectory. It reports false when there is none: backward
// without a function that returned, or when no start has a weight.
func (s *Sampler) Sample(rng *rand.Rand, d Direction, o *SampleOptions) (Trajectory, bool) {
	sc, node, propose := s.start(rng, d, o)
	if sc == nil {
		return Trajectory{}, false
	}
	c := sc.tree.Cursor(sc.level)
	c.Seek(node)
	policies := o.Forward
	if d == Inverse {
		policies = o.Inverse
	}
	t := Walk(c, sc.listing.Program, o.MaxStates, func(c *Cursor) (Action, bool) {
		if d == Forward && o.Heads != nil {
			if s := c.State(); s.Event == Line && isHead(s.Source) {
				return sc.action(rng, c, o.Heads.Forward, o)
			}
		}
		return sc.action(rng, c, policies, o)
	})
	t.ProposeStart = propose
	return t, true
}

// start draws a scope and the node in it at which to begin.
func (s *Sampler) start(rng *rand.Rand, d Direction, o *SampleOptions) (sc *scope, node int, propose bool) {
	entry, function, w := s.whole, s.function, o.ForwardStart
	if d == Inverse {
		if s.inverse == nil {
			return nil, 0, false
		}
		if s.inverse.tree == nil {
			s.inverse.tree = s.function.tree.Invert()
		}
		entry, function, w = s.inverse, s.inverse, o.InverseStart
	}
	if entry == nil {
		entry = function
	}
	if function == nil {
		w.Proposal = 0
	}
	lineScope := entry
	if function != nil && entry != function && rng.Float64() < o.FunctionLine {
		lineScope = function
	}
	if w.Line > 0 {
		node = lineScope.randomLine(rng, o.Heads)
		if node == none {
			w.Line = 0
		}
	}
	sum := w.Entry + w.Proposal + w.Line
	if sum <= 0 {
		return nil, 0, false
	}
	switch x := rng.Float64() * sum; {
	case x < w.Line:
		return lineScope, node, false
	case x < w.Line+w.Proposal:
		return function, function.first(), true
	}
	return entry, entry.first(), false
}

// first returns the first node of the scope.
func (sc *scope) first() int {
	c := sc.tree.Cursor(sc.level)
	return c.Node()
}

// randomLine returns a random line state of the scope, or none.
func (sc *scope) randomLine(rng *rand.Rand, heads *HeadSampling) int {
	first, end := sc.first(), int(sc.tree.scopeEnd(int32(sc.level)))
	isLine := func(n int) bool { e := sc.tree.nodes[n].event; return e == Line || e == InvLine }
	lines := 0
	for n := first; n < end; n++ {
		if isLine(n) {
			lines++
		}
	}
	if lines == 0 {
		return none
	}
	if heads != nil {
		nodes := make([]int, 0, lines)
		for n := first; n < end; n++ {
			if isLine(n) {
				nodes = append(nodes, n)
			}
		}
		return nodes[heads.drawLine(rng, lines, func(i int) string { return sc.tree.sources[sc.tree.nodes[nodes[i]].source] })]
	}
	k := rng.IntN(lines)
	n := first
	for ; k > 0 || !isLine(n); n++ {
		if isLine(n) {
			k--
		}
	}
	return n
}

// action draws an action that has a target.
func (sc *scope) action(rng *rand.Rand, c *Cursor, policies []Policy, o *SampleOptions) (Action, bool) {
	visited := -1 // how many lines will be visited; counted when needed
	kind := draw(rng, policies, func(k ActionKind) bool {
		if k != Breakpoint || !c.Offers(k) {
			return c.Offers(k)
		}
		if visited < 0 {
			visited = sc.visitedAfter(c.Node())
		}
		return visited > 0 || len(sc.listing.Lines) > 0
	})
	a := Action{Kind: kind}
	if kind == Breakpoint {
		// A visited line, or any line of the listing.
		count, line := len(sc.listing.Lines), func(i int) string { return sc.listing.Lines[i] }
		if visited > 0 && (rng.Float64() < o.VisitedBreakpoint || count == 0) {
			count, line = visited, func(i int) string { return sc.tree.sources[sc.visits[i].source] }
		}
		if o.Heads != nil {
			a.Source = line(o.Heads.drawLine(rng, count, line))
		} else {
			a.Source = line(rng.IntN(count))
		}
	}
	return a, kind != NoAction
}

// visitedAfter returns how many distinct lines are visited after a node: they
// are the sources of the first so many visits.
func (sc *scope) visitedAfter(node int) int {
	if sc.visits == nil {
		sc.visits = []visit{}
		seen := make([]bool, len(sc.tree.sources))
		for n := int(sc.tree.scopeEnd(int32(sc.level))) - 1; n >= sc.first(); n-- {
			nd := &sc.tree.nodes[n]
			if nd.event.StopsAtBreakpoint() && !seen[nd.source] {
				seen[nd.source] = true
				sc.visits = append(sc.visits, visit{node: int32(n), source: nd.source})
			}
		}
	}
	return sort.Search(len(sc.visits), func(i int) bool { return int(sc.visits[i].node) <= node })
}
