package source

import (
	"fmt"
	"iter"
	"runtime"
	"sync"

	sitter "github.com/tree-sitter/go-tree-sitter"
	python "github.com/tree-sitter/tree-sitter-python/bindings/go"
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

	parent, first, next *node
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

// grammar holds the names that tree-sitter's numbers stand for.
var grammar = sync.OnceValue(func() *struct {
	language *sitter.Language
	kinds    []kindName
	fields   []string
} {
	g := &struct {
		language *sitter.Language
		kinds    []kindName
		fields   []string
	}{language: sitter.NewLanguage(python.Language())}
	for id := range g.language.NodeKindCount() {
		g.kinds = append(g.kinds, kindName{
			g.language.NodeKindForId(uint16(id)), g.language.NodeKindIsNamed(uint16(id)),
		})
	}
	for id := range g.language.FieldCount() + 1 {
		g.fields = append(g.fields, g.language.FieldNameForId(uint16(id)))
	}
	return g
})

type kindName struct {
	name  string
	named bool
}

// parsers keeps parsers between files: making one costs more than parsing a
// small program. The pool may drop one at any time; the cleanup that newParser
// sets frees its C memory then.
var parsers = sync.Pool{New: func() any { return newParser() }}

// syntaxError is a place that does not parse.
type syntaxError struct {
	start   int
	message string
}

// parseTree parses text, which has to be valid UTF-8. lineAt maps an offset to
// its line.
func parseTree(text string, lineAt func(int) int) (*node, *syntaxError) {
	parser := parsers.Get().(*parser)
	defer parsers.Put(parser)
	tree := parser.Parse([]byte(text), nil)
	defer tree.Close()
	root := tree.RootNode()
	if root.HasError() {
		return nil, findError(root, text)
	}
	return copyTree(tree, int(root.DescendantCount()), lineAt)
}

// copyTree copies a tree into Go memory.
func copyTree(tree *sitter.Tree, size int, lineAt func(int) int) (*node, *syntaxError) {
	g := grammar()
	cursor := tree.Walk()
	defer cursor.Close()
	// Nodes point at each other, so the arena must never move: when it is full
	// another one follows.
	arena := make([]node, 0, max(size, 1))
	var root, parent, previous *node
	for {
		at := cursor.Node()
		kind := g.kinds[at.KindId()]
		keep := kind.name != "comment" && kind.name != "line_continuation"
		if keep {
			start, end := at.ByteRange()
			if message, ok := python2[kind.name]; ok {
				return nil, &syntaxError{int(start), message}
			}
			if len(arena) == cap(arena) {
				arena = make([]node, 0, max(size/2, 64))
			}
			arena = append(arena, node{
				kind: kind.name, named: kind.named, field: g.fields[cursor.FieldId()],
				start: int(start), end: int(end), line: lineAt(int(start)), parent: parent,
			})
			n := &arena[len(arena)-1]
			if root == nil {
				root = n
			}
			switch {
			case previous != nil:
				previous.next = n
			case parent != nil:
				parent.first = n
			}
			previous = n
			if cursor.GotoFirstChild() {
				parent, previous = n, nil
				continue
			}
			n.last = lineAt(max(n.start, n.end-1))
		}
		for !cursor.GotoNextSibling() {
			if !cursor.GotoParent() {
				return root, nil
			}
			if previous != nil { // the last child that was kept
				parent.end, parent.last = previous.end, previous.last
			} else {
				parent.last = lineAt(max(parent.start, parent.end-1))
			}
			previous, parent = parent, parent.parent
		}
	}
}

// python2 are statements that tree-sitter still accepts.
var python2 = map[string]string{
	"print_statement": "print is a function: print(...)",
	"exec_statement":  "exec is a function: exec(...)",
	"<>":              "the operator is != since Python 3",
}

// findError describes the first place that tree-sitter could not fit into the
// grammar.
func findError(root *sitter.Node, text string) *syntaxError {
	at := root
	for {
		if at.IsMissing() {
			return &syntaxError{int(at.StartByte()), fmt.Sprintf("expected %q", at.Kind())}
		}
		if at.IsError() {
			return &syntaxError{errorStart(at, text), "invalid syntax"}
		}
		var next *sitter.Node
		for i := range at.ChildCount() {
			if c := at.Child(i); c.HasError() {
				next = c
				break
			}
		}
		if next == nil {
			return &syntaxError{int(at.StartByte()), "invalid syntax"}
		}
		at = next
	}
}

// errorStart returns where in an ERROR node the trouble begins. The node holds
// what was read before the parser gave up, so its last child is the nearest to
// the cause.
func errorStart(at *sitter.Node, text string) int {
	if count := at.ChildCount(); count > 0 {
		if last := at.Child(count - 1); last.EndByte() < at.EndByte() {
			rest := int(last.EndByte())
			for rest < len(text) && (text[rest] == ' ' || text[rest] == '\t') {
				rest++
			}
			return rest
		}
		return int(at.Child(count - 1).StartByte())
	}
	return int(at.StartByte())
}

// parser is a tree-sitter parser for Python.
type parser struct{ *sitter.Parser }

func newParser() *parser {
	p := &parser{sitter.NewParser()}
	if err := p.SetLanguage(grammar().language); err != nil {
		// The two modules in go.mod do not fit together; no input causes this.
		panic(fmt.Sprintf("source: the Python grammar does not fit tree-sitter: %v", err))
	}
	runtime.AddCleanup(p, (*sitter.Parser).Close, p.Parser)
	return p
}
