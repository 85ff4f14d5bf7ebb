package timeline

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// Strategy says how Continue looks for the next breakpoint.
type Strategy uint8

// The strategies.
const (
	// Auto jumps where one line can be the next stop. Where several can it
	// steps, and when it has stepped MaxSteps times, it jumps to the nearest.
	Auto Strategy = iota
	// Jump always jumps: to the nearest line by the control flow.
	Jump
	// Step never jumps: every state up to the next stop is predicted.
	Step
)

var strategyNames = [...]string{Auto: "auto", Jump: "jump", Step: "step"}

// String returns the strategy's name, such as "auto".
func (s Strategy) String() string { return strategyNames[s] }

// MarshalText makes a Strategy a plain string in JSON.
func (s Strategy) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText accepts what MarshalText writes.
func (s *Strategy) UnmarshalText(text []byte) error {
	i := slices.Index(strategyNames[:], string(text))
	if i < 0 {
		return fmt.Errorf(`strategy %q is none of "auto", "jump", "step"`, text)
	}
	*s = Strategy(i)
	return nil
}

// Continue goes on to the next breakpoint or to the exit. Options.Strategy says
// how. Conditions, hit conditions and log points hold for every strategy. Data
// breakpoints and the exception filter Raised need every state between, so that
// with them it always steps; while it steps it enters only calls in which it may
// stop.
//
// Without a breakpoint that can be reached the open frames are left one by one,
// so that the values they return are on the timeline, and then the exit is asked
// for. An exit by an exception takes it back to where that was raised, when the
// filter Uncaught is set.
func (t *Timeline) Continue(ctx context.Context) (Stop, error) {
	if t.at(t.pos).Ended() {
		return Stop{}, model.ErrExited
	}
	c := &resumption{t: t, begun: t.pos, left: t.options.MaxSteps}
	r, err := c.run(ctx)
	if err == nil && r == ReasonExit && t.at(t.pos).Exit == statetree.ExitError && len(t.breakpoints.onExceptions(Uncaught)) > 0 {
		stop, found, err := c.uncaught(ctx)
		if found || err != nil {
			return stop, err
		}
	}
	return t.finished(err, r)
}

// resumption is one Continue.
type resumption struct {
	t     *Timeline
	begun int // the position at which it began
	left  int // predictions that it may still take
	hits  []armed
}

func (c *resumption) run(ctx context.Context) (Reason, error) {
	if c.t.options.Strategy == Step || c.t.breakpoints.needEveryState() {
		return c.walk(ctx, false)
	}
	places := c.t.nearest()
	switch {
	case len(places) == 0:
		return c.finish(ctx)
	case c.t.options.Strategy == Auto && len(sources(places)) > 1:
		return c.walk(ctx, true)
	}
	return c.jump(ctx)
}

// needEveryState reports whether a breakpoint can stop between any two states.
func (b *Breakpoints) needEveryState() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.ContainsFunc(b.data, func(bp DataBreakpoint) bool { return bp.Verified }) ||
		slices.ContainsFunc(b.exceptions, func(bp ExceptionBreakpoint) bool { return bp.Verified && bp.Filter == Raised })
}

// sources returns the texts of the places' lines, each once, in order.
func sources(places []wanted) []string {
	var out []string
	for _, w := range places {
		if !slices.Contains(out, w.source) {
			out = append(out, w.source)
		}
	}
	return out
}

// advance takes one action, counts it, and notes what stops at its target.
func (c *resumption) advance(ctx context.Context, kind statetree.ActionKind, source string) (*Entry, error) {
	c.left--
	e, err := c.t.advance(ctx, statetree.Action{Kind: kind, Source: source})
	if err == nil {
		c.hits = c.t.arrive()
		c.t.listener.progress(c.t.options.MaxSteps-c.left, c.t.options.MaxSteps)
	}
	return e, err
}

// jump goes from one breakpoint line to the next until one stops there. When
// none is reached any more it goes to the exit.
func (c *resumption) jump(ctx context.Context) (Reason, error) {
	for c.left > 0 {
		e, err := c.jumpOnce(ctx)
		switch {
		case err != nil:
			return 0, err
		case e == nil:
			return c.finish(ctx)
		case e.Ended():
			return ReasonExit, nil
		case len(c.hits) > 0:
			return ReasonBreakpoint, nil
		}
	}
	return ReasonLimit, nil
}

