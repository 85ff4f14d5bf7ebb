package stepwise

import (
	"cmp"
	"context"
	"strings"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// DefaultCandidates is how many inputs of a call are compared where the user does
// not say: the inverse of a function is asked for seldom, and is worth the time.
const DefaultCandidates = 4

// DefaultMaxSteps is how many single steps a jump may take.
const DefaultMaxSteps = 200

// Options configure a Predictor.
type Options struct {
	// Jumps says whether walks are compared with the jumps of the inner predictor.
	// Direct leaves everything to it; Auto, the zero value, decides by its size.
	Jumps Jumps
	// Candidates is how many inputs of a call are compared, where inv_step_call asks
	// for them: each is run forward by prediction, and one is preferred that leads to
	// what the call is known to have returned. With 1 the likeliest is taken;
	// DefaultCandidates if zero.
	Candidates int
	// MaxSteps is how many single steps a jump may take before the inner predictor
	// is asked for it; DefaultMaxSteps if zero.
	MaxSteps int
}

// Predictor is a model.Predictor whose jumps and inputs are made of several
// predictions of another. It owns the other.
type Predictor struct {
	inner   model.Predictor
	options Options
}

var _ model.Predictor = (*Predictor)(nil)

// NewPredictor returns a predictor that predicts with inner.
func NewPredictor(inner model.Predictor, o Options) *Predictor {
	o.MaxSteps = cmp.Or(o.MaxSteps, DefaultMaxSteps)
	o.Candidates = cmp.Or(o.Candidates, DefaultCandidates)
	return &Predictor{inner: inner, options: o}
}

// Open implements model.Predictor.
func (p *Predictor) Open(ctx context.Context, c model.Context) (model.Session, model.Prediction, error) {
	inner, first, err := p.inner.Open(ctx, c)
	switch {
	case err != nil:
		return nil, first, err
	case c.Direction == statetree.Inverse && p.options.Candidates > 1:
		return newInferring(p, inner, c, first), first, nil
	case c.Direction == statetree.Inverse || p.options.Jumps == Direct:
		return inner, first, nil
	}
	s := &session{
		inner: inner, options: p.options, listing: newListing(c.Program),
		parameters: func() int64 { return p.inner.Info().Parameters },
	}
	s.begin(c, first)
	return s, first, nil
}

// Info implements model.Predictor. It adds how jumps are predicted, if that was
// chosen.
func (p *Predictor) Info() model.Info {
	info := p.inner.Info()
	if p.options.Jumps == Steps || p.options.Jumps == Surer {
		info.Detail = strings.TrimPrefix(info.Detail+", jumps "+p.options.Jumps.String(), ", ")
	}
	return info
}

// Close implements model.Predictor.
func (p *Predictor) Close() error { return p.inner.Close() }
