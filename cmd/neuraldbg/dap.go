package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/neuraldbg/neuraldbg/adapter"
	"github.com/neuraldbg/neuraldbg/model"
)

func newDapCommand(a *app) *cobra.Command {
	var listen string
	cmd := &cobra.Command{
		Use:   "dap",
		Short: "Serve the Debug Adapter Protocol to an editor",
		Long: `Serve the Debug Adapter Protocol: one session on standard input and output, or
with --listen any number of sessions over TCP.`,
		Args: noMoreArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.dap(cmd.Context(), listen) },
	}
	cmd.Flags().StringVar(&listen, "listen", "", "serve TCP clients at `HOST:PORT` (port 0: any free one) in place of standard input and output")
	return cmd
}

func (a *app) dap(ctx context.Context, listen string) error {
	// A client that is gone, or that reads no log, is an error of writing to it,
	// and no reason for the process with its other sessions to be killed.
	signal.Ignore(syscall.SIGPIPE)
	server := a.dapServer()
	if listen == "" {
		return server.Serve(ctx, stdio{a.stdin, a.stdout})
	}
	if _, _, err := net.SplitHostPort(listen); err != nil {
		return usagef("--listen wants HOST:PORT, got %q", listen)
	}
	err := server.ListenAndServe(ctx, listen, func(address net.Addr) {
		fmt.Fprintf(a.stderr, "listening on %s\n", address)
	})
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("%w; give --listen another port, or port 0 for any free one", err)
	}
	return err
}

// dapServer returns the server, whose sessions have the models that they name.
func (a *app) dapServer() *adapter.Server {
	return &adapter.Server{
		Check: func(c adapter.LaunchConfig) error {
			name, err := completeModel(c.Model, c.Tokenizer)
			if err != nil {
				return err
			}
			return checkModel(name, placement{c.Device, c.DType})
		},
		Factory: func(ctx context.Context, c adapter.LaunchConfig) (model.Predictor, error) {
			name, err := completeModel(c.Model, c.Tokenizer)
			if err != nil {
				return nil, err
			}
			return a.loadPredictor(ctx, name, placement{c.Device, c.DType})
		},
		Log: a.log,
	}
}

// stdio is the session's stream when there is no socket.
type stdio struct {
	io.Reader
	io.Writer
}

// Close ends the reader where it can be; the process is about to end anyway.
func (s stdio) Close() error {
	if closer, ok := s.Reader.(io.Closer); ok {
		return closer.Close()
	}
	return nil
}
