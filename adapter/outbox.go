package adapter

import (
	"io"
	"sync"

	"github.com/google/go-dap"
)

// maxQueued is how many messages may wait for a client to read.
const maxQueued = 20_000

// outbox sends messages in the order in which they are put in. It is the only
// writer of a connection, and gives every message its seq. Putting never waits,
// so that a client that does not read cannot hold up the session. When maxQueued
// messages wait, full is closed, and nothing more is taken.
type outbox struct {
	w io.Writer

	full chan struct{}

	mu     sync.Mutex
	queue  []dap.Message
	closed bool
	silent bool          // no event may follow
	wake   chan struct{} // has room for one signal: there is something to do
	done   chan struct{} // closed when run has returned
}

func newOutbox(w io.Writer) *outbox {
	return &outbox{w: w, full: make(chan struct{}), wake: make(chan struct{}, 1), done: make(chan struct{})}
}

// put queues a message; after close it is dropped.
func (o *outbox) put(m dap.Message) {
	o.mu.Lock()
	o.add(m)
	o.mu.Unlock()
	o.signal()
}

// add queues a message. The caller holds mu.
func (o *outbox) add(m dap.Message) {
	switch {
	case o.closed:
	case len(o.queue) == maxQueued:
		close(o.full)
		o.closed = true
	default:
		o.queue = append(o.queue, m)
	}
}

// putEvent queues an event. Unlike the handling of requests, it may be called
// from any goroutine: after silence an event is dropped.
func (o *outbox) putEvent(m dap.EventMessage) {
	o.mu.Lock()
	if !o.silent {
		o.add(m)
	}
	o.mu.Unlock()
	o.signal()
}

// silence drops all events that are put from now on.
func (o *outbox) silence() {
	o.mu.Lock()
	o.silent = true
	o.mu.Unlock()
}

// close makes run return when everything that was put has been written.
func (o *outbox) close() {
	o.mu.Lock()
	o.closed = true
	o.mu.Unlock()
	o.signal()
}

func (o *outbox) signal() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// run writes until close, or until writing fails.
func (o *outbox) run() error {
	defer close(o.done)
	seq := 0
	for range o.wake {
		o.mu.Lock()
		queue, closed := o.queue, o.closed
		o.queue = nil
		o.mu.Unlock()
		for _, m := range queue {
			seq++
			setSeq(m, seq)
			if err := writeMessage(o.w, m); err != nil {
				return err
			}
		}
		if closed {
			return nil
		}
	}
	return nil
}

func setSeq(m dap.Message, seq int) {
	switch m := m.(type) {
	case dap.ResponseMessage:
		m.GetResponse().Seq = seq
	case dap.EventMessage:
		m.GetEvent().Seq = seq
	case dap.RequestMessage:
		m.GetRequest().Seq = seq
	}
}
