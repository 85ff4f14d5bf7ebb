package server

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/sourcegraph/jsonrpc2"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/model/rpc"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// stub is a predictor that counts what is open. Its sessions answer when
// released, or when they are cancelled, and take closeTime to close.
type stub struct {
	open, closed atomic.Int32
	closing      atomic.Int32 // sessions that have begun to close
	closeTime    time.Duration
	release      chan struct{}
	cancelled    chan struct{}
}

func newStub() *stub {
	return &stub{release: make(chan struct{}, 16), cancelled: make(chan struct{}, 16)}
}

func (s *stub) Info() model.Info { return model.Info{Name: "stub"} }
func (s *stub) Close() error     { s.closed.Add(1); return nil }
func (s *stub) Open(context.Context, model.Context) (model.Session, model.Prediction, error) {
	s.open.Add(1)
	return &stubSession{stub: s}, model.Prediction{}, nil
}

type stubSession struct {
	stub  *stub
	inUse atomic.Int32
}

func (s *stubSession) Predict(ctx context.Context, _ statetree.Action) (model.Prediction, error) {
	if s.inUse.Add(1) != 1 {
		return model.Prediction{}, errors.New("two requests at once")
	}
	defer s.inUse.Add(-1)
	select {
	case <-s.stub.release:
		return model.Prediction{}, nil
	case <-ctx.Done():
		s.stub.cancelled <- struct{}{}
		return model.Prediction{}, ctx.Err()
	}
}
func (s *stubSession) Adopt(model.Step) error     { return nil }
func (s *stubSession) Rewind(int) error           { return nil }
func (s *stubSession) Edit(statetree.State) error { return nil }
func (s *stubSession) Close() error {
	s.stub.closing.Add(1)
	time.Sleep(s.stub.closeTime)
	s.stub.open.Add(-1)
	return nil
}

// running is a server under test.
type running struct {
	*testing.T
	dir  rpc.RuntimeDir
	stub *stub
	stop context.CancelFunc
	done chan error
}

func start(t *testing.T, options Options) *running {
	t.Helper()
	base, err := os.MkdirTemp("", "ndbg")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(base) })
	r := &running{T: t, dir: rpc.RuntimeDir(filepath.Join(base, "run")), stub: newStub(), done: make(chan error, 1)}
	listener, err := Listen(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	if options.Load == nil {
		options.Load = func(context.Context, rpc.LoadParams) (model.Predictor, error) { return r.stub, nil }
	}
	options.Log = zerolog.Nop()
	ctx, stop := context.WithCancel(t.Context())
	r.stop = stop
	go func() { r.done <- New(options).Serve(ctx, listener) }()
	return r
}

// wait returns when the server has ended.
func (r *running) wait() {
	r.Helper()
	select {
	case err := <-r.done:
		if err != nil {
			r.Fatal(err)
		}
	case <-time.After(5 * time.Second):
		r.Fatal("the server does not end")
	}
}

// dial returns a bare connection.
func (r *running) dial() *jsonrpc2.Conn {
	r.Helper()
	stream, err := net.Dial("unix", r.dir.Socket())
	if err != nil {
		r.Fatal(err)
	}
	peer := rpc.NewPeer(stream, jsonrpc2.HandlerWithError(func(context.Context, *jsonrpc2.Conn, *jsonrpc2.Request) (any, error) { return nil, nil }))
	r.Cleanup(func() { peer.Close() })
	return peer
}

func (r *running) open(peer *jsonrpc2.Conn) uint64 {
	r.Helper()
	var opened rpc.OpenResult
	if err := peer.Call(r.Context(), rpc.MethodOpen, rpc.OpenParams{}, &opened); err != nil {
		r.Fatal(err)
	}
	return opened.Session
}

