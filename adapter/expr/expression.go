package expr

import (
	"context"

	"go.starlark.net/starlark"
)

// Expression is a parsed expression. It is immutable and may be evaluated by
// several goroutines at once.
type Expression struct {
	text  string
	names []string
	run   *starlark.Function
}

// Parse parses one Python expression. Every error is an *Error: Syntax, or
// Unsupported for what is Python but cannot be evaluated here, such as await.
func Parse(text string) (*Expression, error) {
	return translate(text)
}

// String returns the text that was parsed.
func (e *Expression) String() string { return e.text }

// Names returns the names that the expression uses and does not bind itself,
// built-in ones included, each once.
func (e *Expression) Names() []string { return e.names }

// Scope is what an expression is evaluated in.
type Scope struct {
	// Lookup returns the repr of the value that a name has; nil knows none.
	// Names that it does not know are looked up among Python's built-in functions.
	Lookup func(name string) (repr string, ok bool)
	// Print is called with what each call of print writes, line end included.
	// When it is nil, print is refused.
	Print func(text string)
}

// Eval returns the expression's value. It stops when ctx ends, and within a
// fraction of a second by limits of its own on time and memory. Every error but
// ctx's is an *Error.
func (e *Expression) Eval(ctx context.Context, scope Scope) (Value, error) {
	return evaluate(ctx, e.run, scope)
}

// Value is what an expression evaluates to.
type Value struct{ value starlark.Value }

// Repr returns what repr() returns for the value.
func (v Value) Repr() string { return reprOf(v.value) }

// Str returns what str() returns for the value: what print writes.
func (v Value) Str() string { return strOf(v.value) }

// Type returns the name of the value's type, "int"; "" when it is not known.
func (v Value) Type() string { return typeName(v.value) }

// Truth returns what bool() returns for the value, or an *Error.
func (v Value) Truth() (bool, error) { return truth(v.value) }
