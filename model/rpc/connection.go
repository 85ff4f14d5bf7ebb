package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	stdlog "log"
	"net"
	"sync"
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
	// patience is how long the process may take to answer a greeting; silent is
	// set when it took longer, or was found stopped.
	patience time.Duration
	silent   atomic.Pointer[silentError]
	notices  *notices
	// broken is set by the first call that finds the other end gone. The peer
	// notes it only a moment later.
	broken atomic.Bool
}

// dial connects to the process that listens at dir's socket and greets it. One
// that does not answer in time is a *silentError.
func dial(ctx context.Context, dir RuntimeDir, patience time.Duration) (*connection, error) {
	if err := checkPrivate(dir.Socket(), fs.ModeSocket); err != nil {
		return nil, err
	}
	greeting, stop := context.WithTimeout(ctx, patience)
	defer stop()
	// A process that accepts no more lets even connecting wait.
	var dialer net.Dialer
	stream, err := dialer.DialContext(greeting, "unix", dir.Socket())
	if err != nil {
		if greeting.Err() != nil && ctx.Err() == nil {
			return nil, &silentError{patience: patience}
		}
		return nil, err
	}
	n := &notices{}
	c := &connection{peer: NewPeer(stream, n), notices: n, pid: peerProcess(stream), patience: patience}
	// One that is stopped will not answer however long it is waited for.
	began, glance := time.Now(), time.AfterFunc(min(patience/2, stoppedAfter), func() {
		if isStopped(c.pid) {
			stop()
		}
	})
	hello, err := c.greet(greeting)
	glance.Stop()
	if err != nil {
		c.close()
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case greeting.Err() != nil:
			return nil, &silentError{pid: c.pid, patience: time.Since(began)}
		}
		return nil, fmt.Errorf("greeting the model process: %w", DecodeError(err))
	}
	c.build, c.pid = hello.Build, hello.PID
	if hello.Protocol != ProtocolVersion {
		c.build = "" // no executable has it, so it is never current
	}
	return c, nil
}

// greet asks the process who it is. It computes nothing for that.
func (c *connection) greet(ctx context.Context) (hello HelloResult, err error) {
	id := jsonrpc2.PickID(jsonrpc2.ID{Num: c.lastID.Add(1)})
	err = c.peer.Call(ctx, MethodHello, HelloParams{Protocol: ProtocolVersion}, &hello, id)
	return hello, err
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
	if method == MethodPredict {
		c.notices.running.Store(id, ctx)
		defer c.notices.running.Delete(id)
	}
	pending, err := c.peer.DispatchCall(ctx, method, params, jsonrpc2.PickID(jsonrpc2.ID{Num: id}))
	if err != nil {
		return DecodeError(err)
	}
	watching, stop := context.WithCancel(ctx)
	go c.watch(watching)
	err = pending.Wait(ctx, result)
	stop()
	if err == nil || ctx.Err() == nil || !errors.Is(err, ctx.Err()) {
		if silent := c.silent.Load(); err != nil && silent != nil {
			return silent
		}
		err = DecodeError(err)
		if errors.Is(err, context.Canceled) && ctx.Err() == nil {
			// The process cancels by itself only what still runs when it ends,
			// as when a client of another build replaces it.
			return &lostError{cause: jsonrpc2.ErrClosed}
		}
		return err
	}
	if err := c.peer.Notify(context.Background(), MethodCancel, CancelParams{ID: id}); err != nil {
		return DecodeError(err)
	}
	grace, give := context.WithTimeout(context.Background(), cancelGrace)
	defer give()
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

// notices takes what the process says by itself: the progress of requests.
type notices struct {
	running sync.Map // the context of each Predict by its id
}

func (n *notices) Handle(ctx context.Context, peer *jsonrpc2.Conn, request *jsonrpc2.Request) {
	if !request.Notif {
		_ = peer.ReplyWithError(ctx, request.ID, &jsonrpc2.Error{
			Code: jsonrpc2.CodeMethodNotFound, Message: "clients answer no requests"})
		return
	}
	var params ProgressParams
	if request.Method != MethodProgress || request.Params == nil || json.Unmarshal(*request.Params, &params) != nil {
		return
	}
	if running, ok := n.running.Load(params.ID); ok {
		model.ReportProgress(running.(context.Context), params.States)
	}
}
