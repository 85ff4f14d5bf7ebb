package server

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"sync"
	"time"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/model/rpc"
)

// clientConn is one client: its running requests and its sessions, which end
// with it.
type clientConn struct {
	server *Server
	peer   *jsonrpc2.Conn
	ctx    context.Context // ends with the connection or with the server
	end    context.CancelFunc

	closing sync.Once

	mu       sync.Mutex
	running  map[uint64]context.CancelFunc // by request id
	sessions map[uint64]*openSession
	lastID   uint64
}

// openSession is one session; its lock makes requests to it take turns.
type openSession struct {
	mu      sync.Mutex
	session model.Session
	closed  bool
}

// serveConn begins to answer a client.
func (s *Server) serveConn(stream net.Conn) {
	c := &clientConn{server: s, running: map[uint64]context.CancelFunc{}, sessions: map[uint64]*openSession{}}
	c.ctx, c.end = context.WithCancel(s.done)
	s.mu.Lock()
	s.conns[c] = struct{}{}
	s.mu.Unlock()
	// The first request may be read before NewPeer returns; handlers answer
	// through the peer that they are given.
	c.peer = rpc.NewPeer(stream, c)
	go func() {
		<-c.peer.DisconnectNotify()
		c.close()
	}()
}

// close ends the connection: what runs is cancelled, its sessions are closed, and
// then the server forgets it. Whoever calls it while it is being closed waits for
// the end, so that no model is closed before its sessions.
func (c *clientConn) close() {
	c.closing.Do(func() {
		c.end()
		_ = c.peer.Close()
		c.mu.Lock()
		sessions := c.sessions
		c.sessions = map[uint64]*openSession{}
		c.mu.Unlock()
		for _, s := range sessions {
			s.close()
		}
		c.server.forget(c)
	})
}

func (s *openSession) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	return s.session.Close()
}

// Handle implements jsonrpc2.Handler. It is called in the order in which
// requests arrive and returns at once: a cancellation must find the request
// that it means, and must not wait behind it.
func (c *clientConn) Handle(_ context.Context, peer *jsonrpc2.Conn, request *jsonrpc2.Request) {
	if request.Notif {
		if request.Method == rpc.MethodCancel {
			c.cancel(request)
		}
		return
	}
	id := request.ID.Num
	ctx, cancel := context.WithCancel(c.ctx)
	c.mu.Lock()
	c.running[id] = cancel
	c.mu.Unlock()
	c.server.activity.begin()
	go func() {
		defer c.server.activity.end()
		defer cancel()
		began := time.Now()
		result, err := c.answerSafely(ctx, peer, request)
		c.mu.Lock()
		delete(c.running, id)
		c.mu.Unlock()
		c.server.logAnswer(request.Method, time.Since(began), err)
		if err != nil {
			_ = peer.ReplyWithError(ctx, request.ID, rpc.EncodeError(err))
		} else {
			_ = peer.Reply(ctx, request.ID, result)
		}
		if request.Method == rpc.MethodShutdown {
			c.server.Shutdown()
		}
	}()
}

