package source

import (
	"slices"
	"strings"
)

// calls resolves call sites to the functions of a program that they may enter.
//
// It over-approximates: Python decides at run time. A call of a plain name that
// a program defines once enters that function. Everything that is not called by
// its own name only, because it is passed on, returned, stored, decorated, a
// lambda, or a method that outside code may call, escapes; calls of unknown
// values may enter whatever escapes. Special methods may be entered from every
// instruction that can raise, generators from every one that iterates.
type calls struct {
	file       *File
	byName     map[string][]*unit // functions and classes by their own name
	methods    map[string][]*unit // methods by name
	properties map[string][]*unit // methods that attribute access calls
	special    []*unit            // __add__, __iter__, ...
	generators []*unit
	dropped    []*unit // what the end of an object runs: generators, __del__
	lazy       []*unit // what generator expressions call that are kept for later
	escaping   []*unit
	classes    map[*node]*unit
	makers     map[*unit][]*unit // class -> what calling it enters
	assigned   map[*unit]map[string]bool
	pending    []*node // generator expressions that are kept for later
	// fixed are the functions whose name means nothing else anywhere.
	fixed map[string]*unit
}

func newCalls(f *File) *calls {
	c := &calls{
		file: f, byName: map[string][]*unit{}, methods: map[string][]*unit{},
		properties: map[string][]*unit{}, classes: map[*node]*unit{}, makers: map[*unit][]*unit{},
		assigned: map[*unit]map[string]bool{},
	}
	for _, u := range f.units[1:] {
		c.addUnit(u)
	}
	for _, u := range f.units[1:] {
		if u.Kind == ClassCode {
			c.makers[u] = c.constructors(u, map[*unit]bool{})
		}
	}
	for _, u := range f.units[1:] {
		if u.Generator || u.Async || u.Name == "__del__" {
			c.dropped = append(c.dropped, u)
		}
	}
	c.findEscaping()
	c.fixed = f.fixedFunctions()
	return c
}

func (c *calls) addUnit(u *unit) {
	if u.Generator || u.Async {
		c.generators = append(c.generators, u)
	}
	switch u.Kind {
	case LambdaCode:
		c.escape(u)
		return
	case ClassCode:
		c.classes[u.node] = u
	}
	c.byName[u.Name] = append(c.byName[u.Name], u)
	if u.owner.Kind != ClassCode || u.Kind != FunctionCode {
		return
	}
	c.methods[u.Name] = append(c.methods[u.Name], u)
	if strings.HasPrefix(u.Name, "_") && strings.HasSuffix(u.Name, "_") && !isConstructor(u.Name) {
		c.special = append(c.special, u)
	}
	for _, d := range u.Decorators {
		if d != "staticmethod" && d != "classmethod" {
			c.properties[u.Name] = append(c.properties[u.Name], u)
			break
		}
	}
}

func isConstructor(name string) bool {
	return name == "__init__" || name == "__new__" || name == "__post_init__"
}

// constructors returns what calling a class may enter: its constructors, and
// those of the bases that the program defines. A metaclass's __call__ is a
// special method.
func (c *calls) constructors(class *unit, seen map[*unit]bool) []*unit {
	if seen[class] {
		return nil
	}
	seen[class] = true
	var made []*unit
	own := false
	for _, u := range c.file.units[class.index+1:] {
		if u.owner == class && isConstructor(u.Name) {
			made = append(made, u)
			own = own || u.Name == "__init__"
		}
	}
	if own && len(made) > 0 && len(class.Decorators) == 0 {
		return made
	}
	if bases := class.node.at("superclasses"); bases != nil {
		for base := range bases.operands() {
			for _, u := range c.byName[rightmostName(base, c.file.text)] {
				if u.Kind == ClassCode {
					made = append(made, c.constructors(u, seen)...)
				}
			}
		}
	}
	return made
}

