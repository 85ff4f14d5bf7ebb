package source

import (
	"iter"
	"strings"

	"github.com/neuraldbg/neuraldbg/statetree"
)

// CodeKind tells what a code object was compiled from.
type CodeKind uint8

// The kinds of code objects that have frames of their own in a recording.
// Comprehensions are folded into the line that holds them.
const (
	ModuleCode CodeKind = iota
	FunctionCode
	LambdaCode
	ClassCode
)

// Function is one code object of a file: the module, a function or method, a
// lambda, or a class body.
type Function struct {
	// Name is the last part of QualifiedName: "push", "<lambda>", "<module>".
	Name string
	// QualifiedName is Python's __qualname__: "Stack.push",
	// "outer.<locals>.inner", "<module>".
	QualifiedName string
	Kind          CodeKind
	// Line is the line of the def, class or lambda keyword, which is the line
	// of call states; 0 for the module.
	Line int
	// First and Last are the span: First is the first decorator's line, or
	// Line. For the module it is the whole file.
	First, Last int
	// Parameters are the names of the parameters in order, without stars.
	Parameters []string
	// Decorators are the decorators' expressions as written, outermost first.
	Decorators []string
	Async      bool
	// Generator says that the body yields; a generator's frame emits a call and
	// a return event at every resume.
	Generator bool
	// Lines are the lines for which CPython emits line events in this code
	// object, ascending. Those of nested functions are theirs.
	Lines []int
	// Returns are the lines of its return statements, ascending.
	Returns []int
	// Parent is the enclosing code object, nil for the module.
	Parent *Function
}

// Executable reports whether line is one of Lines.
func (f *Function) Executable(line int) bool { return containsSorted(f.Lines, line) }

// unit is a code object with the tree that it was made from.
type unit struct {
	Function
	index int
	node  *node // function_definition, lambda, class_definition or module
	owner *unit
	code  *code
	// globals is made when a nested definition asks whether it is global.
	globals *scope
}

// Functions yields all code objects in order of their first line, the module
// first.
func (f *File) Functions() iter.Seq[*Function] {
	return func(yield func(*Function) bool) {
		for _, u := range f.units {
			if !yield(&u.Function) {
				return
			}
		}
	}
}

// Module returns the code object of the file itself.
func (f *File) Module() *Function { return &f.units[0].Function }

// FunctionAt returns the innermost function, class or module whose span
// includes the line. A decorator belongs to the function below it, and a lambda
// to the code that it is written in. For a line outside the file it returns the
// module.
func (f *File) FunctionAt(line int) *Function { return &f.unitAt(line).Function }

func (f *File) unitAt(line int) *unit {
	best := f.units[0]
	for _, u := range f.units[1:] {
		if u.Kind != LambdaCode && u.First <= line && line <= u.Last &&
			(best.Kind == ModuleCode || u.Last-u.First <= best.Last-best.First) {
			best = u
		}
	}
	return best
}

// FunctionNamed returns the code object with the given qualified name, or nil.
// Where several definitions share it, the last one wins, as it does in Python.
func (f *File) FunctionNamed(qualified string) *Function {
	for i := len(f.units) - 1; i >= 0; i-- {
		if f.units[i].QualifiedName == qualified {
			return &f.units[i].Function
		}
	}
	return nil
}

// collectUnits finds the code objects of a file and compiles them.
func collectUnits(f *File) []*unit {
	module := &unit{node: f.root, Function: Function{
		Name: statetree.ModuleFunction, QualifiedName: statetree.ModuleFunction, First: 1, Last: len(f.lines),
	}}
	c := &unitCollector{file: f, units: []*unit{module}}
	c.visit(f.root, module)
	future := hasFutureAnnotations(f)
	for _, u := range c.units {
		u.compile(f, future)
		u.Lines = u.code.lines()
	}
	return c.units
}

type unitCollector struct {
	file  *File
	units []*unit
}

