// Package rpc is the conversation between a debugger and the process that holds
// the model: the messages, and a client that is a model.Predictor.
//
// The messages are JSON-RPC 2.0 with Content-Length framing, over a Unix socket
// in a folder that only its owner can enter. The client starts the process when
// nobody answers at the socket, asks a process of another build to end, and
// keeps each session's history: when the process is lost while it is asked
// something, its successor is started and asked once more, with the session
// rebuilt in it, so nothing shown so far is lost. What a second process is lost
// at as well fails with model.ErrUnavailable, and the next call tries again.
//
// The package must not import LibTorch, and does not know tokens or grammars.
// Its other half is model/server.
package rpc
