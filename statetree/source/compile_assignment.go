package source

// assignment compiles a = b = value, and annotated assignments.
func (c *compiler) assignment(n *node) {
	if n.at("type") != nil {
		c.annotatedAssignment(n)
		return
	}
	targets := []*node{n.at("left")}
	value := n.at("right")
	for value != nil && value.kind == "assignment" {
		targets = append(targets, value.at("left"))
		value = value.at("right")
	}
	c.expression(value)
	for i, t := range targets {
		if i < len(targets)-1 {
			c.operate(false) // COPY
		}
		c.target(t)
	}
}

func (c *compiler) annotatedAssignment(n *node) {
	left, value, annotation := n.at("left"), n.at("right"), n.at("type")
	if value != nil {
		c.expression(value)
		c.target(left)
	}
	inFunction := c.unit.Kind == FunctionCode || c.unit.Kind == LambdaCode
	switch left.kind {
	case "identifier":
		if !inFunction {
			if c.future {
				c.constant(isTrue)
			} else {
				c.expression(annotation)
			}
			c.operate(true)
			c.constant(isTrue)
			c.operate(true)
		}
		return
	case "attribute", "subscript":
		if value == nil {
			for part := range left.operands() {
				if part.field != "attribute" {
					c.expression(part)
					c.operate(false)
				}
			}
		}
	}
	if !inFunction && !c.future {
		c.expression(annotation)
		c.operate(false)
	}
}

func (c *compiler) augmentedAssignment(n *node) {
	target := stripParentheses(n.at("left"))
	line := c.line
	c.at(target)
	switch target.kind {
	case "attribute":
		c.expression(target.at("object"))
		c.operate(false)
		c.atAttribute(target)
		c.attributeSite(target)
	case "subscript":
		c.expression(target.at("value"))
		c.subscript(target)
		c.operate(false)
		c.operate(true)
	default:
		c.name(target)
	}
	c.line = line
	c.expression(n.at("right"))
	c.operate(true)
	c.at(target)
	switch target.kind {
	case "attribute":
		c.atAttribute(target)
		c.operate(false)
		c.attributeSite(target)
	case "subscript":
		c.operate(false)
		c.operate(true)
	default:
		c.bind(target.text(c.text))
	}
}
