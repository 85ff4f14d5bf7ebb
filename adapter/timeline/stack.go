package timeline

import (
	"github.com/neuraldbg/neuraldbg/statetree"
)

// CallersNotPredicted is the name of the label frame that stands for the
// callers between a jump's target and the frame that the run began in.
const CallersNotPredicted = "[callers not predicted]"

// Frame is one frame of the call stack as far as it was predicted.
type Frame struct {
	// Activation tells frames of the same function apart; it is unique in a
	// timeline.
	Activation int
	// Function, File, Line and Source are those of the frame's last state.
	Function string
	File     string
	Line     int
	Source   string
	// Locals are the last ones that a state of the frame showed.
	Locals statetree.Locals
	// Stale says that Locals are those of an earlier state than the last: a
	// return and an exception show none.
	Stale bool
	// Partial says that the frame may have more names than Locals.
	Partial bool
	// Raised says that the frame's last state was an exception.
	Raised bool
	// Assumed says that the frame was matched by its function's name after a
	// jump: it may be another activation of the same function.
	Assumed bool
	// Label marks the frame that only says CallersNotPredicted.
	Label bool
}

// Stack is a call stack, innermost frame first. The stacks of a timeline share
// the frames that no state has changed: a frame is never written to once it is in
// one.
type Stack []*Frame

// bottom returns the frame in which the run began, the one frame that is
// active until the exit.
func (s Stack) bottom() (*Frame, bool) {
	if len(s) == 0 {
		return nil, false
	}
	return s[len(s)-1], true
}

// holds returns how many frames of a function the stack has; a label frame may
// stand for any number, so that there are two at least with one.
func (s Stack) holds(function string) int {
	n := 0
	for i := range s {
		switch {
		case s[i].Label:
			n += 2
		case s[i].Function == function:
			n++
		}
	}
	return n
}

// stacker builds the stacks of a timeline's entries.
type stacker struct{ activations int }

// start returns the stack of a timeline's first state.
func (b *stacker) start(s statetree.State) Stack { return Stack{b.enter(s)} }

// forward returns the stack at state next, to which action a led from state
// prev with the given stack.
//
// Depth is not in the text of a state. After step actions it follows from the
// events; after a jump to a breakpoint only the bottom frame is known to be
// active still, so the target's frame is the topmost known one of the same
// function, marked as assumed, or a new one above a label frame.
func (b *stacker) forward(stack Stack, prev statetree.State, a statetree.Action, next statetree.State) Stack {
	if prev.Event == statetree.Return && len(stack) > 0 {
		stack = stack[1:]
	}
	switch {
	case a.Kind == statetree.Breakpoint:
		return b.jump(stack, next)
	case next.Event == statetree.Call, len(stack) == 0:
		return stack.push(b.enter(next))
	case stack[0].Label:
		return b.returnToLabel(stack, prev, next)
	case !stack[0].couldBe(next):
		return b.jump(stack, next)
	}
	return stack.update(next)
}

// expect returns the frame that the state after action a must be in, nil where
// it may be any: in a new frame, after a jump, or under a label frame.
func (s Stack) expect(prev, next statetree.State, a statetree.Action) *Frame {
	if prev.Event == statetree.Return && len(s) > 0 {
		s = s[1:]
	}
	if a.Kind == statetree.Breakpoint || next.Event == statetree.Call || len(s) == 0 || s[0].Label {
		return nil
	}
	return s[0]
}

// expectBackward returns the frame that the state before must be in, nil where
// it may be any.
func (s Stack) expectBackward(later, next statetree.State) *Frame {
	if later.Event == statetree.Call && len(s) > 0 {
		s = s[1:]
	}
	if next.Event == statetree.Return || len(s) == 0 || s[0].Label {
		return nil
	}
	return s[0]
}

// backward returns the stack at state next, which is before state later with
// the given stack. A return state is the end of an activation, so that it is
// entered; before a call state is its caller.
func (b *stacker) backward(stack Stack, later, next statetree.State) Stack {
	if later.Event == statetree.Call && len(stack) > 0 {
		stack = stack[1:]
	}
	if next.Event == statetree.Return || len(stack) == 0 || stack[0].Label {
		return stack.push(b.enter(next))
	}
	return stack.update(next)
}

// jump returns the stack after a jump to a state of any depth.
func (b *stacker) jump(stack Stack, next statetree.State) Stack {
	if next.Event != statetree.Call {
		for i := range stack {
			if !stack[i].Label && stack[i].couldBe(next) {
				out := stack[i:].update(next)
				out[0].Assumed = out[0].Assumed || !singular(next)
				return out
			}
		}
	}
	base := Stack{}
	if frame, ok := stack.bottom(); ok {
		base = Stack{{Label: true, Function: CallersNotPredicted}, frame}
	}
	return base.push(b.enter(next))
}

// returnToLabel returns the stack when a frame above the label frame was left:
// the state reached is that of an unknown caller, or of the bottom frame when
// the function is its. Where the frame just left was of that same function, it
// is a recursion and the caller stays unknown.
func (b *stacker) returnToLabel(stack Stack, prev, next statetree.State) Stack {
	if len(stack) > 1 && stack[1].couldBe(next) && next.Function != prev.Function {
		out := stack[1:].update(next)
		out[0].Assumed = out[0].Assumed || !singular(next)
		return out
	}
	return stack.push(b.enter(next))
}

// enter returns the frame of a new activation.
func (b *stacker) enter(s statetree.State) *Frame {
	b.activations++
	f := &Frame{Activation: b.activations, Partial: s.Partial || !s.Event.HasLocals()}
	f.set(s)
	return f
}

// push returns a stack with one more frame; the receiver is left as it was.
func (s Stack) push(f *Frame) Stack {
	out := make(Stack, 0, len(s)+1)
	return append(append(out, f), s...)
}

// update returns a stack whose innermost frame is at the given state; the
// receiver is left as it was.
func (s Stack) update(state statetree.State) Stack {
	out := make(Stack, len(s))
	copy(out, s)
	top := *s[0]
	top.set(state)
	out[0] = &top
	return out
}

// set puts the frame at a state.
func (f *Frame) set(s statetree.State) {
	f.Line, f.Source = s.Line, s.Source
	if s.Function != "" {
		f.Function = s.Function
	}
	if s.File != "" {
		f.File = s.File
	}
	f.Raised = s.Event == statetree.Exception || f.Raised && s.Event == statetree.Return
	if s.Event.HasLocals() {
		f.Locals, f.Partial, f.Stale = s.Locals, s.Partial, false
	} else {
		f.Stale = true
	}
}

// couldBe reports whether the state may be one of the frame. A function or a
// file that is not known contradicts nothing.
func (f *Frame) couldBe(s statetree.State) bool {
	return agree(f.Function, s.Function) && agree(f.File, s.File)
}

func agree(a, b string) bool { return a == "" || b == "" || a == b }

// singular reports whether a run has one activation only of the state's
// function, so that a match by name is certain.
func singular(s statetree.State) bool {
	return s.Function == statetree.ModuleFunction || s.File == statetree.DriverFile
}
