package source

import "slices"

// booleanValues returns the operands of a chain of the same operator.
func booleanValues(n *node) (values []*node, or bool) {
	operator := n.at("operator").kind
	for n.kind == "boolean_operator" && n.at("operator").kind == operator {
		values = append(values, n.at("right"))
		n = n.at("left")
	}
	values = append(values, n)
	slices.Reverse(values)
	return values, operator == "or"
}

func (c *compiler) booleanOperator(n *node) {
	values, or := booleanValues(n)
	op := jumpIfFalseOrPop
	if or {
		op = jumpIfTrueOrPop
	}
	end := c.newBlock()
	for i, v := range values {
		c.expression(v)
		if i < len(values)-1 {
			c.jumpTo(op, end)
			c.use(c.newBlock())
		}
	}
	c.use(end)
}

// invertible reports whether `not n` is compiled as a comparison.
func invertible(n *node) bool {
	if n.kind != "comparison_operator" || n.count() != 2 {
		return false
	}
	for o := range n.fields("operators") {
		switch o.kind {
		case "in", "not in", "is", "is not":
			return true
		}
	}
	return false
}

// comparison compiles a < b, or a chain of comparisons.
func (c *compiler) comparison(n *node) {
	operands := slices.Collect(n.operands())
	c.expression(operands[0])
	if len(operands) == 2 {
		c.comparator(n, operands, 1)
		c.operate(true)
		return
	}
	cleanup := c.newBlock()
	for i := 1; i < len(operands)-1; i++ {
		c.comparator(n, operands, i)
		c.operate(false)
		c.operate(true)
		c.jumpTo(jumpIfFalseOrPop, cleanup)
	}
	c.comparator(n, operands, len(operands)-1)
	c.operate(true)
	end := c.newBlock()
	c.jumpNoLine(end)
	c.use(cleanup)
	c.operate(false)
	c.operate(false)
	c.use(end)
}

// comparator compiles operand i of a comparison. The last one, after `in`, is
// folded like an iterable.
func (c *compiler) comparator(n *node, operands []*node, i int) {
	if i == len(operands)-1 {
		var last *node
		for o := range n.fields("operators") {
			last = o
		}
		if last.kind == "in" || last.kind == "not in" {
			c.iterable(operands[i])
			return
		}
	}
	c.expression(operands[i])
}

// iterable compiles what `for` and `in` run over: displays of constants are
// folded to a tuple or frozenset.
func (c *compiler) iterable(n *node) {
	n = stripParentheses(n)
	if n.kind == "list" || n.kind == "set" {
		if kind, value := c.foldTuple(n); kind != notConstant {
			line := c.line
			c.at(n)
			c.constant(value)
			c.line = line
			return
		}
		if n.kind == "list" && !hasStar(n) {
			line := c.line
			c.at(n)
			c.display(slices.Collect(n.operands()), 0, true)
			c.line = line
			return
		}
	}
	c.expression(n)
}

func hasStar(n *node) bool {
	for e := range n.operands() {
		if e.kind == "list_splat" {
			return true
		}
	}
	return false
}

func (c *compiler) conditional(n *node) {
	end, next := c.newBlock(), c.newBlock()
	c.jumpIf(n.operand(1), next, false)
	c.expression(n.operand(0))
	c.jumpNoLine(end)
	c.use(next)
	c.expression(n.operand(2))
	c.use(end)
}

// jumpIf jumps to next if n is true, or if it is false.
func (c *compiler) jumpIf(n *node, next *block, condition bool) {
	n = stripParentheses(n)
	if kind, _ := c.fold(n); kind == notConstant {
		switch n.kind {
		case "not_operator":
			c.jumpIf(n.at("argument"), next, !condition)
			return
		case "boolean_operator":
			c.jumpIfBoolean(n, next, condition)
			return
		case "conditional_expression":
			end, other := c.newBlock(), c.newBlock()
			c.jumpIf(n.operand(1), other, false)
			c.jumpIf(n.operand(0), next, condition)
			c.jumpNoLine(end)
			c.use(other)
			c.jumpIf(n.operand(2), next, condition)
			c.use(end)
			return
		case "comparison_operator":
			c.at(n)
			if n.count() > 2 {
				c.jumpIfChain(n, next, condition)
				return
			}
		}
	}
	c.expression(n)
	c.jumpTo(conditionalJump(condition), next)
}

func conditionalJump(condition bool) opcode {
	if condition {
		return popJumpIfTrue
	}
	return popJumpIfFalse
}

func (c *compiler) jumpIfBoolean(n *node, next *block, condition bool) {
	values, or := booleanValues(n)
	inner := next
	if or != condition {
		inner = c.newBlock()
	}
	last := len(values) - 1
	for _, v := range values[:last] {
		c.jumpIf(v, inner, or)
	}
	c.jumpIf(values[last], next, condition)
	if inner != next {
		c.use(inner)
	}
}

func (c *compiler) jumpIfChain(n *node, next *block, condition bool) {
	operands := slices.Collect(n.operands())
	cleanup := c.newBlock()
	c.expression(operands[0])
	for i := 1; i < len(operands)-1; i++ {
		c.comparator(n, operands, i)
		c.operate(false)
		c.operate(true)
		c.jumpTo(popJumpIfFalse, cleanup)
	}
	c.comparator(n, operands, len(operands)-1)
	c.operate(true)
	c.jumpTo(conditionalJump(condition), next)
	end := c.newBlock()
	c.jumpNoLine(end)
	c.use(cleanup)
	c.operate(false)
	if !condition {
		c.jumpNoLine(next)
	}
	c.use(end)
}
