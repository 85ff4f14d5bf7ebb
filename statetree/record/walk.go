package record

import (
	"fmt"

	"github.com/neuraldbg/neuraldbg/statetree"
)

// Activation is one activation in a trace.
type Activation struct {
	Function
	// Number is its number in the trace.
	Number int
	// Resumed says that it goes on with a generator or coroutine that was called
	// before.
	Resumed bool
	// Depth is the number of recorded activations that it is called in.
	Depth int
}

// walk reads a trace and keeps the stack of the activations that are open.
type walk struct {
	reader *Reader
	stack  []frame
	states int // read so far
}

// frame is an open activation.
type frame struct {
	Activation
	caller   int // the activation that it is called in, when Depth is above 0
	first    int // the number of its call state in the trace
	own      int // its own states so far
	returned bool
	leaving  statetree.Leaving
}

func openWalk(path string) (*walk, error) {
	reader, err := OpenReader(path)
	if err != nil {
		return nil, err
	}
	return &walk{reader: reader}, nil
}

// next reads a state. A call is then on top of the stack; the frame that a return
// has left is no longer on it, and returned. The error is io.EOF at the end.
func (w *walk) next() (s statetree.Recorded, left *frame, err error) {
	if s, err = w.reader.Next(); err != nil {
		return s, nil, err
	}
	w.states++
	if s.Event == statetree.Call {
		w.push(&s)
		return s, nil, nil
	}
	top := len(w.stack) - 1
	if top < 0 || w.stack[top].Number != s.Activation {
		return s, nil, fmt.Errorf("state %d is of activation %d, which is not the innermost: its calls are not nested", w.states-1, s.Activation)
	}
	f := &w.stack[top]
	f.own++
	if s.Event != statetree.Return {
		f.leaving.Add(&s.State)
		return s, nil, nil
	}
	f.returned = true
	gone := *f
	w.stack = w.stack[:top]
	return s, &gone, nil
}

func (w *walk) push(s *statetree.Recorded) {
	line := w.reader.code.line
	if line < 0 {
		line = s.Line
	}
	f := frame{first: w.states - 1, own: 1, Activation: Activation{
		Function: Function{File: s.File, Name: s.Function, Line: line},
		Number:   s.Activation, Resumed: line != s.Line, Depth: len(w.stack),
	}}
	if f.Depth > 0 {
		f.caller = w.stack[f.Depth-1].Number
	}
	w.stack = append(w.stack, f)
}
