package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"

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
	lines    []int  // breakpoint lines as asked for
	last     string // the command that an empty line repeats
}

// terminalCommand is one command of the terminal debugger.
type terminalCommand struct {
	names []string // the first is what help shows
	usage string
	help  string
	run   func(t *terminal, ctx context.Context, argument string) error
	// moves says that an empty line repeats it.
	moves bool
}

// errQuit ends the loop.
var errQuit = errors.New("quit")

// terminalCommands returns the commands in the order of help.
func terminalCommands() []terminalCommand {
	return []terminalCommand{
		{names: []string{"s", "step"}, help: "step into: the next state, in whatever function", run: movement((*timeline.Timeline).StepInto), moves: true},
		{names: []string{"n", "next"}, help: "step over: the next state of this function", run: movement((*timeline.Timeline).StepOver), moves: true},
		{names: []string{"r", "return"}, help: "step out: leave this function", run: movement((*timeline.Timeline).StepOut), moves: true},
		{names: []string{"c", "cont", "continue"}, help: "continue to the next breakpoint, or to the exit", run: movement((*timeline.Timeline).Continue), moves: true},
		{names: []string{"b", "break"}, usage: "[LINE]", help: "set a breakpoint; without a line: list them", run: (*terminal).setBreakpoint},
		{names: []string{"cl", "clear"}, usage: "[LINE]", help: "clear a breakpoint; without a line: all of them", run: (*terminal).clearBreakpoint},
		{names: []string{"back", "rs"}, help: "one state back; predicted, where the history begins", run: movement(stepBack), moves: true},
		{names: []string{"rc"}, help: "back to the last breakpoint, or to the beginning", run: movement((*timeline.Timeline).ReverseContinue), moves: true},
		{names: []string{"inputs"}, help: "infer from here what the function was called with", run: (*terminal).inferInputs},
		{names: []string{"p"}, usage: "NAME", help: "print a variable with its confidence", run: (*terminal).printVariable},
		{names: []string{"set"}, usage: "NAME REPR", help: "give a variable another value and go on from there", run: (*terminal).setVariable},
		{names: []string{"w", "where"}, help: "the call stack", run: (*terminal).where},
		{names: []string{"l", "list"}, help: "the source around this line", run: (*terminal).list},
		{names: []string{"h", "help"}, help: "this list", run: (*terminal).help},
		{names: []string{"q", "quit"}, help: "leave", run: func(*terminal, context.Context, string) error { return errQuit }},
	}
}

func stepBack(t *timeline.Timeline, ctx context.Context) (timeline.Stop, error) {
	return t.StepBack(ctx, timeline.Statement)
}

// movement makes a command of a movement on the timeline.
func movement(step func(*timeline.Timeline, context.Context) (timeline.Stop, error)) func(*terminal, context.Context, string) error {
	return func(t *terminal, ctx context.Context, argument string) error {
		if argument != "" {
			return errors.New("this command takes no argument")
		}
		stop, err := step(t.timeline, ctx)
		if err != nil {
			return err
		}
		t.printStop(stop)
		return nil
	}
}

