package source

import "strings"

// compiler turns the tree of one code object into instructions, as CPython
// 3.11's compile.c does. Like it, the compiler carries the line that the next
// instruction belongs to; which lines a program seems to visit follows from
// where that line is set and restored, quirks included.
type compiler struct {
	file    *File
	text    string
	unit    *unit
	code    *code
	blocks  []*block
	current *block
	full    bool // current has ended; the next instruction begins a block
	line    int32
	scopes  []frameBlock
	deleted map[string]bool // names that may be unbound although bound before
	future  bool            // from __future__ import annotations
}

// frameBlock is a construct that leaving has to unwind.
type frameBlock struct {
	kind  frameBlockKind
	start *block // of loops: where continue goes
	exit  *block // of loops: where break goes
	body  *node  // of finallyTry: the finally body; of with: the statement
	name  *node  // of handlerCleanup: the name to unbind
}

type frameBlockKind uint8

const (
	whileLoop frameBlockKind = iota
	forLoop
	tryExcept
	finallyTry
	finallyEnd
	withBlock
	asyncWithBlock
	handlerCleanup
	exceptionHandler
	popValue
)

// compile compiles u and fills in what its Function says of lines.
func (u *unit) compile(f *File, future bool) {
	u.code = &code{}
	c := &compiler{file: f, text: f.text, unit: u, code: u.code, future: future}
	c.current = c.newBlock()
	c.line = int32(u.First)
	if u.Kind == ModuleCode {
		c.line = 0
	}
	c.emit(instruction{op: resume})
	switch u.Kind {
	case ModuleCode:
		c.line = 1
		c.body(u.node, true)
	case ClassCode:
		c.operate(false) // __name__
		c.operate(false) // __module__ =
		c.constant(isTrue)
		c.operate(false) // __qualname__ =
		c.body(u.node.at("body"), true)
		c.line = noLine
		c.constant(isFalse)
		c.emit(instruction{op: returnValue})
	case LambdaCode:
		c.expression(u.node.at("body"))
		c.emit(instruction{op: returnValue})
	case FunctionCode:
		c.deleted = deletedNames(u.node.at("body"), c.text)
		c.body(u.node.at("body"), false)
	}
	c.assemble()
}

// deletedNames are the names that a function unbinds: a read may find nothing.
func deletedNames(n *node, text string) map[string]bool {
	var names map[string]bool
	var visit func(*node)
	visit = func(n *node) {
		var target *node
		switch n.kind {
		case "delete_statement":
			target = n.operand(0)
		case "except_clause":
			target = n.at("alias")
		}
		if target != nil {
			if names == nil {
				names = map[string]bool{}
			}
			bindTarget(target, text, names)
		}
		for c := range n.operands() {
			visit(c)
		}
	}
	visit(n)
	return names
}

func (c *compiler) newBlock() *block {
	b := &block{}
	c.blocks = append(c.blocks, b)
	return b
}

// use makes b the block that follows the current one, and the current one.
func (c *compiler) use(b *block) {
	c.current.next = b
	c.current = b
	c.full = false
}

// emit adds an instruction at the current line.
func (c *compiler) emit(in instruction) {
	if c.full {
		c.use(c.newBlock())
	}
	in.line = c.line
	c.current.returns = c.current.returns || in.op == returnValue
	c.current.instructions = append(c.current.instructions, in)
	c.full = in.op.ends()
}

// emitNoLine adds an artificial instruction.
func (c *compiler) emitNoLine(in instruction) {
	line := c.line
	c.line = noLine
	c.emit(in)
	c.line = line
}

// operate adds an instruction that may raise, and then may call special
// methods too, or one that does neither.
func (c *compiler) operate(raises bool) {
	c.emit(instruction{op: operate, raises: raises})
}

// drop adds an instruction that cannot raise, but may be the end of an object:
// a store, a deletion, a pop.
func (c *compiler) drop() { c.emit(instruction{op: operate, drops: true}) }

func (c *compiler) constant(t truth) { c.emit(instruction{op: loadConst, truth: t}) }

// visitSite adds an instruction from which functions may be called.
func (c *compiler) visitSite(s site) {
	c.code.sites = append(c.code.sites, s)
	c.emit(instruction{op: operate, raises: true, site: int32(len(c.code.sites))})
}

func (c *compiler) jumpTo(op opcode, target *block) {
	c.emit(instruction{op: op, target: target, raises: op >= popJumpIfFalse && op != popJumpIfNone})
}

func (c *compiler) jumpNoLine(target *block) { c.emitNoLine(instruction{op: jump, target: target}) }

// at sets the line to that of n.
func (c *compiler) at(n *node) { c.line = int32(n.line) }

func (c *compiler) push(f frameBlock) { c.scopes = append(c.scopes, f) }
func (c *compiler) pop()              { c.scopes = c.scopes[:len(c.scopes)-1] }

