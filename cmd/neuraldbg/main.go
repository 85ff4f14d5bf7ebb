// Command neuraldbg is the neural debugger's command line: the debug adapter,
// a terminal debugger, one-shot predictions, recordings, and the door to the
// training and serving that neuraldbg-model does.
//
// There is one file a command. A command reads its flags, wires packages
// together and prints; whatever is worth testing without a terminal lives in
// those packages. Nothing here links LibTorch and nothing heavy happens before
// a command asks for it, because editors wait for `neuraldbg dap` to start.
//
// Results go to standard output, logs and errors to standard error. Exit codes:
// 0 done, 1 it did not work, 2 the command line is wrong, 130 interrupted.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is main with its surroundings as arguments; it returns the exit code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, func() { // a second signal ends the process at once
		time.Sleep(signalsTogether)
		stop()
	})

	app := &app{stdin: stdin, stdout: stdout, stderr: stderr}
	defer app.close()
	root := newRootCommand(app)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)

	var status exitStatus
	var stopped interruptedError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &status):
		return int(status)
	case errors.As(err, &stopped):
		fmt.Fprintf(stderr, "neuraldbg: %v\n", stopped)
		return exitInterrupted
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		fmt.Fprintln(stderr, "neuraldbg: interrupted")
		return exitInterrupted
	}
	fmt.Fprintf(stderr, "neuraldbg: %v\n", err)
	if errors.As(err, new(usageError)) {
		return 2
	}
	return 1
}

// signalsTogether is how long a second signal counts as the first one: timeout(1)
// sends its signal to the process and at once again to the process's group.
const signalsTogether = 500 * time.Millisecond

// exitInterrupted is what shells make of an interrupt.
const exitInterrupted = 128 + int(syscall.SIGINT)

// exitStatus ends the command with a code and without a message: another
// process has said what was wrong.
type exitStatus int

func (s exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// interruptedError says what becomes of a work that the user has interrupted.
// Without one, an interrupted command says just that; either way the exit code is
// exitInterrupted.
type interruptedError struct{ message string }

func (e interruptedError) Error() string { return "interrupted" + e.message }

// interruptedf makes an interruptedError. The format goes on behind the word
// interrupted.
func interruptedf(format string, args ...any) error {
	return interruptedError{fmt.Sprintf(format, args...)}
}

// usageError is a command line that cannot be understood.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// usagef makes a usageError.
func usagef(format string, args ...any) error {
	return usageError{fmt.Errorf(format, args...)}
}
