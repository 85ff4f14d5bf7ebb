package model

import "context"

type progressKey struct{}

// WithProgress returns a context in which Predict reports how many states it has
// predicted so far on the way to an action's target. Only predictors that reach
// targets step by step report anything.
func WithProgress(ctx context.Context, report func(states int)) context.Context {
	return context.WithValue(ctx, progressKey{}, report)
}

// ReportProgress is for predictors: it reports to who asked for it.
func ReportProgress(ctx context.Context, states int) {
	if report, ok := ctx.Value(progressKey{}).(func(int)); ok {
		report(states)
	}
}
