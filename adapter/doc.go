// Package adapter presents a model.Predictor as a debugger, by the Debug
// Adapter Protocol (https://microsoft.github.io/debug-adapter-protocol).
//
// A Server serves sessions: one over standard input and output, or any number
// over TCP. A session reads requests, turns those that move into the actions of
// a timeline.Timeline, and shows the states that come back as frames, scopes
// and variables. See the session type for who runs when.
//
// The package must not know which Predictor it has: it gets one from a
// PredictorFactory. It runs nothing of the user's program.
package adapter
