package source

import "slices"

// unwindAll emits what leaving the open constructs does, innermost first. With
// loop it stops at the innermost loop and returns it there. preserve keeps the
// value that is being returned.
func (c *compiler) unwindAll(preserve bool, loop **frameBlock) {
	saved := c.scopes
	for len(c.scopes) > 0 {
		top := c.scopes[len(c.scopes)-1]
		if loop != nil && (top.kind == whileLoop || top.kind == forLoop) {
			*loop = &top
			break
		}
		// While the construct is left, it is no longer open: a return in a
		// finally block unwinds only what is outside.
		c.scopes = saved[: len(c.scopes)-1 : len(c.scopes)-1]
		c.unwind(top, preserve)
	}
	c.scopes = saved
}

func (c *compiler) unwind(f frameBlock, preserve bool) {
	switch f.kind {
	case whileLoop, exceptionHandler:
	case forLoop, popValue:
		c.drop()
	case tryExcept:
		c.emit(instruction{op: popBlock})
	case finallyTry:
		c.emit(instruction{op: popBlock})
		if preserve {
			c.push(frameBlock{kind: popValue})
		}
		c.statements(f.body)
		if preserve {
			c.pop()
		}
		c.line = noLine
	case finallyEnd:
		c.operate(false)
		c.emit(instruction{op: popBlock})
		c.operate(false)
	case withBlock, asyncWithBlock:
		c.at(f.body)
		c.emit(instruction{op: popBlock})
		c.exitWithNones()
		if f.kind == asyncWithBlock {
			c.operate(true)
			c.constant(isFalse)
			c.yieldFrom()
		}
		c.operate(false)
		c.line = noLine
	case handlerCleanup:
		if f.name != nil {
			c.emit(instruction{op: popBlock})
		}
		c.emit(instruction{op: popBlock})
		c.operate(false)
		if f.name != nil {
			c.unbind()
		}
	}
}

// exitWithNones calls __exit__(None, None, None).
func (c *compiler) exitWithNones() {
	c.constant(isFalse)
	c.constant(isFalse)
	c.constant(isFalse)
	c.visitSite(site{kind: methodSite, name: "__exit__"})
}

// yieldFrom emits the loop of `yield from` and `await`.
func (c *compiler) yieldFrom() {
	start, again, exit := c.newBlock(), c.newBlock(), c.newBlock()
	c.use(start)
	c.code.sites = append(c.code.sites, site{kind: iterateSite})
	c.emit(instruction{op: send, target: exit, raises: true, site: int32(len(c.code.sites))})
	c.use(again)
	c.emit(instruction{op: yieldValue})
	c.emit(instruction{op: resume, raises: true})
	c.jumpTo(jumpNoInterrupt, start)
	c.use(exit)
}

func (c *compiler) popExceptAndReraise() {
	c.operate(false)
	c.operate(false)
	c.emit(instruction{op: reraise})
}

// tryClauses are the parts of a try statement.
type tryClauses struct {
	body, orelse, finally *node
	handlers              []*node
	star                  bool
}

func (c *compiler) tryStatement(n *node) {
	t := tryClauses{body: n.at("body")}
	for clause := range n.operands() {
		switch clause.kind {
		case "except_clause":
			t.handlers = append(t.handlers, clause)
			t.star = t.star || clause.has("*") || clause.has("except*")
		case "else_clause":
			t.orelse = clause.at("body")
		case "finally_clause":
			t.finally = clause.child("block")
		}
	}
	if t.finally != nil {
		c.tryFinally(t)
	} else {
		c.tryExcept(t)
	}
}

func (c *compiler) tryFinally(t tryClauses) {
	body, end, exit, cleanup := c.newBlock(), c.newBlock(), c.newBlock(), c.newBlock()
	c.emit(instruction{op: setupHandler, target: end})
	c.use(body)
	c.push(frameBlock{kind: finallyTry, start: body, exit: end, body: t.finally})
	if len(t.handlers) > 0 {
		c.tryExcept(t)
	} else {
		c.statements(t.body)
	}
	c.emitNoLine(instruction{op: popBlock})
	c.pop()
	c.statements(t.finally)
	c.jumpNoLine(exit)
	c.use(end)
	c.line = noLine
	c.emit(instruction{op: setupHandler, target: cleanup})
	c.operate(false) // PUSH_EXC_INFO
	c.push(frameBlock{kind: finallyEnd, start: end})
	c.statements(t.finally)
	c.pop()
	c.emit(instruction{op: reraise})
	c.use(cleanup)
	c.popExceptAndReraise()
	c.use(exit)
}

