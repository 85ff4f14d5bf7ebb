// Package train trains a model: it takes batches from a Source, improves the
// model with them, and keeps checkpoints that a run resumes from exactly.
//
// It must not know what the tokens mean, nor anything of the command line.
//
// A run's folder holds train.json (the Config), metrics.jsonl (one Metrics a
// line) and checkpoints/step-N with config.json and model.safetensors as
// Hugging Face's transformers reads them, optimizer.safetensors, and
// state.json. The newest checkpoint and the one before are kept.
package train

import (
	"context"
	"fmt"

	"github.com/neuraldbg/neuraldbg/model/torch"
)

// Batch is a set of sequences padded on the right to one length T. Padding
// costs nothing: it is cut off before anything is computed.
type Batch struct {
	Tokens  []int32 // [B*T]
	Loss    []bool  // [B*T]: is the token at this position to be predicted
	Lengths []int   // [B]: without padding
	B, T    int
}

// Source gives batches, without end. Its State after a batch, given to Restore,
// makes Next go on with the batch that follows.
type Source interface {
	Next(ctx context.Context) (Batch, error)
	State() ([]byte, error)
	Restore(state []byte) error
}

// sequences cuts the padding off.
func (b Batch) sequences() (torch.Sequences, error) {
	var s torch.Sequences
	if len(b.Tokens) != b.B*b.T || len(b.Loss) != b.B*b.T || len(b.Lengths) != b.B {
		return s, fmt.Errorf("batch of %d×%d has %d tokens, %d loss marks and %d lengths", b.B, b.T, len(b.Tokens), len(b.Loss), len(b.Lengths))
	}
	for i, n := range b.Lengths {
		if n < 0 || n > b.T {
			return s, fmt.Errorf("sequence %d of a batch has length %d of at most %d", i, n, b.T)
		}
		if n == 0 {
			continue
		}
		s.Tokens = append(s.Tokens, b.Tokens[i*b.T:i*b.T+n]...)
		s.Predict = append(s.Predict, b.Loss[i*b.T:i*b.T+n]...)
		s.Lengths = append(s.Lengths, n)
	}
	return s, nil
}
