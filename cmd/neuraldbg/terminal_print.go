package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/neuraldbg/neuraldbg/adapter/repl"
	"github.com/neuraldbg/neuraldbg/adapter/timeline"
	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// printStop says where the timeline is and why it stopped there.
func (t *terminal) printStop(stop timeline.Stop) {
	switch stop.Reason {
	case timeline.ReasonBreakpoint, timeline.ReasonFunctionBreakpoint:
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
	fmt.Fprintf(t.out, "> %s %s, confidence %s\n", repl.Place(s.File, s.Line, s.Function), eventWords(e), percent(e.Confidence.State))
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

// printLocals prints the values of the frame that is looked at.
func (t *terminal) printLocals() error {
	stack := t.stack()
	if t.frame >= len(stack) {
		return errors.New("the run has ended; step back first")
	}
	var confidence model.Confidence
	if t.frame == 0 && !stack[0].Stale {
		confidence = t.timeline.Current().Confidence
	}
	for _, local := range stack[t.frame].Locals {
		fmt.Fprintln(t.out, describeLocal(local, confidence))
	}
	return nil
}

// eventWords says what happens in a state.
func eventWords(e timeline.Entry) string {
	var words string
	switch value, returns := e.ReturnValue(); {
	case returns:
		words = "returns " + shortRepr(value)
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
	if e.Truncated {
		words += ", " + timeline.CutForLength
	}
	return words
}

// maxRepr is how many bytes of a value are printed unasked; p prints all.
const maxRepr = 1000

func shortRepr(text string) string {
	if len(text) <= maxRepr {
		return text
	}
	return strings.ToValidUTF8(text[:maxRepr], "") + "…"
}

// describeLocal writes a variable, and its confidence if this state predicted
// its value.
func describeLocal(local statetree.Local, c model.Confidence) string {
	text := local.Name + " = " + shortRepr(local.Repr)
	if p, ok := c.Locals[local.Name]; ok {
		text = fmt.Sprintf("%-32s %5s", text, percent(p))
	}
	return text
}

func (t *terminal) printBreakpoints() {
	all := t.timeline.Breakpoints().All(t.target.File.Path())
	if len(all) == 0 {
		fmt.Fprintln(t.out, "No breakpoints")
	}
	for _, bp := range all {
		text := fmt.Sprintf("Breakpoint %d at line %d: %s", bp.ID, bp.Line, strings.TrimSpace(t.target.File.Line(bp.Line)))
		if bp.Condition != "" {
			text += "  if " + bp.Condition
		}
		fmt.Fprintln(t.out, text)
	}
}
