package cwm

import (
	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/source"
)

// frame is one frame of the trace so far, or its end, with where the program is
// after it. It never changes.
type frame struct {
	outcome statetree.Outcome
	trail   source.Trail
	// top is the activation that runs after the frame; nil when none does.
	top *activation
	end int // of its tokens in the sequence
	// failing says that an exception is on its way out.
	failing bool
}

// activation is one on the call stack, with the values that it last showed.
type activation struct {
	below  *activation
	locals statetree.Locals
}

// after returns the activation that runs after a state, and the state's locals in
// full: values that did not change are those last shown.
func (a *activation) after(s *statetree.State) (*activation, statetree.Locals) {
	switch s.Event {
	case statetree.Call:
		return &activation{below: a, locals: s.Locals}, s.Locals
	case statetree.Line:
		if a == nil { // a trace that begins inside a function
			return &activation{locals: s.Locals}, s.Locals
		}
		locals := make(statetree.Locals, len(s.Locals))
		for i, l := range s.Locals {
			locals[i] = l
			if old, ok := a.locals.Get(l.Name); ok && l.Repr == unchanged {
				locals[i].Repr = old
			}
		}
		return &activation{below: a.below, locals: locals}, locals
	case statetree.Return:
		if a == nil {
			return nil, nil
		}
		return a.below, nil
	}
	return a, nil
}

// next is the frame of a state that follows f.
func (f *frame) next(l *listing, a statetree.ActionKind, s statetree.State) frame {
	top, locals := f.top.after(&s)
	s.Locals = locals
	n := frame{top: top, trail: l.after(f.trail, a, &s)}
	n.failing = s.Event == statetree.Exception || s.Event == statetree.Return && f.failing
	l.place(&s, n.trail)
	n.outcome.State = s
	return n
}
