package source

import (
	"slices"
	"strings"
)

// stackGuideline is the number of elements from which CPython builds a
// collection piece by piece.
const stackGuideline = 30

// expression compiles n. It runs at n's line, and the line is as before after.
func (c *compiler) expression(n *node) {
	if n == nil { // missing in a program that only nearly parses
		return
	}
	n = stripParentheses(n)
	line := c.line
	c.at(n)
	c.visit(n)
	c.line = line
}

func (c *compiler) visit(n *node) {
	if kind, value := c.fold(n); kind != notConstant {
		c.constant(value)
		return
	}
	switch n.kind {
	case "identifier":
		c.name(n)
	case "named_expression":
		c.expression(n.at("value"))
		c.operate(false)
		c.operate(false)
	case "boolean_operator":
		c.booleanOperator(n)
	case "not_operator":
		if inner := stripParentheses(n.at("argument")); invertible(inner) {
			c.expression(inner)
			return
		}
		c.expression(n.at("argument"))
		c.operate(true)
	case "unary_operator":
		c.expression(n.at("argument"))
		c.operate(true)
	case "binary_operator":
		c.binaryOperator(n)
	case "comparison_operator":
		c.comparison(n)
	case "conditional_expression":
		c.conditional(n)
	case "lambda":
		c.defaults(n.at("parameters"))
		c.constant(isTrue)
		c.operate(false)
	case "call":
		c.call(n)
	case "attribute":
		c.expression(n.at("object"))
		c.atAttribute(n)
		c.attributeSite(n)
	case "subscript":
		c.expression(n.at("value"))
		c.subscript(n)
		c.operate(true)
	case "slice":
		c.slice(n)
	case "list", "set":
		c.display(slices.Collect(n.operands()), 0, false)
	case "tuple", "expression_list", "pattern_list":
		c.tuple(n)
	case "dictionary":
		c.dictionary(n)
	case "list_comprehension", "set_comprehension", "dictionary_comprehension", "generator_expression":
		c.comprehension(n)
	case "string", "concatenated_string":
		c.formatted(n)
	case "yield":
		c.yield(n)
	case "await":
		c.expression(n.operand(0))
		c.operate(true)
		c.constant(isFalse)
		c.yieldFrom()
	case "list_splat", "dictionary_splat", "keyword_argument":
		c.expression(lastOperand(n))
	default:
		// Annotations have nodes of their own; they compute like operators.
		for part := range n.operands() {
			c.expression(part)
		}
		c.operate(true)
	}
}

func lastOperand(n *node) *node {
	var last *node
	for o := range n.operands() {
		last = o
	}
	return last
}

// name loads a name. A parameter is always bound, and so are builtins.
func (c *compiler) name(n *node) {
	name := n.text(c.text)
	c.operate(!(builtinNames[name] || c.unit.Kind != ClassCode && slices.Contains(c.unit.Parameters, name) && !c.deleted[name]))
}

// atAttribute moves the line to the attribute's name, if the object begins on
// another one.
func (c *compiler) atAttribute(n *node) { c.line = int32(n.last) }

func (c *compiler) attributeSite(n *node) {
	c.visitSite(site{kind: attributeSite, name: n.at("attribute").text(c.text)})
}

// booleanValues returns the operands of a chain of the same operator.
func booleanValues(n *node) (values []*node, or bool) {
	operator := n.at("operator").kind
	for n.kind == "boolean_operator" && n.at("operator").kind == operator {
		values = append(values, n.at("right"))
		n = n.at("left")
	}
	values = append(values, n)
	slices.Reverse(values)
	return values, operator == "or"
}

func (c *compiler) booleanOperator(n *node) {
	values, or := booleanValues(n)
	op := jumpIfFalseOrPop
	if or {
		op = jumpIfTrueOrPop
	}
	end := c.newBlock()
	for i, v := range values {
		c.expression(v)
		if i < len(values)-1 {
			c.jumpTo(op, end)
			c.use(c.newBlock())
		}
	}
	c.use(end)
}

