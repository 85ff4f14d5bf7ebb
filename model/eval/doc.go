// Package eval measures how well a predictor predicts.
//
// NextState is the paper's first evaluation (arXiv 2603.09951, section 5.1): of
// held-out programs, with the true states so far as history, one action is taken
// and the predicted outcome compared with the recorded one, by its parts and as
// a whole. Beside it stands a baseline that says the last state again.
//
// The package sees predictors through model.Predictor alone: it does not know
// whether a model or a recording answers.
package eval
