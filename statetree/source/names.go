package source

// A scope is what names mean inside one function, lambda, class body or
// comprehension. It exists to find the names that a block takes from its
// module.
type scope struct {
	outer   *scope
	class   bool            // its names are not seen from inside functions
	bound   map[string]bool // assigned, imported, defined, or a parameter
	globals map[string]bool // declared global: the module's, bound or not
}

// freeNames calls use for every name that n takes from the module: names that
// are read, or declared global, and that no scope inside n binds. n is a
// top-level statement; names that the statement itself binds at module level
// count as taken from the module when they are read.
func freeNames(n *node, text string, use func(name string)) {
	v := &nameVisitor{text: text, use: use}
	v.visit(n, nil)
}

type nameVisitor struct {
	text string
	use  func(string)
}

// resolve reports name when it is not bound between s and the module.
func (v *nameVisitor) resolve(name string, s *scope) {
	for at := s; at != nil; at = at.outer {
		if at.globals[name] {
			break
		}
		if at.bound[name] && (!at.class || at == s) {
			return
		}
	}
	v.use(name)
}

func (v *nameVisitor) visit(n *node, s *scope) {
	switch n.kind {
	case "identifier":
		v.resolve(n.text(v.text), s)
		return
	case "attribute":
		v.visit(n.at("object"), s)
		return
	case "keyword_argument":
		v.visit(n.at("value"), s)
		return
	case "keyword_pattern":
		v.visitAll(n.first.next, s)
		return
	case "dotted_name": // in a case pattern: a.B, or a capture
		v.resolve(n.first.text(v.text), s)
		return
	case "import_statement", "import_from_statement", "future_import_statement", "nonlocal_statement":
		return
	case "global_statement":
		for name := range n.operands() {
			v.use(name.text(v.text))
		}
		return
	case "function_definition", "lambda":
		v.function(n, s)
		return
	case "class_definition":
		v.class(n, s)
		return
	case "list_comprehension", "set_comprehension", "dictionary_comprehension", "generator_expression":
		inner := &scope{outer: s, bound: map[string]bool{}}
		for c := range n.operands() {
			if c.kind == "for_in_clause" {
				bindTarget(c.at("left"), v.text, inner.bound)
			}
		}
		v.visitAll(n.first, inner)
		return
	}
	v.visitAll(n.first, s)
}

// visitAll visits a node and the siblings after it.
func (v *nameVisitor) visitAll(n *node, s *scope) {
	for ; n != nil; n = n.next {
		v.visit(n, s)
	}
}

func (v *nameVisitor) function(n *node, s *scope) {
	inner := &scope{outer: s, bound: map[string]bool{}}
	body := n.at("body")
	if parameters := n.at("parameters"); parameters != nil {
		for _, name := range parameterNames(parameters, v.text) {
			inner.bound[name] = true
		}
		for p := range parameters.operands() { // defaults and annotations
			for _, field := range [...]string{"value", "type"} {
				if part := p.at(field); part != nil {
					v.visit(part, s)
				}
			}
		}
	}
	if result := n.at("return_type"); result != nil {
		v.visit(result, s)
	}
	bindScope(body, v.text, inner)
	v.visit(body, inner)
}

func (v *nameVisitor) class(n *node, s *scope) {
	if bases := n.at("superclasses"); bases != nil {
		v.visit(bases, s)
	}
	inner := &scope{outer: s, class: true, bound: map[string]bool{}}
	// A name that a class body binds may still be the module's where it is read
	// first, as in `x = x`; that is rare, and a block too much does no harm.
	bindScope(n.at("body"), v.text, inner)
	v.visit(n.at("body"), inner)
}

// bindScope adds to s the names that the statements of a scope bind, without
// those of nested scopes.
func bindScope(n *node, text string, s *scope) {
	if n == nil {
		return
	}
	switch n.kind {
	case "function_definition", "class_definition":
		s.bound[n.at("name").text(text)] = true
		return
	case "lambda":
		return
	case "global_statement":
		if s.globals == nil {
			s.globals = map[string]bool{}
		}
		for name := range n.operands() {
			s.globals[name.text(text)] = true
		}
		return
	}
	bindings(n, text, s.bound)
	for c := range n.operands() {
		bindScope(c, text, s)
	}
}

// bindings adds the names that n itself binds, not those of its children.
func bindings(n *node, text string, bound map[string]bool) {
	switch n.kind {
	case "assignment", "augmented_assignment", "for_statement":
		bindTarget(n.at("left"), text, bound)
	case "named_expression":
		bound[n.at("name").text(text)] = true
	case "as_pattern_target":
		bindTarget(n.operand(0), text, bound)
	case "except_clause":
		if alias := n.at("alias"); alias != nil {
			bindTarget(alias, text, bound)
		}
	case "delete_statement":
		bindTarget(n.operand(0), text, bound)
	case "import_statement", "import_from_statement", "future_import_statement":
		for name := range n.fields("name") {
			switch name.kind {
			case "aliased_import":
				bound[name.at("alias").text(text)] = true
			case "dotted_name":
				bound[name.first.text(text)] = true
			}
		}
	case "case_pattern", "splat_pattern", "as_pattern", "keyword_pattern":
		for c := range n.operands() {
			if n.kind == "as_pattern" && c.next != nil { // what is renamed, not its name
				continue
			}
			if c.kind == "identifier" || c.kind == "dotted_name" && c.count() == 1 {
				bound[c.text(text)] = true
			}
		}
	}
}

// bindTarget adds the names of an assignment target: plain names inside tuples,
// lists and stars. Attributes and subscripts bind nothing.
func bindTarget(n *node, text string, bound map[string]bool) {
	if n == nil {
		return
	}
	switch n.kind {
	case "identifier":
		bound[n.text(text)] = true
	case "attribute", "subscript", "call":
		return
	default:
		for c := range n.operands() {
			bindTarget(c, text, bound)
		}
	}
}

// importedNames adds the names that imports bind in the scope of n.
func importedNames(n *node, text string, names map[string]bool) {
	switch n.kind {
	case "function_definition", "class_definition", "lambda", "expression_statement":
		return
	case "import_statement", "import_from_statement", "future_import_statement":
		bindings(n, text, names)
		return
	}
	for c := range n.operands() {
		importedNames(c, text, names)
	}
}
