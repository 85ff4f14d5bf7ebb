package server

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/model/rpc"
)

// models are the loaded ones. One that failed to load is tried again when next
// asked for, since its files may have been mended.
type models struct {
	load Loader

	mu     sync.Mutex
	byName map[loadKey]*loading
	closed bool
}

// loadKey is a model as its files are now. When they change, as when a training
// run exports anew, the next session gets the new ones; sessions that are open
// keep what they have.
type loadKey struct {
	rpc.LoadParams
	files string
}

func newLoadKey(params rpc.LoadParams) loadKey {
	k := loadKey{LoadParams: params}
	dir, err := Resolve(params.Model)
	if err != nil {
		return k // the loader says what is wrong
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return k
	}
	for _, e := range entries {
		switch filepath.Ext(e.Name()) {
		case ".json", ".safetensors":
			if info, err := e.Info(); err == nil {
				k.files += fmt.Sprintf("%s %d %d\n", e.Name(), info.Size(), info.ModTime().UnixNano())
			}
		}
	}
	return k
}

// loading is a model that is loaded or being loaded.
type loading struct {
	done      chan struct{} // closed when the next two are set
	predictor model.Predictor
	err       error
}

func newModels(load Loader) *models {
	return &models{load: load, byName: map[loadKey]*loading{}}
}

// get returns the predictor of a model. Whoever asks first starts the loading,
// which goes on when ctx is cancelled: the next one will want it.
func (m *models) get(ctx context.Context, params rpc.LoadParams) (model.Predictor, error) {
	key := newLoadKey(params)
	m.mu.Lock()
	if m.closed {
		m.mu.Unlock()
		return nil, rpc.ErrEnding
	}
	l, ok := m.byName[key]
	if !ok {
		l = &loading{done: make(chan struct{})}
		m.byName[key] = l
		go m.fill(l, key)
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
func (m *models) fill(l *loading, key loadKey) {
	defer close(l.done)
	l.predictor, l.err = m.loadSafely(key.LoadParams)
	m.mu.Lock()
	defer m.mu.Unlock()
	if l.err == nil && m.closed {
		_ = l.predictor.Close()
		l.predictor, l.err = nil, rpc.ErrEnding
	}
	if l.err != nil {
		delete(m.byName, key)
	}
}

// loadSafely turns a panic of the loader, which runs outside of any request,
// into its error.
func (m *models) loadSafely(params rpc.LoadParams) (predictor model.Predictor, err error) {
	defer recoverAs(&err, "loading the model")
	return m.load(context.Background(), params)
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
