package source

import (
	"slices"
	"strings"
)

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
