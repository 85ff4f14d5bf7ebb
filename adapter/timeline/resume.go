package timeline

import (
	"context"
	"errors"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// Continue goes on to the next breakpoint or to the exit.
//
// With one breakpoint line in the program, the predictor is asked to jump to
// it, again until the line is the wanted one of several with the same text.
// With several it steps, at most MaxSteps times, and stops at the first hit; it
// steps over lines that cannot call a function with a breakpoint.
// Without any, and when none is hit any more, the open frames are left one by
// one, so that the values they return are on the timeline, and then the exit is
// asked for.
func (t *Timeline) Continue(ctx context.Context) (Stop, error) {
	if t.at(t.pos).Ended() {
		return Stop{}, model.ErrExited
	}
	c := &resumption{t: t, left: t.options.MaxSteps}
	r, err := c.run(ctx)
	return t.finished(err, r)
}

// resumption is one Continue.
type resumption struct {
	t    *Timeline
	left int // predictions that it may still take
}

func (c *resumption) run(ctx context.Context) (Reason, error) {
	switch lines := c.t.breakpoints.reachable(&c.t.target); len(lines) {
	case 0:
	case 1:
		if r, found, err := c.jump(ctx, lines[0]); found || err != nil {
			return r, err
		}
	default:
		return c.walk(ctx)
	}
	return c.finish(ctx)
}

// advance takes one action and counts it.
func (c *resumption) advance(ctx context.Context, kind statetree.ActionKind, source string) (*Entry, error) {
	c.left--
	return c.t.advance(ctx, statetree.Action{Kind: kind, Source: source})
}

// jump goes to the next hit of the only breakpoint line. found is false when
// there is none; then the position is where it was, or at the last other line
// with the same text.
func (c *resumption) jump(ctx context.Context, source string) (r Reason, found bool, err error) {
	for c.left > 0 {
		before := c.t.pos
		e, err := c.advance(ctx, statetree.Breakpoint, source)
		switch {
		case err != nil:
			return 0, false, err
		case e.Ended() && e.Exit != statetree.ExitNever && e.Action.Kind == statetree.Breakpoint:
			c.t.pos = before // the way to the exit shows what is returned
			return 0, false, nil
		case e.Ended():
			return ReasonExit, true, nil
		case len(c.t.hits(e.State)) > 0:
			return ReasonBreakpoint, true, nil
		}
	}
	return ReasonLimit, true, nil
}

// walk steps until a breakpoint is hit or the run ends.
func (c *resumption) walk(ctx context.Context) (Reason, error) {
	calls := callees{places: c.t.places}
	wanted := func(function string) bool { return c.t.breakpoints.within(c.t.places, function) }
	for c.left > 0 {
		kind := statetree.StepInto
		if s := c.t.at(c.t.pos).State; s.Event == statetree.Line && !calls.mayEnter(s, wanted) {
			kind = statetree.StepOver
		}
		e, err := c.advance(ctx, kind, "")
		switch {
		case err != nil:
			return 0, err
		case e.Ended():
			return ReasonExit, nil
		case len(c.t.hits(e.State)) > 0:
			return ReasonBreakpoint, nil
		}
	}
	return ReasonLimit, nil
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
