package repr

import "strings"

// described are the beginnings of reprs that say what they are of, and the type.
var described = map[string]string{
	"function ": "function", "bound method ": "method", "built-in function ": "builtin_function_or_method",
	"built-in method ": "builtin_function_or_method", "class ": "type", "module ": "module", "enum ": "EnumType",
}

// textValue is a Text.
func textValue(text string) Value {
	return Value{Kind: Text, Text: text, Type: textType(text), Cut: isCut(text)}
}

// textType finds the type's name in reprs such as <__main__.Node object> and
// <function f>.
func textType(text string) string {
	inner, ok := strings.CutPrefix(text, "<")
	if !ok || !strings.HasSuffix(inner, ">") {
		return ""
	}
	inner = inner[:len(inner)-1]
	if before, _, ok := strings.Cut(inner, " object"); ok && !strings.Contains(before, " ") {
		return before[strings.LastIndexByte(before, '.')+1:]
	}
	for prefix, name := range described {
		if strings.HasPrefix(inner, prefix) {
			return name
		}
	}
	if before, _, ok := strings.Cut(inner, " object "); ok { // <generator object g>
		return before
	}
	return ""
}

// isCut reports whether a text ends in an ellipsis.
func isCut(text string) bool { return strings.HasSuffix(text, "...") || strings.HasSuffix(text, "…") }

// angle skips <...>. Quotes count only if they match, since texts may contain
// apostrophes.
func (p *parser) angle() {
	start := p.at
	depth := 0
	for ; !p.end(); p.at++ {
		switch p.text[p.at] {
		case '<':
			depth++
		case '>':
			if depth--; depth == 0 {
				p.at++
				return
			}
		case '\'', '"':
			before := p.at
			if _, cut, ok := p.quoted(); ok && !cut {
				p.at--
				continue
			}
			p.at = before
			p.plainAngle(start)
			return
		}
	}
}

// plainAngle skips from start to the next '>', quotes being plain characters.
func (p *parser) plainAngle(start int) {
	if end := strings.IndexByte(p.text[start:], '>'); end >= 0 {
		p.at = start + end + 1
		return
	}
	p.at = len(p.text)
}

// angleValue reads <...>: an enum's member, or Text.
func (p *parser) angleValue(depth int) Value {
	start := p.at
	p.angle()
	text := p.text[start:p.at]
	inner, ok := strings.CutSuffix(strings.TrimPrefix(text, "<"), ">")
	if !ok || depth >= maxDepth || p.enums >= maxEnums {
		return textValue(text)
	}
	name, value, ok := strings.Cut(inner, ": ")
	dot := strings.LastIndexByte(name, '.')
	if !ok || dot <= 0 || strings.ContainsAny(name, " <>'\"") {
		return textValue(text)
	}
	sub := &parser{text: value, enums: p.enums + 1}
	member, ok := sub.element(depth+1, true)
	if !ok || !sub.end() {
		member = textValue(value)
	}
	return Value{Kind: Enum, Type: name[:dot], Text: name[dot+1:], Children: []Child{{Value: member}}}
}
