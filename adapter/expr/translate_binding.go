package expr

import (
	"strings"

	"go.starlark.net/syntax"

	"github.com/neuraldbg/neuraldbg/statetree/source"
)

// bind makes names variables of the expression until release.
func (t *translator) bind(names ...string) (release func()) {
	before := len(t.bound)
	t.bound = append(t.bound, names...)
	return func() { t.bound = t.bound[:before] }
}

func (t *translator) lambda(n source.Node) syntax.Expr {
	out := &syntax.LambdaExpr{}
	var names []string
	if parameters, ok := n.At("parameters"); ok {
		for p := range parameters.Operands() {
			name, translated := t.parameter(p)
			if name != "" {
				names = append(names, name)
			}
			out.Params = append(out.Params, translated)
		}
	}
	defer t.bind(names...)()
	out.Body = t.field(n, "body")
	return out
}

// parameter translates a parameter of a lambda. A default is evaluated where the
// lambda is, before its names are bound.
func (t *translator) parameter(p source.Node) (name string, out syntax.Expr) {
	switch p.Kind() {
	case "identifier":
		return p.Text(), identifier(p.Text())
	case "default_parameter":
		id, _ := p.At("name")
		return id.Text(), &syntax.BinaryExpr{Op: syntax.EQ, X: identifier(id.Text()), Y: t.field(p, "value")}
	case "list_splat_pattern":
		id := first(p)
		return id.Text(), &syntax.UnaryExpr{Op: syntax.STAR, X: identifier(id.Text())}
	case "keyword_separator":
		return "", &syntax.UnaryExpr{Op: syntax.STAR}
	}
	return "", t.fail(unsupported("parameters such as %s are not supported", p.Text()))
}

// comprehension translates the four kinds. A generator expression hands its
// elements to an emitter, so that those before an error are not lost: any and
// all may not get as far as the error.
//
//	(x for x in y)   $generator(lambda emit: [emit(x) for x in y])
func (t *translator) comprehension(n source.Node) syntax.Expr {
	var body source.Node
	var clauses []source.Node
	for c := range n.Operands() {
		if c.Field() == "body" {
			body = c
		} else {
			clauses = append(clauses, c)
		}
	}
	emitter := ""
	if n.Kind() == "generator_expression" {
		emitter = t.temporary()
	}
	release := t.bind()
	out := &syntax.Comprehension{}
	for _, c := range clauses {
		if c.Kind() == "if_clause" {
			out.Clauses = append(out.Clauses, &syntax.IfClause{Cond: call("$known", t.expression(first(c)))})
			continue
		}
		if strings.HasPrefix(c.Text(), "async") {
			t.fail(unsupported("async is not supported"))
		}
		out.Clauses = append(out.Clauses, t.forClause(c, n.Kind(), emitter))
	}
	switch {
	case n.Kind() == "dictionary_comprehension":
		out.Body = t.pair(body)
	case emitter != "":
		out.Body = &syntax.CallExpr{Fn: identifier(emitter), Args: []syntax.Expr{t.expression(body)}}
	default:
		out.Body = t.expression(body)
	}
	release()
	switch n.Kind() {
	case "set_comprehension":
		return call("$set", out)
	case "dictionary_comprehension":
		return call("$dict", out)
	case "generator_expression":
		return call("$generator", &syntax.LambdaExpr{Params: []syntax.Expr{identifier(emitter)}, Body: out})
	}
	return out
}

// forClause translates `for target in iterable` and binds the target's names.
// Only where the order of the elements cannot be seen may it be unknown.
func (t *translator) forClause(c source.Node, comprehension, emitter string) syntax.Node {
	iterable := t.field(c, "right")
	target, _ := c.At("left")
	var names []string
	pattern := t.pattern(target, &names)
	t.bound = append(t.bound, names...)
	vars := &syntax.TupleExpr{}
	for _, name := range names {
		vars.List = append(vars.List, identifier(name))
	}
	var order syntax.Expr
	switch comprehension {
	case "set_comprehension", "dictionary_comprehension":
		order = t.text("any")
	case "generator_expression":
		order = identifier(emitter) // what becomes of them decides
	default:
		order = t.text("ordered")
	}
	return &syntax.ForClause{Vars: vars, X: call("$iterate", iterable, t.text(pattern), order)}
}

// pattern renders the shape of a target: a dot for a name, a star for a starred
// one, parentheses around those that a sequence is unpacked to. It appends the
// names in order.
func (t *translator) pattern(n source.Node, names *[]string) string {
	switch n.Kind() {
	case "identifier":
		*names = append(*names, n.Text())
		return "."
	case "list_splat_pattern":
		*names = append(*names, first(n).Text())
		return "*"
	case "pattern_list", "tuple_pattern", "list_pattern":
		var out strings.Builder
		out.WriteByte('(')
		for c := range n.Operands() {
			out.WriteString(t.pattern(c, names))
		}
		out.WriteByte(')')
		return out.String()
	}
	t.fail(unsupported("%s cannot be a loop's variable here", n.Text()))
	return ""
}
