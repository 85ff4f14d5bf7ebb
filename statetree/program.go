package statetree

import "strings"

// DriverFile is the File of the states that belong to the driver, the
// `def main(): return f(x)` that wraps an entry given as a call expression.
const DriverFile = "<entry>"

// ModuleFunction is the Function of module-level states.
const ModuleFunction = "<module>"

// Program is the code that a model is shown, the CODE of the grammar, and where
// each of its lines comes from.
//
// Code is the entry's block and the blocks statically reachable from it, in
// file order, with a blank line between blocks and the driver last; for a
// module it is the whole file. It ends in exactly one newline. The same rule
// builds it for training, for evaluation and in use: showing only the lines
// that a run visits would give its future away.
type Program struct {
	Code string `json:"code"`
	// Origins[i] is where line i+1 of Code comes from; the zero Origin for the
	// blank lines between blocks.
	Origins []Origin `json:"origins"`
	// Entry says what runs.
	Entry Entry `json:"entry"`
}

// Origin is a place in a source file.
type Origin struct {
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
}

// EntryKind tells how a run begins.
type EntryKind uint8

// The kinds of entry.
const (
	// ModuleEntry runs a file from its first line.
	ModuleEntry EntryKind = iota
	// CallEntry evaluates a call expression through a driver, or calls the
	// file's own main().
	CallEntry
	// FunctionEntry is a call of a function whose arguments are not known: a
	// model proposes them.
	FunctionEntry
)

// Entry says what of a program runs.
type Entry struct {
	Kind EntryKind `json:"kind"`
	// Text is what the user wrote: `count("berry", "r")`, `count`, or "".
	Text string `json:"text,omitempty"`
	// Function is the name of the function called: `count`; or ModuleFunction.
	Function string `json:"function"`
	// Driver is the name of the function that wraps the call: `main`, or
	// `main_` when the file has a main of its own; empty without a driver.
	Driver string `json:"driver,omitempty"`
}

// Lines returns the lines of Code without their line ends.
func (p Program) Lines() []string {
	return strings.Split(strings.TrimSuffix(p.Code, "\n"), "\n")
}
