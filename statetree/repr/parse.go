package repr

import "strings"

// maxDepth is how deep collections are unfolded; what is deeper is Text.
const maxDepth = 20_000

// Parse reads a repr. It cannot fail: what is not understood is Text. Bytes that
// are not UTF-8 become U+FFFD.
func Parse(text string) Value {
	text = strings.ToValidUTF8(text, "\uFFFD")
	p := &parser{text: text}
	v, ok := p.element(0, true)
	p.space()
	if !ok || p.at < len(text) || v.Kind == Text && v.Text != text {
		return textValue(text)
	}
	return v
}

// parser reads one repr from left to right, each character once.
type parser struct {
	text  string
	at    int
	enums int // how many enum members this text is inside of
	// unclosed is where a search for the closing ' or " has failed; later ones
	// need not be made.
	unclosed [2]int
}

// maxEnums bounds enum members in enum members, since each is read again.
const maxEnums = 4

func (p *parser) rest() string { return p.text[p.at:] }
func (p *parser) end() bool    { return p.at >= len(p.text) }

// peek returns the next byte, 0 at the end.
func (p *parser) peek() byte {
	if p.end() {
		return 0
	}
	return p.text[p.at]
}

func (p *parser) space() {
	for !p.end() {
		switch p.text[p.at] {
		case ' ', '\n', '\t', '\r':
			p.at++
		default:
			return
		}
	}
}

func isDelimiter(c byte) bool {
	switch c {
	case ',', ':', ')', ']', '}', 0:
		return true
	}
	return false
}

// element reads a value that a delimiter or the end follows. When something else
// follows, all up to the delimiter is one Text. top says that only the end of
// the text is a delimiter. It is not ok when brackets or quotes do not match, or
// when nothing is there.
func (p *parser) element(depth int, top bool) (Value, bool) {
	p.space()
	start := p.at
	v, ok := p.value(depth)
	if !ok {
		return v, false
	}
	if v.Cut && p.end() {
		return v, true
	}
	after := p.at
	p.space()
	read := after > start // something, not the empty Text before what is unknown
	if read && (p.end() || !top && isDelimiter(p.peek())) {
		return v, true
	}
	p.at = after
	if !p.skip(top) {
		return v, false
	}
	text := strings.TrimRight(p.text[start:p.at], " \n\t\r")
	return textValue(text), top || text != ""
}

// skip goes to the next delimiter, over brackets and quotes that match.
func (p *parser) skip(top bool) bool {
	var open []byte
	for !p.end() {
		c := p.text[p.at]
		switch c {
		case '(', '[', '{':
			open = append(open, c)
		case ')', ']', '}':
			if len(open) == 0 {
				return !top
			}
			if open[len(open)-1] != opening(c) {
				return false
			}
			open = open[:len(open)-1]
		case '\'', '"':
			if _, _, ok := p.quoted(); !ok {
				return false
			}
			continue
		case '<':
			p.angle()
			continue
		case ',', ':':
			if len(open) == 0 && !top {
				return true
			}
		}
		p.at++
	}
	return len(open) == 0 || isCut(p.text)
}

func opening(closing byte) byte {
	switch closing {
	case ')':
		return '('
	case ']':
		return '['
	}
	return '{'
}

// value reads what begins here, perhaps nothing.
func (p *parser) value(depth int) (Value, bool) {
	c := p.peek()
	switch {
	case c == '[' || c == '(' || c == '{':
		if depth >= maxDepth {
			start := p.at
			p.at++
			if !p.balance(c) {
				return Value{}, false
			}
			return textValue(p.text[start:p.at]), true
		}
		return p.brackets(depth)
	case c == '\'' || c == '"':
		content, cut, ok := p.quoted()
		return Value{Kind: String, Type: "str", Text: unescape(content, false), Cut: cut}, ok
	case (c == 'b' || c == 'B') && p.at+1 < len(p.text) && (p.text[p.at+1] == '\'' || p.text[p.at+1] == '"'):
		p.at++
		content, cut, ok := p.quoted()
		return Value{Kind: Bytes, Type: "bytes", Text: unescape(content, true), Cut: cut}, ok
	case c == '<':
		return p.angleValue(depth), true
	case c == '.' && strings.HasPrefix(p.rest(), "..."):
		p.at += 3
		return Value{Kind: Elided, Text: "..."}, true
	case c == '-' || c == '+' || c >= '0' && c <= '9' || c == '.':
		return p.number(), true
	}
	return p.named(depth)
}

// balance skips to the bracket that closes an already open one.
func (p *parser) balance(open byte) bool {
	stack := []byte{open}
	for !p.end() {
		switch c := p.text[p.at]; c {
		case '(', '[', '{':
			stack = append(stack, c)
		case ')', ']', '}':
			if stack[len(stack)-1] != opening(c) {
				return false
			}
			if stack = stack[:len(stack)-1]; len(stack) == 0 {
				p.at++
				return true
			}
		case '\'', '"':
			if _, _, ok := p.quoted(); !ok {
				return false
			}
			continue
		}
		p.at++
	}
	return isCut(p.text)
}