func (c *unitCollector) visit(n *node, owner *unit) {
	for child := n.first; child != nil; child = child.next {
		c.visitNode(child, owner)
	}
}

func (c *unitCollector) visitNode(n *node, owner *unit) {
	switch n.kind {
	case "function_definition", "class_definition":
		c.definition(n, owner)
		return
	case "lambda":
		c.lambda(n, owner)
		return
	case "yield":
		owner.Generator = owner.Generator || scopeOf(n) == owner.node
	case "return_statement":
		owner.Returns = append(owner.Returns, n.line)
	}
	c.visit(n, owner)
}

// scopeOf returns the nearest ancestor that has a frame, comprehensions
// included.
func scopeOf(n *node) *node {
	for p := n.parent; p != nil; p = p.parent {
		switch p.kind {
		case "function_definition", "class_definition", "lambda", "module",
			"generator_expression", "list_comprehension", "set_comprehension", "dictionary_comprehension":
			return p
		}
	}
	return nil
}

func (c *unitCollector) definition(n *node, owner *unit) {
	u := c.add(n, owner, n.at("name").text(c.file.text), FunctionCode)
	if n.kind == "class_definition" {
		u.Kind = ClassCode
	}
	u.Async = n.has("async")
	if n.parent.kind == "decorated_definition" {
		u.First = n.parent.line
		for d := range n.parent.children() {
			if d.kind == "decorator" {
				u.Decorators = append(u.Decorators, d.operand(0).text(c.file.text))
			}
		}
	}
	// Defaults, annotations and base classes run in the owner's frame.
	for child := range n.children() {
		switch child.field {
		case "body":
			c.visit(child, u)
		case "parameters":
			u.Parameters = parameterNames(child, c.file.text)
			c.visit(child, owner)
		default:
			if child.first != nil {
				c.visit(child, owner)
			}
		}
	}
}

func (c *unitCollector) lambda(n *node, owner *unit) {
	u := c.add(n, owner, "<lambda>", LambdaCode)
	if parameters := n.at("parameters"); parameters != nil {
		u.Parameters = parameterNames(parameters, c.file.text)
		c.visit(parameters, owner)
	}
	c.visitNode(n.at("body"), u)
}

func (c *unitCollector) add(n *node, owner *unit, name string, kind CodeKind) *unit {
	qualified := name
	kindOfOwner := owner.Kind
	if owner.declaresGlobal(name, c.file.text) {
		kindOfOwner = ModuleCode
	}
	switch kindOfOwner {
	case FunctionCode, LambdaCode:
		qualified = owner.QualifiedName + ".<locals>." + name
	case ClassCode:
		qualified = owner.QualifiedName + "." + name
	}
	u := &unit{index: len(c.units), node: n, owner: owner, Function: Function{
		Name: name, QualifiedName: qualified, Kind: kind, Line: n.line, First: n.line, Last: n.last,
		Parent: &owner.Function,
	}}
	c.units = append(c.units, u)
	return u
}

// declaresGlobal reports whether a function makes name the module's.
func (u *unit) declaresGlobal(name, text string) bool {
	if u.Kind != FunctionCode {
		return false
	}
	if u.globals == nil {
		u.globals = &scope{bound: map[string]bool{}}
		for s := range u.node.at("body").operands() {
			bindScope(s, text, u.globals)
		}
	}
	return u.globals.globals[name]
}

// parameterNames returns the names that a parameter list binds, in order.
func parameterNames(n *node, text string) []string {
	var names []string
	for p := range n.operands() {
		switch p.kind {
		case "identifier":
			names = append(names, p.text(text))
		case "default_parameter", "typed_default_parameter":
			if name := p.at("name"); name != nil {
				names = append(names, name.text(text))
			}
		case "typed_parameter", "list_splat_pattern", "dictionary_splat_pattern":
			names = append(names, strings.TrimLeft(p.operand(0).text(text), "*"))
		}
	}
	return names
}