// invertible reports whether `not n` is compiled as a comparison.
func invertible(n *node) bool {
	if n.kind != "comparison_operator" || n.count() != 2 {
		return false
	}
	for o := range n.fields("operators") {
		switch o.kind {
		case "in", "not in", "is", "is not":
			return true
		}
	}
	return false
}

func (c *compiler) binaryOperator(n *node) {
	left, right := n.at("left"), stripParentheses(n.at("right"))
	if n.at("operator").kind == "%" && right.kind == "tuple" && c.formatsAsString(left, right) {
		c.percentFormat(n, right)
		return
	}
	c.expression(left)
	c.expression(right)
	c.operate(true)
}

// comparison compiles a < b, or a chain of comparisons.
func (c *compiler) comparison(n *node) {
	operands := slices.Collect(n.operands())
	c.expression(operands[0])
	if len(operands) == 2 {
		c.comparator(n, operands, 1)
		c.operate(true)
		return
	}
	cleanup := c.newBlock()
	for i := 1; i < len(operands)-1; i++ {
		c.comparator(n, operands, i)
		c.operate(false)
		c.operate(true)
		c.jumpTo(jumpIfFalseOrPop, cleanup)
	}
	c.comparator(n, operands, len(operands)-1)
	c.operate(true)
	end := c.newBlock()
	c.jumpNoLine(end)
	c.use(cleanup)
	c.operate(false)
	c.operate(false)
	c.use(end)
}

// comparator compiles operand i of a comparison. The last one, after `in`, is
// folded like an iterable.
func (c *compiler) comparator(n *node, operands []*node, i int) {
	if i == len(operands)-1 {
		var last *node
		for o := range n.fields("operators") {
			last = o
		}
		if last.kind == "in" || last.kind == "not in" {
			c.iterable(operands[i])
			return
		}
	}
	c.expression(operands[i])
}

// iterable compiles what `for` and `in` run over: displays of constants are
// folded to a tuple or frozenset.
func (c *compiler) iterable(n *node) {
	n = stripParentheses(n)
	if n.kind == "list" || n.kind == "set" {
		if kind, value := c.foldTuple(n); kind != notConstant {
			line := c.line
			c.at(n)
			c.constant(value)
			c.line = line
			return
		}
		if n.kind == "list" && !hasStar(n) {
			line := c.line
			c.at(n)
			c.display(slices.Collect(n.operands()), 0, true)
			c.line = line
			return
		}
	}
	c.expression(n)
}

func hasStar(n *node) bool {
	for e := range n.operands() {
		if e.kind == "list_splat" {
			return true
		}
	}
	return false
}

func (c *compiler) conditional(n *node) {
	end, next := c.newBlock(), c.newBlock()
	c.jumpIf(n.operand(1), next, false)
	c.expression(n.operand(0))
	c.jumpNoLine(end)
	c.use(next)
	c.expression(n.operand(2))
	c.use(end)
}

// jumpIf jumps to next if n is true, or if it is false.
func (c *compiler) jumpIf(n *node, next *block, condition bool) {
	n = stripParentheses(n)
	if kind, _ := c.fold(n); kind == notConstant {
		switch n.kind {
		case "not_operator":
			c.jumpIf(n.at("argument"), next, !condition)
			return
		case "boolean_operator":
			c.jumpIfBoolean(n, next, condition)
			return
		case "conditional_expression":
			end, other := c.newBlock(), c.newBlock()
			c.jumpIf(n.operand(1), other, false)
			c.jumpIf(n.operand(0), next, condition)
			c.jumpNoLine(end)
			c.use(other)
			c.jumpIf(n.operand(2), next, condition)
			c.use(end)
			return
		case "comparison_operator":
			c.at(n)
			if n.count() > 2 {
				c.jumpIfChain(n, next, condition)
				return
			}
		}
	}
	c.expression(n)
	c.jumpTo(conditionalJump(condition), next)
}

