package expr

import (
	"errors"
	"strconv"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/neuraldbg/neuraldbg/statetree/source"
)

// maxText is how long an expression may be, in bytes.
const maxText = 1 << 16

// translator turns the syntax tree of a Python expression into Starlark's. What
// has another meaning in Starlark becomes a call of a primitive. Primitives,
// constants and temporaries have names that begin with $, which no Python name
// does.
type translator struct {
	environment starlark.StringDict // primitives and constants
	names       []string            // free names, in order of first use
	bound       []string            // names that an enclosing lambda or comprehension binds
	temporaries int
	err         error // the first thing that could not be translated
}

// translate parses an expression.
func translate(text string) (*Expression, error) {
	if len(text) > maxText {
		return nil, tooLarge("the expression is longer than %d bytes", maxText)
	}
	root, err := source.ParseExpression(text)
	if err != nil {
		return nil, syntaxError(err)
	}
	t := newTranslator()
	return t.finish(text, t.expression(root))
}

func newTranslator() *translator {
	t := &translator{environment: starlark.StringDict{}}
	for name, f := range primitives {
		t.environment[name] = f
	}
	return t
}

func syntaxError(err error) error {
	var at *source.SyntaxError
	if errors.As(err, &at) {
		return &Error{Reason: Syntax, Message: at.Message + " at column " + strconv.Itoa(at.Column)}
	}
	return &Error{Reason: Syntax, Message: err.Error()}
}

// finish compiles a translated expression to a function without parameters.
func (t *translator) finish(text string, body syntax.Expr) (*Expression, error) {
	if t.err != nil {
		return nil, t.err
	}
	thread := &starlark.Thread{Name: "compile"}
	f, err := starlark.EvalExprOptions(&syntax.FileOptions{}, thread, &syntax.LambdaExpr{Body: body}, t.environment)
	if err != nil {
		return nil, &Error{Reason: Syntax, Message: err.Error()}
	}
	f.Freeze()
	return &Expression{text: text, names: t.names, run: f.(*starlark.Function)}, nil
}

// fail notes the first error; the expression that it returns is not used.
func (t *translator) fail(err error) syntax.Expr {
	if t.err == nil {
		t.err = err
	}
	return identifier("$fail")
}

func identifier(name string) *syntax.Ident { return &syntax.Ident{Name: name} }

func call(primitive string, arguments ...syntax.Expr) syntax.Expr {
	return &syntax.CallExpr{Fn: identifier(primitive), Args: arguments}
}

// constant returns an expression with a fixed value.
func (t *translator) constant(v starlark.Value) syntax.Expr {
	name := "$" + strconv.Itoa(len(t.environment))
	t.environment[name] = v
	return identifier(name)
}

func (t *translator) temporary() string {
	t.temporaries++
	return "$t" + strconv.Itoa(t.temporaries)
}

// expression translates one node.
func (t *translator) expression(n source.Node) syntax.Expr {
	switch n.Kind() {
	case "identifier":
		return t.name(n.Text())
	case "integer", "float":
		v, err := parseNumberLiteral(n.Text())
		if err != nil {
			return t.fail(err)
		}
		return t.constant(v)
	case "true", "false":
		return t.constant(starlark.Bool(n.Kind() == "true"))
	case "none":
		return t.constant(starlark.None)
	case "ellipsis":
		return t.constant(ellipsis)
	case "string", "concatenated_string":
		return t.string(n)
	case "parenthesized_expression":
		return t.expression(first(n))
	case "list":
		return t.sequence(n)
	case "tuple", "expression_statement", "expression_list":
		return call("$tuple", t.sequence(n))
	case "set":
		return call("$set", t.sequence(n))
	case "dictionary":
		return call("$dict", t.pairs(n))
	case "unary_operator":
		return call("$unary", t.text(operator(n)), t.field(n, "argument"))
	case "not_operator":
		return &syntax.UnaryExpr{Op: syntax.NOT, X: call("$known", t.field(n, "argument"))}
	case "binary_operator":
		return call("$binary", t.text(operator(n)), t.field(n, "left"), t.field(n, "right"))
	case "boolean_operator":
		op := syntax.AND
		if operator(n) == "or" {
			op = syntax.OR
		}
		return &syntax.BinaryExpr{Op: op, X: call("$known", t.field(n, "left")), Y: t.field(n, "right")}
	case "comparison_operator":
		return t.comparison(n)
	case "conditional_expression":
		parts := operands(n)
		return &syntax.CondExpr{
			Cond: call("$known", t.expression(parts[1])), True: t.expression(parts[0]), False: t.expression(parts[2]),
		}
	case "attribute":
		return call("$attribute", t.field(n, "object"), t.fieldText(n, "attribute"))
	case "subscript":
		return t.subscript(n)
	case "slice":
		return t.slice(n)
	case "call":
		return t.call(n)
	case "lambda":
		return t.lambda(n)
	case "list_comprehension", "set_comprehension", "dictionary_comprehension", "generator_expression":
		return t.comprehension(n)
	}
	return t.fail(refusedSyntax(n))
}

