package expr

import (
	"strconv"
	"strings"

	"go.starlark.net/syntax"

	"github.com/neuraldbg/neuraldbg/statetree/source"
)

// string translates a string literal, an f-string, or several of them side by
// side.
func (t *translator) string(n source.Node) syntax.Expr {
	parts := []source.Node{n}
	if n.Kind() == "concatenated_string" {
		parts = operands(n)
	}
	var out pieces
	binary, characters := false, false
	for _, p := range parts {
		prefix := stringPrefix(p)
		if strings.ContainsRune(prefix, 'b') {
			binary = true
		} else {
			characters = true
		}
		t.stringPieces(p, prefix, &out)
	}
	switch {
	case binary && characters:
		return t.fail(&Error{Reason: Syntax, Message: "cannot mix bytes and nonbytes literals"})
	case binary:
		return t.constant(bytesValue(out.text.String()))
	}
	return t.pieces(&out)
}

// pieces are the parts of an f-string: constant text and formatted values.
type pieces struct {
	list []syntax.Expr // all but the last text
	text strings.Builder
}

func (t *translator) pieces(p *pieces) syntax.Expr {
	if len(p.list) == 0 {
		return t.constant(str(p.text.String()))
	}
	t.flush(p)
	return call("$concatenate", &syntax.ListExpr{List: p.list})
}

// flush makes the text so far a piece of its own.
func (t *translator) flush(p *pieces) {
	if p.text.Len() > 0 {
		p.list = append(p.list, t.constant(str(p.text.String())))
		p.text.Reset()
	}
}

// stringPrefix returns the letters before the first quote, in lower case.
func stringPrefix(n source.Node) string {
	text := n.Text()
	return strings.ToLower(text[:max(0, strings.IndexAny(text, `"'`))])
}

// stringPieces appends the parts of one literal. What is between its quotes and
// not an interpolation is text; its own nodes may end early.
func (t *translator) stringPieces(n source.Node, prefix string, out *pieces) {
	at := n.Start()
	literal := func(end int) {
		text, err := decodeLiteral(n.Between(at, end), prefix)
		if err != nil {
			t.fail(err)
		}
		out.text.WriteString(text)
	}
	for c := range n.Operands() {
		switch c.Kind() {
		case "string_start":
			at = c.End()
		case "interpolation":
			literal(c.Start())
			t.interpolation(c, out)
			at = c.End()
		case "string_end":
			literal(c.Start())
		}
	}
}

// interpolation translates {expression!conversion:format}.
func (t *translator) interpolation(n source.Node, out *pieces) {
	expression, ok := n.At("expression")
	if !ok {
		t.fail(&Error{Reason: Syntax, Message: "an expression is missing between braces"})
		return
	}
	var spec syntax.Expr
	if expression.Kind() == "named_expression" { // {n:=5} has the format "=5"
		name, _ := expression.At("name")
		text := n.Between(name.End()+1, n.End()-1)
		if strings.ContainsAny(text, "{}") {
			t.fail(unsupported("the format %s is not supported", text))
		}
		expression, spec = name, t.text(text)
	}
	conversion := ""
	if c, ok := n.At("type_conversion"); ok {
		conversion = strings.TrimPrefix(c.Text(), "!")
	}
	format, hasFormat := n.At("format_specifier")
	for c := range n.Children() {
		if c.Kind() == "=" { // {n=}: the text is part of the result
			out.text.WriteString(n.Between(n.Start()+1, c.End()))
			rest := n.Between(c.End(), n.End())
			out.text.WriteString(rest[:len(rest)-len(strings.TrimLeft(rest, " \t\n"))])
			if conversion == "" && !hasFormat {
				conversion = "r"
			}
		}
	}
	switch {
	case hasFormat:
		spec = t.formatSpec(format, n.End()-1)
	case spec == nil:
		spec = t.text("")
	}
	t.flush(out)
	out.list = append(out.list, call("$format", t.expression(expression), t.text(conversion), spec))
}

// formatSpec translates what follows the colon up to an offset; it may have
// braces itself.
func (t *translator) formatSpec(n source.Node, end int) syntax.Expr {
	var out pieces
	at := n.Start() + 1
	for c := range n.Operands() {
		if c.Kind() != "format_expression" && c.Kind() != "interpolation" {
			continue
		}
		out.text.WriteString(n.Between(at, c.Start()))
		at = c.End()
		t.interpolation(c, &out)
	}
	out.text.WriteString(n.Between(at, end))
	return t.pieces(&out)
}

