package source

import "strings"

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

func (c *compiler) functionDefinition(n, decorated *node) {
	decorators := c.decorators(decorated)
	parameters := n.at("parameters")
	c.defaults(parameters)
	c.annotations(parameters, n.at("return_type"))
	c.constant(isTrue)
	c.operate(false) // MAKE_FUNCTION
	c.applyDecorators(decorators)
	c.store(n.at("name").text(c.text))
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
	c.store(n.at("name").text(c.text))
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