// refusedSyntax says why a kind of node is not evaluated.
func refusedSyntax(n source.Node) error {
	switch n.Kind() {
	case "assignment", "augmented_assignment":
		return &Error{Reason: Syntax, Message: "an assignment is no expression; to compare, write =="}
	case "named_expression":
		return unsupported("assignments inside expressions (:=) are not supported: evaluation changes nothing")
	case "await", "yield":
		return unsupported("%s is not supported", n.Kind())
	case "list_splat", "dictionary_splat":
		return &Error{Reason: Syntax, Message: "a starred expression cannot stand here"}
	}
	return unsupported("%s is not supported in expressions", strings.ReplaceAll(n.Kind(), "_", " "))
}

func first(n source.Node) source.Node {
	for c := range n.Operands() {
		return c
	}
	return n
}

func operands(n source.Node) []source.Node {
	var out []source.Node
	for c := range n.Operands() {
		out = append(out, c)
	}
	return out
}

// operator returns the operator of a unary, binary or boolean node.
func operator(n source.Node) string {
	op, _ := n.At("operator")
	return op.Kind()
}

func (t *translator) field(n source.Node, name string) syntax.Expr {
	c, ok := n.At(name)
	if !ok {
		return t.fail(&Error{Reason: Syntax, Message: "invalid syntax"})
	}
	return t.expression(c)
}

func (t *translator) fieldText(n source.Node, name string) syntax.Expr {
	c, _ := n.At(name)
	return t.text(c.Text())
}

// text is a constant for a primitive: an operator, a name.
func (t *translator) text(s string) syntax.Expr { return t.constant(str(s)) }

// name is a variable of the expression, or one to be looked up.
func (t *translator) name(name string) syntax.Expr {
	for _, b := range t.bound {
		if b == name {
			return identifier(name)
		}
	}
	for _, known := range t.names {
		if known == name {
			return call("$name", t.text(name))
		}
	}
	t.names = append(t.names, name)
	return call("$name", t.text(name))
}

// sequence translates elements, starred ones included, to a Starlark list.
func (t *translator) sequence(n source.Node) syntax.Expr {
	return t.elements(operands(n))
}

func (t *translator) elements(nodes []source.Node) syntax.Expr {
	var segments []syntax.Expr
	list := &syntax.ListExpr{}
	for _, c := range nodes {
		if c.Kind() != "list_splat" {
			list.List = append(list.List, t.expression(c))
			continue
		}
		segments = append(segments, list, call("$splat", t.expression(first(c))))
		list = &syntax.ListExpr{}
	}
	if segments == nil {
		return list
	}
	return call("$join", &syntax.ListExpr{List: append(segments, list)})
}

// pairs translates the entries of a dict display to a list of tuples: (key,
// value), or (mapping,) for a starred one.
func (t *translator) pairs(n source.Node) syntax.Expr {
	list := &syntax.ListExpr{}
	for c := range n.Operands() {
		switch c.Kind() {
		case "pair":
			list.List = append(list.List, t.pair(c))
		default:
			list.List = append(list.List, &syntax.TupleExpr{List: []syntax.Expr{t.expression(first(c))}})
		}
	}
	return list
}

