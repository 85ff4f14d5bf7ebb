package timeline

import (
	"context"
	"fmt"

	"github.com/neuraldbg/neuraldbg/adapter/expr"
	"github.com/neuraldbg/neuraldbg/statetree/repr"
)

// Lookup returns the repr of the value that a name has in the frame with an
// index in the stack: in the frame itself, or in the module if its frame is at
// the bottom of the stack.
func (e *Entry) Lookup(frame int, name string) (repr string, ok bool) {
	if frame < 0 || frame >= len(e.Stack) {
		return "", false
	}
	if repr, ok = e.Stack[frame].Locals.Get(name); ok {
		return repr, true
	}
	if bottom := e.Stack[len(e.Stack)-1]; bottom.module() {
		return bottom.Locals.Get(name)
	}
	return "", false
}

// scope returns what expressions are evaluated in, in a frame of the entry.
func (e *Entry) scope(frame int) expr.Scope {
	return expr.Scope{Lookup: func(name string) (string, bool) { return e.Lookup(frame, name) }}
}

// raisedScope is the scope of the innermost frame, which raises, with the
// exception and the name of its class.
func (e *Entry) raisedScope() expr.Scope {
	text, _ := e.Exception()
	return expr.Scope{Lookup: func(name string) (string, bool) {
		switch name {
		case "exception":
			return text, true
		case "exception_name":
			return repr.Value{Kind: repr.String, Text: exceptionName(text)}.String(), true
		}
		return e.Lookup(0, name)
	}}
}

// truth evaluates a condition. The evaluator itself bounds the time.
func truth(condition *expr.Expression, scope expr.Scope) (bool, error) {
	value, err := condition.Eval(context.Background(), scope)
	if err != nil {
		return false, err
	}
	return value.Truth()
}

// maxValue is the longest repr of a value that a user may give, in bytes. No model
// has room for more, and reading it as tokens takes seconds.
const maxValue = 1 << 20

// valueOf returns the repr of what a user wrote as a value: an expression, or
// the repr of a value that no expression makes.
func (e *Entry) valueOf(text string) (string, error) {
	repr, err := e.reprOf(text)
	if n := len(repr); n > maxValue {
		return "", fmt.Errorf("the value's repr has %d bytes; those of more than %d cannot be given", n, maxValue)
	}
	return repr, err
}

func (e *Entry) reprOf(text string) (string, error) {
	x, err := expr.Parse(text)
	if err == nil {
		var value expr.Value
		if value, err = x.Eval(context.Background(), e.scope(0)); err == nil {
			return value.Repr(), nil
		}
	}
	if repr, noRepr := canonicalRepr(text); noRepr == nil {
		return repr, nil
	}
	return "", err
}
