package source

// The passes below follow those of CPython 3.11's assembler (compile.c), in its
// order, since they decide which lines keep an instruction: jumps to jumps are
// threaded, no-ops removed, unreachable code dropped, exits duplicated.

// maxCopied is the number of instructions up to which an exit block is copied
// instead of jumped to.
const maxCopied = 4

// assemble turns the compiler's blocks into a flat list of instructions.
func (c *compiler) assemble() {
	if !c.current.returns {
		c.line = noLine
		c.emit(instruction{op: loadConst})
		c.emit(instruction{op: returnValue})
	}
	entry := c.blocks[0]
	for _, b := range backward(c.blocks) {
		b.normalize()
	}
	for _, b := range backward(c.blocks) {
		b.extend()
	}
	c.optimize(entry)
	c.duplicateExits()
	propagateLines(entry)
	guaranteeExitLines(entry, int32(c.unit.First))
	labelHandlers(entry)
	for b := entry; b != nil; b = b.next {
		for i := range b.instructions {
			if op := b.instructions[i].op; op == setupHandler || op == popBlock {
				b.instructions[i].op = nop
			}
		}
	}
	for b := entry; b != nil; b = b.next {
		b.clean()
	}
	c.flatten(entry)
}

// backward returns the blocks in the order of CPython's list: last made first.
func backward(blocks []*block) func(func(int, *block) bool) {
	return func(yield func(int, *block) bool) {
		for i := len(blocks) - 1; i >= 0; i-- {
			if !yield(i, blocks[i]) {
				return
			}
		}
	}
}

func (b *block) last() *instruction { return &b.instructions[len(b.instructions)-1] }

// normalize marks blocks that end the frame or never fall through, and lets
// jumps skip empty blocks.
func (b *block) normalize() {
	for i := range b.instructions {
		in := &b.instructions[i]
		switch {
		case in.op == returnValue || in.op == raiseException || in.op == reraise:
			b.exits, b.noFallthrough = true, true
		case in.op.jumps():
			if in.op == jump || in.op == jumpNoInterrupt {
				b.noFallthrough = true
			}
			in.target = in.target.skipEmpty()
		}
	}
}

func (b *block) skipEmpty() *block {
	for len(b.instructions) == 0 && b.next != nil {
		b = b.next
	}
	return b
}

// extend replaces a jump to a small exit without line numbers by a copy of it.
func (b *block) extend() {
	if len(b.instructions) == 0 || b.last().op != jump {
		return
	}
	target := b.last().target
	if !target.exits || len(target.instructions) > maxCopied {
		return
	}
	for i := range target.instructions {
		if target.instructions[i].line > 0 {
			return
		}
	}
	b.last().op = nop
	b.instructions = append(b.instructions, target.instructions...)
	b.exits = true
}

func (c *compiler) optimize(entry *block) {
	for b := entry; b != nil; b = b.next {
		b.peephole()
		b.clean()
	}
	for _, b := range backward(c.blocks) {
		b.extend()
	}
	markReachable(entry)
	for b := entry; b != nil; b = b.next {
		if b.predecessors == 0 {
			b.instructions, b.noFallthrough = nil, false
		}
	}
	dropEmpty(entry)
	for b := entry; b != nil; b = b.next {
		b.clean()
	}
	emptied := false
	for b := entry; b != nil; b = b.next {
		if len(b.instructions) == 0 {
			continue
		}
		last := b.last()
		if (last.op == jump || last.op == jumpNoInterrupt) && last.target == b.next {
			b.noFallthrough, last.op, emptied = false, nop, true
		}
	}
	if emptied {
		dropEmpty(entry)
	}
}

