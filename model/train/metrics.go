package train

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/neuraldbg/neuraldbg/internal/regularfile"
)

// Metrics is one line of metrics.jsonl.
type Metrics struct {
	Step            int     `json:"step"`
	Tokens          int64   `json:"tokens"` // seen so far
	Loss            float64 `json:"loss"`   // mean over the step's targets, nats
	LearningRate    float64 `json:"lr"`
	GradNorm        float64 `json:"grad_norm"`
	TokensPerSecond float64 `json:"tokens_per_second"`
	Seconds         float64 `json:"seconds"` // of training so far
	// ProcessorSeconds are those that all threads together used so far.
	ProcessorSeconds float64 `json:"processor_seconds"`
	// Validation is the held-out loss, in the lines where it was measured.
	Validation *float64 `json:"validation_loss,omitempty"`
}

func metricsPath(dir string) string { return filepath.Join(dir, "metrics.jsonl") }

// openMetrics opens the file to append to, without lines after the given step:
// a resumed run repeats those steps.
func openMetrics(dir string, step int) (*os.File, error) {
	old, err := regularfile.ReadFile(metricsPath(dir))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("read the metrics: %w", err)
	}
	var keep bytes.Buffer
	lines := bufio.NewScanner(bytes.NewReader(old))
	for lines.Scan() {
		var m Metrics
		if json.Unmarshal(lines.Bytes(), &m) == nil && m.Step <= step {
			keep.Write(lines.Bytes())
			keep.WriteByte('\n')
		}
	}
	next := metricsPath(dir) + ".next"
	if err := os.WriteFile(next, keep.Bytes(), 0o644); err != nil {
		return nil, fmt.Errorf("write the metrics: %w", err)
	}
	if err := os.Rename(next, metricsPath(dir)); err != nil {
		return nil, fmt.Errorf("write the metrics: %w", err)
	}
	f, err := os.OpenFile(metricsPath(dir), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return nil, fmt.Errorf("write the metrics: %w", err)
	}
	return f, nil
}

// reporter shows progress: a bar on a terminal, now and then a line elsewhere.
type reporter struct {
	out      io.Writer
	terminal bool
	every    time.Duration
	last     time.Time
}

func newReporter(out io.Writer, every time.Duration) *reporter {
	r := &reporter{out: out, every: every}
	if f, ok := out.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			r.terminal, r.every = true, 200*time.Millisecond
		}
	}
	return r
}

const barWidth = 24

// report shows m when it is time. done is the fraction of the run, loss a mean
// over recent steps.
func (r *reporter) report(m Metrics, loss, done float64, remaining time.Duration, force bool) {
	if !force && time.Since(r.last) < r.every {
		return
	}
	r.last = time.Now()
	line := fmt.Sprintf("step %d  %.2f M tokens  loss %.4f  lr %.2e  %.0f tokens/s  %s left",
		m.Step, float64(m.Tokens)/1e6, loss, m.LearningRate, m.TokensPerSecond, remaining.Round(time.Second))
	if !r.terminal {
		fmt.Fprintf(r.out, "%5.1f%%  %s\n", 100*done, line)
		return
	}
	full := int(barWidth * min(1, done))
	fmt.Fprintf(r.out, "\r\033[K%s%s %5.1f%%  %s", strings.Repeat("█", full), strings.Repeat("░", barWidth-full), 100*done, line)
}

// say writes a line of its own.
func (r *reporter) say(format string, args ...any) {
	if r.terminal {
		fmt.Fprint(r.out, "\r\033[K")
	}
	fmt.Fprintf(r.out, format+"\n", args...)
}