func (c *compiler) tryExcept(t tryClauses) {
	if t.star {
		c.tryStarExcept(t)
		return
	}
	body, except, end, cleanup := c.newBlock(), c.newBlock(), c.newBlock(), c.newBlock()
	c.emit(instruction{op: setupHandler, target: except})
	c.use(body)
	c.push(frameBlock{kind: tryExcept, start: body})
	c.statements(t.body)
	c.pop()
	c.emitNoLine(instruction{op: popBlock})
	c.statements(t.orelse)
	c.jumpNoLine(end)
	c.use(except)
	c.line = noLine
	c.emit(instruction{op: setupHandler, target: cleanup})
	c.operate(false) // PUSH_EXC_INFO
	c.push(frameBlock{kind: exceptionHandler})
	for _, handler := range t.handlers {
		c.at(handler)
		next := c.newBlock()
		kind, name := handlerParts(handler)
		if kind != nil {
			c.expression(kind)
			c.operate(true) // CHECK_EXC_MATCH
			c.jumpTo(popJumpIfFalse, next)
		}
		if name != nil {
			cleanupEnd, cleanupBody := c.newBlock(), c.newBlock()
			c.operate(false) // name =
			c.emit(instruction{op: setupHandler, target: cleanupEnd})
			c.use(cleanupBody)
			c.push(frameBlock{kind: handlerCleanup, start: cleanupBody, name: name})
			c.statements(handler.child("block"))
			c.pop()
			c.line = noLine
			c.emit(instruction{op: popBlock})
			c.emit(instruction{op: popBlock})
			c.operate(false)
			c.unbind()
			c.jumpTo(jump, end)
			c.use(cleanupEnd)
			c.line = noLine
			c.unbind()
			c.emit(instruction{op: reraise})
		} else {
			cleanupBody := c.newBlock()
			c.operate(false)
			c.use(cleanupBody)
			c.push(frameBlock{kind: handlerCleanup, start: cleanupBody})
			c.statements(handler.child("block"))
			c.pop()
			c.line = noLine
			c.emit(instruction{op: popBlock})
			c.operate(false)
			c.jumpTo(jump, end)
		}
		c.use(next)
	}
	c.line = noLine
	c.pop()
	c.emit(instruction{op: reraise})
	c.use(cleanup)
	c.popExceptAndReraise()
	c.use(end)
}

// unbind emits `name = None; del name`.
func (c *compiler) unbind() {
	c.constant(isFalse)
	c.drop()
	c.operate(false)
}

// handlerParts returns the exception expression and the name of an except
// clause, nil where there is none.
func handlerParts(n *node) (kind, name *node) {
	kind = n.at("value")
	name = n.at("alias")
	if kind != nil && kind.kind == "as_pattern" {
		return kind.operand(0), kind.at("alias")
	}
	return kind, name
}

