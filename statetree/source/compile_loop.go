package source

func (c *compiler) forStatement(n *node) {
	if n.has("async") {
		c.asyncFor(n)
		return
	}
	start, body, cleanup, end := c.newBlock(), c.newBlock(), c.newBlock(), c.newBlock()
	c.push(frameBlock{kind: forLoop, start: start, exit: end})
	c.iterable(n.at("right"))
	c.visitSite(site{kind: iterateSite}) // GET_ITER
	c.use(start)
	c.iterate(cleanup)
	c.use(body)
	c.target(n.at("left"))
	c.statements(n.at("body"))
	c.line = noLine
	c.jumpTo(jump, start)
	c.use(cleanup)
	c.pop()
	if alternative := n.at("alternative"); alternative != nil {
		c.statements(alternative.at("body"))
	}
	c.use(end)
}

// iterate emits FOR_ITER.
func (c *compiler) iterate(cleanup *block) {
	c.code.sites = append(c.code.sites, site{kind: iterateSite})
	c.emit(instruction{op: forIter, target: cleanup, raises: true, site: int32(len(c.code.sites))})
}

func (c *compiler) asyncFor(n *node) {
	start, except, end := c.newBlock(), c.newBlock(), c.newBlock()
	iterable := stripParentheses(n.at("right"))
	c.expression(iterable)
	c.visitSite(site{kind: iterateSite}) // GET_AITER
	c.use(start)
	c.push(frameBlock{kind: forLoop, start: start, exit: end})
	c.emit(instruction{op: setupHandler, target: except})
	c.visitSite(site{kind: iterateSite}) // GET_ANEXT
	c.constant(isFalse)
	c.yieldFrom()
	c.emit(instruction{op: popBlock})
	c.target(n.at("left"))
	c.statements(n.at("body"))
	c.line = noLine
	c.jumpTo(jump, start)
	c.pop()
	c.use(except)
	c.at(iterable)
	c.operate(true) // END_ASYNC_FOR
	if alternative := n.at("alternative"); alternative != nil {
		c.statements(alternative.at("body"))
	}
	c.use(end)
}

func (c *compiler) whileStatement(n *node) {
	loop, body, anchor, end := c.newBlock(), c.newBlock(), c.newBlock(), c.newBlock()
	c.use(loop)
	c.push(frameBlock{kind: whileLoop, start: loop, exit: end})
	condition := n.at("condition")
	c.jumpIf(condition, anchor, false)
	c.use(body)
	c.statements(n.at("body"))
	c.at(n)
	c.jumpIf(condition, body, true)
	c.pop()
	c.use(anchor)
	if alternative := n.at("alternative"); alternative != nil {
		c.statements(alternative.at("body"))
	}
	c.use(end)
}

func (c *compiler) breakStatement() {
	c.emit(instruction{op: nop})
	var loop *frameBlock
	c.unwindAll(false, &loop)
	if loop == nil {
		return // outside a loop: not a program that runs
	}
	c.unwind(*loop, false)
	c.jumpTo(jump, loop.exit)
}

func (c *compiler) continueStatement() {
	c.emit(instruction{op: nop})
	var loop *frameBlock
	if c.unwindAll(false, &loop); loop != nil {
		c.jumpTo(jump, loop.start)
	}
}