// body compiles the statements of a scope. A docstring is dropped, or stored
// where the scope has a __doc__.
func (c *compiler) body(n *node, stores bool) {
	first := n.operand(0)
	if first != nil && c.unit.Kind == ModuleCode {
		c.at(statementStart(first))
	}
	if stores && c.annotates(n) {
		c.operate(true) // SETUP_ANNOTATIONS
	}
	if first != nil && c.isDocstring(first) {
		if stores {
			c.expression(first.operand(0))
			c.line = noLine
			c.operate(false)
		}
		first = nextOperand(first)
	}
	for ; first != nil; first = nextOperand(first) {
		c.statement(first)
	}
}

func nextOperand(n *node) *node {
	for n = n.next; n != nil && !n.named; n = n.next {
	}
	return n
}

// statementStart returns the node that CPython takes a statement's line from.
func statementStart(n *node) *node {
	if n.kind == "decorated_definition" {
		return n.at("definition")
	}
	return n
}

func (c *compiler) isDocstring(n *node) bool {
	if n.kind != "expression_statement" || n.count() != 1 || n.has(",") {
		return false
	}
	value := stripParentheses(n.operand(0))
	return (value.kind == "string" || value.kind == "concatenated_string") && c.isPlainString(value) && !isBytes(value, c.text)
}

// annotates reports whether a class or module body has annotated assignments.
func (c *compiler) annotates(n *node) bool {
	for s := range n.operands() {
		switch s.kind {
		case "expression_statement":
			if a := s.operand(0); a != nil && a.kind == "assignment" && a.at("type") != nil {
				return true
			}
		case "for_statement", "while_statement", "if_statement", "try_statement", "with_statement",
			"block", "else_clause", "elif_clause", "except_clause", "finally_clause":
			if c.annotates(s) {
				return true
			}
		}
	}
	return false
}

// statements compiles a block.
func (c *compiler) statements(n *node) {
	if n == nil {
		return
	}
	for s := range n.operands() {
		c.statement(s)
	}
}

func (c *compiler) statement(n *node) {
	c.at(statementStart(n))
	switch n.kind {
	case "expression_statement":
		c.expressionStatement(n)
	case "return_statement":
		c.returnStatement(n)
	case "if_statement":
		c.ifStatement(n)
	case "for_statement":
		c.forStatement(n)
	case "while_statement":
		c.whileStatement(n)
	case "try_statement":
		c.tryStatement(n)
	case "with_statement":
		c.withStatement(n)
	case "match_statement":
		c.matchStatement(n)
	case "function_definition":
		c.functionDefinition(n, nil)
	case "class_definition":
		c.classDefinition(n, nil)
	case "decorated_definition":
		if definition := n.at("definition"); definition.kind == "class_definition" {
			c.classDefinition(definition, n)
		} else {
			c.functionDefinition(definition, n)
		}
	case "pass_statement":
		c.emit(instruction{op: nop})
	case "break_statement":
		c.breakStatement()
	case "continue_statement":
		c.continueStatement()
	case "raise_statement":
		for v := range n.operands() {
			c.expression(v)
		}
		c.emit(instruction{op: raiseException, raises: true})
	case "assert_statement":
		c.assertStatement(n)
	case "delete_statement":
		c.deletion(n.operand(0))
	case "import_statement", "import_from_statement", "future_import_statement":
		c.importStatement(n)
	case "global_statement", "nonlocal_statement":
	case "type_alias_statement":
		c.operate(true)
	}
}

func (c *compiler) expressionStatement(n *node) {
	value := n.operand(0)
	switch {
	case value.kind == "assignment":
		c.assignment(value)
	case value.kind == "augmented_assignment":
		c.augmentedAssignment(value)
	case n.has(","):
		c.tuple(n)
		c.line = noLine
		c.drop()
	default:
		if c.isConstant(value) {
			c.emit(instruction{op: nop})
			return
		}
		c.expression(value)
		c.line = noLine
		c.drop() // POP_TOP
	}
}

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
		c.drop()
	}
}

func (c *compiler) returnStatement(n *node) {
	value := n.operand(0)
	preserve := false
	if value != nil {
		value = stripParentheses(value)
		if preserve = !c.isConstant(value); preserve {
			c.expression(value)
		} else {
			c.at(value)
			c.emit(instruction{op: nop})
		}
	}
	if value == nil || value.line != n.line {
		c.at(n)
		c.emit(instruction{op: nop})
	}
	c.unwindAll(preserve, nil)
	if !preserve {
		c.constant(truthUnknown)
	}
	c.emit(instruction{op: returnValue})
}

func (c *compiler) ifStatement(n *node) {
	var alternatives []*node
	for a := range n.fields("alternative") {
		alternatives = append(alternatives, a)
	}
	c.ifChain(n, alternatives)
}

func (c *compiler) ifChain(n *node, alternatives []*node) {
	end := c.newBlock()
	next := end
	if len(alternatives) > 0 {
		next = c.newBlock()
	}
	c.jumpIf(n.at("condition"), next, false)
	c.statements(n.at("consequence"))
	if len(alternatives) > 0 {
		c.jumpNoLine(end)
		c.use(next)
		if first := alternatives[0]; first.kind == "elif_clause" {
			c.at(first)
			c.ifChain(first, alternatives[1:])
		} else {
			c.statements(first.at("body"))
		}
	}
	c.use(end)
}

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