func (c *compiler) tryStarExcept(t tryClauses) {
	body, except, orelse, end, cleanup, reraiseStar := c.newBlock(), c.newBlock(), c.newBlock(), c.newBlock(), c.newBlock(), c.newBlock()
	c.emit(instruction{op: setupHandler, target: except})
	c.use(body)
	c.push(frameBlock{kind: tryExcept, start: body})
	c.statements(t.body)
	c.pop()
	c.emitNoLine(instruction{op: popBlock})
	c.jumpNoLine(orelse)
	c.use(except)
	c.line = noLine
	c.emit(instruction{op: setupHandler, target: cleanup})
	c.operate(false)
	c.push(frameBlock{kind: exceptionHandler})
	for i, handler := range t.handlers {
		c.at(handler)
		next, match := c.newBlock(), c.newBlock()
		if i == 0 {
			c.operate(false)
			c.operate(false)
		}
		kind, name := handlerParts(handler)
		if kind != nil {
			c.expression(kind)
			c.operate(true) // CHECK_EG_MATCH
			c.operate(false)
			c.jumpTo(popJumpIfNone, match)
			c.operate(false)
			c.jumpTo(jump, next)
		}
		c.use(match)
		cleanupEnd, cleanupBody := c.newBlock(), c.newBlock()
		c.operate(false)
		c.emit(instruction{op: setupHandler, target: cleanupEnd})
		c.use(cleanupBody)
		c.push(frameBlock{kind: handlerCleanup, start: cleanupBody, name: name})
		c.statements(handler.child("block"))
		c.pop()
		c.line = noLine
		c.emit(instruction{op: popBlock})
		if name != nil {
			c.unbind()
		}
		c.jumpTo(jump, next)
		c.use(cleanupEnd)
		c.line = noLine
		if name != nil {
			c.unbind()
		}
		c.operate(false)
		c.operate(false)
		c.jumpTo(jump, next)
		c.use(next)
		if i == len(t.handlers)-1 {
			c.operate(false)
			c.jumpTo(jump, reraiseStar)
		}
	}
	c.line = noLine
	c.pop()
	again := c.newBlock()
	c.use(reraiseStar)
	c.operate(false)
	c.operate(false)
	c.jumpTo(popJumpIfNone, again)
	c.operate(false)
	c.emit(instruction{op: popBlock})
	c.operate(false)
	c.jumpTo(jump, end)
	c.use(again)
	c.emit(instruction{op: popBlock})
	c.operate(false)
	c.emit(instruction{op: reraise})
	c.use(cleanup)
	c.popExceptAndReraise()
	c.use(orelse)
	c.statements(t.orelse)
	c.use(end)
}

func (c *compiler) withStatement(n *node) {
	var items []*node
	for item := range n.child("with_clause").operands() {
		items = append(items, item.at("value"))
	}
	// `with (a, b):` has two items, though the grammar may read a tuple.
	if len(items) == 1 && items[0].kind == "tuple" {
		items = slices.Collect(items[0].operands())
	}
	c.withItems(n, items, n.has("async"))
}

func (c *compiler) withItems(n *node, items []*node, async bool) {
	body, final, exit, cleanup := c.newBlock(), c.newBlock(), c.newBlock(), c.newBlock()
	value, target := items[0], (*node)(nil)
	for value.kind == "parenthesized_expression" && value.operand(0).kind == "as_pattern" {
		value = value.operand(0)
	}
	if value.kind == "as_pattern" {
		value, target = value.operand(0), value.at("alias")
	}
	c.expression(value)
	c.visitSite(site{kind: methodSite, name: "__enter__"})
	if async {
		c.operate(true)
		c.constant(isFalse)
		c.yieldFrom()
	}
	c.emit(instruction{op: setupHandler, target: final})
	c.use(body)
	kind := withBlock
	if async {
		kind = asyncWithBlock
	}
	c.push(frameBlock{kind: kind, start: body, exit: final, body: n})
	if target != nil {
		c.target(target)
	} else {
		c.operate(false)
	}
	if len(items) > 1 {
		c.withItems(n, items[1:], async)
	} else {
		c.statements(n.at("body"))
	}
	if async {
		c.pop()
		c.emit(instruction{op: popBlock})
	} else {
		c.line = noLine
		c.emit(instruction{op: popBlock})
		c.pop()
	}
	c.at(n)
	c.exitWithNones()
	if async {
		c.operate(true)
		c.constant(isFalse)
		c.yieldFrom()
	}
	c.operate(false)
	c.jumpTo(jump, exit)

	c.use(final)
	c.emit(instruction{op: setupHandler, target: cleanup})
	c.operate(false)
	c.visitSite(site{kind: methodSite, name: "__exit__"}) // WITH_EXCEPT_START
	if async {
		c.operate(true)
		c.constant(isFalse)
		c.yieldFrom()
	}
	c.line = noLine
	after := c.newBlock()
	c.jumpTo(popJumpIfTrue, after)
	c.emit(instruction{op: reraise})
	c.use(cleanup)
	c.popExceptAndReraise()
	c.use(after)
	c.operate(false)
	c.emit(instruction{op: popBlock})
	c.operate(false)
	c.operate(false)
	c.operate(false)
	c.use(exit)
}
