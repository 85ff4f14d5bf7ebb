package adapter

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"syscall"
	"time"

	"github.com/rs/zerolog"

	"github.com/neuraldbg/neuraldbg/model"
)

// PredictorFactory returns the predictor for a launch. It is called once a
// launch, may take long, and must return when ctx ends. The session closes what
// it returns.
type PredictorFactory func(ctx context.Context, c LaunchConfig) (model.Predictor, error)

// ModelCheck tells what is wrong with the model of a launch, as far as that is
// known without loading it. It is called before the launch is answered, and must
// be quick.
type ModelCheck func(c LaunchConfig) error

// Server serves debug sessions, each independent of the others.
type Server struct {
	// Check is asked before Factory; nil for nothing to check.
	Check ModelCheck
	// Factory makes the predictors.
	Factory PredictorFactory
	// Log receives what a developer of the adapter wants to know; values of the
	// user's program are never logged. It must not write to a connection.
	Log zerolog.Logger
}

// Serve runs one session over a connection, such as standard input and output
// or a socket, and closes it. It returns nil when the client has left, in
// whatever way, or when ctx ended; an error says that what came was no DAP.
// While it serves, nothing else may write to the connection.
func (v *Server) Serve(ctx context.Context, conn io.ReadWriteCloser) error {
	return newSession(conn, v).run(ctx)
}

// ListenAndServe runs a session for every connection to a TCP address, such as
// "127.0.0.1:4711", until ctx ends. A host that is left out means the loopback
// interface. ready is called with the address once it listens.
func (v *Server) ListenAndServe(ctx context.Context, address string, ready func(net.Addr)) error {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("listening on %q: write HOST:PORT, such as 127.0.0.1:4711: %w", address, err)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	var lc net.ListenConfig
	listener, err := lc.Listen(ctx, "tcp", net.JoinHostPort(host, port))
	if err != nil {
		return fmt.Errorf("listening: %w", err)
	}
	if tcp, ok := listener.Addr().(*net.TCPAddr); ok && !tcp.IP.IsLoopback() {
		v.Log.Warn().Stringer("address", tcp).Msg("listening beyond this machine: whoever reaches the port can read Python files with your rights")
	}
	if ready != nil {
		ready(listener.Addr())
	}
	return v.ServeListener(ctx, listener)
}

// ServeListener runs a session for every connection that the listener accepts,
// until ctx ends. It closes the listener and waits for the sessions.
func (v *Server) ServeListener(ctx context.Context, listener net.Listener) error {
	stop := context.AfterFunc(ctx, func() { listener.Close() })
	defer stop()
	defer listener.Close()
	var sessions sync.WaitGroup
	defer sessions.Wait()
	for {
		conn, err := listener.Accept()
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, net.ErrClosed):
			return nil
		case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
			// Sessions that end make room. The client waits in the system's queue.
			v.Log.Warn().Err(err).Msg("no room for another session now")
			select {
			case <-time.After(time.Second):
			case <-ctx.Done():
			}
			continue
		case errors.Is(err, syscall.ECONNABORTED):
			continue // the client has left the queue
		case err != nil:
			return fmt.Errorf("accepting a connection: %w", err)
		}
		sessions.Add(1)
		go func() {
			defer sessions.Done()
			if err := v.Serve(ctx, conn); err != nil {
				v.Log.Error().Err(err).Stringer("client", conn.RemoteAddr()).Msg("session ended")
			}
		}()
	}
}
