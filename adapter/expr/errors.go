package expr

import "fmt"

// Reason is why an expression has no value.
type Reason uint8

// The reasons.
const (
	// Syntax: the text is not one Python expression.
	Syntax Reason = iota
	// Raised: Python would raise the exception that Exception names.
	Raised
	// NotFound: a name is neither in the scope nor built in. It may be one of the
	// program's that no state shows: a function, a module, a class.
	NotFound
	// Unsupported: Python has an answer that this package does not compute.
	Unsupported
	// Unknown: the answer depends on a value that its repr does not tell.
	Unknown
	// Limit: the computation is too long or too large.
	Limit
)

// Error is why an expression cannot be parsed or has no value. Its text is one
// line for people.
type Error struct {
	Reason Reason
	// Exception is the class that Python would raise, such as
	// "ZeroDivisionError"; "" unless Reason is Raised or NotFound.
	Exception string
	Message   string
	// Name is the name that was not found; "" unless Reason is NotFound.
	Name string
}

// Error returns the message, for an exception as Python's traceback ends.
func (e *Error) Error() string {
	if e.Exception != "" {
		return e.Exception + ": " + e.Message
	}
	return e.Message
}

func raise(exception, format string, args ...any) error {
	return &Error{Reason: Raised, Exception: exception, Message: fmt.Sprintf(format, args...)}
}

func typeError(format string, args ...any) error  { return raise("TypeError", format, args...) }
func valueError(format string, args ...any) error { return raise("ValueError", format, args...) }

func unsupported(format string, args ...any) error {
	return &Error{Reason: Unsupported, Message: fmt.Sprintf(format, args...)}
}

func unknown(format string, args ...any) error {
	return &Error{Reason: Unknown, Message: fmt.Sprintf(format, args...)}
}

func tooLarge(format string, args ...any) error {
	return &Error{Reason: Limit, Message: fmt.Sprintf(format, args...)}
}
