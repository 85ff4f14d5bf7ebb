package dataset

import "github.com/neuraldbg/neuraldbg/statetree"

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
	// Sampling are the policies.
	Sampling statetree.SampleOptions `json:"sampling"`
}

// DefaultParams returns the parameters of the project's own models.
func DefaultParams() Params {
	return Params{
		Corpus: "generated/1", Seed: 1,
		Trajectories: 3, Forward: .7, MaxTokens: 1024,
		HeldOut: .01, ShardPrograms: 2000,
		Sampling: statetree.DefaultSampling(),
	}
}