// rightmostName returns the last name of a dotted expression.
func rightmostName(n *node, text string) string {
	n = stripParentheses(n)
	if n.kind == "attribute" {
		n = n.at("attribute")
	}
	return n.text(text)
}

func (c *calls) escape(u *unit) {
	if u.Kind == ClassCode {
		for _, made := range c.makers[u] {
			c.escape(made)
		}
		return
	}
	if !slices.Contains(c.escaping, u) {
		c.escaping = append(c.escaping, u)
	}
}

// findEscaping looks for functions that can be called other than by their name.
func (c *calls) findEscaping() {
	for _, u := range c.file.units[1:] {
		switch {
		case len(u.Decorators) > 0 && u.Kind == FunctionCode:
			c.escape(u)
		case u.Kind == ClassCode && c.hasForeignBase(u):
			for _, method := range c.file.units[u.index+1:] {
				if method.owner == u && method.Kind == FunctionCode {
					c.escape(method)
				}
			}
		}
	}
	c.visit(c.file.root, false)
	for _, n := range c.pending {
		var later callees
		for _, s := range comprehensionSites(n, c.file.text) {
			c.add(&s, c.file.unitAt(n.line), &later)
		}
		for _, u := range later.units {
			if !slices.Contains(c.lazy, u) {
				c.lazy = append(c.lazy, u)
			}
		}
	}
}

// consumers are builtins that run through a generator expression before they
// return.
var consumers = nameSet("all any bytearray bytes dict frozenset list max min set sorted sum tuple")

// consumedAtOnce reports whether a generator expression is the argument of a
// call that runs it to its end.
func (c *calls) consumedAtOnce(n *node) bool {
	call := n.parent
	if call.kind == "argument_list" {
		call = call.parent
	}
	if call.kind != "call" {
		return false
	}
	switch f := stripParentheses(call.at("function")); f.kind {
	case "identifier":
		name := f.text(c.file.text)
		return consumers[name] && len(c.byName[name]) == 0
	case "attribute":
		return f.at("attribute").text(c.file.text) == "join"
	}
	return false
}

// hasForeignBase reports whether a class has a base, or a decorator, from
// outside the program, whose code may call its methods.
func (c *calls) hasForeignBase(class *unit) bool {
	if len(class.Decorators) > 0 {
		return true
	}
	bases := class.node.at("superclasses")
	if bases == nil {
		return false
	}
	for base := range bases.operands() {
		name := rightmostName(base, c.file.text)
		if len(c.byName[name]) == 0 && name != "object" && !strings.HasSuffix(name, "Error") && name != "Exception" {
			return true
		}
	}
	return false
}

// visit marks names of functions that are read other than to be called.
func (c *calls) visit(n *node, called bool) {
	switch n.kind {
	case "identifier":
		if called {
			return
		}
		for _, u := range c.byName[n.text(c.file.text)] {
			c.escape(u)
		}
		return
	case "attribute":
		if !called {
			for _, u := range c.methods[n.at("attribute").text(c.file.text)] {
				c.escape(u)
			}
		}
		c.visit(n.at("object"), true) // reading an attribute passes nothing on
		if object := n.at("object"); object.kind != "identifier" {
			c.visit(object, false)
		}
		return
	case "call":
		c.visit(n.at("function"), true)
		c.visit(n.at("arguments"), false)
		return
	case "generator_expression":
		if !c.consumedAtOnce(n) {
			c.pending = append(c.pending, n)
		}
	case "parenthesized_expression":
		c.visit(n.operand(0), called)
		return
	case "type", "global_statement", "nonlocal_statement", "import_statement", "import_from_statement", "except_clause":
		if n.kind != "except_clause" {
			return
		}
		c.visitChildren(n, func(child *node) bool { return child.kind == "block" })
		return
	case "keyword_argument":
		c.visit(n.at("value"), false)
		return
	case "function_definition":
		c.visitChildren(n, func(child *node) bool { return child.field == "parameters" || child.field == "body" })
		return
	case "parameters", "lambda_parameters":
		for p := range n.operands() {
			if value := p.at("value"); value != nil {
				c.visit(value, false)
			}
		}
		return
	case "class_definition":
		c.visitChildren(n, func(child *node) bool { return child.field == "body" })
		return
	case "decorator":
		c.visit(n.operand(0), true)
		return
	case "assignment", "for_statement", "for_in_clause":
		c.visitChildren(n, func(child *node) bool { return child.field != "left" || child.kind != "identifier" })
		return
	}
	c.visitChildren(n, func(child *node) bool { return true })
}

