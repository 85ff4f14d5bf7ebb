package rpc

import (
	"context"
	"errors"
	"fmt"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/neuraldbg/neuraldbg/model"
)

// The error codes of the protocol, in the range that JSON-RPC leaves to
// applications. Errors that callers tell apart have one each.
const (
	CodeFailed         = -32000
	CodeExited         = -32001
	CodeNoTarget       = -32002
	CodeContextFull    = -32003
	CodeCancelled      = -32004
	CodeUnknownSession = -32005
	CodeEnding         = -32006
)

// ErrUnknownSession is the answer to a session id that the process does not
// know: it is another process than the one that opened the session.
var ErrUnknownSession = errors.New("the model process does not know this session")

// ErrEnding is the answer of a process that is about to end. What was asked can
// be asked of its successor.
var ErrEnding = fmt.Errorf("%w: it is ending", model.ErrUnavailable)

var sentinels = map[int64]error{
	CodeExited:         model.ErrExited,
	CodeNoTarget:       model.ErrNoTarget,
	CodeContextFull:    model.ErrContextFull,
	CodeCancelled:      context.Canceled,
	CodeUnknownSession: ErrUnknownSession,
	CodeEnding:         ErrEnding,
}

// EncodeError makes an error travel: errors.Is gives the same answers for what
// DecodeError makes of it, as far as the protocol's codes go.
func EncodeError(err error) *jsonrpc2.Error {
	var rpcErr *jsonrpc2.Error
	if errors.As(err, &rpcErr) {
		return rpcErr
	}
	for code, sentinel := range sentinels {
		if errors.Is(err, sentinel) {
			return &jsonrpc2.Error{Code: code, Message: err.Error()}
		}
	}
	return &jsonrpc2.Error{Code: CodeFailed, Message: err.Error()}
}

// DecodeError is the inverse of EncodeError. A connection that broke becomes
// model.ErrUnavailable.
func DecodeError(err error) error {
	var rpcErr *jsonrpc2.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &rpcErr):
		return &remoteError{message: rpcErr.Message, kind: sentinels[rpcErr.Code]}
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	return &lostError{cause: err}
}

// lostError says that the process was lost while it was asked something. It is a
// model.ErrUnavailable.
type lostError struct{ cause error }

func (e *lostError) Error() string {
	if errors.Is(e.cause, jsonrpc2.ErrClosed) {
		return model.ErrUnavailable.Error() + ": it ended while it was asked"
	}
	return fmt.Sprintf("%v: %v", model.ErrUnavailable, e.cause)
}

func (e *lostError) Unwrap() []error { return []error{model.ErrUnavailable, e.cause} }

// remoteError is an error of the model process: its words, and the kind that
// its code stands for.
type remoteError struct {
	message string
	kind    error // nil for CodeFailed
}

func (e *remoteError) Error() string { return e.message }
func (e *remoteError) Unwrap() error { return e.kind }
