package daptest

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/go-dap"
)

// DefaultTimeout is how long a Client waits for a message.
const DefaultTimeout = 20 * time.Second

// Client is a client of a debug adapter. Its methods may be called from one
// goroutine at a time.
type Client struct {
	// Timeout limits every wait for a message; 0 means DefaultTimeout.
	Timeout time.Duration

	conn io.ReadWriteCloser
	wait func() error // waits for what is behind conn, nil when there is nothing
	seq  int

	mu       sync.Mutex
	received []dap.Message
	taken    map[int]bool // indexes of received that were waited for
	readErr  error
	changed  chan struct{} // closed and replaced when received or readErr changes
	done     chan struct{} // closed when reading has ended
}

// NewClient returns a client over a connection.
func NewClient(conn io.ReadWriteCloser) *Client {
	c := &Client{conn: conn, taken: map[int]bool{}, changed: make(chan struct{}), done: make(chan struct{})}
	go c.read()
	return c
}

// read keeps what the adapter sends.
func (c *Client) read() {
	defer close(c.done)
	r := bufio.NewReader(c.conn)
	for {
		m, err := dap.ReadProtocolMessage(r)
		if unknown := new(dap.DecodeProtocolMessageFieldError); errors.As(err, &unknown) {
			m, err = custom(unknown)
		}
		c.mu.Lock()
		if err != nil {
			c.readErr = err
		} else {
			c.received = append(c.received, m)
		}
		close(c.changed)
		c.changed = make(chan struct{})
		c.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// CustomEvent is an event that the protocol does not know.
type CustomEvent struct {
	dap.Event
	Body json.RawMessage `json:"body,omitempty"`
}

// GetEvent returns the head.
func (e *CustomEvent) GetEvent() *dap.Event { return &e.Event }

// CustomResponse is the successful response to a request that the protocol does
// not know.
type CustomResponse struct {
	dap.Response
	Body json.RawMessage `json:"body,omitempty"`
}

// GetResponse returns the head.
func (r *CustomResponse) GetResponse() *dap.Response { return &r.Response }

// custom decodes a message of the adapter's own.
func custom(unknown *dap.DecodeProtocolMessageFieldError) (dap.Message, error) {
	var m dap.Message
	switch unknown.SubType {
	case "Event":
		m = &CustomEvent{}
	case "Response":
		m = &CustomResponse{}
	default:
		return nil, unknown
	}
	return m, json.Unmarshal(unknown.Message, m)
}

// Close closes the connection and waits for what is behind it.
func (c *Client) Close() error {
	err := c.conn.Close()
	<-c.done
	if c.wait != nil {
		err = errors.Join(err, c.wait())
	}
	return err
}

// WaitClosed waits until the adapter closes the connection.
func (c *Client) WaitClosed() error {
	select {
	case <-c.done:
	case <-time.After(c.timeout()):
		return fmt.Errorf("the adapter did not close the connection within %v", c.timeout())
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.readErr != io.EOF && !errors.Is(c.readErr, io.ErrClosedPipe) {
		return fmt.Errorf("reading from the adapter: %w", c.readErr)
	}
	return nil
}

// Transcript returns all messages received so far, in order.
func (c *Client) Transcript() []dap.Message {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]dap.Message{}, c.received...)
}

// WriteRaw sends bytes as they are.
func (c *Client) WriteRaw(p []byte) error {
	_, err := c.conn.Write(p)
	return err
}

// Send sends a request with any arguments and does not wait for its response;
// nil leaves the arguments out. It returns the request's seq.
func (c *Client) Send(command string, arguments any) (seq int, err error) {
	c.seq++
	message := map[string]any{"seq": c.seq, "type": "request", "command": command}
	if arguments != nil {
		message["arguments"] = arguments
	}
	body, err := json.Marshal(message)
	if err != nil {
		return c.seq, fmt.Errorf("encoding %s: %w", command, err)
	}
	if err := dap.WriteBaseMessage(c.conn, body); err != nil {
		return c.seq, fmt.Errorf("sending %s: %w", command, err)
	}
	return c.seq, nil
}

// ResponseError is a response with success false.
type ResponseError struct {
	Command string
	Message string
	Body    *dap.ErrorMessage // nil when the adapter sent none
}

// Error returns the request's name and the response's message.
func (e *ResponseError) Error() string { return e.Command + ": " + e.Message }

// Response waits for the response to the request with a seq. A failed request is
// a *ResponseError.
func (c *Client) Response(seq int) (dap.ResponseMessage, error) {
	m, err := c.waitFor(fmt.Sprintf("the response to request %d", seq), func(m dap.Message) bool {
		r, ok := m.(dap.ResponseMessage)
		return ok && r.GetResponse().RequestSeq == seq
	})
	if err != nil {
		return nil, err
	}
	if failed, ok := m.(*dap.ErrorResponse); ok {
		return nil, &ResponseError{Command: failed.Command, Message: failed.Message, Body: failed.Body.Error}
	}
	return m.(dap.ResponseMessage), nil
}

// Request sends a request and waits for its response.
func (c *Client) Request(command string, arguments any) (dap.ResponseMessage, error) {
	seq, err := c.Send(command, arguments)
	if err != nil {
		return nil, err
	}
	return c.Response(seq)
}

// Event waits for the next event with one of the names that was not taken yet,
// and takes it.
func (c *Client) Event(names ...string) (dap.EventMessage, error) {
	m, err := c.waitFor("the event "+strings.Join(names, " or "), func(m dap.Message) bool {
		e, ok := m.(dap.EventMessage)
		return ok && slices.Contains(names, e.GetEvent().Event)
	})
	if err != nil {
		return nil, err
	}
	return m.(dap.EventMessage), nil
}

// waitFor takes the first message that matches and was not taken.
func (c *Client) waitFor(what string, match func(dap.Message) bool) (dap.Message, error) {
	timeout := time.NewTimer(c.timeout())
	defer timeout.Stop()
	next := 0
	for {
		c.mu.Lock()
		for ; next < len(c.received); next++ {
			if m := c.received[next]; !c.taken[next] && match(m) {
				c.taken[next] = true
				c.mu.Unlock()
				return m, nil
			}
		}
		err, changed := c.readErr, c.changed
		c.mu.Unlock()
		if err != nil {
			return nil, fmt.Errorf("waiting for %s: %w", what, err)
		}
		select {
		case <-changed:
		case <-timeout.C:
			return nil, fmt.Errorf("waiting for %s: nothing within %v; received: %s", what, c.timeout(), c.summary())
		}
	}
}

func (c *Client) timeout() time.Duration {
	if c.Timeout > 0 {
		return c.Timeout
	}
	return DefaultTimeout
}

// summary names the messages received so far, and has the words of the last
// output, which often tell why no other came.
func (c *Client) summary() string {
	messages := c.Transcript()
	text := fmt.Sprint(Names(messages))
	for _, m := range slices.Backward(messages) {
		if output, ok := m.(*dap.OutputEvent); ok {
			return fmt.Sprintf("%s; the last output is %q", text, output.Body.Output)
		}
	}
	return text
}

// Names renders messages one word each: "event:stopped", "response:next",
// "error:next".
func Names(messages []dap.Message) []string {
	names := make([]string, 0, len(messages))
	for _, m := range messages {
		switch m := m.(type) {
		case dap.EventMessage:
			names = append(names, "event:"+m.GetEvent().Event)
		case *dap.ErrorResponse:
			names = append(names, "error:"+m.Command)
		case dap.ResponseMessage:
			names = append(names, "response:"+m.GetResponse().Command)
		default:
			names = append(names, fmt.Sprintf("%T", m))
		}
	}
	return names
}
