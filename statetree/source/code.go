package source

import "slices"

// code is what a code object compiles to, as far as tracing sees it: a list of
// instructions that know their line, whether they can raise, and what they may
// call. Values and operands are left out.
type code struct {
	instructions []instruction
	entry        int // index of the RESUME that the call event belongs to
	sites        []site
	names        []string // that instructions bind
	// numbers are the names' places in names, once there are more than a search
	// is quick for.
	numbers map[string]int
}

// fewNames is how many names are searched through rather than looked up: nearly
// every function has fewer.
const fewNames = 16

// name returns the index+1 of a name in names, which has it afterwards.
func (c *code) name(name string) int32 {
	at := c.find(name)
	if at < 0 {
		at = len(c.names)
		c.names = append(c.names, name)
		if c.numbers != nil {
			c.numbers[name] = at
		} else if len(c.names) > fewNames {
			c.numbers = make(map[string]int)
			for i, n := range c.names {
				c.numbers[n] = i
			}
		}
	}
	return int32(at) + 1
}

// find returns the place of a name in names, or -1.
func (c *code) find(name string) int {
	if c.numbers == nil {
		return slices.Index(c.names, name)
	}
	if at, ok := c.numbers[name]; ok {
		return at
	}
	return -1
}

// lines returns the lines with line events, ascending: those of all
// instructions after the one of the call event.
func (c *code) lines() []int {
	var lines []int
	for _, in := range c.instructions[c.entry+1:] {
		if line := int(in.line); line > 0 && (len(lines) == 0 || lines[len(lines)-1] != line) {
			lines = append(lines, line)
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

// instruction is one bytecode instruction.
type instruction struct {
	op       opcode
	raises   bool  // may raise an exception
	drops    bool  // may drop the last reference to an object
	truth    truth // of a loadConst
	site     int32 // index+1 into code.sites of what it may call; 0 for nothing
	line     int32 // noLine for artificial instructions
	argument int32 // size of a buildTuple or an unpack
	binds    int32 // index+1 into code.names of the name that it binds; 0 for none

	// While compiling: where a jump or a setupHandler leads, and which block
	// handles an exception raised here.
	target, handler *block
	// Once assembled: the same as indices, -1 for none, and whether the next
	// instruction may follow.
	jump, except int32
	falls        bool
}

// noLine marks instructions that no source line is responsible for.
const noLine = -1

// opcode tells only those instructions apart that control flow, line numbers or
// the optimizer depend on.
type opcode uint8

const (
	nop opcode = iota
	operate
	loadConst
	buildTuple
	unpack
	resume
	yieldValue
	returnValue
	raiseException
	reraise
	setupHandler // SETUP_FINALLY, SETUP_WITH, SETUP_CLEANUP
	popBlock
	jump
	jumpNoInterrupt
	popJumpIfFalse
	popJumpIfTrue
	popJumpIfNone // and IF_NOT_NONE
	jumpIfFalseOrPop
	jumpIfTrueOrPop
	forIter
	send
)

// jumps reports whether control may go to the target.
func (op opcode) jumps() bool { return op >= jump }

// ends reports whether no instruction of the same block may follow.
func (op opcode) ends() bool {
	return op.jumps() || op == returnValue || op == raiseException || op == reraise
}

// block is a basic block: only its last instruction may jump. CPython chains
// the blocks in two ways: next is the order in which they are emitted, and the
// compiler's list is the order in which they were made.
type block struct {
	instructions  []instruction
	next          *block
	returns       bool // has a returnValue
	exits         bool // ends the frame
	noFallthrough bool
	predecessors  int

	start    int32 // index of the first instruction, once assembled
	visited  bool
	handlers *handlerStack
}

// handlerStack is the stack of exception handlers at a point of the program.
type handlerStack struct {
	handler *block
	below   *handlerStack
}

// top returns the innermost handler, or nil.
func (s *handlerStack) top() *block {
	if s == nil {
		return nil
	}
	return s.handler
}

// truth is what is known of a constant's truth value.
type truth int8

const (
	truthUnknown truth = iota
	isFalse
	isTrue
)

func truthOf(value bool) truth {
	if value {
		return isTrue
	}
	return isFalse
}

func (t truth) not() truth {
	switch t {
	case isTrue:
		return isFalse
	case isFalse:
		return isTrue
	}
	return t
}

// siteKind tells how an instruction may come to call a function.
type siteKind uint8

const (
	// attributeSite: through a property or __getattr__; name is the attribute.
	attributeSite siteKind = iota
	// iterateSite: by running an iterator, perhaps a generator.
	iterateSite
	// nameSite: a call of a plain name.
	nameSite
	// methodSite: a call of an attribute; name is the attribute.
	methodSite
	// valueSite: a call of anything else: f(1)(2), table[k](x).
	valueSite
	// classSite: running a class body; callee is the class_definition.
	classSite
	// comprehensionSite: running a comprehension; inner are its own sites.
	comprehensionSite
)

// site is a place in the code from where functions may be called.
type site struct {
	kind   siteKind
	name   string
	callee *node  // the called expression, or the class
	call   *node  // the whole call, or the comprehension
	inner  []site // of a comprehension
}

func containsSorted(lines []int, line int) bool {
	_, ok := slices.BinarySearch(lines, line)
	return ok
}
