package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/schollz/progressbar/v3"
)

// progressInterval is how often progress is told where there is no terminal.
const progressInterval = 10 * time.Second

// progress tells how far a long work has come: as a bar on a terminal, else in
// lines.
type progress struct {
	w    io.Writer
	bar  *progressbar.ProgressBar // nil without a terminal
	name string
	of   int // at most; 0: not known
	// begun and told are when the work began and when a line was last written.
	begun, told time.Time
	last        int
}

func newProgress(w io.Writer, name string, of int) *progress {
	now := time.Now()
	p := &progress{w: w, name: name, of: of, begun: now, told: now}
	if file, ok := w.(*os.File); ok && isatty.IsTerminal(file.Fd()) {
		most := of
		if most == 0 {
			most = -1 // a spinner
		}
		p.bar = progressbar.NewOptions(most, progressbar.OptionSetWriter(w), progressbar.OptionFullWidth(),
			progressbar.OptionSetDescription(name), progressbar.OptionShowCount(), progressbar.OptionShowIts(),
			progressbar.OptionSetPredictTime(true), progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish())
	}
	return p
}

// done tells that n are done.
func (p *progress) done(n int) {
	p.last = n
	if p.bar != nil {
		_ = p.bar.Set(n) // a terminal that cannot be written to
		return
	}
	now := time.Now()
	if now.Sub(p.told) < progressInterval {
		return
	}
	p.told = now
	rate := float64(n) / now.Sub(p.begun).Seconds()
	fmt.Fprintf(p.w, "%s: %d", p.name, n)
	if p.of > 0 {
		fmt.Fprintf(p.w, " of %d", p.of)
	}
	fmt.Fprintf(p.w, ", %.1f/s", rate)
	if p.of > n && rate > 0 {
		left := time.Duration(float64(p.of-n) / rate * float64(time.Second))
		fmt.Fprintf(p.w, ", %v left at most", left.Round(time.Second))
	}
	fmt.Fprintln(p.w)
}

// stop removes the bar.
func (p *progress) stop() {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}

// end tells the number and the time of all.
func (p *progress) end() {
	p.stop()
	fmt.Fprintf(p.w, "%s: %d in %v\n", p.name, p.last, time.Since(p.begun).Round(time.Second))
}