func (c *calls) visitChildren(n *node, which func(*node) bool) {
	for child := range n.operands() {
		if which(child) {
			c.visit(child, false)
		}
	}
}

// callees are the code objects that a site may enter. repeats says that the
// site may enter more than one after the other before it is done; definite, that
// it enters one, and by itself, unless it raises before.
type callees struct {
	units    []*unit
	repeats  bool
	definite bool
}

func (s *callees) add(units ...*unit) {
	for _, u := range units {
		if !slices.Contains(s.units, u) {
			s.units = append(s.units, u)
		}
	}
}

// resolve returns what a site may enter when it runs in code of owner.
func (c *calls) resolve(s *site, owner *unit) callees {
	var out callees
	c.add(s, owner, &out)
	out.definite = c.certain(s)
	if len(out.units) > 0 { // when they return, their locals end
		c.drops(&out)
	}
	return out
}

// drops adds what the end of an object may run.
func (c *calls) drops(out *callees) {
	if len(c.dropped) > 0 {
		out.add(c.dropped...)
		out.repeats = true
	}
}

// add adds to out what a site may enter.
func (c *calls) add(s *site, owner *unit, out *callees) {
	if s.kind == nameSite || s.kind == methodSite || s.kind == valueSite {
		c.generatorArguments(s, owner, out)
	}
	switch s.kind {
	case nameSite:
		c.resolveName(s, owner, out)
	case methodSite:
		c.resolveMethod(s, out)
	case valueSite:
		c.unknown(out)
	case attributeSite:
		out.add(c.properties[s.name]...)
		c.anySpecial(out)
	case iterateSite:
		c.iterates(out)
	case classSite:
		if u := c.classes[s.callee]; u != nil {
			out.add(u)
		}
		c.anySpecial(out) // __init_subclass__, __set_name__, a metaclass
	case comprehensionSite:
		c.iterates(out)
		for i := range s.inner {
			c.add(&s.inner[i], owner, out)
		}
		out.repeats = true
	}
}

// generatorArguments adds what generator expressions among the arguments of a
// call run when the call consumes them.
func (c *calls) generatorArguments(s *site, owner *unit, out *callees) {
	if s.call == nil || s.call.kind != "call" {
		return
	}
	positional, _ := callArguments(s.call.at("arguments"))
	for _, a := range positional {
		if a = stripParentheses(a); a.kind == "generator_expression" {
			out.repeats = true
			for _, inner := range comprehensionSites(a, c.file.text) {
				c.add(&inner, owner, out)
			}
		}
	}
}

func (c *calls) anySpecial(out *callees) {
	out.add(c.special...)
	out.repeats = true
}

func (c *calls) iterates(out *callees) {
	c.anySpecial(out)
	out.add(c.generators...)
	out.add(c.lazy...)
}

func (c *calls) unknown(out *callees) {
	c.iterates(out)
	out.add(c.escaping...)
}

// inert are builtins that call nothing but special methods of their arguments.
var inert = nameSet(`abs ascii bin bool bytearray bytes callable chr complex delattr dir divmod float
format getattr hasattr hash hex id input int isinstance issubclass len object oct ord pow print
range repr round setattr slice str super type vars globals locals open`)

