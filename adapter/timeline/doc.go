// Package timeline is the debugging itself: what a debugger does with a
// model.Predictor, whoever shows it.
//
// A Timeline is the list of the states that were shown, in the order of the
// program's time, with the actions between them. A forward session extends it
// at its end, an inverse session at its beginning, and moving inside it shows
// what was there. A step that the timeline cannot answer drops what follows the
// position and predicts anew; so does an edit.
//
// The call stack is not in a state's text. It is built here: a call pushes a
// frame, leaving a return pops one, and a jump by a breakpoint leaves frames
// that nobody predicted, shown as one label frame (see Stack).
//
// The package must not know the Debug Adapter Protocol, nor which Predictor it
// has. The adapter, the command line's `run` and agents build on it.
package timeline
