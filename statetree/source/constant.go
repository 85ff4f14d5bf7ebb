package source

import "strings"

// stripParentheses returns what is inside redundant parentheses, and inside the
// wrappers that the grammar puts around types and targets.
func stripParentheses(n *node) *node {
	for n.kind == "parenthesized_expression" || n.kind == "type" || n.kind == "as_pattern_target" {
		inner := n.operand(0)
		if inner == nil {
			break
		}
		n = inner
	}
	return n
}

// constantKind is the type of a constant, as far as folding needs it.
type constantKind uint8

const (
	notConstant constantKind = iota
	numberConstant
	floatConstant // float or complex
	stringConstant
	bytesConstant
	tupleConstant
	otherConstant // None, Ellipsis
)

// isConstant reports whether CPython compiles n to a single constant.
func (c *compiler) isConstant(n *node) bool {
	kind, _ := c.fold(n)
	return kind != notConstant
}

// fold tells what n is folded to by CPython's AST optimizer. Foldings whose
// result would be too large, or that fail, are judged by their operands' types
// only, which is right for what programs contain.
func (c *compiler) fold(n *node) (constantKind, truth) {
	n = stripParentheses(n)
	switch n.kind {
	case "integer", "float":
		return c.foldNumber(n)
	case "true", "false":
		return numberConstant, truthOf(n.kind == "true")
	case "none":
		return otherConstant, isFalse
	case "ellipsis":
		return otherConstant, isTrue
	case "identifier":
		if n.text(c.text) == "__debug__" {
			return numberConstant, isTrue
		}
	case "string", "concatenated_string":
		if !c.isPlainString(n) {
			return notConstant, truthUnknown
		}
		kind := stringConstant
		if isBytes(n, c.text) {
			kind = bytesConstant
		}
		return kind, truthOf(stringHasContent(n))
	case "tuple", "expression_list":
		return c.foldTuple(n)
	case "unary_operator", "not_operator":
		return c.foldUnary(n)
	case "binary_operator":
		return c.foldBinary(n)
	}
	return notConstant, truthUnknown
}

func (c *compiler) foldNumber(n *node) (constantKind, truth) {
	text := strings.ToLower(n.text(c.text))
	kind := numberConstant
	hexadecimal := strings.HasPrefix(text, "0x")
	if !hexadecimal && (n.kind == "float" || strings.HasSuffix(text, "j")) {
		kind = floatConstant
		text, _, _ = strings.Cut(text, "e")
	}
	if len(text) > 1 && text[0] == '0' && (hexadecimal || text[1] == 'o' || text[1] == 'b') {
		text = text[2:]
	}
	return kind, truthOf(strings.Trim(text, "0_.jl") != "")
}

func (c *compiler) foldTuple(n *node) (constantKind, truth) {
	count := 0
	for e := range n.operands() {
		if !c.isConstant(e) {
			return notConstant, truthUnknown
		}
		count++
	}
	return tupleConstant, truthOf(count > 0)
}

func (c *compiler) foldUnary(n *node) (constantKind, truth) {
	kind, value := c.fold(n.at("argument"))
	if kind == notConstant {
		return notConstant, truthUnknown
	}
	if n.kind == "not_operator" {
		if value == truthUnknown {
			return notConstant, truthUnknown
		}
		return numberConstant, value.not()
	}
	operator := n.at("operator").kind
	if kind != numberConstant && (kind != floatConstant || operator == "~") {
		return notConstant, truthUnknown
	}
	if operator == "~" {
		value = truthUnknown
	}
	return kind, value
}

func (c *compiler) foldBinary(n *node) (constantKind, truth) {
	right, rightTruth := c.fold(n.at("right")) // first: it is short in long chains
	if right == notConstant {
		return notConstant, truthUnknown
	}
	left, leftTruth := c.fold(n.at("left"))
	if left == notConstant {
		return notConstant, truthUnknown
	}
	operator := n.at("operator").kind
	numbers := (left == numberConstant || left == floatConstant) && (right == numberConstant || right == floatConstant)
	integers := left == numberConstant && right == numberConstant
	sequence := left == stringConstant || left == bytesConstant || left == tupleConstant
	result := max(left, right)
	switch operator {
	case "+":
		if sequence && left == right {
			return left, truthOf(leftTruth == isTrue || rightTruth == isTrue)
		}
		if numbers {
			return result, truthUnknown
		}
	case "-", "**":
		if numbers {
			return result, truthUnknown
		}
	case "*":
		if numbers {
			return result, truthOf(leftTruth == isTrue && rightTruth == isTrue)
		}
		if sequence && right == numberConstant && c.smallRepeat(n.at("right")) {
			return left, truthUnknown
		}
	case "/", "//", "%":
		if numbers && rightTruth == isTrue {
			if operator == "/" {
				result = floatConstant
			}
			return result, truthUnknown
		}
	case "<<", ">>", "|", "&", "^":
		if integers {
			return numberConstant, truthUnknown
		}
	}
	return notConstant, truthUnknown
}

// smallRepeat reports whether repeating a constant n times stays below the
// optimizer's limits.
func (c *compiler) smallRepeat(n *node) bool {
	text := stripParentheses(n).text(c.text)
	return len(text) <= 3 && n.kind == "integer"
}

// isPlainString reports whether a string is a constant: no part is an f-string.
func (c *compiler) isPlainString(n *node) bool {
	if n.kind == "concatenated_string" {
		for part := range n.operands() {
			if !c.isPlainString(part) {
				return false
			}
		}
		return true
	}
	return !strings.ContainsAny(stringPrefix(n, c.text), "fF")
}

func isBytes(n *node, text string) bool {
	if n.kind == "concatenated_string" {
		n = n.operand(0)
	}
	return strings.ContainsAny(stringPrefix(n, text), "bB")
}

// stringPrefix returns the letters before a string's first quote.
func stringPrefix(n *node, text string) string {
	start := n.first.text(text)
	if i := strings.IndexAny(start, `"'`); i >= 0 {
		return start[:i]
	}
	return ""
}

func stringHasContent(n *node) bool {
	if n.kind == "concatenated_string" {
		for part := range n.operands() {
			if stringHasContent(part) {
				return true
			}
		}
		return false
	}
	return n.has("string_content")
}
