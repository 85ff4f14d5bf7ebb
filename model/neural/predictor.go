package neural

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"

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

	mu       sync.Mutex
	sessions map[*session]struct{}
	closed   bool
}

var _ model.Predictor = (*Predictor)(nil)

// NewPredictor joins an engine with the tokenizer that it was trained with.
func NewPredictor(e Engine, t Tokenizer, options Options) (*Predictor, error) {
	if t.Size() > e.VocabSize() {
		return nil, fmt.Errorf("the tokenizer has %d tokens, the model %d: they do not belong together", t.Size(), e.VocabSize())
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
	return &Predictor{engine: e, vocabulary: v, options: options, sessions: map[*session]struct{}{}}, nil
}

// Info implements model.Predictor.
func (p *Predictor) Info() model.Info { return p.options.Info }

// errClosed is returned by a Predictor that was closed.
var errClosed = errors.New("the model is closed")

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
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, errClosed
	}
	seq, err := newSequence(p.engine)
	if err != nil {
		return nil, err
	}
	c.Sampling.ConfidenceTemperature = cmp.Or(c.Sampling.ConfidenceTemperature, p.options.ConfidenceTemperature)
	s := &session{
		predictor: p, direction: c.Direction, sampler: sampler{c.Sampling},
		sequence: seq, listing: newListing(c.Program),
	}
	p.sessions[s] = struct{}{}
	return s, nil
}

// forget drops a session that was closed.
func (p *Predictor) forget(s *session) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.sessions, s)
}

// Close implements model.Predictor.
func (p *Predictor) Close() error {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil
	}
	p.closed = true
	sessions := p.sessions
	p.sessions = map[*session]struct{}{}
	p.mu.Unlock()
	var errs []error
	for s := range sessions {
		errs = append(errs, s.sequence.close())
	}
	return errors.Join(append(errs, p.engine.Close())...)
}