func (c *clientConn) cancel(request *jsonrpc2.Request) {
	var params rpc.CancelParams
	if decode(request, &params) != nil {
		return // a notification has nowhere to send an error
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if cancel, ok := c.running[params.ID]; ok {
		cancel()
	}
}

// answerSafely is answer, with a panic made an error of this request alone.
func (c *clientConn) answerSafely(ctx context.Context, peer *jsonrpc2.Conn, request *jsonrpc2.Request) (result any, err error) {
	defer recoverAs(&err, request.Method)
	return c.answer(ctx, peer, request)
}

// answer does what a request asks.
func (c *clientConn) answer(ctx context.Context, peer *jsonrpc2.Conn, request *jsonrpc2.Request) (any, error) {
	switch request.Method {
	case rpc.MethodHello:
		return rpc.HelloResult{Protocol: rpc.ProtocolVersion, Build: c.server.options.Build, PID: os.Getpid()}, nil
	case rpc.MethodShutdown:
		return nil, nil
	case rpc.MethodLoad:
		return with(request, func(p rpc.LoadParams) (any, error) {
			predictor, err := c.server.models.get(ctx, p)
			if err != nil {
				return nil, err
			}
			return predictor.Info(), nil
		})
	case rpc.MethodOpen:
		return with(request, func(p rpc.OpenParams) (any, error) { return c.open(ctx, p) })
	case rpc.MethodPredict:
		return with(request, func(p rpc.PredictParams) (any, error) {
			ctx := reporting(ctx, peer, request.ID.Num)
			return c.use(p.Session, func(s model.Session) (any, error) { return s.Predict(ctx, p.Action) })
		})
	case rpc.MethodAdopt:
		return with(request, func(p rpc.AdoptParams) (any, error) {
			return c.use(p.Session, func(s model.Session) (any, error) { return nil, s.Adopt(p.Step) })
		})
	case rpc.MethodRewind:
		return with(request, func(p rpc.RewindParams) (any, error) {
			return c.use(p.Session, func(s model.Session) (any, error) { return nil, s.Rewind(p.Count) })
		})
	case rpc.MethodEdit:
		return with(request, func(p rpc.EditParams) (any, error) {
			return c.use(p.Session, func(s model.Session) (any, error) { return nil, s.Edit(p.State) })
		})
	case rpc.MethodClose:
		return with(request, func(p rpc.CloseParams) (any, error) {
			s, err := c.take(p.Session)
			if err != nil {
				return nil, err
			}
			return nil, s.close()
		})
	}
	return nil, &jsonrpc2.Error{Code: jsonrpc2.CodeMethodNotFound, Message: fmt.Sprintf("unknown method %q", request.Method)}
}

// progressInterval is how often the client is told of a request's progress.
const progressInterval = 100 * time.Millisecond

// reporting has the client told how a request goes on.
func reporting(ctx context.Context, peer *jsonrpc2.Conn, id uint64) context.Context {
	told := time.Now()
	return model.WithProgress(ctx, func(states int) {
		if now := time.Now(); now.Sub(told) >= progressInterval {
			told = now
			_ = peer.Notify(ctx, rpc.MethodProgress, rpc.ProgressParams{ID: id, States: states})
		}
	})
}

func (c *clientConn) open(ctx context.Context, p rpc.OpenParams) (any, error) {
	predictor, err := c.server.models.get(ctx, p.LoadParams)
	if err != nil {
		return nil, err
	}
	session, first, err := predictor.Open(ctx, p.Context)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ctx.Err() != nil { // the client left; nobody would close it
		_ = session.Close()
		return nil, c.ctx.Err()
	}
	c.lastID++
	c.sessions[c.lastID] = &openSession{session: session}
	return rpc.OpenResult{Session: c.lastID, Info: predictor.Info(), Prediction: first}, nil
}

// use does work on a session, alone.
func (c *clientConn) use(id uint64, work func(model.Session) (any, error)) (any, error) {
	c.mu.Lock()
	s, ok := c.sessions[id]
	c.mu.Unlock()
	if !ok {
		return nil, rpc.ErrUnknownSession
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, rpc.ErrUnknownSession
	}
	return work(s.session)
}

// take removes a session from the connection.
func (c *clientConn) take(id uint64) (*openSession, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s, ok := c.sessions[id]
	if !ok {
		return nil, rpc.ErrUnknownSession
	}
	delete(c.sessions, id)
	return s, nil
}

// with decodes a request's parameters for the work that it asks for.
func with[Params any](request *jsonrpc2.Request, work func(Params) (any, error)) (any, error) {
	var params Params
	if err := decode(request, &params); err != nil {
		return nil, err
	}
	return work(params)
}

func decode(request *jsonrpc2.Request, params any) error {
	if request.Params == nil {
		return &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams, Message: request.Method + " needs parameters"}
	}
	if err := json.Unmarshal(*request.Params, params); err != nil {
		return &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams, Message: fmt.Sprintf("parameters of %s: %v", request.Method, err)}
	}
	return nil
}
