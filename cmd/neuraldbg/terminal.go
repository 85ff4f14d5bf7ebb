package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/neuraldbg/neuraldbg/adapter/expr"
	"github.com/neuraldbg/neuraldbg/adapter/repl"
	"github.com/neuraldbg/neuraldbg/adapter/timeline"
	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// terminal is the pdb-like debugger: it reads commands, moves a timeline, and
// prints where that is. Input and output are plain text, so that it works in a
// pipe; Ctrl-C stops a prediction and stays.
type terminal struct {
	in        io.Reader
	out       io.Writer
	predictor model.Predictor
	target    timeline.Target
	options   timeline.Options

	timeline *timeline.Timeline
	frame    int    // the frame that is looked at, in the stack of the position
	last     string // the command that an empty line repeats
}

// errQuit ends the loop.
var errQuit = errors.New("quit")

// run reads commands until quit, the end of input, or the end of ctx.
func (t *terminal) run(ctx context.Context) error {
	t.options.Listener = timeline.Listener{
		Log:    func(message string, _ statetree.Origin) { fmt.Fprintln(t.out, message) },
		Output: func(text string, _ statetree.Origin) { fmt.Fprint(t.out, text) },
		Note:   func(text string) { fmt.Fprintf(t.out, "(%s)\n", text) },
	}
	t.timeline = timeline.New(t.predictor, t.target, t.options)
	defer t.timeline.Close()
	stop, err := t.open(ctx)
	if err != nil {
		return err
	}
	info := t.predictor.Info()
	fmt.Fprintf(t.out, "States are predicted by %s. Nothing is run. Type h for help.\n", info.Name)
	t.printStop(stop)
	lines, readErr := readLines(t.in)
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	for {
		fmt.Fprint(t.out, "(neuraldbg) ")
		select {
		case <-ctx.Done():
			return nil
		case <-interrupts:
			fmt.Fprintln(t.out, "\n(nothing is being predicted; q leaves)")
		case line, more := <-lines:
			if !more {
				fmt.Fprintln(t.out)
				return readErr()
			}
			switch err := t.execute(ctx, strings.TrimSpace(line)); {
			case errors.Is(err, errQuit), ctx.Err() != nil:
				return nil
			case errors.Is(err, context.Canceled):
				fmt.Fprintln(t.out, "*** interrupted; the state is as it was")
			case err != nil:
				fmt.Fprintf(t.out, "*** %v\n", err)
			}
			select {
			case <-interrupts: // it was the command's
			default:
			}
		}
	}
}

// open predicts the first state. An interrupt ends it, and with it the debugger.
func (t *terminal) open(ctx context.Context) (timeline.Stop, error) {
	ctx, release := signal.NotifyContext(ctx, os.Interrupt)
	defer release()
	stop, err := t.timeline.Open(ctx)
	if ctx.Err() != nil {
		return stop, interruptedf(" before the first state was predicted")
	}
	return stop, err
}

// maxLine is how long a line of input may be, in bytes.
const maxLine = 1 << 20

// readLines reads in a goroutine of its own, because a read from a terminal
// cannot be cancelled. The function tells, after the last line, why it was the
// last.
func readLines(r io.Reader) (<-chan string, func() error) {
	lines := make(chan string)
	scanner := bufio.NewScanner(r)
	scanner.Buffer(nil, maxLine)
	go func() {
		defer close(lines)
		for scanner.Scan() {
			lines <- scanner.Text()
		}
	}()
	return lines, func() error {
		if err := scanner.Err(); err != nil {
			return fmt.Errorf("read a command: %w", err)
		}
		return nil
	}
}

// execute runs one line: a command, an assignment, or an expression. An
// interrupt ends it, not the debugger.
func (t *terminal) execute(ctx context.Context, line string) error {
	if line == "" {
		line = t.last
	}
	if line == "" {
		return nil
	}
	t.last = ""
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	if expression, ok := strings.CutPrefix(line, "!"); ok {
		return t.statement(ctx, strings.TrimSpace(expression))
	}
	c, argument, ok := repl.Parse(line)
	if !ok {
		return t.statement(ctx, line)
	}
	if c.Moves {
		t.last = line
	}
	return t.command(ctx, c, argument)
}

// statement runs what is no command.
func (t *terminal) statement(ctx context.Context, text string) error {
	if target, value, ok := expr.ParseAssignment(text); ok {
		return t.assign(ctx, target, value)
	}
	err := t.print(ctx, text, false)
	var e *expr.Error
	if errors.As(err, &e) && e.Reason == expr.Syntax {
		name, _, _ := strings.Cut(text, " ")
		if c, ok := repl.Find(name); ok && c.Usage == "" {
			return fmt.Errorf("%s takes no argument", name)
		}
	}
	if errors.As(err, &e) && e.Reason == expr.NotFound {
		return fmt.Errorf("%w; h lists the commands", err)
	}
	return err
}