// decodeLiteral decodes what is between the quotes of a literal.
func decodeLiteral(s, prefix string) (string, error) {
	raw, binary, formatted := strings.ContainsRune(prefix, 'r'), strings.ContainsRune(prefix, 'b'), strings.ContainsRune(prefix, 'f')
	var out strings.Builder
	out.Grow(len(s))
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case formatted && (c == '{' || c == '}') && i+1 < len(s) && s[i+1] == c:
			out.WriteByte(c)
			i += 2
		case c == '\\' && !raw && i+1 < len(s):
			size, err := decodeEscape(s[i:], binary, &out)
			if err != nil {
				return "", err
			}
			i += size
		case c >= 0x80 && binary:
			return "", &Error{Reason: Syntax, Message: "bytes can only contain ASCII literal characters"}
		default:
			out.WriteByte(c)
			i++
		}
	}
	return out.String(), nil
}

var simpleEscapes = map[byte]string{
	'\n': "", '\\': "\\", '\'': "'", '"': `"`, 'a': "\a", 'b': "\b", 'f': "\f", 'n': "\n", 'r': "\r", 't': "\t", 'v': "\v",
}

// decodeEscape decodes the escape that s begins with and returns its length.
func decodeEscape(s string, binary bool, out *strings.Builder) (int, error) {
	c := s[1]
	if text, ok := simpleEscapes[c]; ok {
		out.WriteString(text)
		return 2, nil
	}
	digits := 0
	switch {
	case c >= '0' && c <= '7':
		end := 2
		for end < 4 && end < len(s) && s[end] >= '0' && s[end] <= '7' {
			end++
		}
		code, _ := strconv.ParseUint(s[1:end], 8, 32)
		return end, writeCode(out, rune(code), binary)
	case c == 'x':
		digits = 2
	case c == 'u' && !binary:
		digits = 4
	case c == 'U' && !binary:
		digits = 8
	case c == 'N' && !binary:
		return 0, unsupported(`\N{...} is not supported; write \u with the character's number`)
	default:
		out.WriteString(s[:2])
		return 2, nil
	}
	if len(s) < 2+digits {
		return 0, &Error{Reason: Syntax, Message: "an escape is not complete: " + s}
	}
	code, err := strconv.ParseUint(s[2:2+digits], 16, 32)
	if err != nil || code > 0x10ffff {
		return 0, &Error{Reason: Syntax, Message: "no character: " + s[:2+digits]}
	}
	return 2 + digits, writeCode(out, rune(code), binary)
}

func writeCode(out *strings.Builder, code rune, binary bool) error {
	if binary {
		out.WriteByte(byte(code))
		return nil
	}
	writeRune(out, code)
	return nil
}

// translateTemplate parses a log message: the text between braces is an
// expression with a conversion and a format, as in an f-string.
func translateTemplate(text string) (*Expression, error) {
	t := newTranslator()
	var out pieces
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case (c == '{' || c == '}') && i+1 < len(text) && text[i+1] == c:
			out.text.WriteByte(c)
			i += 2
		case c == '}':
			return nil, &Error{Reason: Syntax, Message: "a single } is outside of an expression; write }} for a brace"}
		case c == '{':
			end, err := t.templateExpression(text[i:], &out)
			if err != nil {
				return nil, err
			}
			i += end
		default:
			out.text.WriteByte(c)
			i++
		}
	}
	return t.finish(text, t.pieces(&out))
}

// templateExpression translates the {expression} that text begins with and
// returns its length. It is parsed as an f-string in whichever quotes its text
// leaves free, at the first closing brace that makes it complete.
func (t *translator) templateExpression(text string, out *pieces) (int, error) {
	var failure error = &Error{Reason: Syntax, Message: "} is missing"}
	for end := 1; end < len(text); end++ {
		if text[end] != '}' {
			continue
		}
		inner := text[:end+1]
		for _, quote := range []string{`'''`, `"""`} {
			if strings.Contains(inner, quote) {
				continue
			}
			root, err := source.ParseExpression("f" + quote + inner + quote)
			if err != nil {
				failure = syntaxError(err)
				continue
			}
			if parts := operands(root); root.Kind() == "string" && len(parts) == 3 && parts[1].Kind() == "interpolation" && parts[1].Text() == inner {
				t.interpolation(parts[1], out)
				return end + 1, t.err
			}
		}
		if strings.TrimSpace(inner[1:end]) == "" {
			return 0, &Error{Reason: Syntax, Message: "an expression is missing between braces"}
		}
	}
	return 0, failure
}