func conditionalJump(condition bool) opcode {
	if condition {
		return popJumpIfTrue
	}
	return popJumpIfFalse
}

func (c *compiler) jumpIfBoolean(n *node, next *block, condition bool) {
	values, or := booleanValues(n)
	inner := next
	if or != condition {
		inner = c.newBlock()
	}
	last := len(values) - 1
	for _, v := range values[:last] {
		c.jumpIf(v, inner, or)
	}
	c.jumpIf(values[last], next, condition)
	if inner != next {
		c.use(inner)
	}
}

func (c *compiler) jumpIfChain(n *node, next *block, condition bool) {
	operands := slices.Collect(n.operands())
	cleanup := c.newBlock()
	c.expression(operands[0])
	for i := 1; i < len(operands)-1; i++ {
		c.comparator(n, operands, i)
		c.operate(false)
		c.operate(true)
		c.jumpTo(popJumpIfFalse, cleanup)
	}
	c.comparator(n, operands, len(operands)-1)
	c.operate(true)
	c.jumpTo(conditionalJump(condition), next)
	end := c.newBlock()
	c.jumpNoLine(end)
	c.use(cleanup)
	c.operate(false)
	if !condition {
		c.jumpNoLine(next)
	}
	c.use(end)
}

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

func (c *compiler) tuple(n *node) { c.display(slices.Collect(n.operands()), 0, true) }

// display builds a list, set or tuple of elements, after pushed others.
func (c *compiler) display(elements []*node, pushed int, tuple bool) {
	count := len(elements)
	if count > 2 && !slices.ContainsFunc(elements, func(e *node) bool { return !c.isConstant(e) }) {
		if tuple && pushed == 0 {
			c.constant(isTrue)
			return
		}
		c.operate(false)
		c.constant(isTrue)
		c.operate(false)
		if tuple {
			c.operate(false)
		}
		return
	}
	star := slices.ContainsFunc(elements, func(e *node) bool { return e.kind == "list_splat" })
	big := count+pushed > stackGuideline
	if !star && !big {
		for _, e := range elements {
			c.expression(e)
		}
		if tuple {
			c.emit(instruction{op: buildTuple, argument: int32(count + pushed)})
		} else {
			c.operate(true) // a set hashes its elements
		}
		return
	}
	built := big
	if big {
		c.operate(false)
	}
	for _, e := range elements {
		if e.kind == "list_splat" {
			if !built {
				c.operate(false)
				built = true
			}
			c.expression(e.operand(0))
			c.visitSite(site{kind: iterateSite}) // LIST_EXTEND
			continue
		}
		c.expression(e)
		if built {
			c.operate(true)
		}
	}
	if tuple {
		c.operate(false)
	}
}

func (c *compiler) dictionary(n *node) {
	built := false
	update := func() {
		if built {
			c.operate(true)
		}
		built = true
	}
	var pairs []*node
	flush := func() {
		if len(pairs) > 0 {
			c.subDictionary(pairs)
			update()
			pairs = nil
		}
	}
	for e := range n.operands() {
		if e.kind == "dictionary_splat" {
			flush()
			if !built {
				c.operate(false)
				built = true
			}
			c.expression(e)
			c.visitSite(site{kind: iterateSite}) // DICT_UPDATE
			continue
		}
		pairs = append(pairs, e)
		if (len(pairs)-1)*2 > stackGuideline {
			flush()
		}
	}
	flush()
	if !built {
		c.operate(false)
	}
}

func (c *compiler) subDictionary(pairs []*node) {
	big := len(pairs)*2 > stackGuideline
	if len(pairs) > 1 && !big && !slices.ContainsFunc(pairs, func(p *node) bool { return !c.isConstant(p.at("key")) }) {
		for _, p := range pairs {
			c.expression(p.at("value"))
		}
		c.constant(isTrue)
		c.operate(false)
		return
	}
	if big {
		c.operate(false)
	}
	for _, p := range pairs {
		c.expression(p.at("key"))
		c.expression(p.at("value"))
		if big {
			c.operate(true)
		}
	}
	if !big {
		c.operate(true)
	}
}

