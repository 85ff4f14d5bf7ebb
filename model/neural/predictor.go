package neural

import (
	"cmp"
	"context"

	"github.com/neuraldbg/neuraldbg/model"
)

// DefaultMaxStateTokens is how long a predicted state may be.
const DefaultMaxStateTokens = 2048

// Options configure a Predictor.
type Options struct {
	// Info describes the model; MaxContext is filled in from the engine.
	Info model.Info
	// MaxStateTokens is how many tokens one predicted state may have before it is
	// closed (see model.Prediction.Truncated); DefaultMaxStateTokens if zero.
	MaxStateTokens int
	// MaxValueTokens is how many tokens one predicted repr may have before it
	// is cut with an ellipsis, as a recorder cuts it; if zero, a quarter of the
	// engine's context, or of DefaultMaxStateTokens where that is less.
	MaxValueTokens int
	// ConfidenceTemperature is the Calibration of the model: what confidences are
	// computed at where a session does not say otherwise; 1 if zero.
	ConfidenceTemperature float64
}

// Predictor is a model.Predictor over an Engine. It owns the engine.
type Predictor struct {
	engine     Engine
	vocabulary *vocabulary
	options    Options
	sessions   *Sessions[*session]
}

var _ model.Predictor = (*Predictor)(nil)

// NewPredictor joins an engine with the tokenizer that it was trained with.
func NewPredictor(e Engine, t Tokenizer, options Options) (*Predictor, error) {
	if err := CheckTokenizer(e, t); err != nil {
		return nil, err
	}
	v, err := newVocabulary(t)
	if err != nil {
		return nil, err
	}
	if options.MaxStateTokens == 0 {
		options.MaxStateTokens = DefaultMaxStateTokens
	}
	options.Info.MaxContext = e.MaxContext()
	if options.MaxValueTokens == 0 {
		options.MaxValueTokens = DefaultMaxStateTokens / 4
		if n := e.MaxContext(); n > 0 {
			options.MaxValueTokens = min(options.MaxValueTokens, n/4)
		}
	}
	return &Predictor{engine: e, vocabulary: v, options: options, sessions: NewSessions[*session](e)}, nil
}

// Info implements model.Predictor.
func (p *Predictor) Info() model.Info { return p.options.Info }

// Open implements model.Predictor.
func (p *Predictor) Open(ctx context.Context, c model.Context) (model.Session, model.Prediction, error) {
	s, err := p.newSession(c)
	if err != nil {
		return nil, model.Prediction{}, err
	}
	first, err := s.begin(ctx, c)
	if err != nil {
		_ = s.Close()
		return nil, model.Prediction{}, err
	}
	return s, first, nil
}

func (p *Predictor) newSession(c model.Context) (*session, error) {
	c.Sampling.ConfidenceTemperature = cmp.Or(c.Sampling.ConfidenceTemperature, p.options.ConfidenceTemperature)
	return p.sessions.Add(func() (*session, error) {
		seq, err := newSequence(p.engine)
		if err != nil {
			return nil, err
		}
		return &session{
			predictor: p, direction: c.Direction, sampler: sampler{c.Sampling},
			sequence: seq, listing: newListing(c.Program),
		}, nil
	})
}

// Close implements model.Predictor.
func (p *Predictor) Close() error {
	return p.sessions.Close(func(s *session) error { return s.sequence.close() })
}