// peephole folds constant tests and tuples and threads jumps.
func (b *block) peephole() {
	for i := 0; i < len(b.instructions); i++ {
		in := &b.instructions[i]
		next := &instruction{}
		if i+1 < len(b.instructions) {
			next = &b.instructions[i+1]
		}
		target := &instruction{}
		if in.op.jumps() || in.op == setupHandler {
			in.target = in.target.skipEmpty()
			if len(in.target.instructions) > 0 {
				target = &in.target.instructions[0]
			}
		}
		switch in.op {
		case loadConst:
			b.foldTest(in, next)
		case buildTuple:
			b.foldTuple(i, in, next)
		case jumpIfFalseOrPop:
			switch target.op {
			case popJumpIfFalse:
				i -= thread(in, target, popJumpIfFalse)
			case jump, jumpIfFalseOrPop:
				i -= thread(in, target, jumpIfFalseOrPop)
			case jumpIfTrueOrPop, popJumpIfTrue:
				if in.line == target.line {
					in.op, in.target = popJumpIfFalse, in.target.next
					i--
				}
			}
		case jumpIfTrueOrPop:
			switch target.op {
			case popJumpIfTrue:
				i -= thread(in, target, popJumpIfTrue)
			case jump, jumpIfTrueOrPop:
				i -= thread(in, target, jumpIfTrueOrPop)
			case jumpIfFalseOrPop, popJumpIfFalse:
				if in.line == target.line {
					in.op, in.target = popJumpIfTrue, in.target.next
					i--
				}
			}
		case popJumpIfNone, popJumpIfFalse, popJumpIfTrue, jump:
			if target.op == jump {
				i -= thread(in, target, in.op)
			}
		}
	}
}

// foldTest removes the test of a constant.
func (b *block) foldTest(in, next *instruction) {
	if in.truth == truthUnknown {
		return
	}
	var jumpsIf truth
	switch next.op {
	case popJumpIfFalse, jumpIfFalseOrPop:
		jumpsIf = isFalse
	case popJumpIfTrue, jumpIfTrueOrPop:
		jumpsIf = isTrue
	default:
		return
	}
	pops := next.op == popJumpIfFalse || next.op == popJumpIfTrue
	if in.truth == jumpsIf {
		next.op = jump
		b.noFallthrough = true
	} else {
		next.op = nop
	}
	if pops || in.truth != jumpsIf {
		in.op = nop
	}
}

// foldTuple folds tuples of constants and drops those that are unpacked at once.
func (b *block) foldTuple(i int, in, next *instruction) {
	size := int(in.argument)
	if next.op == unpack && next.argument == in.argument && size >= 1 && size <= 3 {
		in.op = nop
		if next.op = operate; size == 1 {
			next.op = nop
		}
		next.raises = false
		return
	}
	if i < size {
		return
	}
	for j := i - size; j < i; j++ {
		if b.instructions[j].op != loadConst {
			return
		}
	}
	for j := i - size; j < i; j++ {
		b.instructions[j].op = nop
	}
	in.op, in.truth = loadConst, truthOf(size > 0)
}

// thread lets in jump where its target jumps to; it returns 1 if it did, so that
// the instruction is looked at again.
func thread(in, target *instruction, op opcode) int {
	if in.line == target.line && in.target != target.target {
		in.target, in.op = target.target, op
		return 1
	}
	return 0
}

// clean removes no-ops that no line depends on.
func (b *block) clean() {
	kept := b.instructions[:0]
	previous := int32(noLine)
	for i := range b.instructions {
		in := b.instructions[i]
		if in.op == nop {
			if in.line < 0 || in.line == previous {
				continue
			}
			if i+1 < len(b.instructions) {
				next := &b.instructions[i+1]
				if next.line == in.line {
					continue
				}
				if next.line < 0 {
					next.line = in.line
					continue
				}
			} else if b.next != nil {
				if next := b.next.skipEmpty(); len(next.instructions) > 0 && next.instructions[0].line == in.line {
					continue
				}
			}
		}
		kept = append(kept, in)
		previous = in.line
	}
	b.instructions = kept
}

func markReachable(entry *block) {
	stack := []*block{entry}
	entry.predecessors = 1
	reach := func(b *block) {
		if b.predecessors == 0 {
			stack = append(stack, b)
		}
		b.predecessors++
	}
	for len(stack) > 0 {
		b := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if b.next != nil && !b.noFallthrough {
			reach(b.next)
		}
		for i := range b.instructions {
			if in := &b.instructions[i]; in.op.jumps() || in.op == setupHandler {
				reach(in.target)
			}
		}
	}
}

func dropEmpty(entry *block) {
	for b := entry; b != nil; b = b.next {
		if b.next != nil {
			b.next = b.next.skipEmpty()
		}
	}
	for b := entry; b != nil; b = b.next {
		if len(b.instructions) > 0 && b.last().op.jumps() {
			b.last().target = b.last().target.skipEmpty()
		}
	}
}

