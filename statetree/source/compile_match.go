package source

import "slices"

// patternContext is the state of compiling one case's pattern.
type patternContext struct {
	stores int    // captured values that wait on the stack
	onTop  int    // other values on the stack
	clean  *block // where a failure goes that has nothing to pop
	popped *block // where one goes that has, nil until needed
}

// failTo jumps to where a failed match continues.
func (c *compiler) failTo(p *patternContext, op opcode) {
	if p.stores+p.onTop == 0 {
		c.jumpTo(op, p.clean)
		return
	}
	if p.popped == nil {
		p.popped = c.newBlock()
	}
	c.jumpTo(op, p.popped)
}

// emitFailures emits what failed matches pop.
func (c *compiler) emitFailures(p *patternContext) {
	if p.popped != nil {
		c.use(p.popped)
		c.operate(false)
	}
	c.use(p.clean)
}

func (c *compiler) matchStatement(n *node) {
	subjects := slices.Collect(n.fields("subject"))
	if len(subjects) > 1 || n.has(",") {
		line := c.line
		c.at(subjects[0])
		c.display(subjects, 0, true)
		c.line = line
	} else {
		c.expression(subjects[0])
	}
	end := c.newBlock()
	var cases []*node
	for clause := range n.at("body").operands() {
		if clause.kind == "case_clause" {
			cases = append(cases, clause)
		}
	}
	if len(cases) == 0 {
		c.use(end)
		return
	}
	last := cases[len(cases)-1]
	hasDefault := len(cases) > 1 && c.isWildcard(casePattern(last))
	refutable := cases
	if hasDefault {
		refutable = cases[:len(cases)-1]
	}
	for i, clause := range refutable {
		pattern := casePattern(clause)
		c.line = int32(pattern.line)
		if i < len(refutable)-1 {
			c.operate(false) // COPY
		}
		p := &patternContext{clean: c.newBlock()}
		c.pattern(pattern, p)
		for range p.stores {
			c.operate(false)
		}
		if guard := clause.at("guard"); guard != nil {
			c.jumpIf(guard.operand(0), p.clean, false)
		}
		if i < len(refutable)-1 {
			c.operate(false)
		}
		c.statements(clause.at("consequence"))
		c.jumpNoLine(end)
		c.line = int32(pattern.line)
		c.emitFailures(p)
	}
	if hasDefault {
		c.line = int32(casePattern(last).line)
		c.emit(instruction{op: nop})
		if guard := last.at("guard"); guard != nil {
			c.jumpIf(guard.operand(0), end, false)
		}
		c.statements(last.at("consequence"))
	}
	c.use(end)
}

// pattern is a pattern of a case: what tree-sitter has as one node, or the
// open sequence of `case a, b:`.
type pattern struct {
	node  *node
	items []*node // of an open sequence
	line  int
}

func casePattern(clause *node) pattern {
	var items []*node
	comma := false
	for child := range clause.children() {
		if child.kind == ":" || child.kind == "if_clause" {
			break
		}
		comma = comma || child.kind == ","
		if child.kind == "case_pattern" {
			items = append(items, child)
		}
	}
	if comma {
		return pattern{items: items, line: items[0].line}
	}
	return newPattern(items[0])
}

// newPattern unwraps a pattern node.
func newPattern(n *node) pattern {
	for {
		switch {
		case n.kind == "case_pattern" && n.count() == 1 && !n.has("-"):
			n = n.operand(0)
		case n.kind == "tuple_pattern" && n.count() == 1 && !n.has(","):
			n = n.operand(0)
		default:
			return pattern{node: n, line: n.line}
		}
	}
}

func (c *compiler) isWildcard(p pattern) bool {
	return p.node != nil && p.node.text(c.text) == "_"
}

func (c *compiler) pattern(p pattern, ctx *patternContext) {
	c.line = int32(p.line)
	if p.node == nil {
		c.sequencePattern(p.items, ctx)
		return
	}
	n := p.node
	switch n.kind {
	case "dotted_name", "identifier":
		if n.count() <= 1 { // a capture, or the wildcard
			c.capture(n.text(c.text) != "_", ctx)
			return
		}
		c.valuePattern(n, ctx)
	case "list_pattern", "tuple_pattern":
		c.sequencePattern(slices.Collect(n.operands()), ctx)
	case "as_pattern":
		ctx.onTop++
		c.operate(false)
		c.pattern(newPattern(n.operand(0)), ctx)
		ctx.onTop--
		c.capture(true, ctx)
	case "union_pattern":
		c.orPattern(n, ctx)
	case "class_pattern":
		c.classPattern(n, ctx)
	case "dict_pattern":
		c.mappingPattern(n, ctx)
	case "splat_pattern":
		c.capture(!n.has("_"), ctx)
	case "case_pattern":
		if n.count() == 0 { // the wildcard
			c.capture(false, ctx)
			return
		}
		c.valuePattern(n, ctx)
	default:
		c.valuePattern(n, ctx)
	}
}

