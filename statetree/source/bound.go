package source

import (
	"slices"

	"github.com/neuraldbg/neuraldbg/statetree"
)

// Names are the names that the LOCALS of a state can have.
type Names struct {
	// Allowed are all that it may have; nil when any may be there.
	Allowed []string
	// Required are those that it certainly has.
	Required []string
}

// Names returns the names that a line state can have to which an action leads. It
// is the zero Names where nothing is known.
func (t Trail) Names(a statetree.Action) Names {
	var exits exitSet
	var names Names
	first := true
	for _, to := range t.successors(a, &exits) {
		if to.flowState().event != statetree.Line {
			continue
		}
		if to.from.graph == nil && !to.anyway {
			return Names{}
		}
		more := t.flow.namesAt(to)
		if first {
			names, first = more, false
			continue
		}
		names.Required = slices.DeleteFunc(names.Required, func(n string) bool { return !slices.Contains(more.Required, n) })
		if names.Allowed == nil || more.Allowed == nil {
			names.Allowed = nil
			continue
		}
		for _, n := range more.Allowed {
			if !slices.Contains(names.Allowed, n) {
				names.Allowed = append(names.Allowed, n)
			}
		}
	}
	return names
}

// namesAt returns the names of a frame at an arrival.
func (f *Flow) namesAt(to arrival) Names {
	u := to.graph.unit
	if f.reflective {
		return Names{}
	}
	var names Names
	scope := f.scopeOf(u)
	if to.anyway {
		return f.namesAnywhere(u, scope)
	}
	b := f.bound(to)
	switch {
	case to.locals != nil:
		names.Allowed = slices.Clone(to.locals)
	case u.Kind == FunctionCode || u.Kind == LambdaCode:
		names.Allowed = f.file.Locals(&u.Function)
	}
	if names.Allowed != nil {
		for _, more := range [][]string{b.maybe, scope.anytime} {
			for _, n := range more {
				if !slices.Contains(names.Allowed, n) {
					names.Allowed = append(names.Allowed, n)
				}
			}
		}
	}
	for _, n := range append(slices.Clone(to.locals), b.certainly...) {
		// At module level and in classes a name is not shown while its value is a
		// function, a class or a module.
		hidden := scope.hides && slices.Contains(b.maybe, n)
		if !hidden && !scope.globals[n] && !scope.deleted[n] && !slices.Contains(names.Required, n) && !slices.Contains(scope.anytime, n) {
			names.Required = append(names.Required, n)
		}
	}
	return names
}

// namesAnywhere returns the names that a frame has at whatever line.
func (f *Flow) namesAnywhere(u *unit, scope unitScope) Names {
	if u.Kind != FunctionCode && u.Kind != LambdaCode {
		return Names{}
	}
	names := Names{Allowed: f.file.Locals(&u.Function)}
	for _, name := range u.Parameters {
		if !scope.deleted[name] && !slices.Contains(scope.anytime, name) {
			names.Required = append(names.Required, name)
		}
	}
	return names
}

// unitScope is what the names of a code object are subject to besides its own
// instructions.
type unitScope struct {
	deleted map[string]bool // may become unbound
	anytime []string        // code of others may bind them at any time
	hides   bool            // functions, classes and modules are not shown
	globals map[string]bool // names that are the module's
}

// scopeOf returns the scope of a code object.
func (f *Flow) scopeOf(u *unit) unitScope {
	body := u.node
	if u.Kind != ModuleCode {
		body = u.node.at("body")
	}
	s := unitScope{deleted: deletedNames(body, f.file.text), hides: u.Kind == ModuleCode || u.Kind == ClassCode}
	add := func(name string) {
		if !slices.Contains(s.anytime, name) {
			s.anytime = append(s.anytime, name)
		}
	}
	declared := "nonlocal_statement"
	if u.Kind == ModuleCode {
		declared = "global_statement"
	} else {
		own := scope{bound: map[string]bool{}}
		bindScope(body, f.file.text, &own)
		s.globals = own.globals
	}
	var visit func(*node)
	visit = func(n *node) {
		if n.kind == declared {
			for name := range n.operands() {
				add(name.text(f.file.text))
			}
		}
		for child := range n.operands() {
			visit(child)
		}
	}
	visit(body)
	for outer := u.owner; outer != nil; outer = outer.owner { // free names, bound or not
		if outer.Kind == FunctionCode || outer.Kind == LambdaCode {
			for _, name := range f.file.Locals(&outer.Function) {
				add(name)
			}
		}
		if outer.Kind == ClassCode {
			add("__class__")
		}
	}
	return s
}

// binding is what the way from one state to another binds.
type binding struct {
	maybe, certainly []string
}

