package source

import (
	"fmt"
	"iter"
)

// node is one node of a syntax tree, in Go memory. Comments and line
// continuations are left out, and a node ends where its last child does, so
// that a function's span has no trailing comments.
type node struct {
	kind  string // the grammar's name: "call", "identifier", "else"
	field string // the name under which the parent knows it: "condition", or ""
	named bool   // false for punctuation and keywords
	start int    // offset of the first byte in File.text
	end   int    // offset after the last byte
	line  int    // line of the first byte, from 1
	last  int    // line of the last byte

	parent, first, next, final *node
}

// children yields the direct children in order.
func (n *node) children() iter.Seq[*node] {
	return func(yield func(*node) bool) {
		for c := n.first; c != nil; c = c.next {
			if !yield(c) {
				return
			}
		}
	}
}

// operands yields the named children: all that is not punctuation or keyword.
func (n *node) operands() iter.Seq[*node] {
	return func(yield func(*node) bool) {
		for c := n.first; c != nil; c = c.next {
			if c.named && !yield(c) {
				return
			}
		}
	}
}

// fields yields the children with the given field name.
func (n *node) fields(name string) iter.Seq[*node] {
	return func(yield func(*node) bool) {
		for c := n.first; c != nil; c = c.next {
			if c.field == name && c.kind != "," && !yield(c) {
				return
			}
		}
	}
}

// at returns the first child with the given field name, or nil.
func (n *node) at(field string) *node {
	for c := n.first; c != nil; c = c.next {
		if c.field == field {
			return c
		}
	}
	return nil
}

// child returns the first child of the given kind, or nil.
func (n *node) child(kind string) *node {
	for c := n.first; c != nil; c = c.next {
		if c.kind == kind {
			return c
		}
	}
	return nil
}

// has reports whether there is a direct child of the given kind.
func (n *node) has(kind string) bool { return n.child(kind) != nil }

// operand returns the named child number i, or nil.
func (n *node) operand(i int) *node {
	for c := n.first; c != nil; c = c.next {
		if !c.named {
			continue
		}
		if i == 0 {
			return c
		}
		i--
	}
	return nil
}

// count returns the number of named children.
func (n *node) count() int {
	count := 0
	for c := n.first; c != nil; c = c.next {
		if c.named {
			count++
		}
	}
	return count
}

// text returns the source text of n.
func (n *node) text(source string) string { return source[n.start:n.end] }

// syntaxError is a place that does not parse.
type syntaxError struct {
	start   int
	message string
}

// python2 are statements that tree-sitter still accepts.
var python2 = map[string]string{
	"print_statement": "print is a function: print(...)",
	"exec_statement":  "exec is a function: exec(...)",
	"<>":              "the operator is != since Python 3",
}

// parseTree parses text, which has to be valid UTF-8. lineAt maps an offset to
// its line.
func parseTree(text string, lineAt func(int) int) (root *node, bad *syntaxError) {
	p := parsers.Get().(*parser)
	defer parsers.Put(p)
	// The grammar's scanner looks, at every comment, through all that follow it for
	// the next indentation: the square of their number. Blank lines it takes at once.
	comments, fault := checkLayout(text)
	p.parse(blank(text, comments), func(nodes []flatNode) {
		if bad = findError(nodes, text); bad == nil {
			root = buildTree(nodes, lineAt)
		}
	})
	// What is wrong with the layout also misleads the parser, so of the two the
	// layout's fault explains more, unless it lies on a later line.
	if fault != nil && (bad == nil || lineAt(fault.start) <= lineAt(bad.start)) {
		return nil, fault
	}
	return root, bad
}

