package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime/debug"
	"sync"
	"syscall"
	"time"

	"github.com/rs/zerolog"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/model/rpc"
)

// DefaultIdleTimeout is how long a process waits for something to do.
const DefaultIdleTimeout = 30 * time.Minute

// shutdownGrace is how long running requests may take to notice that the
// process ends.
const shutdownGrace = 3 * time.Second

// probeTimeout is how long a process that listens may take to accept.
const probeTimeout = 5 * time.Second

// acceptPause is how long a process without room for another client waits until it
// looks again.
const acceptPause = 100 * time.Millisecond

// Loader makes a predictor of a model. The server closes it.
type Loader func(context.Context, rpc.LoadParams) (model.Predictor, error)

// Options configure a Server.
type Options struct {
	// Load makes the predictors; required.
	Load Loader
	// Build is the rpc.ExecutableID that the process had when it started.
	Build string
	// IdleTimeout is DefaultIdleTimeout if zero, and endless if negative.
	IdleTimeout time.Duration
	Log         zerolog.Logger
}

// Server answers clients. Every connection has a goroutine that reads, and
// every request one of its own.
type Server struct {
	options Options
	models  *models
	// stop ends Serve; done is closed when it has been called.
	stop     context.CancelFunc
	done     context.Context
	activity *activity

	mu       sync.Mutex
	listener net.Listener // set by Serve
	conns    map[*clientConn]struct{}
}

// New returns a server that serves nothing yet.
func New(options Options) *Server {
	if options.IdleTimeout == 0 {
		options.IdleTimeout = DefaultIdleTimeout
	}
	done, stop := context.WithCancel(context.Background())
	return &Server{
		options: options, models: newModels(options.Load), stop: stop, done: done,
		activity: newActivity(), conns: map[*clientConn]struct{}{},
	}
}

// Serve answers at a listener until ctx is cancelled, Shutdown is called or a
// client asks for it, nothing was asked for IdleTimeout, or its last client has left
// after its socket was removed, so that no other can come; then it lets
// running requests end, and closes all models. It returns nil in those cases.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	log := s.options.Log
	log.Info().Int("pid", os.Getpid()).Str("address", listener.Addr().String()).Msg("serving")
	s.mu.Lock()
	s.listener = listener
	s.mu.Unlock()
	defer context.AfterFunc(ctx, s.stop)()
	go s.endWhenIdle()
	context.AfterFunc(s.done, func() { listener.Close() })

	var failure error
	for {
		stream, err := listener.Accept()
		if isPassing(err) {
			log.Warn().Err(err).Msg("accepting a client")
			time.Sleep(acceptPause)
			continue
		}
		if err != nil {
			if s.done.Err() == nil {
				failure = fmt.Errorf("accepting clients: %w", err)
			}
			break
		}
		s.serveConn(stream)
	}
	s.stop()
	s.drain()
	if err := s.models.close(); err != nil {
		log.Error().Err(err).Msg("closing the models")
	}
	log.Info().Msg("ended")
	return failure
}

// isPassing reports whether accepting may succeed later: the system, or this
// process, has no more files or memory now, or the client has left.
func isPassing(err error) bool {
	for _, passing := range []error{syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, syscall.ECONNABORTED} {
		if errors.Is(err, passing) {
			return true
		}
	}
	return false
}

// Shutdown makes Serve return.
func (s *Server) Shutdown() { s.stop() }

// drain cancels what runs and waits for it, then closes the connections.
func (s *Server) drain() {
	select {
	case <-s.activity.quiet():
	case <-time.After(shutdownGrace):
		s.options.Log.Warn().Msg("requests still run; ending without them")
	}
	s.mu.Lock()
	conns := make([]*clientConn, 0, len(s.conns))
	for c := range s.conns {
		conns = append(conns, c)
	}
	s.mu.Unlock()
	for _, c := range conns {
		c.close()
	}
}

// forget removes a client. The last one of a process that no other can reach ends it.
func (s *Server) forget(c *clientConn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
	if own, ok := s.listener.(*socket); ok && len(s.conns) == 0 && s.done.Err() == nil && !own.reachable() {
		s.options.Log.Warn().Msg("the socket was removed; ending with the last client")
		s.stop()
	}
}

// endWhenIdle stops the server once nothing was asked for long enough. Open
// sessions do not keep it: their clients can rebuild them.
func (s *Server) endWhenIdle() {
	if s.options.IdleTimeout < 0 {
		return
	}
	for {
		idle := s.activity.idle()
		if idle >= s.options.IdleTimeout {
			s.options.Log.Info().Dur("idle", idle).Msg("nothing to do")
			s.stop()
			return
		}
		select {
		case <-s.done.Done():
			return
		case <-time.After(s.options.IdleTimeout - idle):
		}
	}
}

// logAnswer notes that a request ended, without what it was about.
func (s *Server) logAnswer(method string, elapsed time.Duration, err error) {
	event := s.options.Log.Debug()
	var fault *panicError
	if errors.As(err, &fault) {
		event = s.options.Log.Error().Bytes("stack", fault.stack)
	}
	event.Str("method", method).Dur("elapsed", elapsed).Err(err).Msg("answered")
}

// recoverAs makes a panic an error. It is deferred.
func recoverAs(err *error, doing string) {
	if caught := recover(); caught != nil {
		*err = &panicError{doing: doing, value: caught, stack: debug.Stack()}
	}
}

// panicError is a fault of this program that was kept from ending it. The stack
// is for the log.
type panicError struct {
	doing string
	value any
	stack []byte
}

func (e *panicError) Error() string {
	return fmt.Sprintf("%s: internal error: %v; the model process's log has the details", e.doing, e.value)
}

// activity knows what runs, and since when nothing does.
type activity struct {
	mu      sync.Mutex
	running int
	last    time.Time       // when the last request ended
	waiting []chan struct{} // closed when nothing runs
}

func newActivity() *activity { return &activity{last: time.Now()} }

func (a *activity) begin() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.running++
}

func (a *activity) end() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.running--
	a.last = time.Now()
	if a.running == 0 {
		for _, w := range a.waiting {
			close(w)
		}
		a.waiting = nil
	}
}

// idle is the time since the last request ended, 0 while one runs.
func (a *activity) idle() time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.running > 0 {
		return 0
	}
	return time.Since(a.last)
}

// quiet returns a channel that is closed once nothing runs.
func (a *activity) quiet() <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	w := make(chan struct{})
	if a.running == 0 {
		close(w)
	} else {
		a.waiting = append(a.waiting, w)
	}
	return w
}
