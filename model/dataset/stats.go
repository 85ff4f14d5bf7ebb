package dataset

// Stats count what became of the cases, or of the activations in traces.
type Stats struct {
	Cases int `json:"cases"`
	// Dropped counts, by reason, what did not get in.
	Dropped map[Reason]int `json:"dropped"`
	Train   SplitStats     `json:"train"`
	HeldOut SplitStats     `json:"heldout"`
}

// SplitStats count what is in a split.
type SplitStats struct {
	Programs     int            `json:"programs"`
	Trajectories map[string]int `json:"trajectories"` // by direction
	Tokens       map[string]int `json:"tokens"`       // by direction
	LossTokens   int            `json:"loss_tokens"`
	Actions      map[string]int `json:"actions"` // by name
	Truncated    int            `json:"truncated"`
}

// Reason is why a case or a trajectory is not in a dataset.
type Reason string

// The reasons. Those up to NoSequences concern whole programs.
const (
	DuplicateProgram  Reason = "duplicate program"
	NotRecorded       Reason = "not recorded: " // then a corpus.Reason
	NoTree            Reason = "recording without a state tree"
	NoSequences       Reason = "program without trajectories"
	NoTrajectory      Reason = "no trajectory in this direction"
	CodeTooLong       Reason = "code beyond the context"
	TooLong           Reason = "first state beyond the context"
	DuplicateSequence Reason = "trajectory sampled twice"
)

func newStats() *Stats {
	split := func() SplitStats {
		return SplitStats{Trajectories: map[string]int{}, Tokens: map[string]int{}, Actions: map[string]int{}}
	}
	return &Stats{Dropped: map[Reason]int{}, Train: split(), HeldOut: split()}
}

// Tokens is the number of tokens in both splits.
func (s *Stats) Tokens() int {
	total := 0
	for _, split := range []*SplitStats{&s.Train, &s.HeldOut} {
		for _, n := range split.Tokens {
			total += n
		}
	}
	return total
}

func (s *Stats) split(split Split) *SplitStats {
	if split == HeldOut {
		return &s.HeldOut
	}
	return &s.Train
}

// rows is the number of sequences.
func (s *SplitStats) rows() int {
	total := 0
	for _, n := range s.Trajectories {
		total += n
	}
	return total
}

func (s *SplitStats) count(q *Sequence) {
	s.Trajectories[q.Direction]++
	s.Tokens[q.Direction] += len(q.InputIDs)
	for _, predicted := range q.LossMask {
		if predicted {
			s.LossTokens++
		}
	}
	for _, a := range q.Actions {
		s.Actions[a]++
	}
	if q.Truncated {
		s.Truncated++
	}
}

// add adds what another shard counted.
func (s *Stats) add(o *Stats) {
	s.Cases += o.Cases
	addCounts(s.Dropped, o.Dropped)
	s.Train.add(&o.Train)
	s.HeldOut.add(&o.HeldOut)
}

func (s *SplitStats) add(o *SplitStats) {
	s.Programs += o.Programs
	addCounts(s.Trajectories, o.Trajectories)
	addCounts(s.Tokens, o.Tokens)
	s.LossTokens += o.LossTokens
	addCounts(s.Actions, o.Actions)
	s.Truncated += o.Truncated
}

func addCounts[K comparable](to, from map[K]int) {
	for k, n := range from {
		to[k] += n
	}
}
