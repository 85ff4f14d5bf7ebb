package source

import (
	"math/bits"
	"strconv"
	"strings"
)

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

// fold tells what n is folded to by CPython's AST optimizer. The values of
// numbers are not computed, only whether they are zero where that is plain.
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
		return kind, truthOf(stringLength(n) > 0)
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
	result := max(left, right)
	switch operator {
	case "+":
		if isSequence(left) && left == right {
			return left, truthOf(leftTruth == isTrue || rightTruth == isTrue)
		}
		if numbers {
			return result, truthUnknown
		}
	case "-":
		if numbers {
			return result, truthUnknown
		}
	case "**":
		if numbers && (!integers || c.smallPower(n.at("left"), n.at("right"))) {
			return result, truthUnknown
		}
	case "*":
		switch {
		case numbers:
			return result, truthOf(leftTruth == isTrue && rightTruth == isTrue)
		case isSequence(left) && right == numberConstant && c.smallRepeat(n.at("left"), n.at("right")):
			return left, truthUnknown
		case isSequence(right) && left == numberConstant && c.smallRepeat(n.at("right"), n.at("left")):
			return right, truthUnknown
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

func isSequence(kind constantKind) bool {
	return kind == stringConstant || kind == bytesConstant || kind == tupleConstant
}

// The optimizer's limits on the size of what it folds.
const (
	maxFoldedBits       = 128
	maxFoldedCharacters = 4096
	maxFoldedItems      = 256
)

// smallRepeat reports whether a constant sequence repeated stays below the
// limits. The length of a string is taken from its literal.
func (c *compiler) smallRepeat(sequence, times *node) bool {
	sequence = stripParentheses(sequence)
	count, ok := c.integer(times)
	if !ok {
		return false
	}
	if sequence.kind == "tuple" {
		return count*sequence.count() <= maxFoldedItems
	}
	return count*stringLength(sequence) <= maxFoldedCharacters
}

// smallPower reports whether an integer power stays below the limits.
func (c *compiler) smallPower(base, exponent *node) bool {
	b, ok := c.integer(base)
	e, small := c.integer(exponent)
	return ok && small && bits.Len(uint(b))*e <= maxFoldedBits
}

// integer returns the absolute value of a decimal integer literal.
func (c *compiler) integer(n *node) (int, bool) {
	n = stripParentheses(n)
	if n.kind == "unary_operator" {
		n = stripParentheses(n.at("argument"))
	}
	value, err := strconv.Atoi(strings.ReplaceAll(n.text(c.text), "_", ""))
	return value, err == nil
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

// stringLength is the length of a string literal's text between the quotes.
func stringLength(n *node) int {
	length := 0
	for part := range n.operands() {
		switch part.kind {
		case "string":
			length += stringLength(part)
		case "string_content":
			length += part.end - part.start
		}
	}
	return length
}
