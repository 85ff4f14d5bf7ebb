package repr

import (
	"math/big"
	"strings"
	"unicode"
	"unicode/utf8"
)

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
	for prefix, name := range map[string]string{
		"function ": "function", "bound method ": "method", "built-in function ": "builtin_function_or_method",
		"built-in method ": "builtin_function_or_method", "class ": "type", "module ": "module", "enum ": "EnumType",
	} {
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
		if ok && !v.Cut && len(v.Children) == 1 && !p.trailingComma() && !v.Recursive() {
			return p.parenthesized(start, v), true
		}
	default:
		v = Value{Kind: Set, Type: "set"}
		ok = p.children(&v, '}', depth)
		if len(v.Children) == 0 || v.Children[0].Key != nil || v.Recursive() {
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

// identifierLength returns the length of the identifier at the beginning of s.
func identifierLength(s string) int {
	for i, r := range s {
		if r != '_' && !unicode.IsLetter(r) && (i == 0 || !unicode.IsDigit(r)) {
			return i
		}
	}
	return len(s)
}

// quoted reads a quoted string and returns what is between the quotes. cut says
// that the text ended before the closing quote, in an ellipsis, which is not
// part of the content.
func (p *parser) quoted() (content string, cut, ok bool) {
	quote := p.text[p.at]
	failed := &p.unclosed[quote%2] // ' is odd, " is even
	if *failed > 0 && p.at > *failed {
		p.at = len(p.text)
		return "", false, false
	}
	opened := p.at
	p.at++
	start := p.at
	for !p.end() {
		switch p.text[p.at] {
		case '\\':
			p.at++
		case quote:
			content = p.text[start:p.at]
			p.at++
			return content, false, true
		}
		p.at++
	}
	p.at = len(p.text)
	content = p.text[start:]
	for _, ellipsis := range []string{"...", "…"} {
		if before, found := strings.CutSuffix(content, ellipsis); found {
			return before, true, true
		}
	}
	*failed = max(opened, 1)
	return "", false, false
}

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

// number reads an int, float or complex; anything else that begins like one is
// an empty Text, which element extends.
func (p *parser) number() Value {
	start := p.at
	for !p.end() && strings.IndexByte("+-0123456789.einfaj", p.text[p.at]) >= 0 {
		p.at++
	}
	text := p.text[start:p.at]
	switch {
	case isInteger(text):
		return Value{Kind: Int, Type: "int", Text: text}
	case isFloat(text):
		return Value{Kind: Float, Type: "float", Text: text}
	case isComplex(text):
		return Value{Kind: Complex, Type: "complex", Text: text}
	}
	p.at = start
	return Value{}
}

func isInteger(s string) bool {
	s = strings.TrimPrefix(s, "-")
	return s != "" && strings.Trim(s, "0123456789") == "" && (s[0] != '0' || len(s) == 1)
}

// isFloat reports whether s is what repr writes for a float, or numpy: 1.5, 1.,
// 1e-07, inf, -nan.
func isFloat(s string) bool {
	s = strings.TrimPrefix(s, "-")
	if s == "inf" || s == "nan" {
		return true
	}
	mantissa, exponent, hasExponent := strings.Cut(s, "e")
	if hasExponent {
		if exponent = strings.TrimLeft(exponent, "+-"); exponent == "" || strings.Trim(exponent, "0123456789") != "" {
			return false
		}
	}
	whole, fraction, hasPoint := strings.Cut(mantissa, ".")
	if whole+fraction == "" || strings.Trim(whole+fraction, "0123456789") != "" {
		return false
	}
	return hasPoint || hasExponent
}

// isComplex reports whether s is what repr writes for a complex number, without
// parentheses: 1j, 1+2j, -0-infj.
func isComplex(s string) bool {
	const longest = 100 // two floats, signs and all, are shorter
	body, ok := strings.CutSuffix(s, "j")
	if !ok || len(s) > longest {
		return false
	}
	part := func(s string) bool { return isFloat(s) || isInteger(s) }
	if part(body) {
		return true
	}
	for i := 1; i < len(body); i++ {
		if (body[i] == '+' || body[i] == '-') && body[i-1] != 'e' {
			im := body[i:]
			if im[0] == '+' {
				im = im[1:]
			}
			if part(body[:i]) && part(im) {
				return true
			}
		}
	}
	return false
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

// nameLength returns the length of the dotted name at the beginning of s. A
// class that a function defines has <locals> in its name.
func nameLength(s string) int {
	length := 0
	for {
		part := identifierLength(s[length:])
		if strings.HasPrefix(s[length:], "<locals>") {
			part = len("<locals>")
		}
		if part == 0 {
			return max(0, length-1)
		}
		length += part
		if length == len(s) || s[length] != '.' {
			return length
		}
		length++
	}
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

// Len returns the number of elements of a Range.
func (v Value) Len() (*big.Int, bool) {
	if v.Kind != Range {
		return nil, false
	}
	bounds := make([]*big.Int, 0, 3)
	for _, c := range v.Children {
		n, ok := c.Value.BigInt()
		if !ok {
			return nil, false
		}
		bounds = append(bounds, n)
	}
	step := big.NewInt(1)
	if len(bounds) == 3 {
		step = bounds[2]
	}
	if step.Sign() == 0 {
		return nil, false
	}
	span := new(big.Int).Sub(bounds[1], bounds[0])
	if step.Sign() < 0 {
		span.Neg(span)
		step = new(big.Int).Neg(step)
	}
	if span.Sign() <= 0 {
		return new(big.Int), true
	}
	// Rounded up.
	span.Add(span, step).Sub(span, big.NewInt(1))
	return span.Quo(span, step), true
}

// unescape decodes the escapes of a string's or bytes' repr. An unknown escape
// stays as it is.
func unescape(s string, isBytes bool) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var out strings.Builder
	out.Grow(len(s))
	for i := 0; i < len(s); {
		if s[i] != '\\' || i+1 == len(s) {
			out.WriteByte(s[i])
			i++
			continue
		}
		digits := 0
		switch c := s[i+1]; c {
		case 'n':
			out.WriteByte('\n')
		case 'r':
			out.WriteByte('\r')
		case 't':
			out.WriteByte('\t')
		case '\\', '\'', '"':
			out.WriteByte(c)
		case 'x':
			digits = 2
		case 'u':
			digits = 4
		case 'U':
			digits = 8
		default:
			out.WriteString(s[i : i+2])
		}
		i += 2
		if digits == 0 {
			continue
		}
		code, ok := hexadecimal(s[i:], digits)
		switch {
		case !ok || isBytes && digits > 2:
			out.WriteString(s[i-2 : i])
			continue
		case isBytes:
			out.WriteByte(byte(code))
		default:
			writeRune(&out, code)
		}
		i += digits
	}
	return out.String()
}

func hexadecimal(s string, digits int) (rune, bool) {
	if len(s) < digits {
		return 0, false
	}
	var code rune
	for i := range digits {
		c := s[i] | 0x20
		switch {
		case c >= '0' && c <= '9' && s[i] >= '0' && s[i] <= '9':
			code = code<<4 | rune(c-'0')
		case c >= 'a' && c <= 'f':
			code = code<<4 | rune(c-'a'+10)
		default:
			return 0, false
		}
	}
	return code, code >= 0 && code <= unicode.MaxRune
}

// writeRune writes a code point in UTF-8, lone surrogates included (WTF-8).
func writeRune(out *strings.Builder, r rune) {
	if utf8.ValidRune(r) {
		out.WriteRune(r)
		return
	}
	out.Write([]byte{0xe0 | byte(r>>12), 0x80 | byte(r>>6)&0x3f, 0x80 | byte(r)&0x3f})
}
