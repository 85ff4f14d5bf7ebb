package dataset

import (
	"time"

	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/corpus"
)

// Params are all that decides what a dataset holds, apart from the programs and
// the tokenizer.
type Params struct {
	// Corpus names where the programs come from, such as "generated/1"; a
	// program's number behind it is the Source of its sequences.
	Corpus string `json:"corpus"`
	// Seed is that of the sampling.
	Seed uint64 `json:"seed"`
	// Trajectories is how many are sampled from each program. Some may turn
	// out alike; those are dropped.
	Trajectories int `json:"trajectories"`
	// Forward is the share of them that goes forward.
	Forward float64 `json:"forward"`
	// MaxTokens is the longest sequence: the model's context.
	MaxTokens int `json:"max_tokens"`
	// HeldOut is the share of the programs that is kept out of training.
	HeldOut float64 `json:"held_out"`
	// ShardPrograms is how many cases one shard is made from.
	ShardPrograms int `json:"shard_programs"`
	// Activations is how many calls of one function become entries, in each trace
	// of a corpus of traces; Trajectories are sampled from each of them.
	Activations int `json:"activations,omitempty"`
	// Programs with more states than Events, with a repr longer than Value
	// characters, or that compute for longer than Seconds, are left out. An
	// activation in a trace is cut behind so many states instead. Seconds are
	// those of the processor, so that other work of the machine changes nothing.
	Events  int     `json:"events"`
	Value   int     `json:"value"`
	Seconds float64 `json:"seconds"`
	// Sampling are the policies.
	Sampling statetree.SampleOptions `json:"sampling"`
}

// DefaultParams returns the parameters of the project's own models.
func DefaultParams() Params {
	return Params{
		Corpus: "generated/1", Seed: 1,
		Trajectories: 3, Forward: .7, MaxTokens: 1024,
		HeldOut: .01, ShardPrograms: 2000,
		Events: 200, Value: 120, Seconds: 2,
		Sampling: statetree.DefaultSampling(),
	}
}

// Recording returns how the cases of one shard are recorded. There is one
// process: the shards are what is done side by side.
func (p *Params) Recording() corpus.RecordOptions {
	return corpus.RecordOptions{
		Workers: 1, Events: p.Events, Value: p.Value,
		CPU: time.Duration(p.Seconds * float64(time.Second)),
	}
}
