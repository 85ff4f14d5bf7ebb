// Package server is the service that holds models: it answers the messages of
// model/rpc over a Unix socket.
//
// A model is loaded once, at its first use, and serves any number of sessions
// of any number of clients. The process ends when nothing was asked of it for a
// while; clients rebuild their sessions in the next one. A panic in a request
// becomes an error of that request. The package writes to its log only, never
// to standard output, and logs neither code nor values.
//
// It must not import LibTorch: a Loader, which the command provides, makes
// predictors out of folders.
package server
