// Package statetreetest makes recordings for tests: random ones that obey the
// rules of sys.settrace without any Python, and small ones written by hand.
package statetreetest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/neuraldbg/neuraldbg/statetree"
)

// Random returns a random recording of about size states, of a program whose
// driver `main` calls a function `f0`. It has nested and sibling calls, calls
// under call and exception states, exceptions caught and not, lines with the same
// source in several functions, names that appear, change and vanish, and values
// that need escaping. One in four is cut at a random state: half of these as runs
// that never end.
func Random(rng *rand.Rand, size int) statetree.Recording {
	g := generator{rng: rng, left: size}
	exit := statetree.ExitNormal
	if g.driver() {
		exit = statetree.ExitError
	}
	r := statetree.Recording{Program: program(), States: g.states, Exit: exit}
	if rng.IntN(4) == 0 {
		r.States = r.States[:1+rng.IntN(len(r.States))]
		r.Exit, r.Cut = statetree.NoExit, "states"
		if rng.IntN(2) == 0 {
			r.Exit, r.Cut = statetree.ExitNever, ""
		}
	}
	return r
}

// Functions is the code of the programs that Random returns, without the driver.
func Functions() statetree.Program {
	var code strings.Builder
	for f := range functions {
		if f > 0 {
			code.WriteByte('\n')
		}
		code.WriteString(definition(f) + "\n")
		for line := range bodyLines {
			code.WriteString(source(f, line) + "\n")
		}
	}
	return statetree.Program{
		Code:  code.String(),
		Entry: statetree.Entry{Kind: statetree.FunctionEntry, Text: "f0", Function: "f0"},
	}
}

func program() statetree.Program {
	p := Functions()
	p.Code += "\n" + driverDef + "\n" + driverLine + "\n"
	p.Entry = statetree.Entry{Kind: statetree.CallEntry, Text: "f0()", Function: "f0", Driver: "main"}
	return p
}

const (
	functions  = 3
	bodyLines  = 6
	driverDef  = "def main():"
	driverLine = "    return f0()"
)

func definition(f int) string { return fmt.Sprintf("def f%d(a, b=\"é\"):", f) }

// source returns a line of a function's body; every third is the same in all of
// them.
func source(f, line int) string {
	if line%3 == 0 {
		return fmt.Sprintf("    x%d += 1", line)
	}
	return fmt.Sprintf("    y%d = f%d(a) # %d", line, (f+line)%functions, f)
}

type generator struct {
	rng         *rand.Rand
	states      []statetree.Recorded
	activations int
	left        int // states that may still be added, about
}

func (g *generator) add(s statetree.State, activation int) {
	s.Locals = slices.Clone(s.Locals)
	g.states = append(g.states, statetree.Recorded{State: s, Activation: activation})
	g.left--
}

// driver records the driver's activation and reports whether it raised.
func (g *generator) driver() bool {
	at := func(e statetree.Event, source string, line int) statetree.State {
		return statetree.State{Event: e, Source: source, File: statetree.DriverFile, Line: line, Function: "main"}
	}
	g.activations++
	g.add(at(statetree.Call, driverDef, 1), 0)
	g.add(at(statetree.Line, driverLine, 2), 0)
	raised := g.call(0, 1)
	last := at(statetree.Return, driverLine, 2)
	last.Arg = "'result'"
	if raised != "" {
		e := at(statetree.Exception, driverLine, 2)
		e.Arg = raised
		g.add(e, 0)
		last.Arg = "None"
	}
	g.add(last, 0)
	return raised != ""
}

// call records one activation of a function and returns the repr of the
// exception that left it, or "".
func (g *generator) call(f, depth int) (raised string) {
	activation := g.activations
	g.activations++
	locals := statetree.Locals{{Name: "a", Repr: g.repr()}, {Name: "b", Repr: g.repr()}}
	if g.rng.IntN(5) == 0 {
		locals = nil
	}
	at := func(e statetree.Event, source string, line int) statetree.State {
		s := statetree.State{Event: e, Source: source, File: "f.py", Line: f*(bodyLines+2) + line + 2, Function: fmt.Sprintf("f%d", f)}
		if e.HasLocals() {
			s.Locals = locals
		}
		return s
	}
	g.add(at(statetree.Call, definition(f), -1), activation)
	for lines := g.rng.IntN(2 * bodyLines); lines >= 0; lines-- {
		if raised == "" && g.rng.IntN(8) != 0 {
			raised = g.calls(depth)
		}
		line := g.rng.IntN(bodyLines)
		src := source(f, line)
		if raised != "" {
			e := at(statetree.Exception, src, line)
			e.Arg = raised
			g.add(e, activation)
			if g.rng.IntN(2) == 0 {
				g.calls(depth) // such as the exception's __repr__, or a handler
			}
			if g.rng.IntN(3) == 0 {
				break
			}
			raised = ""
		}
		locals = g.change(locals)
		g.add(at(statetree.Line, src, line), activation)
		if raised = g.calls(depth); raised == "" && g.rng.IntN(12) == 0 {
			raised = fmt.Sprintf("ValueError(%d)", g.rng.IntN(1000))
		}
	}
	last := at(statetree.Return, source(f, bodyLines-1), bodyLines-1)
	last.Arg = g.repr()
	if raised != "" {
		last.Arg = "None"
		// An exception right before the return is what tells that it was left.
		if s := g.states[len(g.states)-1]; s.Activation != activation || s.Event != statetree.Exception {
			e := at(statetree.Exception, last.Source, bodyLines-1)
			e.Arg = raised
			g.add(e, activation)
		}
	}
	g.add(last, activation)
	return raised
}

// calls records the calls under the last state. The last of them may raise.
func (g *generator) calls(depth int) (raised string) {
	if depth > 6 || g.rng.IntN(3) != 0 {
		return ""
	}
	for n := 1 + g.rng.IntN(3); n > 0 && g.left > 0 && raised == ""; n-- {
		raised = g.call(g.rng.IntN(functions), depth+1)
	}
	return raised
}

// change returns the locals after some statement.
func (g *generator) change(locals statetree.Locals) statetree.Locals {
	locals = slices.Clone(locals)
	for n := g.rng.IntN(3); n > 0; n-- {
		name := fmt.Sprintf("v%d", g.rng.IntN(4))
		switch i := slices.IndexFunc(locals, func(l statetree.Local) bool { return l.Name == name }); {
		case i < 0 && g.rng.IntN(2) == 0:
			locals = slices.Insert(locals, g.rng.IntN(len(locals)+1), statetree.Local{Name: name, Repr: g.repr()})
		case i < 0:
			locals = append(locals, statetree.Local{Name: name, Repr: g.repr()})
		case g.rng.IntN(4) == 0:
			locals = slices.Delete(locals, i, i+1)
		default:
			locals[i].Repr = g.repr()
		}
	}
	return locals
}

var reprs = []string{
	"0", "1", "'a'", "None", "[1, 2]", `'it\'s'`, `"it's"`, "'\u00e9\u2028\U0001F600'", "..", "<A>",
	"a\nb", "\x00\x1f\x7f", `\`, `"`, "", "{'k': '<|frame_sep|>'}",
}

func (g *generator) repr() string { return reprs[g.rng.IntN(len(reprs))] }