// capture keeps the value for a name, or drops it.
func (c *compiler) capture(named bool, ctx *patternContext) {
	c.operate(false)
	if named {
		ctx.stores++
	}
}

func (c *compiler) valuePattern(n *node, ctx *patternContext) {
	c.operate(n.kind == "dotted_name")
	c.operate(true)
	c.failTo(ctx, popJumpIfFalse)
}

func (c *compiler) subPattern(n *node, ctx *patternContext) { c.pattern(newPattern(n), ctx) }

func (c *compiler) sequencePattern(items []*node, ctx *patternContext) {
	star, starWildcard, onlyWildcards := -1, false, true
	for i, item := range items {
		p := newPattern(item)
		if p.node.kind == "splat_pattern" {
			star, starWildcard = i, p.node.has("_") || p.node.text(c.text) == "*_"
			onlyWildcards = onlyWildcards && starWildcard
			continue
		}
		onlyWildcards = onlyWildcards && c.isWildcard(p)
	}
	ctx.onTop++
	c.operate(false) // MATCH_SEQUENCE
	c.failTo(ctx, popJumpIfFalse)
	if star < 0 || len(items) > 1 {
		c.operate(true)
		c.constant(truthUnknown)
		c.operate(true)
		c.failTo(ctx, popJumpIfFalse)
	}
	ctx.onTop--
	switch {
	case onlyWildcards:
		c.operate(false)
	case starWildcard:
		ctx.onTop++
		for i, item := range items {
			if i != star && !c.isWildcard(newPattern(item)) {
				c.operate(true)
				c.subPattern(item, ctx)
			}
		}
		ctx.onTop--
		c.operate(false)
	default:
		c.operate(true) // UNPACK
		ctx.onTop += len(items)
		for _, item := range items {
			ctx.onTop--
			c.subPattern(item, ctx)
		}
	}
}

func (c *compiler) classPattern(n *node, ctx *patternContext) {
	line := c.line
	c.at(n.first)
	c.operate(true)
	c.line = line
	var items []*node
	for item := range n.operands() {
		if item.kind == "case_pattern" {
			items = append(items, item)
		}
	}
	c.constant(isTrue)
	c.operate(true) // MATCH_CLASS
	c.operate(false)
	ctx.onTop++
	c.failTo(ctx, popJumpIfNone)
	c.operate(false)
	ctx.onTop += len(items) - 1
	for _, item := range items {
		ctx.onTop--
		p := newPattern(item)
		if p.node.kind == "keyword_pattern" {
			p = newPattern(lastChild(p.node))
		}
		if c.isWildcard(p) {
			c.operate(false)
			continue
		}
		c.pattern(p, ctx)
	}
}

// lastChild returns the last child of a keyword pattern, which is not named
// when it is the wildcard.
func lastChild(n *node) *node {
	last := n.first
	for last.next != nil {
		last = last.next
	}
	return last
}

func (c *compiler) mappingPattern(n *node, ctx *patternContext) {
	keys := slices.Collect(n.fields("key"))
	values := slices.Collect(n.fields("value"))
	rest := n.child("splat_pattern")
	ctx.onTop++
	c.operate(false) // MATCH_MAPPING
	c.failTo(ctx, popJumpIfFalse)
	if len(keys) == 0 && rest == nil {
		ctx.onTop--
		c.operate(false)
		return
	}
	if len(keys) > 0 {
		c.operate(true)
		c.constant(truthUnknown)
		c.operate(true)
		c.failTo(ctx, popJumpIfFalse)
	}
	for _, k := range keys {
		line := c.line
		c.at(k)
		c.operate(k.kind == "dotted_name")
		c.line = line
	}
	c.operate(false)
	c.operate(true) // MATCH_KEYS
	ctx.onTop += 2
	c.failTo(ctx, popJumpIfNone)
	c.operate(false)
	ctx.onTop += len(keys) - 1
	for _, v := range values {
		ctx.onTop--
		c.subPattern(v, ctx)
	}
	ctx.onTop -= 2
	if rest != nil {
		c.operate(true)
		c.capture(true, ctx)
	} else {
		c.operate(false)
	}
}

func (c *compiler) orPattern(n *node, ctx *patternContext) {
	end := c.newBlock()
	stores := 0
	for alternative := range n.operands() {
		p := newPattern(alternative)
		c.line = int32(p.line)
		inner := &patternContext{clean: c.newBlock()}
		c.operate(false)
		c.pattern(p, inner)
		stores = inner.stores
		c.jumpTo(jump, end)
		c.emitFailures(inner)
	}
	c.operate(false)
	c.failTo(ctx, jump)
	c.use(end)
	ctx.stores += stores
	c.operate(false)
}