// subscript compiles what stands between the brackets.
func (c *compiler) subscript(n *node) {
	parts := slices.Collect(n.fields("subscript"))
	if len(parts) == 1 && !n.has(",") {
		c.expression(parts[0])
		return
	}
	line := c.line
	c.at(parts[0])
	if !slices.ContainsFunc(parts, func(p *node) bool { return !c.isConstant(p) }) {
		c.constant(isTrue)
	} else {
		c.display(parts, 0, true)
	}
	c.line = line
}

func (c *compiler) slice(n *node) {
	// The parts that are missing load None.
	missing := 2
	count := 0
	for part := n.first; part != nil; part = part.next {
		if part.named {
			c.expression(part)
			count++
			missing--
		}
	}
	for ; missing > 0; missing-- {
		c.constant(isFalse)
	}
	c.operate(false)
}

func (c *compiler) yield(n *node) {
	value := n.operand(0)
	if n.has("from") {
		c.expression(value)
		c.visitSite(site{kind: iterateSite})
		c.constant(isFalse)
		c.yieldFrom()
		return
	}
	if value != nil {
		c.expression(value)
	} else {
		c.constant(isFalse)
	}
	c.emit(instruction{op: yieldValue})
	c.emit(instruction{op: resume, raises: true})
}

// comprehension compiles the call of a comprehension's own code. Its frames are
// folded into this line, so all that is kept of its body is what it may call.
func (c *compiler) comprehension(n *node) {
	s := site{kind: comprehensionSite, call: n}
	lazy := n.kind == "generator_expression"
	s.inner = comprehensionSites(n, c.text)
	c.constant(isTrue)
	c.operate(false)
	clause := n.child("for_in_clause")
	rights := slices.Collect(clause.fields("right"))
	if len(rights) == 1 {
		c.iterable(rights[0])
	} else {
		line := c.line
		c.at(rights[0])
		c.display(rights, 0, true)
		c.line = line
	}
	c.visitSite(site{kind: iterateSite}) // GET_ITER
	c.operate(false)
	c.visitSite(s)
	if clause.has("async") && !lazy {
		c.operate(true)
		c.constant(isFalse)
		c.yieldFrom()
	}
}

// comprehensionSites returns what running a comprehension's own code may call.
// Its first iterable belongs to the code around it.
func comprehensionSites(n *node, text string) []site {
	var sites []site
	first := true
	for part := range n.operands() {
		if part.kind != "for_in_clause" {
			sites = appendSites(sites, part, text)
			continue
		}
		sites = append(sites, site{kind: iterateSite})
		if !first {
			sites = appendSites(sites, part.at("right"), text)
		}
		sites = appendSites(sites, part.at("left"), text)
		first = false
	}
	return sites
}

// appendSites adds all that running n may call.
func appendSites(sites []site, n *node, text string) []site {
	switch n.kind {
	case "lambda":
		return sites
	case "call":
		sites = append(sites, callSite(n.at("function"), n, text))
	case "attribute":
		sites = append(sites, site{kind: attributeSite, name: n.at("attribute").text(text)})
	case "for_in_clause", "list_splat", "await", "yield":
		sites = append(sites, site{kind: iterateSite})
	}
	for part := range n.operands() {
		sites = appendSites(sites, part, text)
	}
	return sites
}

// deletion compiles del n.
func (c *compiler) deletion(n *node) {
	n = stripParentheses(n)
	switch n.kind {
	case "tuple", "tuple_pattern", "list", "list_pattern", "expression_list":
		for e := range n.operands() {
			c.deletion(e)
		}
	case "identifier":
		line := c.line
		c.at(n)
		c.emit(instruction{op: operate, raises: true, drops: true})
		c.line = line
	default:
		c.target(n)
	}
}

