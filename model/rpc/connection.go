package rpc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	stdlog "log"
	"net"
	"sync/atomic"
	"time"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/neuraldbg/neuraldbg/model"
)

// cancelGrace is how long a cancelled call waits for its answer. The process
// stops within one token; if it takes longer, it is busy with something that
// cannot be stopped, and the session is given up and rebuilt when next used.
const cancelGrace = 2 * time.Second

// errAbandoned is the error of a cancelled call that was not answered in time.
var errAbandoned = errors.New("the model process did not stop in time")

// connection is one conversation with one model process.
type connection struct {
	peer   *jsonrpc2.Conn
	lastID atomic.Uint64
	build  string // the process's ExecutableID
	pid    int
	// broken is set by the first call that finds the other end gone. The peer
	// notes it only a moment later.
	broken atomic.Bool
}

// dial connects to the process that listens at dir's socket and greets it.
func dial(ctx context.Context, dir RuntimeDir) (*connection, error) {
	if err := checkPrivate(dir.Socket(), fs.ModeSocket); err != nil {
		return nil, err
	}
	var dialer net.Dialer
	stream, err := dialer.DialContext(ctx, "unix", dir.Socket())
	if err != nil {
		return nil, err
	}
	c := &connection{peer: NewPeer(stream, refuseAll{})}
	var hello HelloResult
	if err := c.call(ctx, MethodHello, HelloParams{Protocol: ProtocolVersion}, &hello); err != nil {
		c.close()
		return nil, fmt.Errorf("greeting the model process: %w", err)
	}
	c.build, c.pid = hello.Build, hello.PID
	if hello.Protocol != ProtocolVersion {
		c.build = "" // no executable has it, so it is never current
	}
	return c, nil
}

// NewPeer frames a stream as both ends of a conversation do. The life of the
// connection is that of the stream, not of a context.
func NewPeer(stream io.ReadWriteCloser, handler jsonrpc2.Handler) *jsonrpc2.Conn {
	return jsonrpc2.NewConn(context.Background(),
		jsonrpc2.NewBufferedStream(stream, jsonrpc2.VSCodeObjectCodec{}), handler,
		jsonrpc2.SetLogger(stdlog.New(io.Discard, "", 0)))
}

// call sends one request and waits for its answer. When ctx is cancelled the
// process is told to stop, and the answer is still waited for, because the
// client must know whether the session moved: a result that was finished in the
// meantime counts as a result.
func (c *connection) call(ctx context.Context, method string, params, result any) error {
	err := c.exchange(ctx, method, params, result)
	if errors.Is(err, model.ErrUnavailable) {
		c.broken.Store(true)
	}
	return err
}

func (c *connection) exchange(ctx context.Context, method string, params, result any) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	id := c.lastID.Add(1)
	pending, err := c.peer.DispatchCall(ctx, method, params, jsonrpc2.PickID(jsonrpc2.ID{Num: id}))
	if err != nil {
		return DecodeError(err)
	}
	err = pending.Wait(ctx, result)
	if err == nil || ctx.Err() == nil || !errors.Is(err, ctx.Err()) {
		return DecodeError(err)
	}
	if err := c.peer.Notify(context.Background(), MethodCancel, CancelParams{ID: id}); err != nil {
		return DecodeError(err)
	}
	grace, stop := context.WithTimeout(context.Background(), cancelGrace)
	defer stop()
	err = pending.Wait(grace, result)
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%w: %w", ctx.Err(), errAbandoned)
	}
	if err = DecodeError(err); errors.Is(err, context.Canceled) {
		return ctx.Err() // the caller's own word for it: it may be a deadline
	}
	return err
}

// alive reports whether the conversation can go on.
func (c *connection) alive() bool {
	if c.broken.Load() {
		return false
	}
	select {
	case <-c.peer.DisconnectNotify():
		return false
	default:
		return true
	}
}

func (c *connection) close() { _ = c.peer.Close() }

// refuseAll answers requests of the process, which has none to make.
type refuseAll struct{}

func (refuseAll) Handle(ctx context.Context, peer *jsonrpc2.Conn, request *jsonrpc2.Request) {
	if !request.Notif {
		_ = peer.ReplyWithError(ctx, request.ID, &jsonrpc2.Error{
			Code: jsonrpc2.CodeMethodNotFound, Message: "clients answer no requests"})
	}
}
