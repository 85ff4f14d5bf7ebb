package source

import "slices"

// expression compiles n. It runs at n's line, and the line is as before after.
func (c *compiler) expression(n *node) {
	if n == nil { // missing in a program that only nearly parses
		return
	}
	n = stripParentheses(n)
	line := c.line
	c.at(n)
	c.visit(n)
	c.line = line
}

func (c *compiler) visit(n *node) {
	if kind, value := c.fold(n); kind != notConstant {
		c.constant(value)
		return
	}
	switch n.kind {
	case "identifier":
		c.name(n)
	case "named_expression":
		c.expression(n.at("value"))
		c.operate(false)
		c.store(n.at("name").text(c.text))
	case "boolean_operator":
		c.booleanOperator(n)
	case "not_operator":
		if inner := stripParentheses(n.at("argument")); invertible(inner) {
			c.expression(inner)
			return
		}
		c.expression(n.at("argument"))
		c.operate(true)
	case "unary_operator":
		c.expression(n.at("argument"))
		c.operate(true)
	case "binary_operator":
		c.binaryOperator(n)
	case "comparison_operator":
		c.comparison(n)
	case "conditional_expression":
		c.conditional(n)
	case "lambda":
		c.defaults(n.at("parameters"))
		c.constant(isTrue)
		c.operate(false)
	case "call":
		c.call(n)
	case "attribute":
		c.expression(n.at("object"))
		c.atAttribute(n)
		c.attributeSite(n)
	case "subscript":
		c.expression(n.at("value"))
		c.subscript(n)
		c.operate(true)
	case "slice":
		c.slice(n)
	case "list", "set":
		c.display(slices.Collect(n.operands()), 0, false)
	case "tuple", "expression_list", "pattern_list":
		c.tuple(n)
	case "dictionary":
		c.dictionary(n)
	case "list_comprehension", "set_comprehension", "dictionary_comprehension", "generator_expression":
		c.comprehension(n)
	case "string", "concatenated_string":
		c.formatted(n)
	case "yield":
		c.yield(n)
	case "await":
		c.expression(n.operand(0))
		c.operate(true)
		c.constant(isFalse)
		c.yieldFrom()
	case "list_splat", "dictionary_splat", "keyword_argument":
		c.expression(lastOperand(n))
	default:
		// Annotations have nodes of their own; they compute like operators.
		for part := range n.operands() {
			c.expression(part)
		}
		c.operate(true)
	}
}

func lastOperand(n *node) *node {
	var last *node
	for o := range n.operands() {
		last = o
	}
	return last
}

// name loads a name. A parameter is always bound, and so are builtins.
func (c *compiler) name(n *node) {
	name := n.text(c.text)
	c.operate(!(builtinNames[name] || c.unit.Kind != ClassCode && slices.Contains(c.unit.Parameters, name) && !c.deleted[name]))
}

// atAttribute moves the line to the attribute's name, if the object begins on
// another one.
func (c *compiler) atAttribute(n *node) { c.line = int32(n.last) }

func (c *compiler) attributeSite(n *node) {
	c.visitSite(site{kind: attributeSite, name: n.at("attribute").text(c.text)})
}

func (c *compiler) binaryOperator(n *node) {
	left, right := n.at("left"), stripParentheses(n.at("right"))
	if n.at("operator").kind == "%" && right.kind == "tuple" && c.formatsAsString(left, right) {
		c.percentFormat(n, right)
		return
	}
	c.expression(left)
	c.expression(right)
	c.operate(true)
}

func (c *compiler) yield(n *node) {
	value := n.operand(0)
	if n.has("from") {
		c.expression(value)
		c.visitSite(site{kind: iterateSite})
		c.constant(isFalse)
		c.yieldFrom()
		return
	}
	if value != nil {
		c.expression(value)
	} else {
		c.constant(isFalse)
	}
	c.emit(instruction{op: yieldValue})
	c.emit(instruction{op: resume, raises: true})
}

// deletion compiles del n.
func (c *compiler) deletion(n *node) {
	n = stripParentheses(n)
	switch n.kind {
	case "tuple", "tuple_pattern", "list", "list_pattern", "expression_list":
		for e := range n.operands() {
			c.deletion(e)
		}
	case "identifier":
		line := c.line
		c.at(n)
		c.emit(instruction{op: operate, raises: true, drops: true})
		c.line = line
	default:
		c.target(n)
	}
}

// target compiles an assignment to n.
func (c *compiler) target(n *node) {
	n = stripParentheses(n)
	line := c.line
	c.at(n)
	switch n.kind {
	case "identifier":
		c.bind(n.text(c.text))
	case "attribute":
		c.expression(n.at("object"))
		c.atAttribute(n)
		c.attributeSite(n)
		c.current.last().drops = true
	case "subscript":
		c.expression(n.at("value"))
		c.subscript(n)
		c.emit(instruction{op: operate, raises: true, drops: true})
	case "tuple", "tuple_pattern", "list", "list_pattern", "pattern_list", "expression_list":
		elements := slices.Collect(n.operands())
		c.code.sites = append(c.code.sites, site{kind: iterateSite})
		c.emit(instruction{op: unpack, argument: int32(len(elements)), raises: true, site: int32(len(c.code.sites))})
		for _, e := range elements {
			if e.kind == "list_splat_pattern" || e.kind == "list_splat" {
				e = e.operand(0)
			}
			c.target(e)
		}
	default:
		c.expression(n)
	}
	c.line = line
}
