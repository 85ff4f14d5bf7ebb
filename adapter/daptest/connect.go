package daptest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"sync"
)

// Start runs a command as an adapter over its standard input and output. Its
// standard error goes to this process's. Closing the client closes the input,
// and returns how the command ended.
func Start(ctx context.Context, command string, args ...string) (*Client, error) {
	cmd := exec.CommandContext(ctx, command, args...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("starting the adapter: %w", err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("starting the adapter: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting the adapter: %w", err)
	}
	c := NewClient(&process{Reader: out, WriteCloser: in})
	c.wait = cmd.Wait
	return c, nil
}

// process is a subprocess's standard input and output. Close closes the input
// alone: the adapter ends then, and with it its output.
type process struct {
	io.Reader
	io.WriteCloser
}

// Dial connects to an adapter that listens on a TCP address.
func Dial(ctx context.Context, address string) (*Client, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("connecting to the adapter: %w", err)
	}
	return NewClient(conn), nil
}

// Serve connects to an adapter in this process: serve is called with the
// adapter's end of an in-memory connection, in a goroutine that Close waits for.
// Close returns its error.
func Serve(ctx context.Context, serve func(context.Context, io.ReadWriteCloser) error) *Client {
	ours, theirs := net.Pipe()
	served := make(chan error, 1)
	go func() { served <- serve(ctx, theirs) }()
	c := NewClient(ours)
	var once sync.Once
	var err error
	c.wait = func() error {
		once.Do(func() {
			if err = <-served; errors.Is(err, io.ErrClosedPipe) {
				err = nil
			}
		})
		return err
	}
	return c
}
