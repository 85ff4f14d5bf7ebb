package corpus

import "fmt"

// precedence orders Python's operators; an operand below what its place needs
// is put in parentheses.
type precedence int

const (
	ternary precedence = iota
	disjunction
	conjunction
	negation
	comparison
	sum
	product
	sign
	power
	primary
)

// expr is an expression in Python with its outermost operator's precedence.
type expr struct {
	text string
	prec precedence
}

// at returns the text for a place that needs at least the precedence.
func (e expr) at(p precedence) string {
	if e.prec < p {
		return "(" + e.text + ")"
	}
	return e.text
}

func (e expr) String() string { return e.text }

// is makes an atom or a call; format's verbs take expr and string.
func is(format string, args ...any) expr {
	return expr{fmt.Sprintf(format, args...), primary}
}

func binary(p precedence, left expr, operator string, right expr) expr {
	return expr{left.at(p) + " " + operator + " " + right.at(p+1), p}
}

// expr makes an expression of a kind. depth bounds how far it nests.
func (f *function) expr(k kind, depth int) expr {
	switch k {
	case boolKind:
		return f.condition(depth)
	case strKind:
		return f.text(depth)
	case charKind:
		return f.char(depth)
	case intListKind:
		return f.intList(depth)
	case strListKind:
		return f.strList(depth)
	case intDictKind:
		return f.intDict(depth)
	case strDictKind:
		return f.strDict()
	case groupKind:
		return is("{}")
	case pairKind:
		return f.pair(depth)
	case setKind:
		return f.set(depth)
	}
	return f.integer(depth)
}

// operand is a name of the kind, or else a literal.
func (f *function) operand(k kind) expr {
	if v := f.find(k); v != nil {
		return f.use(v)
	}
	return f.literal(k)
}

// known reports whether a name of one of the kinds is in scope.
func (f *function) known(kinds ...kind) bool {
	for i := range f.variables {
		for _, k := range kinds {
			if f.variables[i].kind == k {
				return true
			}
		}
	}
	return false
}

// differing is a binary operation whose operands are not the same name: a
// literal takes the second one's place then.
func (f *function) differing(p precedence, left expr, operator string, right expr, k kind) expr {
	if left.text == right.text {
		right = f.literal(k)
	}
	return binary(p, left, operator, right)
}
