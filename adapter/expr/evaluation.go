package expr

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"go.starlark.net/starlark"
)

// The limits of one evaluation. They are far above what a person writes, and
// let a mistake end within a fraction of a second.
const (
	maxSteps  = 2_000_000  // of Starlark's interpreter
	maxWork   = 20_000_000 // elements looked at by the primitives
	maxMemory = 128 << 20  // bytes that the primitives allocate
	maxBits   = 1 << 17    // of an integer
	maxRepr   = 1 << 20    // bytes of the result's repr
	maxParts  = 100_000    // of the result, itself and those of its parts included
)

// evaluation is one evaluation of an expression.
type evaluation struct {
	ctx    context.Context
	scope  Scope
	values map[string]starlark.Value // of the names used so far
	thread *starlark.Thread
	work   int
	memory int
	failed error // from an iterator, which cannot return one
}

const evaluationKey = "evaluation"

func evaluate(ctx context.Context, run *starlark.Function, scope Scope) (v Value, err error) {
	if err := ctx.Err(); err != nil {
		return Value{}, err
	}
	e := &evaluation{ctx: ctx, scope: scope, values: map[string]starlark.Value{}}
	e.thread = &starlark.Thread{Name: "expression", Print: func(*starlark.Thread, string) {}}
	e.thread.SetMaxExecutionSteps(maxSteps)
	e.thread.SetLocal(evaluationKey, e)
	stop := context.AfterFunc(ctx, func() { e.thread.Cancel(ctx.Err().Error()) })
	defer stop()
	result, err := starlark.Call(e.thread, run, nil, nil)
	if err = e.outcome(err); err != nil {
		return Value{}, err
	}
	if err := e.checkSize(result); err != nil {
		return Value{}, err
	}
	return Value{result}, nil
}

// outcome makes an error of the interpreter one of this package's.
func (e *evaluation) outcome(err error) error {
	if e.failed != nil {
		err, e.failed = e.failed, nil
	}
	if err == nil {
		return nil
	}
	if e.ctx.Err() != nil {
		return e.ctx.Err()
	}
	var own *Error
	if errors.As(err, &own) {
		return own
	}
	if e.thread.ExecutionSteps() >= maxSteps {
		return tooLarge("the evaluation takes too many steps")
	}
	var inner *starlark.EvalError
	message := err.Error()
	if errors.As(err, &inner) {
		message = inner.Msg
	}
	if strings.Contains(message, "called recursively") {
		return unsupported("functions that call themselves are not supported")
	}
	return &Error{Reason: Raised, Exception: "TypeError", Message: message} // the arguments of a lambda
}

// tick counts work, and ends the evaluation when it is too much or ctx is done.
func (e *evaluation) tick(n int) error {
	before := e.work
	e.work += n
	if e.work > maxWork || n > maxWork {
		return tooLarge("the evaluation takes too many steps")
	}
	if before>>16 != e.work>>16 {
		return e.ctx.Err()
	}
	return nil
}

// allocate counts memory.
func (e *evaluation) allocate(bytes int) error {
	e.memory += bytes
	if e.memory > maxMemory || bytes > maxMemory {
		return tooLarge("the evaluation needs too much memory")
	}
	return nil
}

// lookup returns the value of a name.
func (e *evaluation) lookup(name string) (starlark.Value, error) {
	if v, ok := e.values[name]; ok {
		return v, nil
	}
	if e.scope.Lookup != nil {
		if text, ok := e.scope.Lookup(name); ok {
			v, err := e.fromRepr(text)
			if err != nil {
				return nil, err
			}
			e.values[name] = v
			return v, nil
		}
	}
	if v, ok := builtins[name]; ok {
		return v, nil
	}
	if reason, ok := refusedBuiltins[name]; ok {
		return nil, unsupported("%s is not supported: %s", name, reason)
	}
	return nil, &Error{Reason: NotFound, Exception: "NameError", Message: fmt.Sprintf("name '%s' is not defined", name), Name: name}
}

// call calls any callable value.
func (e *evaluation) call(f starlark.Value, a arguments) (starlark.Value, error) {
	switch f := f.(type) {
	case *function:
		if err := e.tick(1); err != nil {
			return nil, err
		}
		return f.call(e, a)
	case typeValue:
		return e.construct(string(f), a)
	case *starlark.Function:
		kwargs := make([]starlark.Tuple, len(a.named))
		for i, n := range a.named {
			kwargs[i] = starlark.Tuple{starlark.String(n.name), n.value}
		}
		return starlark.Call(e.thread, f, a.positional, kwargs)
	case *opaque:
		return nil, unsupported("%s cannot be called: nothing of the program is run", shorten(f.text))
	case *object, *enumValue:
		return nil, unsupported("a %s cannot be called: nothing of the program is run", describeType(f))
	}
	return nil, typeError("'%s' object is not callable", describeType(f))
}
