package train

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/neuraldbg/neuraldbg/model/torch"
)

// Estimate is what a run will take.
type Estimate struct {
	Parameters int
	Tokens     int64 // of the whole run
	// TokensPerSecond is measured, by the clock: a machine that does other things
	// meanwhile has less. TokensPerProcessorSecond is by the processors' time, all
	// threads together.
	TokensPerSecond          float64
	TokensPerProcessorSecond float64
	Hours                    float64
	Memory                   int64 // bytes that the process takes at most, without those below
	Device                   string
	DeviceMemory             int64 // bytes of a CUDA device's memory that are taken at most
}

const (
	// planSteps is among how many steps the largest is looked for.
	planSteps = 32
	// planSeconds is for how long steps are measured, in the processors' time:
	// that of the clock would be too short on a busy machine.
	planSeconds = 4
	// savedVectors are the copies of all weights that are made to be saved.
	savedVectors = 2
)

// Plan estimates a run by making some of its first steps, which leave nothing
// behind. The first step that is made is the largest of them: it takes the memory,
// which costs time once.
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
	var steps [][]torch.Sequences
	for range planSteps {
		batches, err := r.next(ctx)
		if err != nil {
			return Estimate{}, fmt.Errorf("read a training batch: %w", err)
		}
		steps = append(steps, batches)
	}
	largest := slices.MaxFunc(steps, func(a, b []torch.Sequences) int { return cmp.Compare(largestCost(a), largestCost(b)) })
	if _, err := trainer.Step(largest, 0); err != nil {
		return Estimate{}, err
	}
	tokens := 0
	began, before := time.Now(), ProcessorTime()
	for i := 0; i == 0 || ProcessorTime()-before < planSeconds*time.Second && ctx.Err() == nil; i++ {
		result, err := trainer.Step(steps[i%planSteps], 0)
		if err != nil {
			return Estimate{}, err
		}
		tokens += result.Tokens
	}
	parameters := trainer.Config().Parameters()
	taken, deviceTaken := trainer.Memory()
	e := Estimate{
		Parameters:               parameters,
		Tokens:                   c.TotalTokens,
		TokensPerSecond:          float64(tokens) / time.Since(began).Seconds(),
		TokensPerProcessorSecond: float64(tokens) / (ProcessorTime() - before).Seconds(),
		Memory:                   max(peakMemory(), taken) + savedVectors*4*int64(parameters),
		Device:                   trainer.Device(),
		DeviceMemory:             deviceTaken,
	}
	switch {
	case c.Minutes > 0:
		e.Tokens = int64(e.TokensPerSecond * 60 * c.Minutes)
	case c.ProcessorMinutes > 0:
		e.Tokens = int64(e.TokensPerProcessorSecond * 60 * c.ProcessorMinutes)
	}
	e.Hours = float64(e.Tokens) / e.TokensPerSecond / 3600
	return e, nil
}

// largestCost tells steps that take more memory from those that take less: batches of
// a step come one after another.
func largestCost(batches []torch.Sequences) float64 {
	most := 0.
	for _, b := range batches {
		most = max(most, b.Cost())
	}
	return most
}

// newTrainer makes the model that a run begins with.
func (c Config) newTrainer() (*torch.Trainer, error) {
	if c.Init == "" {
		return torch.NewTrainer(c.Model, c.Optimizer, c.Device, c.Seed)
	}
	return torch.NewTrainerFrom(c.Init, c.Model, c.Optimizer, c.Device)
}