// brackets reads a list, tuple, dict or set.
func (p *parser) brackets(depth int) (Value, bool) {
	start := p.at
	open := p.text[p.at]
	p.at++
	var v Value
	var ok bool
	switch open {
	case '[':
		v = Value{Kind: List, Type: "list"}
		ok = p.children(&v, ']', depth)
	case '(':
		v = Value{Kind: Tuple, Type: "tuple"}
		ok = p.children(&v, ')', depth)
		if ok && !v.Cut && len(v.Children) == 1 && !p.trailingComma() && !v.recursive() {
			return p.parenthesized(start, v), true
		}
	default:
		v = Value{Kind: Set, Type: "set"}
		ok = p.children(&v, '}', depth)
		if len(v.Children) == 0 || v.Children[0].Key != nil || v.recursive() {
			v.Kind, v.Type = Dict, "dict"
		}
	}
	return v, ok
}

// trailingComma reports whether the bracket just closed has a comma before it.
func (p *parser) trailingComma() bool {
	before := strings.TrimRight(p.text[:p.at-1], " \n\t\r")
	return strings.HasSuffix(before, ",")
}

// parenthesized is the value of (x): a complex number, or Text.
func (p *parser) parenthesized(start int, tuple Value) Value {
	text := p.text[start:p.at]
	if isComplex(text[1 : len(text)-1]) {
		return Value{Kind: Complex, Type: "complex", Text: text}
	}
	return textValue(text)
}

// children reads elements up to the closing bracket. Elements may be pairs,
// key: value, in braces, and fields, name=value, in the parentheses of objects.
func (p *parser) children(v *Value, closing byte, depth int) bool {
	for {
		p.space()
		if p.end() {
			v.Cut = true
			return isCut(p.text)
		}
		if p.peek() == closing {
			p.at++
			return true
		}
		child := Child{}
		if v.Kind == Object {
			child.Name = p.field()
		}
		var ok bool
		if child.Value, ok = p.element(depth+1, false); !ok {
			return false
		}
		if closing == '}' && p.peek() == ':' {
			p.at++
			key := child.Value
			child.Key = &key
			if child.Value, ok = p.element(depth+1, false); !ok {
				return false
			}
		}
		v.Children = append(v.Children, child)
		p.space()
		switch c := p.peek(); {
		case p.end():
			v.Cut = true
			return isCut(p.text)
		case c == ',':
			p.at++
		case c != closing:
			return false
		}
	}
}

// field reads `name=` if that is what comes next.
func (p *parser) field() string {
	end := p.at + identifierLength(p.rest())
	if end > p.at && end < len(p.text) && p.text[end] == '=' {
		name := p.text[p.at:end]
		p.at = end + 1
		return name
	}
	return ""
}

// named reads a constant, or an object: Name(...).
func (p *parser) named(depth int) (Value, bool) {
	start := p.at
	p.at += nameLength(p.rest())
	name := p.text[start:p.at]
	switch name {
	case "":
		return Value{}, true
	case "None":
		return Value{Kind: None, Type: "NoneType", Text: name}, true
	case "True", "False":
		return Value{Kind: Bool, Type: "bool", Text: name}, true
	case "inf", "nan":
		if p.peek() != '(' {
			return Value{Kind: Float, Type: "float", Text: name}, true
		}
	case "infj", "nanj":
		return Value{Kind: Complex, Type: "complex", Text: name}, true
	case "Ellipsis":
		return Value{Kind: Text, Type: "ellipsis", Text: name}, true
	case "NotImplemented":
		return Value{Kind: Text, Type: "NotImplementedType", Text: name}, true
	}
	if p.peek() != '(' {
		return textValue(name), true
	}
	if depth >= maxDepth {
		p.at++
		if !p.balance('(') {
			return Value{}, false
		}
		return textValue(p.text[start:p.at]), true
	}
	p.at++
	v := Value{Kind: Object, Type: name}
	if !p.children(&v, ')', depth) {
		return v, false
	}
	return builtin(v), true
}

// builtin turns the objects that are built-in types into their kinds.
func builtin(v Value) Value {
	if v.Cut {
		return v
	}
	for _, c := range v.Children {
		if c.Name != "" {
			return v
		}
	}
	switch {
	case (v.Type == "set" || v.Type == "frozenset") && len(v.Children) == 0:
		v.Kind = Set
	case (v.Type == "set" || v.Type == "frozenset") && elidedOnly(v):
		v.Kind = Set
	case v.Type == "frozenset" && len(v.Children) == 1 && v.Children[0].Value.Kind == Set:
		v.Kind, v.Children = Set, v.Children[0].Value.Children
	case v.Type == "range" && (len(v.Children) == 2 || len(v.Children) == 3):
		for _, c := range v.Children {
			if c.Value.Kind != Int {
				return v
			}
		}
		v.Kind = Range
		return v
	default:
		return v
	}
	if v.Type == "frozenset" {
		v.Kind = FrozenSet
	}
	return v
}

// elidedOnly reports whether an object's only argument is an ellipsis.
func elidedOnly(v Value) bool {
	return len(v.Children) == 1 && v.Children[0].Value.Kind == Elided
}
