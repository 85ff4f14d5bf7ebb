package source

import "strings"

// StatementLines returns the first and the last line of the statement that a line is
// in; of one with a block, those of its head. A line between statements, or one that
// only begins a block, such as else, is alone.
//
// Several statements on one line are one place for a trace, and so they are here.
func (f *File) StatementLines(line int) (first, last int) {
	first, last = line, line
	var visit func(*node)
	visit = func(n *node) {
		for c := range n.operands() {
			if line < c.line || line > c.last {
				continue
			}
			if c.isStatement() {
				first, last = line, line // what is around it does not count
				if end := c.headLast(); line <= end {
					first, last = c.line, end
				}
			}
			visit(c)
		}
	}
	visit(f.root)
	return first, last
}

// isStatement reports whether a node is a statement, or has a head as one has.
func (n *node) isStatement() bool {
	switch n.kind {
	case "function_definition", "class_definition", "decorator", "elif_clause", "except_clause", "except_group_clause", "case_clause":
		return true
	}
	return strings.HasSuffix(n.kind, "_statement")
}

// headLast is the last line of a statement before its block, if it has one.
func (n *node) headLast() int {
	last := n.last
	for c := range n.children() {
		if c.kind == "block" {
			return last
		}
		last = c.last
	}
	return n.last
}
