package train

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/neuraldbg/neuraldbg/internal/folderlock"
	"github.com/neuraldbg/neuraldbg/model/torch"
)

// ErrOtherData says that a run cannot go on where it was in its data, as they or their
// settings are others now. Config.NewData begins them anew.
var ErrOtherData = errors.New("the data are not as they were")

// Run trains until the run's end, resuming from the newest checkpoint in
// c.Dir if there is one. When ctx is cancelled, by a signal for example, it
// finishes the step, saves a checkpoint and returns nil. validation may be nil.
//
// A checkpoint that does not suit the source is refused with ErrOtherData.
// A loss or gradient that is not finite ends the run with an error; the last
// checkpoint stays.
func Run(ctx context.Context, c Config, source, validation Source, progress io.Writer) error {
	if err := c.check(); err != nil {
		return fmt.Errorf("training: %w", err)
	}
	if err := os.MkdirAll(checkpointsDir(c.Dir), 0o755); err != nil {
		return fmt.Errorf("training: %w", err)
	}
	lock, err := folderlock.Take(c.Dir)
	if err != nil {
		return fmt.Errorf("training: %w", err)
	}
	defer lock.Release()
	r, err := start(c, source, validation, progress)
	if err != nil {
		return err
	}
	defer r.close()
	if err := r.loop(ctx); err != nil {
		return err
	}
	return r.save()
}

// run is a run going on.
type run struct {
	config     Config
	trainer    *torch.Trainer
	source     Source
	validation []torch.Sequences
	state      state
	began      time.Time     // when the time in state.Seconds was counted last
	used       time.Duration // the processors' time then
	saved      time.Time
	validated  time.Time
	savedStep  int
	metrics    *os.File
	reporter   *reporter
	recent     float64 // a mean of recent losses
}

func start(c Config, source, validation Source, progress io.Writer) (*run, error) {
	now := time.Now()
	r := &run{config: c, source: source, began: now, used: ProcessorTime(), saved: now, savedStep: -1,
		reporter: newReporter(progress, time.Duration(c.LogSeconds*float64(time.Second)))}
	if err := r.restore(); err != nil {
		return nil, err
	}
	if err := r.prepare(validation); err != nil {
		r.close()
		return nil, err
	}
	if err := r.trainer.SetWorkers(c.threads()); err != nil {
		r.close()
		return nil, fmt.Errorf("training: %w", err)
	}
	with := "on " + r.trainer.Device()
	if n := r.trainer.Workers(); n > 1 {
		with = fmt.Sprintf("with %d threads", n)
	}
	r.reporter.say("training %.2f M weights %s in %s", float64(r.trainer.Config().Parameters())/1e6, with, c.Dir)
	return r, nil
}

// restore takes the newest checkpoint or a new model.
func (r *run) restore() error {
	trainer, st, skipped, err := load(r.config.Dir, r.config.Optimizer, r.config.Device)
	if err != nil {
		return fmt.Errorf("resume training: %w", err)
	}
	if skipped != nil {
		r.reporter.say("a checkpoint is damaged, going on from the one before: %v", skipped)
	}
	if trainer == nil {
		r.trainer, err = r.config.newTrainer()
		return err
	}
	r.trainer, r.state, r.savedStep = trainer, st, st.Step
	if !r.config.NewData {
		if err := r.source.Restore(st.Source); err != nil {
			trainer.Close()
			return fmt.Errorf("resume training: %w: %w", ErrOtherData, err)
		}
	}
	r.reporter.say("resuming at step %d, %.2f M tokens, %.1f minutes", st.Step, float64(st.Tokens)/1e6, st.Seconds/60)
	return nil
}

// prepare opens the metrics, writes the configuration and reads the validation
// batches, which stay the same all through the run.
func (r *run) prepare(validation Source) error {
	text, err := json.MarshalIndent(r.config, "", "  ")
	if err != nil {
		return fmt.Errorf("write train.json: %w", err)
	}
	if err := os.WriteFile(filepath.Join(r.config.Dir, "train.json"), append(text, '\n'), 0o644); err != nil {
		return fmt.Errorf("write train.json: %w", err)
	}
	if r.metrics, err = openMetrics(r.config.Dir, r.state.Step); err != nil {
		return err
	}
	if validation == nil {
		return nil
	}
	for range r.config.ValidateBatches {
		b, err := validation.Next(context.Background())
		if err != nil {
			return fmt.Errorf("read a validation batch: %w", err)
		}
		r.validation = append(r.validation, b)
	}
	return nil
}

func (r *run) close() {
	if r.metrics != nil {
		r.metrics.Close()
	}
	r.trainer.Close()
}