func (t *translator) pair(n source.Node) syntax.Expr {
	return &syntax.TupleExpr{List: []syntax.Expr{t.field(n, "key"), t.field(n, "value")}}
}

// comparison translates a chain of comparisons. Those behind a false one are not
// evaluated, so that a chain hands over its operands as functions:
//
//	a < b < c   $chain(["<", "<"], [lambda: a, lambda: b, lambda: c])
func (t *translator) comparison(n source.Node) syntax.Expr {
	var values, ops []syntax.Expr
	for c := range n.Children() {
		if c.Field() == "operators" {
			ops = append(ops, t.text(c.Kind()))
		} else {
			values = append(values, t.expression(c))
		}
	}
	if len(ops) == 1 {
		return call("$compare", ops[0], values[0], values[1])
	}
	for i, v := range values {
		values[i] = &syntax.LambdaExpr{Body: v}
	}
	return call("$chain", &syntax.ListExpr{List: ops}, &syntax.ListExpr{List: values})
}

func (t *translator) subscript(n source.Node) syntax.Expr {
	var indices []source.Node
	tuple := false
	for c := range n.Children() {
		switch {
		case c.Field() == "subscript" && c.Named():
			indices = append(indices, c)
		case c.Kind() == ",":
			tuple = true
		}
	}
	value := t.field(n, "value")
	if len(indices) == 1 && !tuple && indices[0].Kind() != "list_splat" {
		return call("$index", value, t.expression(indices[0]))
	}
	return call("$index", value, call("$tuple", t.elements(indices)))
}

func (t *translator) slice(n source.Node) syntax.Expr {
	parts := make([]syntax.Expr, 3)
	at := 0
	for c := range n.Children() {
		if c.Kind() == ":" {
			at++
			continue
		}
		parts[min(at, 2)] = t.expression(c)
	}
	for i := range parts {
		if parts[i] == nil {
			parts[i] = t.constant(starlark.None)
		}
	}
	return call("$slice", parts...)
}

func (t *translator) call(n source.Node) syntax.Expr {
	function, _ := n.At("function")
	arguments, ok := n.At("arguments")
	if !ok {
		return t.fail(&Error{Reason: Syntax, Message: "invalid syntax"})
	}
	positional, named := t.arguments(arguments)
	if function.Kind() == "attribute" {
		return call("$method", t.field(function, "object"), t.fieldText(function, "attribute"), positional, named)
	}
	return call("$call", t.expression(function), positional, named)
}

// arguments translates the arguments of a call to a list of the positional ones
// and a list of tuples, (name, value) or (mapping,), of the others.
func (t *translator) arguments(n source.Node) (positional, named syntax.Expr) {
	if n.Kind() == "generator_expression" {
		return &syntax.ListExpr{List: []syntax.Expr{t.expression(n)}}, &syntax.ListExpr{}
	}
	var plain []source.Node
	keywords := &syntax.ListExpr{}
	seen := map[string]bool{}
	for c := range n.Operands() {
		switch c.Kind() {
		case "keyword_argument":
			name, _ := c.At("name")
			if seen[name.Text()] {
				t.fail(&Error{Reason: Syntax, Message: "keyword argument repeated: " + name.Text()})
			}
			seen[name.Text()] = true
			keywords.List = append(keywords.List, &syntax.TupleExpr{List: []syntax.Expr{t.text(name.Text()), t.field(c, "value")}})
		case "dictionary_splat":
			keywords.List = append(keywords.List, &syntax.TupleExpr{List: []syntax.Expr{t.expression(first(c))}})
		default:
			if len(keywords.List) > 0 && c.Kind() != "list_splat" {
				t.fail(&Error{Reason: Syntax, Message: "positional argument follows keyword argument"})
			}
			plain = append(plain, c)
		}
	}
	return t.elements(plain), keywords
}
