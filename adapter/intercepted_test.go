package adapter_test

import (
	"context"
	"testing"

	"github.com/neuraldbg/neuraldbg/adapter"
	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// intercepted is a predictor over a replay whose predictions go through a test.
type intercepted struct {
	model.Predictor
	opened int
	// predict is asked in place of a session's Predict.
	predict func(context.Context, model.Session, statetree.Action) (model.Prediction, error)
}

// factory returns a factory of the predictor.
func (p *intercepted) factory(t *testing.T) adapter.PredictorFactory {
	return func(ctx context.Context, c adapter.LaunchConfig) (model.Predictor, error) {
		inner, err := replaying(t, "main()")(ctx, c)
		p.Predictor = inner
		return p, err
	}
}

func (p *intercepted) Open(ctx context.Context, c model.Context) (model.Session, model.Prediction, error) {
	session, first, err := p.Predictor.Open(ctx, c)
	p.opened++
	return &interceptedSession{session, p}, first, err
}

type interceptedSession struct {
	model.Session
	predictor *intercepted
}

func (s *interceptedSession) Predict(ctx context.Context, a statetree.Action) (model.Prediction, error) {
	return s.predictor.predict(ctx, s.Session, a)
}
