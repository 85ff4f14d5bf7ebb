package main

import (
	"fmt"
	"io"
	"time"
)

// progressInterval is how often progress is told.
const progressInterval = 10 * time.Second

// progress tells on a stream how far a long work has come, now and then.
type progress struct {
	w    io.Writer
	name string
	of   int // 0: not known
	// begun and told are when the first and the last was told of.
	begun, told time.Time
	first, last int
}

func newProgress(w io.Writer, name string, of int) *progress {
	now := time.Now()
	return &progress{w: w, name: name, of: of, begun: now, told: now}
}

// done tells that n are done.
func (p *progress) done(n int) {
	p.last = n
	now := time.Now()
	if now.Sub(p.told) < progressInterval {
		return
	}
	p.told = now
	rate := float64(n-p.first) / now.Sub(p.begun).Seconds()
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

// end tells the number and the time of all.
func (p *progress) end() {
	fmt.Fprintf(p.w, "%s: %d in %v\n", p.name, p.last, time.Since(p.begun).Round(time.Second))
}
