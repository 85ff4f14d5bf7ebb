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

	"github.com/neuraldbg/neuraldbg/model/torch"
)

// Source gives batches, without end. Its State after a batch, given to Restore,
// makes Next go on with the batch that follows.
type Source interface {
	Next(ctx context.Context) (torch.Sequences, error)
	State() ([]byte, error)
	Restore(state []byte) error
}