// target compiles an assignment to n.
func (c *compiler) target(n *node) {
	n = stripParentheses(n)
	line := c.line
	c.at(n)
	switch n.kind {
	case "identifier":
		c.drop()
	case "attribute":
		c.expression(n.at("object"))
		c.atAttribute(n)
		c.attributeSite(n)
		c.current.last().drops = true
	case "subscript":
		c.expression(n.at("value"))
		c.subscript(n)
		c.emit(instruction{op: operate, raises: true, drops: true})
	case "tuple", "tuple_pattern", "list", "list_pattern", "pattern_list", "expression_list":
		elements := slices.Collect(n.operands())
		c.code.sites = append(c.code.sites, site{kind: iterateSite})
		c.emit(instruction{op: unpack, argument: int32(len(elements)), raises: true, site: int32(len(c.code.sites))})
		for _, e := range elements {
			if e.kind == "list_splat_pattern" || e.kind == "list_splat" {
				e = e.operand(0)
			}
			c.target(e)
		}
	default:
		c.expression(n)
	}
	c.line = line
}

// formatted compiles an f-string, or a concatenation that has one. Its parts
// are at their own lines, the formatting at the first line.
func (c *compiler) formatted(n *node) {
	count := 0
	var visit func(*node)
	visit = func(n *node) {
		literal := false
		for part := range n.operands() {
			switch part.kind {
			case "string":
				visit(part)
			case "string_content":
				if !literal {
					c.constant(isTrue)
					count++
				}
				literal = true
			case "interpolation", "format_expression":
				c.interpolation(part)
				count++
				literal = false
			}
		}
	}
	visit(n)
	if count != 1 {
		c.operate(false) // BUILD_STRING
	}
}

func (c *compiler) interpolation(n *node) {
	if value := n.at("expression"); value != nil {
		if n.has(",") {
			line := c.line
			c.at(value)
			c.display(slices.Collect(n.fields("expression")), 0, true)
			c.line = line
		} else {
			c.expression(value)
		}
	}
	if specifier := n.at("format_specifier"); specifier != nil {
		c.constant(isTrue)
		for part := range specifier.operands() {
			if part.kind == "format_expression" {
				c.interpolation(part)
			}
		}
	}
	c.operate(true) // FORMAT_VALUE
}

// formatsAsString reports whether `"..." % (...)` is compiled like an f-string:
// only %s, %r, %a and %%, and as many as there are values.
func (c *compiler) formatsAsString(format, values *node) bool {
	format = stripParentheses(format)
	if kind, _ := c.fold(format); kind != stringConstant || format.kind == "binary_operator" || hasStar(values) {
		return false
	}
	if kind, _ := c.foldTuple(values); kind != notConstant {
		return false
	}
	count := 0
	text := format.text(c.text)
	for {
		_, after, found := strings.Cut(text, "%")
		if !found {
			return count == values.count()
		}
		if strings.HasPrefix(after, "%") {
			text = after[1:]
			continue
		}
		after = strings.TrimLeft(after, "-+ #0")
		after = strings.TrimLeft(after, "0123456789")
		if rest, ok := strings.CutPrefix(after, "."); ok {
			after = strings.TrimLeft(rest, "0123456789")
		}
		if after == "" || !strings.ContainsRune("sra", rune(after[0])) {
			return false
		}
		count++
		text = after[1:]
	}
}

// percentFormat compiles `"..." % (...)` as if it were an f-string. The literal
// parts have no line.
func (c *compiler) percentFormat(n, values *node) {
	text := stripParentheses(n.at("left")).text(c.text)
	literal := strings.IndexByte(text, '%') > strings.IndexAny(text, `"'`)+1
	for v := range values.operands() {
		if literal {
			c.emitNoLine(instruction{op: loadConst})
		}
		literal = true
		line := c.line
		c.at(stripParentheses(v))
		c.expression(v)
		c.operate(true)
		c.line = line
	}
	c.operate(false)
}