// bound returns the names that the way to an arrival binds, in the frame that it
// is in.
func (f *Flow) bound(to arrival) binding {
	g := to.from.graph
	d := &boundNames{graph: g, target: to.state, stops: to.stops, certain: map[step]nameBits{}}
	d.run(to.from)
	var b binding
	for i, name := range g.code.names {
		if d.arrived && d.result.has(i) {
			b.certainly = append(b.certainly, name)
		}
	}
	lines := f.file.bindingLines(g.unit)
	for line := range d.lines {
		for _, name := range lines[line] {
			if !slices.Contains(b.maybe, name) {
				b.maybe = append(b.maybe, name)
			}
		}
	}
	return b
}

// boundNames finds what is certainly bound, by the usual forward analysis: what
// is bound on all ways to a step.
type boundNames struct {
	graph   *graph
	target  int
	stops   func(*graph, int) bool
	certain map[step]nameBits // what is bound before a step
	result  nameBits          // what is bound on arrival
	arrived bool
	lines   map[int]bool // of the states on the way
	work    []step
}

func (d *boundNames) run(from suspension) {
	d.lines = map[int]bool{}
	for _, begin := range from.steps(&from.graph.states[from.state]) {
		begin.state = from.state
		d.meet(begin, nameBits{})
	}
	for len(d.work) > 0 {
		at := d.work[len(d.work)-1]
		d.work = d.work[:len(d.work)-1]
		d.follow(at)
	}
}

func (d *boundNames) follow(at step) {
	g := d.graph
	line := g.states[at.state].line
	d.lines[line] = true
	before := d.certain[at]
	after := before
	if binds := g.code.instructions[at.instruction].binds; binds > 0 && at.mode == runs {
		after = before.with(int(binds) - 1)
	}
	g.leads(at, line, true, func(e edge) {
		bound := after
		if e.event == statetree.Exception {
			bound = before
		}
		if e.event == statetree.NoEvent {
			e.to.state = at.state
			d.meet(e.to, bound)
			return
		}
		next := g.find(e.event, e.line)
		if next == d.target {
			if !d.arrived {
				d.result, d.arrived = bound, true
			}
			d.result = d.result.and(bound)
		}
		if next >= 0 && e.to.instruction >= 0 && !d.stops(g, next) {
			e.to.state = next
			d.meet(e.to, bound)
		}
	})
}

// meet notes what is bound on a further way to a step.
func (d *boundNames) meet(to step, bound nameBits) {
	old, seen := d.certain[to]
	both := bound
	if seen {
		if both = old.and(bound); both.equal(old) {
			return
		}
	}
	d.certain[to] = both
	d.work = append(d.work, to)
}

// bindingLines returns the names that statements bind, by every line that the
// statement, without its block, is on.
func (f *File) bindingLines(u *unit) map[int][]string {
	lines := map[int][]string{}
	b := lineBinder{text: f.text, lines: lines}
	body := u.node
	if u.Kind != ModuleCode {
		body = u.node.at("body")
	}
	if u.Kind == LambdaCode {
		b.expression(body, body.line, body.last)
	} else {
		b.block(body)
	}
	return lines
}

// lineBinder finds which names are bound on which lines.
type lineBinder struct {
	text  string
	lines map[int][]string
}

// block adds the statements of a block or of a clause.
func (b *lineBinder) block(n *node) {
	for s := range n.operands() {
		b.statement(s)
	}
}

// statement adds one statement or clause: what its head binds, and its blocks.
func (b *lineBinder) statement(n *node) {
	first, last := n.line, n.last
	if n.kind == "decorated_definition" {
		b.definition(n.at("definition"), first)
		return
	}
	if n.kind == "function_definition" || n.kind == "class_definition" {
		b.definition(n, first)
		return
	}
	for child := range n.operands() {
		if isBlock(child) {
			last = min(last, max(first, child.line))
			break
		}
	}
	b.add(n, first, last)
	for child := range n.operands() {
		switch {
		case child.kind == "block":
			b.block(child)
		case isBlock(child):
			b.statement(child)
		default:
			b.expression(child, first, last)
		}
	}
}

// isBlock reports whether a part of a statement has statements of its own.
func isBlock(n *node) bool {
	switch n.kind {
	case "block", "elif_clause", "else_clause", "except_clause", "except_group_clause", "finally_clause", "case_clause":
		return true
	}
	return false
}

// definition adds a def or class: its name, and what its head binds.
func (b *lineBinder) definition(n *node, first int) {
	last := n.at("body").line
	b.note(n.at("name").text(b.text), first, last)
	for child := range n.operands() {
		if child.field != "body" {
			b.expression(child, first, last)
		}
	}
}

// expression adds what an expression binds.
func (b *lineBinder) expression(n *node, first, last int) {
	if n.kind == "lambda" {
		return
	}
	b.add(n, first, last)
	for child := range n.operands() {
		b.expression(child, first, last)
	}
}

// add notes the names that a node itself binds.
func (b *lineBinder) add(n *node, first, last int) {
	names := map[string]bool{}
	bindings(n, b.text, names)
	for name := range names {
		b.note(name, first, last)
	}
}

func (b *lineBinder) note(name string, first, last int) {
	for line := first; line <= last; line++ {
		b.lines[line] = append(b.lines[line], name)
	}
}