// jumpOnce goes to the nearest breakpoint line that the predictor says will be
// reached. Where it says so of none the entry is nil, and the position is where
// it was.
func (c *resumption) jumpOnce(ctx context.Context) (*Entry, error) {
	before := c.t.pos
	for _, source := range sources(c.t.nearest()) {
		if c.left <= 0 {
			break
		}
		c.left--
		e, err := c.t.advance(ctx, statetree.Action{Kind: statetree.Breakpoint, Source: source})
		switch {
		case err != nil:
			return nil, err
		case !e.Ended() || e.Exit == statetree.ExitNever:
			c.hits = c.t.arrive()
			return e, nil
		}
		c.t.pos = before // the way to the exit shows what is returned
	}
	return nil, nil
}

// walk steps until a breakpoint stops or the run ends. At the limit it jumps to
// the nearest breakpoint line, if it may.
func (c *resumption) walk(ctx context.Context, mayJump bool) (Reason, error) {
	for c.left > 0 {
		e, err := c.advance(ctx, c.t.stride(), "")
		switch {
		case err != nil:
			return 0, err
		case e.Ended():
			return ReasonExit, nil
		case len(c.hits) > 0:
			return ReasonBreakpoint, nil
		}
	}
	if !mayJump {
		return ReasonLimit, nil
	}
	c.t.listener.note(fmt.Sprintf("No breakpoint was reached within %d predictions; what follows is a jump to the nearest one. maxSteps sets the limit.", c.t.options.MaxSteps))
	c.left = c.t.options.MaxSteps
	return c.jump(ctx)
}

// finish leaves the open frames and goes to the exit.
func (c *resumption) finish(ctx context.Context) (Reason, error) {
	for c.left > 0 {
		here := c.t.at(c.t.pos)
		if len(here.Stack) <= 1 && here.State.Event == statetree.Return {
			break
		}
		kind := statetree.StepReturn
		if here.State.Event == statetree.Return {
			kind = statetree.StepOver
		}
		e, err := c.advance(ctx, kind, "")
		switch {
		case errors.Is(err, model.ErrNoTarget):
			_, err = c.advance(ctx, statetree.Continue, "")
			return ReasonExit, err
		case err != nil:
			return 0, err
		case e.Ended():
			return ReasonExit, nil
		}
	}
	_, err := c.advance(ctx, statetree.Continue, "")
	return ReasonExit, err
}

// uncaught goes from an exit by an exception back to where that was raised.
// Unless every state before the exit is on the timeline, it goes back to where
// the Continue began and steps. found is false when nothing is to be shown
// there; then the position is at the exit.
func (c *resumption) uncaught(ctx context.Context) (stop Stop, found bool, err error) {
	index, ok := c.t.uncaught()
	if ok && index <= c.begun {
		return Stop{}, false, nil // it was shown there
	}
	if !ok || !c.t.complete(max(index-1, c.t.First())) {
		if ok, err = c.walkToExit(ctx); !ok {
			return Stop{}, false, err
		}
		if index, ok = c.t.uncaught(); !ok {
			return Stop{}, false, nil
		}
	}
	e := c.t.at(index)
	hits := c.t.exceptionHits(Uncaught, e)
	if len(hits) == 0 {
		return Stop{}, false, nil
	}
	c.t.pos = index
	text, _ := e.Exception()
	return Stop{Reason: ReasonException, Description: "Predicted uncaught exception: " + text, Breakpoints: idsOf(hits), Uncaught: true}, true, nil
}

// complete reports whether no state between an entry and the position was left
// out by the steps that led there.
func (t *Timeline) complete(from int) bool {
	for i := from; i < t.pos; i++ {
		if t.edge(i).Kind != statetree.StepInto {
			return false
		}
	}
	return true
}

// walkToExit goes back to where the Continue began and steps to the exit. At the
// limit it says so and goes to the exit at once.
func (c *resumption) walkToExit(ctx context.Context) (reached bool, err error) {
	c.t.pos, c.left = c.begun, c.t.options.MaxSteps
	for c.left > 0 {
		e, err := c.advance(ctx, statetree.StepInto, "")
		if err != nil || e.Ended() {
			return err == nil && e.Exit == statetree.ExitError, err
		}
	}
	c.t.listener.note(fmt.Sprintf("The exception that ends the run was not reached within %d predictions; maxSteps sets the limit.", c.t.options.MaxSteps))
	_, err = c.advance(ctx, statetree.Continue, "")
	return false, err
}