func (b *block) isExitWithoutLine() bool {
	if !b.exits {
		return false
	}
	for i := range b.instructions {
		if b.instructions[i].line >= 0 {
			return false
		}
	}
	return true
}

// duplicateExits copies exits without a line, so that each gets the line of its
// only predecessor (PEP 626).
func (c *compiler) duplicateExits() {
	for _, b := range backward(c.blocks) {
		if len(b.instructions) == 0 || !b.last().op.jumps() {
			continue
		}
		target := b.last().target
		if !target.isExitWithoutLine() || target.predecessors <= 1 {
			continue
		}
		copied := c.newBlock()
		copied.instructions = append(copied.instructions, target.instructions...)
		copied.exits, copied.noFallthrough, copied.predecessors = target.exits, true, 1
		copied.instructions[0].line = b.last().line
		b.last().target = copied
		target.predecessors--
		copied.next, target.next = target.next, copied
	}
	for _, b := range c.blocks {
		for b.next != nil && len(b.next.instructions) == 0 {
			b.next = b.next.next
		}
	}
	for _, b := range backward(c.blocks) {
		if !b.noFallthrough && b.next != nil && len(b.instructions) > 0 && b.next.isExitWithoutLine() && len(b.next.instructions) > 0 {
			b.next.instructions[0].line = b.last().line
		}
	}
}

// propagateLines gives instructions without a line that of their predecessor,
// where there is only one.
func propagateLines(entry *block) {
	for b := entry; b != nil; b = b.next {
		if len(b.instructions) == 0 {
			continue
		}
		line := int32(noLine)
		for i := range b.instructions {
			if in := &b.instructions[i]; in.line < 0 {
				in.line = line
			} else {
				line = in.line
			}
		}
		if !b.noFallthrough && b.next != nil && b.next.predecessors == 1 && len(b.next.instructions) > 0 {
			if first := &b.next.instructions[0]; first.line < 0 {
				first.line = line
			}
		}
		if last := b.last(); last.op.jumps() && last.target.predecessors == 1 && len(last.target.instructions) > 0 {
			if first := &last.target.instructions[0]; first.line < 0 {
				first.line = line
			}
		}
	}
}

// guaranteeExitLines gives the returns that still have no line that of the
// block before.
func guaranteeExitLines(entry *block, line int32) {
	for b := entry; b != nil; b = b.next {
		if len(b.instructions) == 0 {
			continue
		}
		last := b.last()
		if last.line >= 0 {
			line = last.line
		} else if last.op == returnValue {
			for i := range b.instructions {
				b.instructions[i].line = line
			}
		}
	}
}

// labelHandlers finds for every instruction the handler of its exceptions.
func labelHandlers(entry *block) {
	entry.visited = true
	stack := []*block{entry}
	push := func(b *block, handlers *handlerStack) {
		if b != nil && !b.visited {
			b.visited, b.handlers = true, handlers
			stack = append(stack, b)
		}
	}
	for len(stack) > 0 {
		b := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		handlers := b.handlers
		for i := range b.instructions {
			in := &b.instructions[i]
			in.handler = handlers.top()
			switch {
			case in.op == setupHandler:
				push(in.target, handlers)
				handlers = &handlerStack{in.target, handlers}
			case in.op == popBlock:
				if handlers != nil {
					handlers = handlers.below
				}
			case in.op.jumps():
				push(in.target, handlers)
			}
		}
		if !b.noFallthrough {
			push(b.next, handlers)
		}
	}
}

// flatten lists the instructions of all blocks and turns pointers into indices.
func (c *compiler) flatten(entry *block) {
	count := 0
	for b := entry; b != nil; b = b.next {
		b.start = int32(count)
		count += len(b.instructions)
	}
	index := func(b *block) int32 {
		if b == nil {
			return -1
		}
		return b.skipEmpty().start
	}
	list := make([]instruction, 0, count)
	for b := entry; b != nil; b = b.next {
		for i := range b.instructions {
			in := b.instructions[i]
			in.jump, in.falls = -1, true
			if in.op.jumps() {
				in.jump = index(in.target)
			}
			if i == len(b.instructions)-1 {
				in.falls = !b.noFallthrough && b.next != nil
			}
			in.except = index(in.handler)
			in.target, in.handler = nil, nil
			list = append(list, in)
		}
	}
	c.code.instructions = list
	for i := range list {
		if list[i].op == resume {
			c.code.entry = i
			break
		}
	}
}