func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for range 500 {
		if condition() {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatal("never happened: " + what)
}

func TestEndsWhenIdle(t *testing.T) {
	r := start(t, Options{IdleTimeout: 100 * time.Millisecond})
	peer := r.dial()
	id := r.open(peer)
	time.AfterFunc(300*time.Millisecond, func() { r.stub.release <- struct{}{} })
	// A request that runs longer than the timeout keeps the server.
	if err := peer.Call(t.Context(), rpc.MethodPredict, rpc.PredictParams{Session: id}, nil); err != nil {
		t.Fatal(err)
	}
	r.wait()
	if r.stub.closed.Load() != 1 || r.stub.open.Load() != 0 {
		t.Errorf("%d models closed, %d sessions open", r.stub.closed.Load(), r.stub.open.Load())
	}
	if _, err := os.Stat(r.dir.Socket()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket is still there: %v", err)
	}
}

// A model must not be closed under a session, though the client has left.
func TestModelsAreClosedAfterSessions(t *testing.T) {
	r := start(t, Options{IdleTimeout: -1})
	r.stub.closeTime = 100 * time.Millisecond
	peer := r.dial()
	r.open(peer)
	peer.Close()
	eventually(t, "the session begins to close", func() bool { return r.stub.closing.Load() == 1 })
	r.stop()
	r.wait()
	if r.stub.closed.Load() != 1 || r.stub.open.Load() != 0 {
		t.Errorf("%d models closed, %d sessions open", r.stub.closed.Load(), r.stub.open.Load())
	}
}

// A process whose socket was removed serves the clients that it has, ends with the
// last one, and leaves the socket of its successor alone.
func TestSocketIsRemoved(t *testing.T) {
	r := start(t, Options{})
	first, second := r.dial(), r.dial()
	r.open(first)
	r.open(second)
	if err := os.RemoveAll(string(r.dir)); err != nil {
		t.Fatal(err)
	}
	successor, err := Listen(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer successor.Close()
	first.Close()
	eventually(t, "the client's session ends", func() bool { return r.stub.open.Load() == 1 })
	r.open(second)
	second.Close()
	r.wait()
	if _, err := os.Stat(r.dir.Socket()); err != nil {
		t.Errorf("the successor's socket: %v", err)
	}
}

// full is a listener for which there is no file left at first.
type full struct {
	net.Listener
	failures int
}

func (f *full) Accept() (net.Conn, error) {
	if f.failures > 0 {
		f.failures--
		return nil, &net.OpError{Op: "accept", Net: "unix", Err: os.NewSyscallError("accept4", syscall.EMFILE)}
	}
	return f.Listener.Accept()
}

// A process that has no file left for another client goes on for those that it has.
func TestNoFileForAnotherClient(t *testing.T) {
	base, err := os.MkdirTemp("", "ndbg")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(base)
	r := &running{T: t, dir: rpc.RuntimeDir(base), stub: newStub(), done: make(chan error, 1)}
	listener, err := Listen(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	load := func(context.Context, rpc.LoadParams) (model.Predictor, error) { return r.stub, nil }
	go func() {
		r.done <- New(Options{Load: load, Log: zerolog.Nop()}).Serve(t.Context(), &full{Listener: listener, failures: 2})
	}()
	peer := r.dial()
	r.open(peer)
	if err := peer.Call(t.Context(), rpc.MethodShutdown, nil, nil); err != nil {
		t.Fatal(err)
	}
	r.wait()
}

func TestStopCancelsWhatRuns(t *testing.T) {
	r := start(t, Options{})
	peer := r.dial()
	id := r.open(peer)
	answer := make(chan error, 1)
	go func() { answer <- peer.Call(t.Context(), rpc.MethodPredict, rpc.PredictParams{Session: id}, nil) }()
	time.Sleep(50 * time.Millisecond)
	r.stop()
	r.wait()
	if err := <-answer; err == nil {
		t.Error("a request outlived the server")
	}
	<-r.stub.cancelled
}

func TestShutdownRequest(t *testing.T) {
	r := start(t, Options{})
	if err := r.dial().Call(t.Context(), rpc.MethodShutdown, nil, nil); err != nil {
		t.Error(err)
	}
	r.wait()
}

func TestAClientThatLeavesTakesItsSessions(t *testing.T) {
	r := start(t, Options{})
	other := r.dial()
	r.open(other)
	peer := r.dial()
	id := r.open(peer)
	go peer.Call(t.Context(), rpc.MethodPredict, rpc.PredictParams{Session: id}, nil)
	time.Sleep(50 * time.Millisecond)
	peer.Close()
	<-r.stub.cancelled
	eventually(t, "one session closed", func() bool { return r.stub.open.Load() == 1 })
	r.stop()
	r.wait()
}

func TestRequestsOfASessionTakeTurns(t *testing.T) {
	r := start(t, Options{})
	peer := r.dial()
	id := r.open(peer)
	var wg sync.WaitGroup
	for range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if err := peer.Call(t.Context(), rpc.MethodPredict, rpc.PredictParams{Session: id}, nil); err != nil {
				t.Error(err)
			}
		}()
		r.stub.release <- struct{}{}
	}
	wg.Wait()
}

func TestModelsAreLoadedOnce(t *testing.T) {
	var loads atomic.Int32
	failing := true
	s := newStub()
	r := start(t, Options{Load: func(_ context.Context, params rpc.LoadParams) (model.Predictor, error) {
		loads.Add(1)
		switch {
		case params.Model == "panics":
			panic("damaged")
		case params.Model == "mended" && failing:
			failing = false
			return nil, errors.New("not yet")
		}
		time.Sleep(30 * time.Millisecond)
		return s, nil
	}})
	var wg sync.WaitGroup
	for range 4 {
		peer := r.dial()
		wg.Add(1)
		go func() {
			defer wg.Done()
			if err := peer.Call(t.Context(), rpc.MethodLoad, rpc.LoadParams{Model: "one"}, nil); err != nil {
				t.Error(err)
			}
		}()
	}
	wg.Wait()
	if n := loads.Load(); n != 1 {
		t.Errorf("loaded %d times", n)
	}
	peer := r.dial()
	if err := peer.Call(t.Context(), rpc.MethodLoad, rpc.LoadParams{Model: "panics"}, nil); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("a loader that panics: %v", err)
	}
	if err := peer.Call(t.Context(), rpc.MethodLoad, rpc.LoadParams{Model: "mended"}, nil); err == nil {
		t.Error("a failed load succeeded")
	}
	if err := peer.Call(t.Context(), rpc.MethodLoad, rpc.LoadParams{Model: "mended"}, nil); err != nil {
		t.Errorf("a mended model is not tried again: %v", err)
	}
}