// run reads commands until quit, the end of input, or the end of ctx.
func (t *terminal) run(ctx context.Context) error {
	t.timeline = timeline.New(t.predictor, t.target, t.options)
	defer t.timeline.Close()
	stop, err := t.open(ctx)
	if err != nil {
		return err
	}
	info := t.predictor.Info()
	fmt.Fprintf(t.out, "States are predicted by %s. Nothing is run. Type h for help.\n", info.Name)
	t.printStop(stop)
	commands := terminalCommands()
	lines, readErr := readLines(t.in)
	for {
		fmt.Fprint(t.out, "(neuraldbg) ")
		select {
		case <-ctx.Done():
			return nil
		case line, more := <-lines:
			if !more {
				fmt.Fprintln(t.out)
				return readErr()
			}
			switch err := t.execute(ctx, commands, strings.TrimSpace(line)); {
			case errors.Is(err, errQuit), ctx.Err() != nil:
				return nil
			case err != nil:
				fmt.Fprintf(t.out, "*** %v\n", err)
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
		return stop, errors.New("interrupted before the first state was predicted")
	}
	return stop, err
}

// readLines reads in a goroutine of its own, because a read from a terminal
// cannot be cancelled. The function tells, after the last line, why it was the
// last.
func readLines(r io.Reader) (<-chan string, func() error) {
	lines := make(chan string)
	scanner := bufio.NewScanner(r)
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

// execute runs one command line. An interrupt ends the command, not the
// debugger.
func (t *terminal) execute(ctx context.Context, commands []terminalCommand, line string) error {
	if line == "" {
		line = t.last
	}
	name, argument, _ := strings.Cut(line, " ")
	if name == "" {
		return nil
	}
	for _, c := range commands {
		for _, n := range c.names {
			if n != name {
				continue
			}
			t.last = ""
			if c.moves {
				t.last = line
			}
			ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
			defer stop()
			return c.run(t, ctx, strings.TrimSpace(argument))
		}
	}
	return fmt.Errorf("no command %q; h lists them", name)
}

// printStop says where the timeline is and why it stopped there.
func (t *terminal) printStop(stop timeline.Stop) {
	switch stop.Reason {
	case timeline.ReasonBreakpoint:
		fmt.Fprintln(t.out, "(breakpoint)")
	case timeline.ReasonBeginning:
		fmt.Fprintln(t.out, "(there is nothing before this)")
	case timeline.ReasonExit:
		entry := t.timeline.Current()
		fmt.Fprintf(t.out, "(predicted exit: %s, confidence %s)\n", entry.Exit, percent(entry.Confidence.State))
		return
	case timeline.ReasonPause:
		fmt.Fprintln(t.out, "(stopped)")
	case timeline.ReasonLimit:
		fmt.Fprintf(t.out, "(%s)\n", stop.Description)
	}
	t.printEntry(t.timeline.Current())
}

// printEntry prints a state the way pdb does, with the locals below it.
func (t *terminal) printEntry(e timeline.Entry) {
	if e.Ended() {
		fmt.Fprintf(t.out, "> predicted exit: %s\n", e.Exit)
		return
	}
	s := e.State
	fmt.Fprintf(t.out, "> %s %s, confidence %s\n", place(s.File, s.Line, s.Function), eventWords(e), percent(e.Confidence.State))
	if s.Source != "" {
		fmt.Fprintf(t.out, "-> %s\n", strings.TrimSpace(s.Source))
	}
	for _, local := range s.Locals {
		fmt.Fprintf(t.out, "   %s\n", describeLocal(local, e.Confidence))
	}
	if s.Partial {
		fmt.Fprintln(t.out, "   (other values are not known)")
	}
}

// place writes where a state is, as pdb does: file(line)function().
func place(file string, line int, function string) string {
	text := filepath.Base(file)
	if line > 0 {
		text += "(" + strconv.Itoa(line) + ")"
	}
	if function != statetree.ModuleFunction {
		function += "()"
	}
	return text + function
}

// eventWords says what happens in a state.
func eventWords(e timeline.Entry) string {
	var words string
	switch value, returns := e.ReturnValue(); {
	case returns:
		words = "returns " + value
	case e.State.Event == statetree.Return:
		words = "is left by an exception"
	case e.State.Event == statetree.Exception:
		words = "raises " + e.State.Arg
	case e.State.Event == statetree.Call:
		words = "is called"
	default:
		words = "line"
	}
	if e.Inferred() {
		words += ", inferred backward"
	}
	return words
}

// describeLocal writes a variable, and its confidence if this state predicted
// its value.
func describeLocal(local statetree.Local, c model.Confidence) string {
	text := local.Name + " = " + local.Repr
	if p, ok := c.Locals[local.Name]; ok {
		text = fmt.Sprintf("%-32s %5s", text, percent(p))
	}
	return text
}

func (t *terminal) setBreakpoint(_ context.Context, argument string) error {
	if argument == "" {
		t.printBreakpoints()
		return nil
	}
	line, err := t.lineNumber(argument)
	if err != nil {
		return err
	}
	t.lines = append(t.lines, line)
	set := t.placeBreakpoints()
	added := set[len(set)-1]
	if !added.Verified {
		t.lines = t.lines[:len(t.lines)-1]
		t.placeBreakpoints()
		return fmt.Errorf("no breakpoint: %s", added.Message)
	}
	fmt.Fprintf(t.out, "Breakpoint %d at line %d", added.ID, added.Line)
	if added.Message != "" {
		fmt.Fprintf(t.out, ": %s", added.Message)
	}
	fmt.Fprintln(t.out)
	return nil
}

// placeBreakpoints gives the timeline the breakpoint lines, which it moves to
// executable ones.
func (t *terminal) placeBreakpoints() []timeline.Breakpoint {
	return t.timeline.Breakpoints().Set(t.target.File.Path(), t.lines, timeline.SnapTo(t.target.File))
}

func (t *terminal) clearBreakpoint(_ context.Context, argument string) error {
	path := t.target.File.Path()
	if argument == "" {
		t.lines = nil
		t.placeBreakpoints()
		return nil
	}
	line, err := t.lineNumber(argument)
	if err != nil {
		return err
	}
	var kept []int
	for _, bp := range t.timeline.Breakpoints().All(path) {
		if bp.Line != line && bp.Requested != line {
			kept = append(kept, bp.Requested)
		}
	}
	if len(kept) == len(t.lines) {
		return fmt.Errorf("no breakpoint at line %d", line)
	}
	t.lines = kept
	t.placeBreakpoints()
	return nil
}

func (t *terminal) printBreakpoints() {
	all := t.timeline.Breakpoints().All(t.target.File.Path())
	if len(all) == 0 {
		fmt.Fprintln(t.out, "No breakpoints")
	}
	for _, bp := range all {
		fmt.Fprintf(t.out, "Breakpoint %d at line %d: %s\n", bp.ID, bp.Line, strings.TrimSpace(t.target.File.Line(bp.Line)))
	}
}

func (t *terminal) lineNumber(argument string) (int, error) {
	line, err := strconv.Atoi(argument)
	if last := len(t.target.File.Lines()); err != nil || line < 1 || line > last {
		return 0, fmt.Errorf("%q is no line of %s; it has lines 1 to %d", argument, t.target.File.Path(), last)
	}
	return line, nil
}

// inferInputs predicts backward from the current state, on a timeline of its
// own: the session's is left as it is.
func (t *terminal) inferInputs(ctx context.Context, argument string) error {
	if argument != "" {
		return errors.New("inputs takes no argument")
	}
	here := t.timeline.Current()
	if here.Ended() {
		return errors.New("the run has ended; step back into the function first")
	}
	target := t.target
	target.Start = here.State
	aside := timeline.New(t.predictor, target, t.options)
	defer aside.Close()
	if _, err := aside.Open(ctx); err != nil {
		return err
	}
	stop, err := aside.ReverseContinue(ctx)
	if err != nil {
		return err
	}
	if stop.Reason == timeline.ReasonBeginning {
		return errors.New("this is where the function is called")
	}
	t.printEntry(aside.Current())
	return nil
}

func (t *terminal) printVariable(_ context.Context, argument string) error {
	if argument == "" {
		return errors.New("p wants a variable's name")
	}
	e := t.timeline.Current()
	if len(e.Stack) == 0 {
		return errors.New("the run has ended; step back first")
	}
	frame := e.Stack[0]
	repr, ok := frame.Locals.Get(argument)
	if !ok {
		return fmt.Errorf("no variable %q in %s", argument, frame.Function)
	}
	fmt.Fprintln(t.out, describeLocal(statetree.Local{Name: argument, Repr: repr}, e.Confidence))
	return nil
}

func (t *terminal) setVariable(ctx context.Context, argument string) error {
	name, repr, _ := strings.Cut(argument, " ")
	if repr = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(repr), "=")); name == "" || repr == "" {
		return errors.New("set wants a name and a value as repr writes it: set n 3")
	}
	if err := t.timeline.Edit(ctx, name, repr); err != nil {
		return err
	}
	t.printEntry(t.timeline.Current())
	return nil
}

func (t *terminal) where(context.Context, string) error {
	stack := t.timeline.Current().Stack
	for i := len(stack) - 1; i >= 0; i-- {
		frame := stack[i]
		if frame.Label {
			fmt.Fprintf(t.out, "  %s\n", frame.Function)
			continue
		}
		mark := "  "
		if i == 0 {
			mark = "> "
		}
		fmt.Fprintf(t.out, "%s%s", mark, place(frame.File, frame.Line, frame.Function))
		if frame.Assumed {
			fmt.Fprint(t.out, " (assumed)")
		}
		fmt.Fprintf(t.out, "\n-> %s\n", strings.TrimSpace(frame.Source))
	}
	return nil
}

// listRadius is how many lines list shows above and below the current one.
const listRadius = 5

func (t *terminal) list(context.Context, string) error {
	stack := t.timeline.Current().Stack
	current, lines := 0, t.target.File.Lines()
	if len(stack) > 0 {
		if stack[0].File == statetree.DriverFile {
			fmt.Fprintf(t.out, "-> %s\n", strings.TrimSpace(stack[0].Source))
			return nil
		}
		current = stack[0].Line
	}
	breakpoints := map[int]bool{}
	for _, bp := range t.timeline.Breakpoints().All(t.target.File.Path()) {
		breakpoints[bp.Line] = bp.Verified
	}
	for i := max(1, current-listRadius); i <= min(len(lines), current+listRadius); i++ {
		mark := "  "
		if breakpoints[i] {
			mark = "B "
		}
		if i == current {
			mark = mark[:1] + ">"
		}
		fmt.Fprintf(t.out, "%4d %s %s\n", i, mark, lines[i-1])
	}
	return nil
}

func (t *terminal) help(context.Context, string) error {
	for _, c := range terminalCommands() {
		name := strings.Join(c.names, ", ")
		if c.usage != "" {
			name += " " + c.usage
		}
		fmt.Fprintf(t.out, "%-22s %s\n", name, c.help)
	}
	return nil
}
