package train

import (
	"context"
	"fmt"
	"time"

	"github.com/neuraldbg/neuraldbg/model/torch"
)

// Estimate is what a run will take.
type Estimate struct {
	Parameters      int
	Tokens          int64   // of the whole run
	TokensPerSecond float64 // measured, with nothing else of the run going on
	Hours           float64
	Memory          int64 // bytes of weights, gradients, optimizer and a step's intermediate results
}

// planSeconds is how long steps are measured for an estimate.
const planSeconds = 3

// Plan estimates a run by making a few of its first steps, which leave nothing
// behind.
func Plan(ctx context.Context, c Config, source Source) (Estimate, error) {
	if err := c.check(); err != nil {
		return Estimate{}, fmt.Errorf("training: %w", err)
	}
	trainer, err := c.newTrainer()
	if err != nil {
		return Estimate{}, err
	}
	defer trainer.Close()
	if err := trainer.SetWorkers(c.threads()); err != nil {
		return Estimate{}, fmt.Errorf("training: %w", err)
	}
	r := &run{config: c, source: source}
	var tokens int
	var elapsed, used time.Duration
	for steps := 0; steps < 2 || elapsed.Seconds() < planSeconds && ctx.Err() == nil; steps++ {
		batches, err := r.next(ctx)
		if err != nil {
			return Estimate{}, fmt.Errorf("read a training batch: %w", err)
		}
		began, usedBefore := time.Now(), ProcessorTime()
		result, err := trainer.Step(batches, 0)
		if err != nil {
			return Estimate{}, err
		}
		if steps == 0 {
			continue // it takes memory, which costs time once
		}
		tokens += result.Tokens
		elapsed += time.Since(began)
		used += ProcessorTime() - usedBefore
	}
	e := Estimate{
		Parameters:      trainer.Config().Parameters(),
		Tokens:          c.TotalTokens,
		TokensPerSecond: float64(tokens) / elapsed.Seconds(),
		Memory:          trainer.Memory(),
	}
	switch {
	case c.Minutes > 0:
		e.Tokens = int64(e.TokensPerSecond * 60 * c.Minutes)
	case c.ProcessorMinutes > 0:
		e.Tokens = int64(float64(tokens) / used.Seconds() * 60 * c.ProcessorMinutes)
	}
	e.Hours = float64(e.Tokens) / e.TokensPerSecond / 3600
	return e, nil
}

// newTrainer makes the model that a run begins with.
func (c Config) newTrainer() (*torch.Trainer, error) {
	if c.Init == "" {
		return torch.NewTrainer(c.Model, c.Optimizer, c.Seed)
	}
	return torch.NewTrainerFrom(c.Init, c.Model, c.Optimizer)
}
