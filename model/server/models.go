package server

import (
	"context"
	"errors"
	"sync"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/model/rpc"
)

// models are the loaded ones. One that failed to load is tried again when next
// asked for, since its files may have been mended.
type models struct {
	load Loader

	mu     sync.Mutex
	byName map[rpc.LoadParams]*loading
	closed bool
}

// loading is a model that is loaded or being loaded.
type loading struct {
	done      chan struct{} // closed when the next two are set
	predictor model.Predictor
	err       error
}

func newModels(load Loader) *models {
	return &models{load: load, byName: map[rpc.LoadParams]*loading{}}
}

// errEnding is returned to clients that come too late.
var errEnding = errors.New("the model process is ending")

// get returns the predictor of a model. Whoever asks first starts the loading,
// which goes on when ctx is cancelled: the next one will want it.
func (m *models) get(ctx context.Context, params rpc.LoadParams) (model.Predictor, error) {
	m.mu.Lock()
	if m.closed {
		m.mu.Unlock()
		return nil, errEnding
	}
	l, ok := m.byName[params]
	if !ok {
		l = &loading{done: make(chan struct{})}
		m.byName[params] = l
		go m.fill(l, params)
	}
	m.mu.Unlock()
	select {
	case <-l.done:
		return l.predictor, l.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// fill loads the model of one entry.
func (m *models) fill(l *loading, params rpc.LoadParams) {
	defer close(l.done)
	l.predictor, l.err = m.loadSafely(params)
	m.mu.Lock()
	defer m.mu.Unlock()
	if l.err == nil && m.closed {
		_ = l.predictor.Close()
		l.predictor, l.err = nil, errEnding
	}
	if l.err != nil {
		delete(m.byName, params)
	}
}

// loadSafely turns a panic of the loader, which runs outside of any request,
// into its error.
func (m *models) loadSafely(params rpc.LoadParams) (predictor model.Predictor, err error) {
	defer recoverAs(&err, "loading the model")
	return m.load(context.Background(), params.Model, params.Device)
}

// close ends all models and all loading.
func (m *models) close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	var errs []error
	for _, l := range m.byName {
		select {
		case <-l.done:
			if l.err == nil {
				errs = append(errs, l.predictor.Close())
			}
		default: // fill closes it
		}
	}
	m.byName = nil
	return errors.Join(errs...)
}
