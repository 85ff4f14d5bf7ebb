package source

// callSite describes a call of callee.
func callSite(callee, call *node, text string) site {
	callee = stripParentheses(callee)
	s := site{kind: valueSite, callee: callee, call: call}
	switch callee.kind {
	case "identifier":
		s.kind, s.name = nameSite, callee.text(text)
	case "attribute":
		s.kind, s.name = methodSite, callee.at("attribute").text(text)
	}
	return s
}

func (c *compiler) call(n *node) {
	function := stripParentheses(n.at("function"))
	arguments := n.at("arguments")
	s := callSite(function, n, c.text)
	if function.kind == "attribute" && !c.isImported(function.at("object")) && c.plainArguments(arguments) {
		c.expression(function.at("object"))
		c.at(function)
		c.atAttribute(function)
		c.attributeSite(function) // LOAD_METHOD
		positional, keywords := callArguments(arguments)
		for _, a := range append(positional, keywords...) {
			c.expression(a)
		}
		if len(keywords) > 0 {
			c.operate(false) // KW_NAMES
		}
		c.at(n)
		c.atAttribute(function)
		c.operate(false) // PRECALL
		c.visitSite(s)
		return
	}
	c.at(function)
	c.operate(false) // PUSH_NULL
	c.at(n)
	c.expression(function)
	c.arguments(arguments, 0)
	c.visitSite(s)
}

// callArguments returns the positional arguments and the keyword arguments with
// unpacked dictionaries, each in order.
func callArguments(arguments *node) (positional, keywords []*node) {
	if arguments == nil {
		return nil, nil
	}
	if arguments.kind == "generator_expression" {
		return []*node{arguments}, nil
	}
	for a := range arguments.operands() {
		if a.kind == "keyword_argument" || a.kind == "dictionary_splat" {
			keywords = append(keywords, a)
		} else {
			positional = append(positional, a)
		}
	}
	return positional, keywords
}

// isImported reports whether an object is a name that an import binds at module
// level: CPython calls its attributes in another way.
func (c *compiler) isImported(object *node) bool {
	object = stripParentheses(object)
	return object.kind == "identifier" && c.file.imported[object.text(c.text)]
}

// plainArguments reports whether a method call can use CPython's short form.
func (c *compiler) plainArguments(arguments *node) bool {
	positional, keywords := callArguments(arguments)
	count := len(positional) + len(keywords)
	if len(keywords) > 0 {
		count++
	}
	if count >= stackGuideline {
		return false
	}
	for _, a := range positional {
		if a.kind == "list_splat" {
			return false
		}
	}
	for _, a := range keywords {
		if a.kind == "dictionary_splat" {
			return false
		}
	}
	return true
}

// arguments evaluates the arguments of a call, after pushed others.
func (c *compiler) arguments(arguments *node, pushed int) {
	positional, keywords := callArguments(arguments)
	star := len(positional)+2*len(keywords) > stackGuideline
	for _, a := range positional {
		star = star || a.kind == "list_splat"
	}
	for _, a := range keywords {
		star = star || a.kind == "dictionary_splat"
	}
	if !star {
		for _, a := range append(positional, keywords...) {
			c.expression(a)
		}
		if len(keywords) > 0 {
			c.operate(false)
		}
		c.operate(false) // PRECALL
		return
	}
	if pushed == 0 && len(positional) == 1 && positional[0].kind == "list_splat" {
		c.expression(positional[0].operand(0))
	} else {
		c.display(positional, pushed, true)
	}
	c.keywordArguments(keywords)
}

// keywordArguments builds the dictionary for a call with ** or many keywords.
func (c *compiler) keywordArguments(keywords []*node) {
	built := false
	merge := func() {
		if built {
			c.operate(true) // DICT_MERGE
		}
		built = true
	}
	var seen []*node
	flush := func() {
		if len(seen) == 0 {
			return
		}
		big := len(seen)*2 > stackGuideline
		if big {
			c.emitNoLine(instruction{op: operate})
		}
		for _, k := range seen {
			if len(seen) == 1 || big {
				c.constant(isTrue)
			}
			c.expression(k)
			if big {
				c.emitNoLine(instruction{op: operate})
			}
		}
		if len(seen) > 1 && !big {
			c.constant(isTrue)
		}
		if !big {
			c.operate(false)
		}
		merge()
		seen = nil
	}
	for _, k := range keywords {
		if k.kind != "dictionary_splat" {
			seen = append(seen, k)
			continue
		}
		flush()
		if !built {
			c.operate(false)
			built = true
		}
		c.expression(k)
		c.visitSite(site{kind: iterateSite}) // DICT_MERGE
	}
	flush()
}
