package cwm

import "github.com/neuraldbg/neuraldbg/statetree"

// walk is an action on its way to its target.
type walk struct {
	action statetree.Action
	// depth is that of the level that step_over and step_return stay in.
	depth int
}

// newWalk begins an action at a frame.
func newWalk(from *frame, a statetree.Action) walk { return walk{action: a, depth: from.top.depth()} }

// goesOver reports whether the call that a frame entered is gone over: the next
// frame is its return.
func (w walk) goesOver(f *frame) bool {
	if f.outcome.State.Event != statetree.Call {
		return false
	}
	switch w.action.Kind {
	case statetree.StepOver:
		return f.top.depth() > w.depth
	case statetree.StepReturn: // its own call as well
		return true
	}
	return false
}

// arrived reports whether a frame is the target.
func (w walk) arrived(f *frame) bool {
	state := &f.outcome.State
	depth := f.top.depth() // of the activation that the state belongs to
	if state.Event == statetree.Return {
		depth++
	}
	switch w.action.Kind {
	case statetree.StepInto:
		return true
	case statetree.StepOver:
		return depth <= w.depth && state.Event != statetree.Call
	case statetree.StepReturn:
		return depth <= w.depth && state.Event == statetree.Return
	case statetree.Breakpoint:
		return state.Event.StopsAtBreakpoint() && state.Source == w.action.Source
	}
	return false
}