// buildTree makes nodes of Go memory from a list in preorder.
func buildTree(list []flatNode, lineAt func(int) int) *node {
	g := pythonGrammar()
	nodes := make([]node, 0, len(list)) // never grows: nodes point at each other
	var open []*node                    // the path to the last node, by depth
	for i := range list {
		flat := &list[i]
		kind := g.kind(flat.kind)
		for len(open) > int(flat.depth) {
			open[len(open)-1].close(lineAt)
			open = open[:len(open)-1]
		}
		if kind.name == "comment" || kind.name == "line_continuation" {
			continue
		}
		nodes = append(nodes, node{
			kind: kind.name, named: kind.named, field: g.fields[flat.field],
			start: int(flat.start), end: int(flat.end), line: lineAt(int(flat.start)),
		})
		n := &nodes[len(nodes)-1]
		if len(open) > 0 {
			n.parent = open[len(open)-1]
			n.parent.adopt(n)
		}
		open = append(open, n)
	}
	for i := len(open) - 1; i >= 0; i-- {
		open[i].close(lineAt)
	}
	return &nodes[0]
}

// adopt adds the next child; until close, final is the last one.
func (n *node) adopt(child *node) {
	if n.first == nil {
		n.first = child
	} else {
		n.final.next = child
	}
	n.final = child
}

// close sets where a node ends once its children are complete.
func (n *node) close(lineAt func(int) int) {
	if n.final != nil {
		n.end, n.last = n.final.end, n.final.last
		return
	}
	n.last = n.line
	if n.end > n.start+1 {
		n.last = lineAt(n.end - 1)
	}
}

// maxDepth is how deeply syntax may be nested. CPython gives up between two and
// three thousand levels, and people well before a hundred.
const maxDepth = 1000

// findError describes the first place that tree-sitter could not fit into the
// grammar, or that is no longer Python.
func findError(nodes []flatNode, text string) *syntaxError {
	g := pythonGrammar()
	for i := range nodes {
		flat := &nodes[i]
		kind := g.kind(flat.kind).name
		switch {
		case flat.depth > maxDepth:
			return &syntaxError{int(flat.start), "too many levels of nesting"}
		case bool(flat.missing):
			return &syntaxError{int(flat.start), fmt.Sprintf("expected %q", kind)}
		case flat.kind == errorKind:
			return &syntaxError{errorStart(nodes[i:], text), "invalid syntax"}
		}
		if message, ok := python2[kind]; ok {
			return &syntaxError{int(flat.start), message}
		}
		if kind == "string_start" && text[flat.start] == '`' {
			return &syntaxError{int(flat.start), "backquotes are gone since Python 3: repr(...)"}
		}
		if kind == "try_statement" && !hasHandler(nodes[i:]) {
			return &syntaxError{int(flat.start), "expected 'except' or 'finally' block"}
		}
	}
	return nil
}

// hasHandler reports whether a try statement, the first of nodes, has an except
// or finally clause.
func hasHandler(nodes []flatNode) bool {
	for i := 1; i < len(nodes) && nodes[i].depth > nodes[0].depth; i++ {
		if nodes[i].depth == nodes[0].depth+1 {
			switch pythonGrammar().kind(nodes[i].kind).name {
			case "except_clause", "finally_clause":
				return true
			}
		}
	}
	return false
}

// errorStart returns where in an ERROR node, the first of nodes, the trouble
// begins. The node holds what was read before the parser gave up, so its last
// child is the nearest to the cause.
func errorStart(nodes []flatNode, text string) int {
	last := -1
	// A whole file may be one ERROR because of a smaller one inside.
	for i := 1; i < len(nodes) && nodes[i].depth > nodes[0].depth; i++ {
		if nodes[i].kind == errorKind {
			return errorStart(nodes[i:], text)
		}
	}
	for i := 1; i < len(nodes) && nodes[i].depth > nodes[0].depth; i++ {
		if nodes[i].depth == nodes[0].depth+1 {
			last = i
		}
	}
	if last < 0 {
		return int(nodes[0].start)
	}
	if nodes[last].end < nodes[0].end {
		rest := int(nodes[last].end)
		for rest < len(text) && (text[rest] == ' ' || text[rest] == '\t') {
			rest++
		}
		return rest
	}
	return int(nodes[last].start)
}
