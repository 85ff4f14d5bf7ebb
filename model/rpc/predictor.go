package rpc

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/neuraldbg/neuraldbg/model"
)

// Options say which model to use and where the process that holds it is.
type Options struct {
	// Model is the name of a bundled model, "nano", or a checkpoint's folder.
	Model string
	// Device is "cpu", "cuda:0", or empty for the best there is.
	Device string
	// DType is that of LoadParams.
	DType string
	// Executable is the program that holds the model; empty to look for
	// neuraldbg-model (see FindExecutable).
	Executable string
	// RuntimeDir is where the process is met; empty for the executable's
	// DefaultRuntimeDir.
	RuntimeDir RuntimeDir
	// Patience is how long the process may take to answer a greeting before it
	// counts as stuck; DefaultPatience if zero.
	Patience time.Duration
	// Log gets what happens to the process. Code and values are not logged.
	Log zerolog.Logger
}

// Predictor is a model.Predictor whose model is in another process.
type Predictor struct {
	options Options
	model   LoadParams
	// connecting holds one token, for whoever looks for the process. It is a
	// channel because waiting for it must be cancellable.
	connecting chan struct{}

	mu     sync.Mutex
	conn   *connection // nil before the first contact
	info   model.Info
	closed bool
}

var _ model.Predictor = (*Predictor)(nil)

// errClosed is returned by a Predictor that was closed.
var errClosed = errors.New("the predictor is closed")

// NewPredictor returns a predictor that starts its process when first asked.
func NewPredictor(options Options) *Predictor {
	options.Patience = cmp.Or(options.Patience, DefaultPatience)
	name := options.Model
	if filepath.Base(name) != name || isFolder(name) {
		if abs, err := filepath.Abs(name); err == nil {
			name = abs // the process has another working directory
		}
	}
	return &Predictor{
		options:    options,
		model:      LoadParams{Model: name, Device: options.Device, DType: options.DType},
		connecting: make(chan struct{}, 1),
		info:       model.Info{Name: options.Model},
	}
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// Load starts the process and loads the model, so that the first prediction
// does not wait for it. It may take seconds and is worth showing as progress.
func (p *Predictor) Load(ctx context.Context) (model.Info, error) {
	var info model.Info
	err := p.repeated(ctx, func() error {
		conn, err := p.connect(ctx)
		if err != nil {
			return err
		}
		return conn.call(ctx, MethodLoad, p.model, &info)
	})
	if err != nil {
		return model.Info{}, err
	}
	p.setInfo(info)
	return info, nil
}

// Open implements model.Predictor.
func (p *Predictor) Open(ctx context.Context, c model.Context) (model.Session, model.Prediction, error) {
	c.History = slices.Clone(c.History)
	s := &session{predictor: p, context: c}
	var first model.Prediction
	err := p.repeated(ctx, func() (err error) {
		first, err = s.open(ctx)
		return err
	})
	if err != nil {
		return nil, model.Prediction{}, err
	}
	if c.Start.Event == 0 {
		s.context.Start = first.State
	}
	return s, first, nil
}

// Info implements model.Predictor. Before the first contact only the name is
// known.
func (p *Predictor) Info() model.Info {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.info
}

func (p *Predictor) setInfo(info model.Info) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.info = info
}

// Close implements model.Predictor. The process ends the sessions of a
// connection that closes; it goes on for other clients until it is idle.
func (p *Predictor) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	if p.conn != nil {
		p.conn.close()
	}
	return nil
}

// connect returns the conversation with the process, a new one if there is none
// or the last one broke.
func (p *Predictor) connect(ctx context.Context) (*connection, error) {
	select {
	case p.connecting <- struct{}{}:
		defer func() { <-p.connecting }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if conn, err := p.current(); conn != nil || err != nil {
		return conn, err
	}
	dir, err := p.runtimeDir()
	if err != nil {
		return nil, err
	}
	conn, err := starter{
		dir: dir, executable: p.options.Executable, patience: p.options.Patience, log: p.options.Log,
	}.connect(ctx)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		conn.close()
		return nil, errClosed
	}
	p.conn = conn
	return conn, nil
}

// runtimeDir is where the process is met.
func (p *Predictor) runtimeDir() (RuntimeDir, error) {
	if p.options.RuntimeDir != "" {
		return p.options.RuntimeDir, nil
	}
	executable, err := FindExecutable(p.options.Executable)
	if err != nil {
		return "", err
	}
	return DefaultRuntimeDir(executable)
}

// current returns the conversation that is under way, nil if there is none.
func (p *Predictor) current() (*connection, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, errClosed
	}
	if p.conn == nil || !p.conn.alive() {
		return nil, nil
	}
	return p.conn, nil
}
