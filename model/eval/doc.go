// Package eval measures how well a predictor predicts.
//
// # What is measured
//
// On a Set of programs that no model was trained on:
//
//   - NextState: with the true states so far as history, one action is taken and
//     the predicted outcome compared with the recorded one, by its parts and as a
//     whole (arXiv 2603.09951, sections 5.1 and 5.2). Beside it stands a baseline
//     that says the last state again.
//   - The output and the input of whole calls, as CruxEval asks for them (appendix
//     B.3): Output by step_return, Breakpoint by a breakpoint at the return line,
//     Input by inv_step_call. Whether an input is right is found out by running
//     the program with it (package judge).
//   - Horizon: a jump to the end of a function after more or fewer of its steps
//     were shown (figure 8).
//
// Calibration compares the confidences of the NextState answers with how often
// they were right.
//
// # How it is measured
//
// A measure makes Questions of a Set: a context, an action, and the outcome that
// was recorded. A Runner puts them to a predictor and keeps each Answer as a line
// of a Log, so that an interrupted evaluation goes on where it was. Which
// questions there are depends on the set and the seeds alone, never on answers.
// A Report is computed from answers and nothing else; so are a Comparison of two
// evaluations, the tables and the plots.
//
// The package sees predictors through model.Predictor alone: it does not know
// whether a model or a recording answers.
package eval
