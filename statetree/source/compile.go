package source

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
			_, target = handlerParts(n)
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

// bind adds an instruction that binds a name, which may be the end of the object
// that it had before.
func (c *compiler) bind(name string) {
	c.emit(instruction{op: operate, drops: true, binds: c.code.name(name)})
}

// store is bind where the end of what the name had is not looked at.
func (c *compiler) store(name string) {
	c.emit(instruction{op: operate, binds: c.code.name(name)})
}

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
