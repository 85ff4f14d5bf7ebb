package completions

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/neuraldbg/neuraldbg/model/neural"
)

// Vocabulary is what is needed of the model's tokenizer, to read the answers of
// servers that name tokens by their text.
type Vocabulary interface {
	Size() int
	Token(id int32) (text []byte, special bool)
}

// Options configure an Engine. The zero value of all but the first two is useful.
type Options struct {
	Address    Address
	Vocabulary Vocabulary
	// MaxContext is the model's context in tokens, where the server does not
	// tell it; 0 means that it is not known.
	MaxContext int
	// StopTokens are those behind which nothing is needed: the server need not
	// go on.
	StopTokens []int32
	// Key is sent as a bearer token.
	Key string
	// Timeout is for the answer to one request for a completion, OpenTimeout for
	// the one that lists the models, which no server thinks about. A request that
	// got no answer is not sent again: the server may be at work on it.
	Timeout, OpenTimeout time.Duration
	// Retries is how often a request that failed for a reason that may pass is sent
	// again, after Wait, which doubles.
	Retries int
	Wait    time.Duration
	// Client sends the requests; one of the engine's own if nil.
	Client *http.Client
}

const (
	defaultTimeout     = time.Minute
	defaultOpenTimeout = 10 * time.Second
	defaultRetries     = 3
	defaultWait        = 250 * time.Millisecond
	// connectTimeout is for the connection, in the engine's own client.
	connectTimeout = 5 * time.Second
	// lookahead is how many tokens one request asks for.
	lookahead = 32
	// topLogprobs is how many log-probabilities a position: the most that vLLM
	// gives by default.
	topLogprobs = 20
)

// Engine is a neural.Engine on a completions server.
type Engine struct {
	options Options
	byText  map[string]int32 // of the vocabulary; texts of several tokens have the first
	closed  atomic.Bool
	// plain says that the server refuses what is not OpenAI's own.
	plain atomic.Bool
	// requests counts those for completions.
	requests atomic.Int64
}

var _ neural.Engine = (*Engine)(nil)

// Open asks the server for the model. It does not wait longer than OpenTimeout for
// a server that is silent, nor longer than the retries take for one that is not
// there.
func Open(ctx context.Context, o Options) (*Engine, error) {
	if o.Timeout == 0 {
		o.Timeout = defaultTimeout
	}
	if o.OpenTimeout == 0 {
		o.OpenTimeout = defaultOpenTimeout
	}
	if o.Retries == 0 {
		o.Retries = defaultRetries
	}
	if o.Wait == 0 {
		o.Wait = defaultWait
	}
	if o.Client == nil {
		o.Client = newClient()
	}
	e := &Engine{options: o, byText: map[string]int32{}}
	for id := int32(o.Vocabulary.Size()) - 1; id >= 0; id-- {
		text, _ := o.Vocabulary.Token(id)
		if len(text) > 0 {
			e.byText[string(text)] = id
		}
	}
	if err := e.findModel(ctx); err != nil {
		return nil, fmt.Errorf("the model at %s: %w", o.Address, err)
	}
	return e, nil
}

// newClient returns a client that gives a connection up sooner than the default.
func newClient() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DialContext = (&net.Dialer{Timeout: connectTimeout}).DialContext
	return &http.Client{Transport: transport}
}

// findModel checks that the server has the model, or takes its only one.
func (e *Engine) findModel(ctx context.Context) error {
	var list modelList
	if err := e.call(ctx, e.options.OpenTimeout, http.MethodGet, "/models", nil, &list); err != nil {
		return err
	}
	address := &e.options.Address
	if address.Model == "" && len(list.Data) == 1 {
		address.Model = list.Data[0].ID
	}
	var names []string
	for _, m := range list.Data {
		if m.ID == address.Model {
			if n := m.context(); n > 0 {
				e.options.MaxContext = n
			}
			return nil
		}
		names = append(names, m.ID)
	}
	if address.Model == "" {
		return fmt.Errorf("say which with #NAME; the server has %s", strings.Join(names, ", "))
	}
	return fmt.Errorf("the server has no model %q; it has %s", address.Model, strings.Join(names, ", "))
}

// Address is that of the model, with its name.
func (e *Engine) Address() Address { return e.options.Address }

// VocabSize implements neural.Engine.
func (e *Engine) VocabSize() int { return e.options.Vocabulary.Size() }

// MaxContext implements neural.Engine. One position stays free, since the server
// always generates a token.
func (e *Engine) MaxContext() int { return max(0, e.options.MaxContext-1) }

var errClosed = errors.New("the model is closed")

// NewCache implements neural.Engine.
func (e *Engine) NewCache() (neural.Cache, error) {
	if e.closed.Load() {
		return nil, errClosed
	}
	return &cache{engine: e}, nil
}

// Close implements neural.Engine.
func (e *Engine) Close() error {
	if !e.closed.Swap(true) {
		e.options.Client.CloseIdleConnections()
	}
	return nil
}
