package timeline

import (
	"context"
	"fmt"
	"slices"

	"github.com/neuraldbg/neuraldbg/statetree"
)

// pass takes an action that may skip states. Where a breakpoint can stop in those,
// it goes through them by single steps, as a debugger that runs the program does:
// stopped says that one did, before the action's target. At the limit of steps it
// goes back and skips them.
func (t *Timeline) pass(ctx context.Context, kind statetree.ActionKind) (e *Entry, stopped bool, err error) {
	if !t.mayStopWithin(kind) {
		e, _, err = t.arriveBy(ctx, kind)
		return e, false, err
	}
	begun, plan := t.pos, statetree.NewPlan(statetree.Action{Kind: kind})
	for n := range t.options.MaxSteps {
		e, hits, err := t.arriveBy(ctx, t.stride())
		switch {
		case err != nil:
			return nil, false, err
		case e.Ended() || plan.Arrive(&e.State):
			return e, false, nil
		case len(hits) > 0:
			return e, true, nil
		}
		t.listener.progress(n+1, t.options.MaxSteps)
	}
	t.listener.note(fmt.Sprintf("The step did not end within %d predictions; what it skips is left out now, with the breakpoints there. maxSteps sets the limit.", t.options.MaxSteps))
	t.pos = begun
	e, _, err = t.arriveBy(ctx, kind)
	return e, false, err
}

// stride is the kind of the next step of a way on which breakpoints may stop: over
// a line that enters nothing in which one can.
func (t *Timeline) stride() statetree.ActionKind {
	if s := &t.at(t.pos).State; s.Event == statetree.Line && !t.places.mayEnter(s, t.stopsIn()) {
		return statetree.StepOver
	}
	return statetree.StepInto
}

// stopsIn returns a function that reports whether a breakpoint can stop in the
// frames of a function.
func (t *Timeline) stopsIn() func(function string) bool {
	everywhere := len(t.breakpoints.onExceptions(Raised)) > 0
	return func(function string) bool { return everywhere || t.breakpoints.within(t.places, function) }
}

// mayStopWithin reports whether a breakpoint can stop between the position and the
// target of an action. Who wants jumps only gets them.
func (t *Timeline) mayStopWithin(kind statetree.ActionKind) bool {
	e := t.at(t.pos)
	if t.options.Strategy == Jump || e.Ended() || len(e.Stack) == 0 || !t.breakpoints.exist() {
		return false
	}
	switch {
	case kind == statetree.StepReturn:
		return statetree.Offered(e.State.Event, kind) && t.places.mayStopIn(e.Stack[0].Function, t.stopsIn())
	case kind == statetree.StepOver && e.State.Event == statetree.Line:
		return t.places.mayEnter(&e.State, t.stopsIn())
	case kind == statetree.StepOver && e.State.Event == statetree.Return && len(e.Stack) > 1 && !e.Stack[1].Label:
		caller := e.Stack[1] // whose line may make more calls
		return t.places.mayEnter(&statetree.State{Event: statetree.Line, File: caller.File, Line: caller.Line, Source: caller.Source}, t.stopsIn())
	}
	return false
}

// exist reports whether there is a breakpoint of any kind that can stop before the
// end of a run.
func (b *Breakpoints) exist() bool {
	if b.needEveryState() {
		return true
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, set := range b.files {
		if slices.ContainsFunc(set, func(bp Breakpoint) bool { return bp.Verified }) {
			return true
		}
	}
	return len(b.functions) > 0
}
