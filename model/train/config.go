package train

import (
	"errors"
	"fmt"
	"math"
	"runtime"

	"github.com/neuraldbg/neuraldbg/model/torch"
)

// Config is everything that determines a training run but its data. It is
// written, as JSON, beside the checkpoints.
type Config struct {
	Model     torch.Config    `json:"model"`
	Optimizer torch.Optimizer `json:"optimizer"`

	// Init is the folder of the checkpoint whose weights the run begins with;
	// empty: random ones. Its shape must be Model's.
	Init string `json:"init,omitempty"`

	Schedule     Schedule `json:"schedule,omitempty"` // default cosine
	LearningRate float64  `json:"learning_rate"`      // the largest, after the warm-up
	Warmup       float64  `json:"warmup"`             // fraction of the run in which it rises from 0
	// A run ends after so many tokens, minutes, or minutes of the processors, all
	// of them together; exactly one is set. The learning rate follows the part of
	// them that is used up. Minutes are summed over resumes, so that a run on a
	// shared machine ends on time; those of the processors compare runs fairly.
	TotalTokens      int64   `json:"total_tokens,omitempty"`
	Minutes          float64 `json:"minutes,omitempty"`
	ProcessorMinutes float64 `json:"processor_minutes,omitempty"`

	Device     string `json:"device,omitempty"` // that trains, named as for a torch.Engine
	Accumulate int    `json:"accumulate"`       // batches to a step
	Seed       uint64 `json:"seed"`             // of the initial weights
	Threads    int    `json:"threads"`          // that train on the CPU; 0: one for each processor

	// NewData makes a resumed run begin the source anew, for a run that goes on
	// with other data than it began with.
	NewData bool `json:"new_data,omitempty"`

	CheckpointSeconds float64 `json:"checkpoint_seconds"` // time between checkpoints
	ValidateSeconds   float64 `json:"validate_seconds"`   // time between held-out losses
	ValidateBatches   int     `json:"validate_batches"`   // batches of a held-out loss
	LogSeconds        float64 `json:"log_seconds"`        // time between plain progress lines
	Dir               string  `json:"-"`                  // folder of the run

	// AfterSave, if set, adds to a checkpoint's folder before the checkpoint
	// counts as written.
	AfterSave func(dir string) error `json:"-"`
}

// Schedule is how the learning rate goes on after the warm-up.
type Schedule string

const (
	// Cosine falls to zero along half a cosine: for a model from the beginning.
	Cosine Schedule = "cosine"
	// Constant stays: for fine-tuning, which may be stopped at any time.
	Constant Schedule = "constant"
)

// DefaultConfig is a setting for models of a few million weights; the model, the
// length of the run and the folder are left to fill in.
func DefaultConfig() Config {
	return Config{
		Optimizer:         torch.DefaultOptimizer(),
		Schedule:          Cosine,
		LearningRate:      2e-3,
		Warmup:            0.02,
		Accumulate:        1,
		CheckpointSeconds: 300,
		ValidateSeconds:   300,
		ValidateBatches:   16,
		LogSeconds:        10,
	}
}

func (c Config) check() error {
	switch {
	case c.lengths() != 1:
		return errors.New("a run has a number of tokens, of minutes or of the processors' minutes: set exactly one")
	case c.LearningRate <= 0:
		return fmt.Errorf("the learning rate is %g, must be positive", c.LearningRate)
	case c.Warmup < 0 || c.Warmup >= 1:
		return fmt.Errorf("the warm-up is %g of the run, must be at least 0 and less than 1", c.Warmup)
	case c.Schedule != "" && c.Schedule != Cosine && c.Schedule != Constant:
		return fmt.Errorf("the schedule %q is unknown; cosine and constant are known", c.Schedule)
	case c.Threads < 0:
		return fmt.Errorf("%d threads cannot train; 0 takes one for each processor", c.Threads)
	case c.Accumulate < 1:
		return fmt.Errorf("batches to a step are %d, must be at least 1", c.Accumulate)
	case c.Dir == "":
		return errors.New("a run needs a folder")
	}
	if _, err := torch.ResolveDevice(c.Device); err != nil {
		return err
	}
	return c.Optimizer.Check()
}

// lengths is how many of the three ways to say the run's length are used.
func (c Config) lengths() int {
	n := 0
	for _, used := range []bool{c.TotalTokens > 0, c.Minutes > 0, c.ProcessorMinutes > 0} {
		if used {
			n++
		}
	}
	return n
}

// threads is the number of threads that train.
func (c Config) threads() int {
	if c.Threads > 0 {
		return c.Threads
	}
	return runtime.NumCPU()
}

// rate is the learning rate when the given fraction of the run is done: it
// rises linearly, and then follows the schedule.
func (c Config) rate(done float64) float64 {
	if done < c.Warmup {
		return c.LearningRate * done / c.Warmup
	}
	if c.Schedule == Constant {
		return c.LearningRate
	}
	rest := math.Min(1, (done-c.Warmup)/(1-c.Warmup))
	return c.LearningRate * (1 + math.Cos(math.Pi*rest)) / 2
}
