package source

import (
	"fmt"
	"slices"
	"strings"
)

// ExecutableLines returns all lines for which some code object has line events,
// ascending.
func (f *File) ExecutableLines() []int {
	var lines []int
	for _, u := range f.units {
		lines = append(lines, u.Lines...)
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

// Executable reports whether a line has line events.
func (f *File) Executable(line int) bool {
	return slices.ContainsFunc(f.units, func(u *unit) bool { return u.Executable(line) })
}

// Snap returns where a breakpoint on a line takes effect: on the line itself
// when it is executable, else on the next executable line of the same function; for
// a line inside a class, of the class and its methods. why says in words why the line moved, or why there is none; it is empty when the
// line stays.
func (f *File) Snap(line int) (snapped int, ok bool, why string) {
	if line < 1 || line > len(f.lines) {
		return line, false, fmt.Sprintf("there is no line %d; the file has %d", line, len(f.lines))
	}
	if f.Executable(line) {
		return line, true, ""
	}
	u := f.unitAround(line)
	lines := u.Lines
	if u.Kind == ClassCode { // what a debugger means are the methods in it
		lines = f.linesWithin(u)
	}
	at, _ := slices.BinarySearch(lines, line+1)
	if at == len(lines) {
		return line, false, fmt.Sprintf("%s: no code follows in %s", f.describe(line), f.unitName(u))
	}
	return lines[at], true, fmt.Sprintf("%s; moved to line %d", f.describe(line), lines[at])
}

// unitAround is unitAt, except that a comment below a function's last statement
// is the function's when it is indented like its body.
func (f *File) unitAround(line int) *unit {
	best := f.unitAt(line)
	text := f.lines[line-1]
	if !strings.HasPrefix(strings.TrimSpace(text), "#") {
		return best
	}
	above := line - 1
	for above > 0 && isBlankOrComment(f.lines[above-1]) {
		above--
	}
	for _, u := range f.units[1:] {
		if u.Kind != LambdaCode && u.Last == above && indentation(text) > indentation(f.lines[u.Line-1]) {
			best = u
		}
	}
	return best
}

func isBlankOrComment(line string) bool {
	line = strings.TrimSpace(line)
	return line == "" || line[0] == '#'
}

func indentation(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

// isHead reports whether a line belongs to what stands before a function's body:
// decorators, name, parameters.
func (f *File) isHead(line int) bool {
	u := f.unitAt(line)
	return u.Kind == FunctionCode && line <= u.bodyLine() && line >= u.First
}

// bodyLine returns the last line of a function's head.
func (u *unit) bodyLine() int {
	colon := u.node.at("body")
	for n := u.node.first; n != nil && n != colon; n = n.next {
		if n.kind == ":" {
			return n.line
		}
	}
	return u.Line
}

// linesWithin returns the executable lines of a code object and of all in it.
func (f *File) linesWithin(u *unit) []int {
	var lines []int
	for _, v := range f.units {
		if v.First >= u.First && v.Last <= u.Last && v.index >= u.index {
			lines = append(lines, v.Lines...)
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

func (f *File) unitName(u *unit) string {
	if u.Kind == ModuleCode {
		return "the file"
	}
	return u.QualifiedName
}

// describe says what a line without line events is.
func (f *File) describe(line int) string {
	text := strings.TrimSpace(f.lines[line-1])
	what := "not executable"
	switch {
	case text == "":
		what = "blank"
	case strings.HasPrefix(text, "#"):
		what = "a comment"
	case f.isHead(line):
		what = "the head of " + f.unitName(f.unitAt(line))
	default:
		if statement := f.statementAt(line); statement != nil {
			switch {
			case statement.line < line:
				what = fmt.Sprintf("part of the statement on line %d", statement.line)
			case statement.kind == "expression_statement":
				what = "a docstring or a constant"
			case statement.kind == "global_statement" || statement.kind == "nonlocal_statement":
				what = "a declaration"
			}
		}
	}
	return fmt.Sprintf("line %d is %s", line, what)
}

// statementAt returns the innermost statement whose lines include the line, nil
// for lines between statements.
func (f *File) statementAt(line int) *node {
	var best *node
	var visit func(*node)
	visit = func(n *node) {
		for c := range n.operands() {
			if line < c.line || line > c.last {
				continue
			}
			if strings.HasSuffix(c.kind, "_statement") || strings.HasSuffix(c.kind, "_definition") {
				best = c
			}
			visit(c)
		}
	}
	visit(f.root)
	return best
}