// A checkpoint that is written anew is loaded anew.
func TestChangedFilesAreLoadedAnew(t *testing.T) {
	dir := t.TempDir()
	weights := filepath.Join(dir, "model.safetensors")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(weights, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var loads atomic.Int32
	r := start(t, Options{Load: func(context.Context, rpc.LoadParams) (model.Predictor, error) {
		loads.Add(1)
		return newStub(), nil
	}})
	peer := r.dial()
	for i, text := range []string{"one", "one", "three"} {
		if i != 1 {
			write(text)
		}
		if err := peer.Call(t.Context(), rpc.MethodLoad, rpc.LoadParams{Model: dir}, nil); err != nil {
			t.Fatal(err)
		}
	}
	if n := loads.Load(); n != 2 {
		t.Errorf("loaded %d times, want 2", n)
	}
}

func TestBadRequests(t *testing.T) {
	r := start(t, Options{})
	peer := r.dial()
	for _, tt := range []struct {
		method string
		params any
		code   int64
	}{
		{"nonsense", nil, jsonrpc2.CodeMethodNotFound},
		{rpc.MethodPredict, nil, jsonrpc2.CodeInvalidParams},
		{rpc.MethodPredict, []int{1}, jsonrpc2.CodeInvalidParams},
		{rpc.MethodPredict, rpc.PredictParams{Session: 77}, rpc.CodeUnknownSession},
		{rpc.MethodClose, rpc.CloseParams{Session: 77}, rpc.CodeUnknownSession},
	} {
		err := peer.Call(t.Context(), tt.method, tt.params, nil)
		var rpcErr *jsonrpc2.Error
		if !errors.As(err, &rpcErr) || rpcErr.Code != tt.code {
			t.Errorf("%s %v: %v, want code %d", tt.method, tt.params, err, tt.code)
		}
	}
}

func TestListen(t *testing.T) {
	r := start(t, Options{})
	if _, err := Listen(r.dir); err == nil || !strings.Contains(err.Error(), "already") {
		t.Errorf("a second server at one socket: %v", err)
	}
	r.stop()
	r.wait()
	// What a killed process leaves is replaced.
	if err := os.WriteFile(r.dir.Socket(), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	listener, err := Listen(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	listener.Close()
}
