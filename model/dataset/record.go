package dataset

import (
	"context"
	"errors"
	"iter"

	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/corpus"
	"github.com/neuraldbg/neuraldbg/statetree/record"
)

type recordedCase struct {
	Case      corpus.Case
	Recording statetree.Recording
}

// programPath is the File of the states of programs that are in no file.
const programPath = "program.py"

// recordCases runs cases one after the other, and leaves out those that cannot
// be recorded. An error is the last thing it yields.
func recordCases(ctx context.Context, cases iter.Seq[corpus.Case]) iter.Seq2[recordedCase, error] {
	return func(yield func(recordedCase, error) bool) {
		worker, err := record.NewWorker(record.WorkerOptions{})
		if err != nil {
			yield(recordedCase{}, err)
			return
		}
		defer worker.Close()
		for c := range cases {
			trace, err := worker.Record(ctx, record.Job{Path: programPath, Source: c.Source, Entry: c.Entry})
			if ctx.Err() != nil {
				yield(recordedCase{}, ctx.Err())
				return
			}
			if err != nil {
				if errors.Is(err, record.ErrWorkerDied) {
				}
				continue
			}
			r := trace.Recording
			if c.Never && r.Cut != "" {
				r.Exit = statetree.ExitNever
			}
			if !yield(recordedCase{c, r}, nil) {
				return
			}
		}
	}
}
