// Package stepwise gets better predictions from a model.Predictor by asking it for
// more of them: the targets of jumps are reached by single steps, and inputs that
// were inferred are checked by running them forward.
//
// A small model that predicts the next state well may still jump badly: a jump
// asks it for the outcome of many steps in one forward pass. Here step_return,
// breakpoint and step_over, where the line may call a function of the program, are
// answered by a walk: the states on the way are predicted one after
// another, each with those before in its history. A walk is right when all its
// states are, so that neither way is always the better one; Surer takes the one
// that the predictor is more certain of, which is as certain as that one. The exit of
// continue is asked for directly: it has no values that would have to be computed on
// the way.
//
// # Walks
//
// Which state is the target says statetree.Plan. A step goes over the calls of
// its line where the target cannot lie in them, by the control flow of the
// program, and into them where it may; on the way to a return, into all of the
// program's own. A walk is given up, and the jump stands or is asked for, when it
// does not arrive within Options.MaxSteps, when it fails, such as at a full context,
// when a value on it does not end, and when it is less certain than the jump or has
// little chance to be right. Either way it is taken back, and the inner session adopts
// the target alone: its history is what was asked for, and what follows depends on
// nothing else. The states on the way are in Prediction.Way.
//
// Auto, the default, is Surer with a model that is small enough: a walk may read so
// many weights. It goes by their number and not by the time, so that a session
// predicts the same on a busy machine.
//
// # Inputs
//
// Backward, inv_step_call infers the arguments of a call from what it returned.
// Of Options.Candidates of them, the inner predictor's likeliest, each is run
// forward, by the predictor's own step_return; one that leads to the known value
// is put in the place of the likeliest. What a call returned is known from the
// history; where it is not, nothing is checked.
//
// The package must not know how its inner predictor predicts.
package stepwise