func (c *compiler) assertStatement(n *node) {
	end := c.newBlock()
	c.jumpIf(n.operand(0), end, true)
	c.operate(false)
	if message := n.operand(1); message != nil {
		c.expression(message)
		c.operate(true)
	}
	c.emit(instruction{op: raiseException, raises: true})
	c.use(end)
}

func (c *compiler) importStatement(n *node) {
	if n.kind == "import_statement" {
		for name := range n.fields("name") {
			c.constant(isFalse)
			c.constant(isFalse)
			c.operate(true)
			c.operate(name.kind == "aliased_import")
		}
		return
	}
	c.constant(isFalse)
	c.constant(isTrue)
	c.operate(true)
	for range n.fields("name") {
		c.operate(true)
		c.operate(false)
	}
	c.operate(n.has("wildcard_import"))
}

func (c *compiler) functionDefinition(n, decorated *node) {
	decorators := c.decorators(decorated)
	parameters := n.at("parameters")
	c.defaults(parameters)
	c.annotations(parameters, n.at("return_type"))
	c.constant(isTrue)
	c.operate(false) // MAKE_FUNCTION
	c.applyDecorators(decorators)
	c.operate(false)
}

func (c *compiler) classDefinition(n, decorated *node) {
	decorators := c.decorators(decorated)
	c.operate(false) // PUSH_NULL
	c.operate(false) // LOAD_BUILD_CLASS
	c.constant(isTrue)
	c.operate(false)
	c.constant(isTrue)
	arguments := n.at("superclasses")
	c.arguments(arguments, 2)
	c.visitSite(site{kind: classSite, callee: n})
	c.applyDecorators(decorators)
	c.operate(false)
}

// decorators evaluates the decorators and returns them in order.
func (c *compiler) decorators(decorated *node) []*node {
	if decorated == nil {
		return nil
	}
	var list []*node
	for d := range decorated.children() {
		if d.kind == "decorator" {
			list = append(list, d.operand(0))
			c.expression(d.operand(0))
		}
	}
	return list
}

func (c *compiler) applyDecorators(decorators []*node) {
	line := c.line
	for i := len(decorators) - 1; i >= 0; i-- {
		c.at(stripParentheses(decorators[i]))
		c.visitSite(callSite(decorators[i], decorators[i], c.text))
	}
	c.line = line
}

// defaults evaluates the defaults of a parameter list: first the positional
// ones as a tuple, then those of keyword-only parameters as a dictionary.
func (c *compiler) defaults(parameters *node) {
	if parameters == nil {
		return
	}
	count, keywords := 0, 0
	keywordOnly := false
	for p := range parameters.operands() {
		keywordOnly = keywordOnly || beginsKeywordOnly(p)
		if value := p.at("value"); value != nil && !keywordOnly {
			c.expression(value)
			count++
		}
	}
	if count > 0 {
		c.emit(instruction{op: buildTuple, argument: int32(count)})
	}
	keywordOnly = false
	for p := range parameters.operands() {
		keywordOnly = keywordOnly || beginsKeywordOnly(p)
		if value := p.at("value"); value != nil && keywordOnly {
			c.expression(value)
			keywords++
		}
	}
	if keywords > 0 {
		c.constant(isTrue)
		c.operate(false)
	}
}

func beginsKeywordOnly(p *node) bool {
	return p.kind == "keyword_separator" || p.kind == "list_splat_pattern" ||
		p.kind == "typed_parameter" && p.operand(0).kind == "list_splat_pattern"
}

// annotations evaluates the annotations of a function.
func (c *compiler) annotations(parameters, result *node) {
	count := 0
	annotate := func(annotation *node) {
		c.constant(isTrue)
		if c.future {
			c.constant(isTrue)
		} else {
			c.expression(annotation)
		}
		count += 2
	}
	// Positional-only parameters come after the others, stars after those.
	var groups [5][]*node
	seenSlash := parameters.has("positional_separator")
	keywordOnly := false
	for p := range parameters.operands() {
		if p.kind == "positional_separator" {
			seenSlash = false
		}
		starred := beginsKeywordOnly(p)
		if annotation := p.at("type"); annotation != nil {
			group := 0
			switch {
			case seenSlash:
				group = 1
			case starred:
				group = 2
			case p.kind == "typed_parameter" && p.operand(0).kind == "dictionary_splat_pattern":
				group = 4
			case keywordOnly:
				group = 3
			}
			groups[group] = append(groups[group], annotation)
		}
		keywordOnly = keywordOnly || starred
	}
	for _, group := range groups {
		for _, annotation := range group {
			annotate(annotation)
		}
	}
	if result != nil {
		annotate(result)
	}
	if count > 0 {
		c.emit(instruction{op: buildTuple, argument: int32(count)})
	}
}

// hasFutureAnnotations reports whether a module postpones annotations (PEP 563).
func hasFutureAnnotations(f *File) bool {
	for n := range f.root.operands() {
		if n.kind == "future_import_statement" && strings.Contains(n.text(f.text), "annotations") {
			return true
		}
	}
	return false
}
