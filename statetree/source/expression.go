package source

import (
	"errors"
	"iter"
	"strings"
)

// Node is a node of an expression's syntax tree, named as tree-sitter's grammar
// of Python names it. It may be used by several goroutines.
type Node struct {
	node *node
	text string
}

// ParseExpression parses one expression, as eval would take it. The node is the
// expression itself, or an expression_statement for a tuple without parentheses.
func ParseExpression(text string) (Node, error) {
	text = strings.TrimSpace(strings.ToValidUTF8(text, "\uFFFD"))
	if text == "" {
		return Node{}, errors.New("there is no expression")
	}
	root, bad := parseTree(text, func(int) int { return 1 })
	if bad != nil {
		return Node{}, &SyntaxError{Path: "<expression>", Line: 1, Column: bad.start + 1, Message: bad.message, Source: text}
	}
	statement := root.operand(0)
	if statement == nil || root.count() != 1 || statement.kind != "expression_statement" {
		return Node{}, errors.New("an expression is expected, such as n + 1 or items[0]")
	}
	if statement.count() == 1 && !statement.has(",") {
		statement = statement.operand(0)
	}
	return Node{statement, text}, nil
}

// Kind returns the grammar's name of the node: "call", "identifier", "+".
func (n Node) Kind() string { return n.node.kind }

// Field returns the name under which the parent knows the node, or "".
func (n Node) Field() string { return n.node.field }

// Named reports whether the node is more than punctuation or a keyword.
func (n Node) Named() bool { return n.node.named }

// Text returns the source text of the node.
func (n Node) Text() string { return n.node.text(n.text) }

// Start returns the offset of the node's first byte in the expression.
func (n Node) Start() int { return n.node.start }

// End returns the offset behind the node's last byte.
func (n Node) End() int { return n.node.end }

// Between returns the text of the expression from one offset to another.
func (n Node) Between(start, end int) string { return n.text[start:end] }

// Children yields the direct children in order, punctuation included.
func (n Node) Children() iter.Seq[Node] { return n.each(n.node.children()) }

// Operands yields the named children in order.
func (n Node) Operands() iter.Seq[Node] { return n.each(n.node.operands()) }

func (n Node) each(nodes iter.Seq[*node]) iter.Seq[Node] {
	return func(yield func(Node) bool) {
		for c := range nodes {
			if !yield(Node{c, n.text}) {
				return
			}
		}
	}
}

// At returns the first child with the given field name.
func (n Node) At(field string) (Node, bool) {
	c := n.node.at(field)
	return Node{c, n.text}, c != nil
}
