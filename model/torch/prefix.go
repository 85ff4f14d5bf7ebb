package torch

import "slices"

// Debugger trajectories of one program begin with the same code, which is given and
// not to be predicted. Sequences that follow each other in a batch and begin with the
// same given tokens therefore share the computing of these: the prefix has rows of its
// own in a pass, once, and what follows it in each sequence attends to them. Losses
// and gradients are those of the sequences one by one.

// leastPrefix is the number of tokens from which on sharing them pays: it makes the
// attention of each sequence two smaller products instead of one.
const leastPrefix = 32

// prefixGroup is sequences of a batch, one after another, that share a prefix.
type prefixGroup struct {
	first, count int // sequences
	prefix       int // tokens; 0 for a sequence alone
}

// prefixGroups cuts a batch into groups. A sequence joins the one before it if more
// tokens are saved with it than without.
func (b Sequences) prefixGroups() []prefixGroup {
	var groups []prefixGroup
	var common []int32 // what the last group's sequences begin with
	at := 0
	for i, n := range b.Lengths {
		given := b.Tokens[at:][:b.given(at, n)]
		at += n
		if len(groups) > 0 {
			g := &groups[len(groups)-1]
			shared := commonPrefix(common, given)
			if shared >= leastPrefix && g.count*shared > (g.count-1)*len(common) {
				g.count++
				g.prefix, common = shared, common[:shared]
				continue
			}
		}
		groups = append(groups, prefixGroup{first: i, count: 1})
		common = given // a candidate
	}
	return groups
}

// given is how many tokens of the sequence of n tokens at a place in the batch may be
// in a prefix: those before the one from which the first target is predicted, and
// never all.
func (b Sequences) given(at, n int) int {
	first := slices.Index(b.Predict[at+1:at+n], true)
	if first < 0 {
		return n - 1
	}
	return first
}

func commonPrefix(a, b []int32) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// segment is rows of a pass that are positions of a sequence, one after another: a
// prefix, or what follows a prefix in one sequence, or all of a sequence.
type segment struct {
	start, length int64 // rows
	past          int64 // positions before it, whose rows are the prefix's
	prefix        int64 // row of the first of these
}

// keyRun is keys of a block that have rows one after another.
type keyRun struct {
	start  int64 // row of the segment that they belong to
	from   int64 // the first, from start
	n      int64
	column int64 // of the first in the block's scores
}

// keyRuns are the keys of a block: those of the prefix, if it sees any, and those of
// the segment itself.
func (g segment) keyRuns(b block) []keyRun {
	if b.from >= g.past {
		return []keyRun{{start: g.start, from: b.from - g.past, n: b.keys}}
	}
	past := g.past - b.from
	return []keyRun{
		{start: g.prefix, from: b.from, n: past},
		{start: g.start, n: b.keys - past, column: past},
	}
}

// Cost is about what training on the batch takes, in tokens without attention. What
// sequences share counts once.
func (b Sequences) Cost() float64 {
	sum := 0.
	for _, g := range b.prefixGroups() {
		sum += b.groupCost(g)
	}
	return sum
}

func (b Sequences) groupCost(g prefixGroup) float64 {
	sum := cost(g.prefix, 0)
	for _, n := range b.Lengths[g.first:][:g.count] {
		sum += cost(n-g.prefix, g.prefix)
	}
	return sum
}

// cost is about what n positions after past ones cost, in positions without attention.
func cost(n, past int) float64 {
	return float64(n) * (1 + float64(n+2*past)/costDoubles)
}

// costDoubles is about the length at which attention costs a token of a small
// model as much as all else.
const costDoubles = 1000
