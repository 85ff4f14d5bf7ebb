// Package stepwise gets better predictions from a model.Predictor by asking it for
// more of them: the targets of jumps are reached by single steps, and inputs that
// were inferred are checked by running them forward.
//
// A small model that predicts the next state well may still jump badly: a jump
// asks it for the outcome of many steps in one forward pass. Here step_return and
// breakpoint are answered by a walk: the states on the way are predicted one after
// another, each with those before in its history. A walk is right when all its
// states are, so that neither way is always the better one; Surer takes the one
// that the predictor is more certain of. The exit of continue is asked for
// directly: it has no values that would have to be computed on the way.
//
// # Walks
//
// Which state is the target says statetree.Plan. A step goes over the calls of
// its line where the target cannot lie in them, by the control flow of the
// program, and into them where it may. What was predicted on the way stays in the
// history of the inner session, which a rewind takes back as a whole. A walk is
// taken back, and the inner session asked for the jump, when it does not arrive
// within Options.MaxSteps, when it fails, such as at a full context, when a value
// on it does not end, and when its confidence has come to nearly nothing.
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
