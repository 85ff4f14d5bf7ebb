package train

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/neuraldbg/neuraldbg/model/torch"
)

// HeldOutLoss measures the loss of the checkpoint in a folder, in nats a token to
// be predicted, over at most so many batches of each source. One source for each
// loss mask tells where a model is good; nothing is learned. The device and the threads
// are those of a Config.
func HeldOutLoss(ctx context.Context, dir, device string, threads, batches int, sources ...Source) ([]torch.StepResult, error) {
	config, err := torch.ReadConfig(dir)
	if err != nil {
		return nil, err
	}
	trainer, err := torch.NewTrainerFrom(dir, config, torch.DefaultOptimizer(), device)
	if err != nil {
		return nil, err
	}
	defer trainer.Close()
	if err := trainer.SetWorkers(Config{Threads: threads}.threads()); err != nil {
		return nil, fmt.Errorf("measure the loss: %w", err)
	}
	var results []torch.StepResult
	for _, source := range sources {
		result, err := meanLoss(ctx, trainer, source, batches)
		if err != nil {
			return nil, fmt.Errorf("measure the loss: %w", err)
		}
		results = append(results, result)
	}
	return results, nil
}

// meanLoss is over all targets alike, whatever batch they are in.
func meanLoss(ctx context.Context, trainer *torch.Trainer, source Source, batches int) (sum torch.StepResult, err error) {
	for range batches {
		b, err := source.Next(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return sum, err
		}
		result, err := trainer.Loss([]torch.Sequences{b})
		if err != nil {
			return sum, err
		}
		sum.Loss += result.Loss * float64(result.Targets)
		sum.Targets += result.Targets
		sum.Tokens += result.Tokens
	}
	if sum.Targets == 0 {
		return sum, errors.New("there is nothing to predict")
	}
	sum.Loss /= float64(sum.Targets)
	return sum, nil
}
