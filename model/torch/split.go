package torch

import (
	"cmp"
	"slices"
)

// portion is a worker's part of a batch: of each group the sequences that it computes.
type portion struct {
	members map[int][]int // by group
	cost    float64
}

// splitter shares a batch out.
type splitter struct {
	batch  Sequences
	groups []prefixGroup
	shares []*portion
}

// split shares the sequences out among n, so that the costs are about equal: whole
// groups first, the most expensive first, each to who has least so far; then single
// sequences as long as that makes the largest share smaller. Who gets a part of a
// group computes its prefix, too.
func (b Sequences) split(n int) []Sequences {
	if n == 1 {
		return []Sequences{b}
	}
	s := splitter{batch: b, groups: b.prefixGroups(), shares: make([]*portion, n)}
	for i := range s.shares {
		s.shares[i] = &portion{members: map[int][]int{}}
	}
	order := make([]int, len(s.groups))
	for g := range order {
		order[g] = g
	}
	slices.SortStableFunc(order, func(g, h int) int { return cmp.Compare(b.groupCost(s.groups[h]), b.groupCost(s.groups[g])) })
	for _, g := range order {
		to := s.least()
		for i := range s.groups[g].count {
			s.give(to, g, s.groups[g].first+i)
		}
	}
	for s.level() {
	}
	return s.batches()
}

// prefixCost is that of a group's prefix.
func (s *splitter) prefixCost(g int) float64 { return cost(s.groups[g].prefix, 0) }

// sequenceCost is that of what follows the prefix.
func (s *splitter) sequenceCost(g, sequence int) float64 {
	prefix := s.groups[g].prefix
	return cost(s.batch.Lengths[sequence]-prefix, prefix)
}

// more is what a share would cost more with a sequence.
func (s *splitter) more(to *portion, g, sequence int) float64 {
	sum := s.sequenceCost(g, sequence)
	if len(to.members[g]) == 0 {
		sum += s.prefixCost(g)
	}
	return sum
}

// less is what a share would cost less without a sequence that it has.
func (s *splitter) less(from *portion, g, sequence int) float64 {
	sum := s.sequenceCost(g, sequence)
	if len(from.members[g]) == 1 {
		sum += s.prefixCost(g)
	}
	return sum
}

func (s *splitter) give(to *portion, g, sequence int) {
	to.cost += s.more(to, g, sequence)
	to.members[g] = append(to.members[g], sequence)
}

// take takes from a share its sequence at a place of a group's, and returns it.
func (s *splitter) take(from *portion, g, place int) (sequence int) {
	members := from.members[g]
	sequence = members[place]
	from.cost -= s.less(from, g, sequence)
	from.members[g] = slices.Delete(members, place, place+1)
	return sequence
}

// least and most are the shares that cost least and most, the first of several.
func (s *splitter) least() *portion { return slices.MinFunc(s.shares, cheaper) }
func (s *splitter) most() *portion  { return slices.MaxFunc(s.shares, cheaper) }

func cheaper(a, b *portion) int { return cmp.Compare(a.cost, b.cost) }

// level moves the sequence from the largest share to the smallest that makes the
// larger of the two cost least, and reports whether there is one that makes it cost
// less than before.
func (s *splitter) level() bool {
	from, to := s.most(), s.least()
	best, bestGroup, bestPlace := from.cost, -1, 0
	for g := range s.groups { // in order, so that the same batch is always split alike
		for place, sequence := range from.members[g] {
			larger := max(from.cost-s.less(from, g, sequence), to.cost+s.more(to, g, sequence))
			if larger < best {
				best, bestGroup, bestPlace = larger, g, place
			}
		}
	}
	if bestGroup < 0 {
		return false
	}
	s.give(to, bestGroup, s.take(from, bestGroup, bestPlace))
	return true
}

// batches are the shares as batches, each in the order of the whole one.
func (s *splitter) batches() []Sequences {
	owner := make([]int, len(s.batch.Lengths))
	for i := range s.shares {
		for _, members := range s.shares[i].members {
			for _, sequence := range members {
				owner[sequence] = i
			}
		}
	}
	out := make([]Sequences, len(s.shares))
	at := 0
	for i, n := range s.batch.Lengths {
		o := &out[owner[i]]
		o.Lengths = append(o.Lengths, n)
		o.Tokens = append(o.Tokens, s.batch.Tokens[at:at+n]...)
		o.Predict = append(o.Predict, s.batch.Predict[at:at+n]...)
		at += n
	}
	return out
}
