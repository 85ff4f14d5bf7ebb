package timeline

import (
	"errors"

	"github.com/neuraldbg/neuraldbg/statetree/repr"
)

// Evaluator computes expressions over predicted values: conditions, log
// messages, watched expressions. It executes nothing of the program.
type Evaluator interface {
	// Check says why an expression can be evaluated with no values whatever,
	// such as where it does not parse. The error is one line.
	Check(expression string) error
	// Eval returns the repr of an expression's value. names are the reprs of
	// the values that it may use. It takes a bounded time. The error is one line.
	Eval(expression string, names map[string]string) (repr string, err error)
}

var errNoEvaluator = errors.New("expressions cannot be evaluated here")

func check(e Evaluator, expression string) error {
	if e == nil {
		return errNoEvaluator
	}
	return e.Check(expression)
}

func eval(e Evaluator, expression string, names map[string]string) (string, error) {
	if e == nil {
		return "", errNoEvaluator
	}
	return e.Eval(expression, names)
}

// truth reports whether Python takes a value for true, as far as its repr tells:
// an object is true unless it says that it is empty.
func truth(text string) bool {
	v := repr.Parse(text)
	switch v.Kind {
	case repr.None:
		return false
	case repr.Bool, repr.Int:
		i, ok := v.BigInt()
		return !ok || i.Sign() != 0
	case repr.Float:
		f, ok := v.Float64()
		return !ok || f != 0
	case repr.Complex:
		c, ok := v.Complex128()
		return !ok || c != 0
	case repr.String, repr.Bytes:
		return v.Text != "" || v.Cut
	case repr.List, repr.Tuple, repr.Set, repr.FrozenSet, repr.Dict:
		return len(v.Children) > 0 || v.Cut
	case repr.Range:
		n, ok := v.Len()
		return !ok || n.Sign() != 0
	}
	return true
}

// Names returns the reprs of the values that an expression can use in the frame
// with an index in the stack: its own names, and below them those of the module
// if its frame is on the stack.
func (e *Entry) Names(frame int) map[string]string {
	names := map[string]string{}
	if bottom, ok := e.Stack.bottom(); ok && bottom.module() {
		for _, l := range bottom.Locals {
			names[l.Name] = l.Repr
		}
	}
	if frame >= 0 && frame < len(e.Stack) {
		for _, l := range e.Stack[frame].Locals {
			names[l.Name] = l.Repr
		}
	}
	return names
}