// done is the fraction of the run that is over.
func (r *run) done() float64 {
	now := time.Now()
	r.state.Seconds += now.Sub(r.began).Seconds()
	r.began = now
	used := ProcessorTime()
	r.state.ProcessorSeconds += (used - r.used).Seconds()
	r.used = used
	switch {
	case r.config.Minutes > 0:
		return r.state.Seconds / (60 * r.config.Minutes)
	case r.config.ProcessorMinutes > 0:
		return r.state.ProcessorSeconds / (60 * r.config.ProcessorMinutes)
	}
	return float64(r.state.Tokens) / float64(r.config.TotalTokens)
}

func (r *run) loop(ctx context.Context) error {
	for {
		done := r.done()
		if done >= 1 {
			return r.finish()
		}
		if ctx.Err() != nil {
			r.reporter.say("stopped at step %d; run it again to go on", r.state.Step)
			return nil
		}
		batches, err := r.next(ctx)
		if err != nil && ctx.Err() != nil {
			continue
		}
		if err != nil {
			return fmt.Errorf("read a training batch: %w", err)
		}
		if err := r.step(batches, done); err != nil {
			return err
		}
		if time.Since(r.saved).Seconds() >= r.config.CheckpointSeconds {
			if err := r.save(); err != nil {
				return err
			}
		}
	}
}

// next reads the batches of a step. The source's state is taken only when all
// of them are there, so that an interrupted step is repeated whole.
func (r *run) next(ctx context.Context) ([]torch.Sequences, error) {
	batches := make([]torch.Sequences, 0, r.config.Accumulate)
	for range r.config.Accumulate {
		b, err := r.source.Next(ctx)
		if err != nil {
			return nil, err
		}
		batches = append(batches, b)
	}
	st, err := r.source.State()
	if err != nil {
		return nil, err
	}
	r.state.Source = st
	return batches, nil
}

// step makes one update and reports it.
func (r *run) step(batches []torch.Sequences, done float64) error {
	began := time.Now()
	rate := r.config.rate(done)
	result, err := r.trainer.Step(batches, rate)
	if err != nil {
		return err
	}
	r.state.Step++
	r.state.Tokens += int64(result.Tokens)
	if r.recent == 0 {
		r.recent = result.Loss
	}
	r.recent += 0.05 * (result.Loss - r.recent)
	done = r.done()
	m := Metrics{
		Step: r.state.Step, Tokens: r.state.Tokens, Loss: result.Loss, LearningRate: rate, GradNorm: result.GradNorm,
		TokensPerSecond: float64(result.Tokens) / time.Since(began).Seconds(),
		Seconds:         r.state.Seconds, ProcessorSeconds: r.state.ProcessorSeconds,
	}
	if len(r.validation) > 0 && (r.validated.IsZero() || time.Since(r.validated).Seconds() >= r.config.ValidateSeconds) {
		if err := r.validate(&m); err != nil {
			return err
		}
	}
	remaining := time.Duration(r.state.Seconds * max(0, 1-done) / max(done, 1e-9) * float64(time.Second))
	r.reporter.report(m, r.recent, done, remaining, false)
	return r.write(m)
}

func (r *run) validate(m *Metrics) error {
	result, err := r.trainer.Loss(r.validation)
	if err != nil {
		return err
	}
	m.Validation = &result.Loss
	r.validated = time.Now()
	r.reporter.say("step %d: held-out loss %.4f over %d tokens", m.Step, result.Loss, result.Targets)
	return nil
}

func (r *run) write(m Metrics) error {
	line, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("write the metrics: %w", err)
	}
	if _, err := r.metrics.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("write the metrics: %w", err)
	}
	return nil
}

// finish ends a complete run.
func (r *run) finish() error {
	if len(r.validation) > 0 && r.state.Step > 0 {
		m := Metrics{Step: r.state.Step, Tokens: r.state.Tokens, Loss: r.recent, Seconds: r.state.Seconds, ProcessorSeconds: r.state.ProcessorSeconds}
		if err := r.validate(&m); err != nil {
			return err
		}
		if err := r.write(m); err != nil {
			return err
		}
	}
	r.reporter.say("done: %d steps, %.2f M tokens, %.1f minutes, loss %.4f", r.state.Step, float64(r.state.Tokens)/1e6, r.state.Seconds/60, r.recent)
	return nil
}

// save writes a checkpoint unless the step has one.
func (r *run) save() error {
	r.saved = time.Now()
	if r.state.Step == r.savedStep {
		return nil
	}
	if r.state.Source == nil {
		return nil // no step was made
	}
	r.done()
	if err := save(r.config.Dir, r.trainer, r.state, r.config.AfterSave); err != nil {
		return err
	}
	r.savedStep = r.state.Step
	return nil
}