// inertMethods are methods of builtin types that call nothing but special
// methods.
var inertMethods = nameSet(`add append bit_length capitalize casefold center clear copy count decode
discard encode endswith expandtabs find format get index insert intersection isalnum isalpha
isascii isdecimal isdigit isidentifier islower isnumeric isprintable isspace istitle isupper items
keys ljust lower lstrip partition pop popitem popleft remove removeprefix removesuffix replace
reverse rfind rindex rjust rpartition rsplit rstrip setdefault split splitlines startswith strip
swapcase title translate upper values zfill appendleft rotate group groups most_common total`)

// getters are builtins, and methods of builtin types, that read or write
// attributes whose names are values.
var getters = nameSet("delattr format getattr hasattr setattr")

// anyProperty adds what reading any attribute calls.
func (c *calls) anyProperty(out *callees) {
	for _, properties := range c.properties {
		out.add(properties...)
	}
}

func (c *calls) resolveName(s *site, owner *unit, out *callees) {
	units := c.byName[s.name]
	if len(units) == 0 {
		if builtinNames[s.name] && inert[s.name] {
			c.anySpecial(out)
			if getters[s.name] {
				c.anyProperty(out)
			}
		} else {
			c.unknown(out)
			c.allMakers(s.name, out)
		}
		return
	}
	for _, u := range units {
		switch {
		case u.Kind == ClassCode:
			out.repeats = true
			out.add(c.makers[u]...)
			if c.hasForeignBase(u) {
				c.anySpecial(out)
			}
		case u.Generator || u.Async:
			// Calling it makes the generator; iterating runs it.
		default:
			out.add(u)
		}
		if len(u.Decorators) > 0 {
			c.unknown(out)
		}
	}
	if len(units) > 1 || c.rebinds(owner, s.name) {
		c.unknown(out)
	}
}

// allMakers adds every constructor for calls of `cls` and the like.
func (c *calls) allMakers(name string, out *callees) {
	if name != "cls" && name != "klass" && name != "type" && name != "self" {
		return
	}
	for _, made := range c.makers {
		out.add(made...)
	}
}

// rebinds reports whether the code of owner, or around it, gives name another
// meaning than the definition: a parameter or a variable of that name.
func (c *calls) rebinds(owner *unit, name string) bool {
	for u := owner; u != nil; u = u.owner {
		if c.assigned[u] == nil {
			names := map[string]bool{}
			body := u.node
			if u.Kind != ModuleCode {
				body = u.node.at("body")
			}
			assignedNames(body, c.file.text, names)
			for _, p := range u.Parameters {
				names[p] = true
			}
			c.assigned[u] = names
		}
		if c.assigned[u][name] {
			return true
		}
	}
	return false
}

// assignedNames adds the names that a scope binds other than by def and class.
func assignedNames(n *node, text string, names map[string]bool) {
	for child := range n.operands() {
		switch child.kind {
		case "function_definition", "class_definition", "lambda":
			continue
		}
		bindings(child, text, names)
		assignedNames(child, text, names)
	}
}

func (c *calls) resolveMethod(s *site, out *callees) {
	units := c.methods[s.name]
	out.add(units...)
	c.anySpecial(out)
	if getters[s.name] {
		c.anyProperty(out)
	}
	switch {
	case s.name == "__class__" || s.name == "__new__":
		for _, made := range c.makers {
			out.add(made...)
		}
		c.unknown(out)
	case !inertMethods[s.name]:
		c.unknown(out)
		out.add(c.functionsNamed(s.name)...)
	}
}

// functionsNamed returns the functions and constructors of that name, for
// module.function(...) and Outer.Inner(...).
func (c *calls) functionsNamed(name string) []*unit {
	var units []*unit
	for _, u := range c.byName[name] {
		if u.Kind == ClassCode {
			units = append(units, c.makers[u]...)
		} else {
			units = append(units, u)
		}
	}
	return units
}
