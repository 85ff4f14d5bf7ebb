// Package model defines what a debugger needs from something that predicts
// program states: the Predictor.
//
// Predictors differ in how they know. model/replay answers from a recorded
// tree and is always right; model/neural asks a language model; model/rpc
// forwards to a process that holds one. The package must not import a tensor,
// and does not know a transport, a token or the Debug Adapter Protocol.
package model
