package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/neuraldbg/neuraldbg/adapter/expr"
	"github.com/neuraldbg/neuraldbg/adapter/repl"
	"github.com/neuraldbg/neuraldbg/adapter/timeline"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// command runs one of the shared commands.
func (t *terminal) command(ctx context.Context, c repl.Command, argument string) error {
	switch c.Kind {
	case repl.Quit:
		return errQuit
	case repl.Help:
		return t.write(repl.HelpText(argument, true))
	case repl.Where:
		return t.write(repl.WhereText(t.stack(), t.frame), nil)
	case repl.Up, repl.Down:
		return t.look(c, argument)
	case repl.List:
		return t.list(argument)
	case repl.Arguments:
		return t.printLocals()
	case repl.Print, repl.PrettyPrint:
		if argument == "" {
			return fmt.Errorf("%s wants an expression", c.Names[0])
		}
		return t.print(ctx, argument, c.Kind == repl.PrettyPrint)
	case repl.Set:
		name, value, _ := strings.Cut(argument, " ")
		value = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(value), "="))
		if value == "" {
			return errors.New("set wants a name and a value: set n 3")
		}
		return t.assign(ctx, name, value)
	case repl.Break:
		return t.setBreakpoint(argument)
	case repl.Clear:
		return t.clearBreakpoint(argument)
	case repl.Inputs:
		inputs, err := t.timeline.Inputs(ctx)
		if err != nil {
			return err
		}
		t.printEntry(inputs)
		return nil
	case repl.Jump:
		line, err := repl.Line(t.target.File, argument)
		if err != nil {
			return err
		}
		return t.moved(t.timeline.Goto(ctx, line))
	}
	return t.moved(c.Kind.Movement()(t.timeline, ctx))
}

// moved prints where a movement has come to.
func (t *terminal) moved(stop timeline.Stop, err error) error {
	if err != nil {
		return err
	}
	t.frame = 0
	t.printStop(stop)
	return nil
}

// write prints the text of a command.
func (t *terminal) write(text string, err error) error {
	if err != nil {
		return err
	}
	fmt.Fprint(t.out, text)
	return nil
}

func (t *terminal) stack() timeline.Stack { return t.timeline.Current().Stack }

// look is up and down.
func (t *terminal) look(c repl.Command, argument string) error {
	count, err := repl.Count(argument)
	if err != nil {
		return err
	}
	stack := t.stack()
	to := min(t.frame+count, len(stack)-1)
	if c.Kind == repl.Down {
		to = max(t.frame-count, 0)
	}
	switch {
	case to == t.frame && c.Kind == repl.Down:
		return errors.New("this is the innermost frame")
	case to == t.frame || to < 0:
		return errors.New("this is the outermost frame")
	}
	t.frame = to
	return t.write(repl.FrameText(stack[to], true), nil)
}

func (t *terminal) list(argument string) error {
	here := 0
	if stack := t.stack(); t.frame < len(stack) {
		switch f := stack[t.frame]; {
		case f.File == statetree.DriverFile && argument == "":
			return t.write("-> "+strings.TrimSpace(f.Source)+"\n", nil)
		case f.File == t.target.File.Path():
			here = f.Line
		}
	}
	set := t.timeline.Breakpoints().All(t.target.File.Path())
	return t.write(repl.ListText(t.target.File, argument, here, func(line int) bool {
		return slices.ContainsFunc(set, func(b timeline.Breakpoint) bool { return b.Verified && b.Line == line })
	}))
}

// print evaluates an expression in the frame that is looked at. What cannot be
// computed the model is asked for.
func (t *terminal) print(ctx context.Context, text string, pretty bool) error {
	e := t.timeline.Current()
	if t.frame >= len(e.Stack) {
		return errors.New("the run has ended; step back first")
	}
	x, err := expr.Parse(text)
	var result timeline.Evaluation
	printed := false
	if err == nil {
		result, err = e.Evaluate(ctx, x, t.frame, func(text string) {
			printed = true
			fmt.Fprint(t.out, text)
		})
	}
	if err != nil && t.timeline.CanSuppose(err) {
		reason := err
		if result, err = t.timeline.Suppose(ctx, text, t.frame); err != nil && !errors.Is(err, context.Canceled) {
			err = fmt.Errorf("%w; %w", reason, err)
		}
	}
	if err != nil {
		return err
	}
	value := result.Repr
	if pretty {
		value = repl.Pretty(value)
	}
	switch {
	case printed && value == "None":
	case result.Predicted:
		fmt.Fprintf(t.out, "%s  (predicted, %s)\n", value, percent(result.Confidence))
	case result.Confidence < 1:
		fmt.Fprintf(t.out, "%-32s %5s\n", value, percent(result.Confidence))
	default:
		fmt.Fprintln(t.out, value)
	}
	return nil
}

// assign changes a value and goes on from there.
func (t *terminal) assign(ctx context.Context, target, value string) error {
	if t.frame != 0 {
		return errors.New("only the values of the innermost frame can be changed; d goes there")
	}
	canonical, ok := timeline.TargetExpression(target)
	if !ok {
		return fmt.Errorf("%q is not a name, nor a part of one's value", target)
	}
	if err := t.timeline.Edit(ctx, canonical, value); err != nil {
		return err
	}
	t.printEntry(t.timeline.Current())
	return nil
}

func (t *terminal) setBreakpoint(argument string) error {
	if argument == "" {
		t.printBreakpoints()
		return nil
	}
	line, condition, err := repl.BreakpointLine(t.target.File, argument)
	if err != nil {
		return err
	}
	before := t.requests(func(timeline.Breakpoint) bool { return true })
	set := t.place(append(before, timeline.LineRequest{Line: line, Modifiers: timeline.Modifiers{Condition: condition}}))
	added := set[len(set)-1]
	if !added.Verified {
		t.place(before)
		return fmt.Errorf("no breakpoint: %s", added.Message)
	}
	fmt.Fprintf(t.out, "Breakpoint %d at line %d", added.ID, added.Line)
	if added.Message != "" {
		fmt.Fprintf(t.out, ": %s", added.Message)
	}
	fmt.Fprintln(t.out)
	return nil
}

// requests returns what the breakpoints to keep were asked for.
func (t *terminal) requests(keep func(timeline.Breakpoint) bool) []timeline.LineRequest {
	var out []timeline.LineRequest
	for _, b := range t.timeline.Breakpoints().All(t.target.File.Path()) {
		if keep(b) {
			out = append(out, timeline.LineRequest{Line: b.Requested, Modifiers: b.Modifiers})
		}
	}
	return out
}

// place gives the timeline the breakpoints, which it moves to executable lines.
func (t *terminal) place(requests []timeline.LineRequest) []timeline.Breakpoint {
	return t.timeline.Breakpoints().SetLines(t.target.File.Path(), requests, timeline.SnapTo(t.target.File))
}

func (t *terminal) clearBreakpoint(argument string) error {
	cleared := 0
	kept := t.requests(func(b timeline.Breakpoint) bool {
		if argument != "" && strconv.Itoa(b.Line) != argument && strconv.Itoa(b.Requested) != argument {
			return true
		}
		cleared++
		return false
	})
	if cleared == 0 && argument != "" {
		return fmt.Errorf("no breakpoint at line %s", argument)
	}
	t.place(kept)
	return nil
}
