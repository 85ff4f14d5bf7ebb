package cwm

import (
	"context"
	"errors"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/model/neural"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// DefaultMaxFrames is how many frames an action may take.
const DefaultMaxFrames = 2000

// Options configure a Predictor.
type Options struct {
	// Info describes the model; MaxContext is filled in from the engine.
	Info model.Info
	// MaxFrames is how many frames one action may predict; DefaultMaxFrames if
	// zero.
	MaxFrames int
	// MaxFrameTokens is how many tokens one frame may have;
	// neural.DefaultMaxStateTokens if zero.
	MaxFrameTokens int
}

// Predictor is a model.Predictor over an engine. It owns the engine.
type Predictor struct {
	engine     neural.Engine
	vocabulary *vocabulary
	options    Options
	sessions   *neural.Sessions[*session]
}

var _ model.Predictor = (*Predictor)(nil)

// NewPredictor joins an engine with its tokenizer.
func NewPredictor(e neural.Engine, t neural.Tokenizer, options Options) (*Predictor, error) {
	if err := neural.CheckTokenizer(e, t); err != nil {
		return nil, err
	}
	v, err := newVocabulary(t)
	if err != nil {
		return nil, err
	}
	if options.MaxFrames == 0 {
		options.MaxFrames = DefaultMaxFrames
	}
	if options.MaxFrameTokens == 0 {
		options.MaxFrameTokens = neural.DefaultMaxStateTokens
	}
	options.Info.MaxContext = e.MaxContext()
	return &Predictor{engine: e, vocabulary: v, options: options, sessions: neural.NewSessions[*session](e)}, nil
}

// Info implements model.Predictor.
func (p *Predictor) Info() model.Info { return p.options.Info }

var errInverse = errors.New("this model predicts forward only: it speaks CWM's traces, which have no inverse states")

// Open implements model.Predictor.
func (p *Predictor) Open(ctx context.Context, c model.Context) (model.Session, model.Prediction, error) {
	if c.Direction != statetree.Forward {
		return nil, model.Prediction{}, errInverse
	}
	listing, err := newListing(c.Program, &c.Start)
	if err != nil {
		return nil, model.Prediction{}, err
	}
	s, err := p.newSession(c, listing)
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

func (p *Predictor) newSession(c model.Context, l *listing) (*session, error) {
	return p.sessions.Add(func() (*session, error) {
		sequence, err := neural.NewSequence(p.engine)
		if err != nil {
			return nil, err
		}
		return &session{predictor: p, listing: l, sequence: sequence, sampler: neural.NewSampler(c.Sampling)}, nil
	})
}

// Close implements model.Predictor.
func (p *Predictor) Close() error {
	return p.sessions.Close(func(s *session) error { return s.sequence.Close() })
}
