package corpus

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/record"
)

// RecordOptions say how cases are recorded and which recordings are kept. Zero
// fields have defaults.
type RecordOptions struct {
	// Workers is the number of Python processes; default one for each CPU.
	Workers int
	// Python is as in record.Options.
	Python string
	// Events is the largest number of states of a case; default 200.
	Events int
	// Value is the largest length of a repr in characters; default 120.
	Value int
	// CPU is how long the processor may work on a case; default 2 seconds.
	CPU time.Duration
	// Time is how long a case may run by the clock, whatever else the machine
	// does; default 30 times CPU.
	Time time.Duration
	// Foreign confines programs that others have written; nil trusts them.
	Foreign *Foreign
}

func (o RecordOptions) withDefaults() RecordOptions {
	if o.Workers <= 0 {
		o.Workers = runtime.NumCPU()
	}
	if o.Events <= 0 {
		o.Events = 200
	}
	if o.Value <= 0 {
		o.Value = 120
	}
	if o.CPU <= 0 {
		o.CPU = 2 * time.Second
	}
	if o.Time <= 0 {
		o.Time = 30 * o.CPU
	}
	return o
}

// Reason says why a case has no recording. The empty Reason says that it has.
type Reason string

// The reasons.
const (
	Kept Reason = ""
	// Unfit programs do not compile, or fail before their entry is reached.
	Unfit Reason = "unfit"
	// TooManyEvents, TooLong, TooSlow and TooLarge programs went over the limit
	// of RecordOptions.Events, Value, CPU or Time, or of memory.
	TooManyEvents Reason = "too many events"
	TooLong       Reason = "value too long"
	TooSlow       Reason = "too slow"
	TooLarge      Reason = "too much memory"
	// Lost programs reached the recursion limit or left Python.
	Lost Reason = "trace lost"
	// Died programs took their Python process with them.
	Died Reason = "process died"
	// NotNever programs were said not to end, and ended.
	NotNever Reason = "ended"
)

// Recorded is what came of one case.
type Recorded struct {
	Case      Case
	Recording statetree.Recording
	// Dropped is why there is no recording.
	Dropped Reason
}

// ProgramFile is the File of the states of cases that name no Path.
const ProgramFile = "program.py"

// Record runs cases in several Python processes and yields what came of each,
// in the order of the cases. A program that is known not to end is recorded up
// to the limit of events and has statetree.ExitNever. Dropped cases are yielded
// too, so that they can be counted.
//
// An error ends the sequence: there is no Python, or ctx is done. Whatever the
// number of workers and the load of the machine, what is yielded is the same, but
// for programs near the limit of CPU time.
func Record(ctx context.Context, cases iter.Seq[Case], o RecordOptions) iter.Seq2[Recorded, error] {
	o = o.withDefaults()
	return func(yield func(Recorded, error) bool) {
		p, err := newPool(o)
		if err != nil {
			yield(Recorded{}, err)
			return
		}
		p.run(ctx, cases, yield)
	}
}

// pool is the workers of one Record.
type pool struct {
	options RecordOptions
	workers []*record.Worker
	jobs    chan job
	// order holds the jobs that were given out, so that they are yielded as they
	// came; its size bounds how far ahead the workers may be.
	order chan job
}

// job is one case, and where its result goes.
type job struct {
	c    Case
	done chan result // has room for the result
}

type result struct {
	recorded Recorded
	err      error
}

func newPool(o RecordOptions) (*pool, error) {
	p := &pool{
		options: o, workers: make([]*record.Worker, o.Workers),
		jobs: make(chan job), order: make(chan job, 64*o.Workers),
	}
	prologue := ""
	if o.Foreign != nil {
		var err error
		if prologue, err = o.Foreign.prologue(); err != nil {
			return nil, err
		}
	}
	for i := range p.workers {
		var err error
		p.workers[i], err = record.NewWorker(record.WorkerOptions{
			Python: o.Python,
			Limits: record.Limits{Events: o.Events, Time: o.Time, Repr: 8 * o.Value},
			CPU:    o.CPU, Prologue: prologue,
		})
		if err != nil {
			return nil, err
		}
	}
	return p, nil
}

// run yields what comes of the cases. Its goroutines have ended when it returns.
func (p *pool) run(ctx context.Context, cases iter.Seq[Case], yield func(Recorded, error) bool) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	running.Add(1)
	go func() {
		defer running.Done()
		p.feed(ctx, cases)
	}()
	for _, w := range p.workers {
		running.Add(1)
		go func() {
			defer running.Done()
			defer w.Close()
			for j := range p.jobs {
				recorded, err := p.options.record(ctx, w, j.c)
				j.done <- result{recorded, err}
			}
		}()
	}
	for j := range p.order {
		select {
		case r := <-j.done:
			if !yield(r.recorded, r.err) || r.err != nil {
				return
			}
		case <-ctx.Done():
			yield(Recorded{}, ctx.Err())
			return
		}
	}
	if err := ctx.Err(); err != nil {
		yield(Recorded{}, err)
	}
}

// feed gives the cases out until they or ctx end.
func (p *pool) feed(ctx context.Context, cases iter.Seq[Case]) {
	defer close(p.order)
	defer close(p.jobs)
	for c := range cases {
		j := job{c, make(chan result, 1)}
		for _, to := range []chan job{p.order, p.jobs} {
			select {
			case to <- j:
			case <-ctx.Done():
				return
			}
		}
	}
}

// record runs one case.
func (o RecordOptions) record(ctx context.Context, w *record.Worker, c Case) (Recorded, error) {
	trace, err := w.Record(ctx, record.Job{Path: c.path(), Source: c.Source, Entry: c.Entry, Module: c.Module})
	recorded := Recorded{Case: c}
	var unfit *record.ProgramError
	switch {
	case errors.Is(err, record.ErrWorkerDied):
		recorded.Dropped = Died
		return recorded, nil
	case errors.As(err, &unfit):
		recorded.Dropped = Unfit
		return recorded, nil
	case err != nil:
		return recorded, fmt.Errorf("recording case %d: %w", c.Index, err)
	}
	recorded.Dropped = o.judge(c, &trace.Recording)
	if recorded.Dropped == Kept {
		recorded.Recording = trace.Recording
	}
	return recorded, nil
}

// judge decides whether a recording is kept.
func (o RecordOptions) judge(c Case, r *statetree.Recording) Reason {
	if c.Never {
		if r.Exit != statetree.NoExit || len(r.States) < o.Events {
			return NotNever
		}
		r.Exit, r.Cut = statetree.ExitNever, ""
	}
	if r.Cut != "" {
		return cutReason(record.LimitOf(r.Cut))
	}
	for i := range r.States {
		s := &r.States[i]
		if utf8.RuneCountInString(s.Arg) > o.Value {
			return TooLong
		}
		for _, l := range s.Locals {
			if len(l.Repr) > o.Value && utf8.RuneCountInString(l.Repr) > o.Value {
				return TooLong
			}
		}
	}
	return Kept
}

// cutReason is the Reason of a recording that a limit cut.
func cutReason(l record.Limit) Reason {
	switch l {
	case record.EventLimit:
		return TooManyEvents
	case record.TimeLimit:
		return TooSlow
	case record.ByteLimit:
		return TooLong
	case record.MemoryLimit:
		return TooLarge
	}
	return Lost
}
