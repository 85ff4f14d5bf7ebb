// Package stepwise lets any model.Predictor reach the targets of jumps by single
// steps.
//
// A small model that predicts the next state well may still jump badly: a jump
// asks it for the outcome of many steps in one forward pass. Here step_return,
// breakpoint and step_over of a call are answered by predicting the states on the
// way, one after another, each with those before in its history. That takes as
// many predictions as there are states, for a result that is right more often.
//
// # Steps
//
// Which state is the target says statetree.Plan. A step goes over the calls of
// its line where the target cannot lie in them, by the control flow of the
// program, and into them where it may; see Options.EnterCalls. What was predicted
// on the way stays in the history of the inner session, which a rewind takes back
// as a whole. A walk that does not arrive within Options.MaxSteps, that fails, such
// as at a full context, or that comes to a value which does not end, is taken back,
// and the inner session is asked for the jump.
//
// The package must not know how its inner predictor predicts.
package stepwise
