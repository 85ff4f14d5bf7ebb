// Package repl has the commands that people type: in the debug console of a
// client and in the terminal debugger. They are pdb's where pdb has them, and
// back, rc and inputs for going backward.
//
// A command line is a command's name and its argument, "b 12". Parse tells
// command lines from expressions; a Command's Kind tells what to do, and Movement
// which movement of the timeline that is. The other functions render what
// commands print, as plain text of whole lines without tabs or colours.
//
// The package must not know of the Debug Adapter Protocol, nor of terminals.
package repl

import (
	"context"
	"fmt"
	"strings"

	"github.com/neuraldbg/neuraldbg/adapter/timeline"
)

// Kind is what a command does.
type Kind uint8

// The kinds of commands.
const (
	StepInto Kind = iota
	StepOver
	StepOut
	Continue
	StepBack
	ReverseContinue
	Jump
	Break
	Clear
	Inputs
	Print
	PrettyPrint
	Set
	Arguments
	Where
	Up
	Down
	List
	Help
	Quit
)

// Command is one command.
type Command struct {
	Kind  Kind
	Names []string // the first is what help shows
	Usage string   // of the argument, "" when there is none
	Help  string   // what it does, in one line
	// Moves says that it moves along the timeline, which may need predictions.
	Moves bool
	// Terminal says that it is for the terminal only: in a debug console, the
	// client has it.
	Terminal bool
}

// commands are all of them, in the order of help.
var commands = []Command{
	{Kind: StepInto, Names: []string{"s", "step"}, Help: "step into: the next state, in whatever function", Moves: true},
	{Kind: StepOver, Names: []string{"n", "next"}, Help: "step over: the next state of this function", Moves: true},
	{Kind: StepOut, Names: []string{"r", "return"}, Help: "step out: leave this function", Moves: true},
	{Kind: Continue, Names: []string{"c", "cont", "continue"}, Help: "continue to the next breakpoint, or to the exit", Moves: true},
	{Kind: StepBack, Names: []string{"back", "rs"}, Help: "one state back; predicted, where the history begins", Moves: true},
	{Kind: ReverseContinue, Names: []string{"rc"}, Help: "back to the last breakpoint, or to the beginning", Moves: true},
	{Kind: Jump, Names: []string{"j", "jump"}, Usage: "LINE", Help: "make another line of this function the next to run"},
	{Kind: Inputs, Names: []string{"inputs"}, Help: "infer from here what the function was called with"},
	{Kind: Break, Names: []string{"b", "break"}, Usage: "[LINE or FUNCTION[, CONDITION]]", Help: "set a breakpoint; without a line: list them"},
	{Kind: Clear, Names: []string{"cl", "clear"}, Usage: "[LINE]", Help: "clear a breakpoint; without a line: all of them"},
	{Kind: Print, Names: []string{"p"}, Usage: "EXPRESSION", Help: "the value of an expression over the predicted values"},
	{Kind: PrettyPrint, Names: []string{"pp"}, Usage: "EXPRESSION", Help: "the value, with a line for each part of a long one"},
	{Kind: Set, Names: []string{"set"}, Usage: "NAME VALUE", Help: "give a variable another value and go on from there; also: NAME = VALUE"},
	{Kind: Arguments, Names: []string{"a", "args"}, Help: "the values of this function"},
	{Kind: Where, Names: []string{"w", "where", "bt"}, Help: "the call stack"},
	{Kind: Up, Names: []string{"u", "up"}, Usage: "[COUNT]", Help: "look at the caller"},
	{Kind: Down, Names: []string{"d", "down"}, Usage: "[COUNT]", Help: "look at the function called from here"},
	{Kind: List, Names: []string{"l", "list", "ll"}, Usage: "[LINE[, LAST]]", Help: "the source around this line, or from one line to another"},
	{Kind: Help, Names: []string{"h", "help", "?"}, Usage: "[COMMAND]", Help: "this list"},
	{Kind: Quit, Names: []string{"q", "quit", "exit"}, Help: "leave", Terminal: true},
}

// Commands returns all commands in the order of help.
func Commands() []Command { return commands }

// Find returns the command with a name.
func Find(name string) (Command, bool) {
	for _, c := range commands {
		for _, n := range c.Names {
			if n == name {
				return c, true
			}
		}
	}
	return Command{}, false
}

// Complete returns the commands for the debug console that begin with what is
// typed, each once, by the name that does: nothing once the name is complete.
func Complete(typed string) []string {
	var out []string
	for _, c := range commands {
		for _, n := range c.Names {
			if !c.Terminal && len(n) > 1 && strings.HasPrefix(n, typed) && n != typed {
				out = append(out, n)
				break
			}
		}
	}
	return out
}

// Parse divides a line into a command and its argument. ok is false for a line
// that is something else: an expression, such as `n + 1`, `c = 2` or `s.upper()`.
func Parse(line string) (c Command, argument string, ok bool) {
	line = strings.TrimSpace(line)
	name, argument, _ := strings.Cut(line, " ")
	if c, ok = Find(name); !ok {
		return c, "", false
	}
	argument = strings.TrimSpace(argument)
	switch {
	case c.Usage == "" && argument != "", beginsWithOperator(argument) && c.Kind != Help:
		// `n - 1` and `s == 'a'` are expressions, whatever n and s are; `p -1`
		// prints a number.
		if c.Kind != Print && c.Kind != PrettyPrint || strings.HasPrefix(argument, "=") {
			return Command{}, "", false
		}
	}
	return c, argument, true
}

// beginsWithOperator reports whether what follows a name makes an expression of
// it.
func beginsWithOperator(argument string) bool {
	if argument == "" || argument == "." {
		return false
	}
	if strings.IndexByte("=+-*/%<>!&|^.[(,@", argument[0]) >= 0 {
		return true
	}
	word, _, _ := strings.Cut(argument, " ")
	switch word {
	case "and", "or", "is", "in", "not", "if", "for":
		return true
	}
	return false
}

// Movement returns what a command that moves does to a timeline.
func (k Kind) Movement() func(t *timeline.Timeline, ctx context.Context) (timeline.Stop, error) {
	switch k {
	case StepInto:
		return (*timeline.Timeline).StepInto
	case StepOver:
		return (*timeline.Timeline).StepOver
	case StepOut:
		return (*timeline.Timeline).StepOut
	case Continue:
		return (*timeline.Timeline).Continue
	case StepBack:
		return func(t *timeline.Timeline, ctx context.Context) (timeline.Stop, error) {
			return t.StepBack(ctx, timeline.Statement)
		}
	case ReverseContinue:
		return (*timeline.Timeline).ReverseContinue
	}
	return nil
}

// HelpText lists the commands, or says what one does.
func HelpText(argument string, terminal bool) (string, error) {
	var out strings.Builder
	line := func(c Command) {
		fmt.Fprintf(&out, "%-40s %s\n", strings.TrimSpace(strings.Join(c.Names, ", ")+" "+c.Usage), c.Help)
	}
	if argument != "" {
		c, ok := Find(argument)
		if !ok {
			return "", fmt.Errorf("no command %q; help lists them", argument)
		}
		line(c)
		return out.String(), nil
	}
	for _, c := range commands {
		if terminal || !c.Terminal {
			line(c)
		}
	}
	out.WriteString("anything else is evaluated over the predicted values; ! before it does so even if it is a command's name\n")
	return out.String(), nil
}
