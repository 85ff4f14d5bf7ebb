package corpus

import (
	"fmt"
	"strconv"
	"strings"
)

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

// smallInt is a number as people write it in code.
func (f *function) smallInt() int {
	r := f.random
	switch {
	case r.chance(0.75):
		return r.between(1, 5)
	case r.chance(0.8):
		return r.between(0, f.style.Small)
	}
	return r.between(0, f.style.Large/2)
}

func (f *function) intLiteral() expr { return is("%s", strconv.Itoa(f.smallInt())) }

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

func (f *function) integer(depth int) expr {
	r := f.random
	if name := f.unusedConstant(intKind, 0.35); name != "" {
		return is("%s", name)
	}
	if depth <= 0 {
		if f.known(intKind) && r.chance(0.8) {
			return f.operand(intKind)
		}
		return f.intLiteral()
	}
	texts, lists, dicts := f.known(strKind), f.known(intListKind), f.known(intDictKind)
	sized := texts || lists || dicts || f.known(strListKind, strDictKind, setKind)
	return choose(r, []option[expr]{
		{when(f.known(intKind), 3), func() expr { return f.operand(intKind) }},
		{0.7, f.intLiteral},
		{when(sized, 1.6), func() expr { return is("len(%s)", f.use(f.findSized())) }},
		{when(f.known(intKind), 3), func() expr { return f.arithmetic(depth) }},
		{when(texts, 0.8), func() expr { return is("%s.count(%s)", f.operand(strKind), f.char(0)) }},
		{when(texts, 0.5), func() expr {
			return is("%s.%s(%s)", f.operand(strKind), pick(r, []string{"find", "find", "rfind", "index"}), f.char(0))
		}},
		{when(lists, 1), func() expr {
			return is("%s(%s)", pick(r, []string{"sum", "max", "min", "max", "len"}), f.operand(intListKind))
		}},
		{when(lists, 1), func() expr { return is("%s[%s]", f.operand(intListKind), f.index()) }},
		{when(lists, 0.4), func() expr { return is("%s.count(%s)", f.operand(intListKind), f.integer(0)) }},
		{when(f.known(strListKind), 0.5), func() expr { return is("len(%s[%s])", f.operand(strListKind), f.index()) }},
		{when(dicts, 0.8), func() expr {
			return is("%s.get(%s, %d)", f.operand(intDictKind), f.textOperand(), r.IntN(3))
		}},
		{when(dicts, 0.3), func() expr { return is("sum(%s.values())", f.operand(intDictKind)) }},
		{when(f.known(pairKind), 0.8), func() expr { return is("%s[%d]", f.operand(pairKind), r.IntN(2)) }},
		{when(f.known(intKind), 0.25), func() expr { return is("abs(%s)", f.integer(depth-1)) }},
		{when(f.known(intKind), 0.4), func() expr {
			return is("%s(%s, %s)", pick(r, []string{"max", "min"}), f.operand(intKind), f.integer(depth-1))
		}},
		{0.2, func() expr { return is("int(%s)", f.condition(0)) }},
		{0.25, func() expr {
			return expr{f.integer(0).at(disjunction) + " if " + f.condition(depth-1).at(disjunction) +
				" else " + f.integer(0).at(disjunction), ternary}
		}},
		{when(lists, 0.2), func() expr {
			x := f.elementName(intKind)
			return is("sum(%s for %s in %s if %s)", x, x, f.operand(intListKind), f.conditionOn(intKind, x))
		}},
		{when(f.helperOf(intKind) != nil, 5), func() expr { return f.callHelper(intKind) }},
		{when(f.constantOf(intKind) != "", 2), func() expr { return is("%s", f.constantOf(intKind)) }},
	})
}

func (f *function) arithmetic(depth int) expr {
	r := f.random
	left := f.operand(intKind)
	switch r.IntN(14) {
	case 0, 1, 2, 3:
		return binary(sum, left, "+", f.integer(depth-1))
	case 4, 5, 6:
		return f.differing(sum, left, "-", f.integer(depth-1), intKind)
	case 7, 8:
		return binary(product, left, "*", is("%d", r.between(2, 4)))
	case 9:
		return binary(product, left, "*", f.operand(intKind))
	case 10:
		return binary(product, left, "//", is("%d", r.between(2, 4)))
	case 11:
		if f.random.chance(0.15) {
			return binary(product, left, pick(r, []string{"%", "//"}), f.operand(intKind))
		}
		return expr{left.at(power+1) + " ** 2", power}
	}
	return binary(product, left, "%", is("%d", r.between(2, 7)))
}

// differing is a binary operation whose operands are not the same name: a
// literal takes the second one's place then.
func (f *function) differing(p precedence, left expr, operator string, right expr, k kind) expr {
	if left.text == right.text {
		right = f.literal(k)
	}
	return binary(p, left, operator, right)
}

// replaced is s with one thing in place of another.
func (f *function) replaced(s expr) expr {
	from, to := f.char(0), f.replacement()
	if from.text == to.text {
		to = is("%s", f.quoted("*"))
	}
	return is("%s.replace(%s, %s)", s, from, to)
}

// index is a subscript: near an end, or a name.
func (f *function) index() expr {
	r := f.random
	if f.known(intKind) && r.chance(0.4) {
		return f.operand(intKind)
	}
	return is("%s", pick(r, []string{"0", "0", "-1", "-1", "1", "-2"}))
}

// slice is the text between the brackets of a slice.
func (f *function) slice() string {
	r := f.random
	if f.known(intKind) && r.chance(0.35) {
		n := f.operand(intKind)
		return pick(r, []string{":" + n.text, n.text + ":", ":-" + n.at(primary), "::-1"})
	}
	n := strconv.Itoa(r.between(1, 3))
	return pick(r, []string{":" + n, n + ":", "-" + n + ":", ":-" + n, "::-1", "::-1", "::2", "1:-1", "1::2"})
}

// textOperand is a name of a string or character, or a literal.
func (f *function) textOperand() expr {
	if f.known(charKind) && (!f.known(strKind) || f.random.chance(0.6)) {
		return f.operand(charKind)
	}
	return f.operand(strKind)
}

func (f *function) char(depth int) expr {
	r := f.random
	if name := f.unusedConstant(charKind, 0.6); name != "" {
		return is("%s", name)
	}
	if f.known(charKind) && r.chance(0.75) {
		c := f.operand(charKind)
		if depth > 0 && r.chance(0.25) {
			return is("%s.%s()", c, pick(r, []string{"upper", "lower", "swapcase"}))
		}
		return c
	}
	if depth > 0 && f.known(strKind) && r.chance(0.5) {
		return is("%s[%s]", f.operand(strKind), f.index())
	}
	if name := f.constantOf(charKind); name != "" && r.chance(0.5) {
		return is("%s", name)
	}
	return f.literal(charKind)
}

func (f *function) text(depth int) expr {
	r := f.random
	if name := f.unusedConstant(strKind, 0.3); name != "" && depth > 0 {
		return binary(sum, f.textOperand(), "+", is("%s", name))
	}
	if depth <= 0 {
		if f.known(strKind, charKind) && r.chance(0.9) {
			return f.textOperand()
		}
		return f.literal(strKind)
	}
	texts, lists := f.known(strKind, charKind), f.known(strListKind)
	return choose(r, []option[expr]{
		{when(texts, 1.6), f.textOperand},
		{0.2, func() expr { return f.literal(strKind) }},
		{when(texts, 1.8), func() expr { return is("%s.%s()", f.receiver(depth), f.caseMethod()) }},
		{when(texts, 0.6), func() expr {
			return is("%s.%s()", f.receiver(depth), pick(r, []string{"strip", "rstrip", "lstrip"}))
		}},
		{when(texts, 0.3), func() expr {
			return is("%s.%s(%s)", f.textOperand(), pick(r, []string{"strip", "rstrip", "lstrip", "removeprefix", "removesuffix"}), f.char(0))
		}},
		{when(texts, 1.4), func() expr { return f.replaced(f.receiver(depth)) }},
		{when(f.known(strKind), 1.6), func() expr { return is("%s[%s]", f.operand(strKind), f.slice()) }},
		{when(f.known(strKind), 0.6), func() expr { return is("%s[%s]", f.operand(strKind), f.index()) }},
		{when(texts, 1.8), func() expr { return binary(sum, f.textOperand(), "+", f.text(depth-1)) }},
		{when(texts, 0.3), func() expr { return binary(product, f.textOperand(), "*", is("%d", r.between(2, 3))) }},
		{when(f.known(intKind), 0.7), func() expr { return is("str(%s)", f.integer(depth-1)) }},
		{when(texts || f.known(intKind), 0.6), f.fString},
		{when(lists, 1.6), func() expr { return is("%s.join(%s)", f.separator(), f.operand(strListKind)) }},
		{when(lists, 0.7), func() expr { return is("%s[%s]", f.operand(strListKind), f.index()) }},
		{when(f.known(strKind), 0.5), func() expr {
			return is("%s.join(%s(%s))", f.quoted(""), pick(r, []string{"sorted", "reversed", "list"}), f.operand(strKind))
		}},
		{when(f.known(strKind), 0.6), func() expr {
			c := f.elementName(charKind)
			return is("%s.join(%s for %s in %s if %s)", f.quoted(""), f.onChar(c), c, f.operand(strKind), f.conditionOn(charKind, c))
		}},
		{when(texts, 0.35), func() expr {
			return is("%s.%s(%d, %s)", f.textOperand(), pick(r, []string{"center", "ljust", "rjust"}), r.between(5, 9), f.quoted(pick(r, []string{"*", "-", ".", "0", "_", " "})))
		}},
		{when(texts, 0.2), func() expr { return is("%s.zfill(%d)", f.textOperand(), r.between(3, 7)) }},
		{when(texts && f.known(intKind), 0.15), func() expr {
			return is("%s.format(%s, %s)", f.quoted(pick(r, []string{"{}{}", "{}-{}", "{1} {0}", "{}:{}"})), f.textOperand(), f.operand(intKind))
		}},
		{when(f.known(strKind), 0.12), func() expr {
			return is("%s.translate(str.maketrans(%s, %s))", f.operand(strKind), f.quoted(pick(r, []string{"ae", "abc", "xy", "ol"})[:2]), f.quoted(pick(r, []string{"12", "**", "ea", "01"})))
		}},
		{when(texts, 0.25), func() expr {
			return is("%s.%s(%s)[%s]", f.textOperand(), pick(r, []string{"partition", "rpartition", "split"}), f.char(0), pick(r, []string{"0", "0", "-1"}))
		}},
		{when(f.known(strDictKind), 1.4), func() expr {
			return is("%s.get(%s, %s)", f.operand(strDictKind), f.textOperand(), f.textOperand())
		}},
		{when(texts, 0.3), func() expr {
			return expr{f.text(0).at(disjunction) + " if " + f.condition(depth-1).at(disjunction) + " else " +
				f.text(0).at(disjunction), ternary}
		}},
		{when(f.helperOf(strKind) != nil, 5), func() expr { return f.callHelper(strKind) }},
		{when(f.constantOf(strKind) != "", 0.6), func() expr { return is("%s", f.constantOf(strKind)) }},
	})
}

// receiver is a string on which a method is called.
func (f *function) receiver(depth int) expr {
	if depth > 1 && f.known(strKind) && f.random.chance(0.15) {
		return expr{f.text(depth - 1).at(primary), primary}
	}
	return f.textOperand()
}

func (f *function) caseMethod() string {
	return pick(f.random, []string{"upper", "upper", "lower", "lower", "swapcase", "title", "capitalize"})
}

func (f *function) replacement() expr {
	if f.random.chance(0.35) {
		return is("%s", f.quoted(pick(f.random, []string{"", "", "_", "-", "*", "#"})))
	}
	return f.char(0)
}

func (f *function) separator() expr {
	return is("%s", f.quoted(pick(f.random, []string{"", "", "", " ", " ", "-", ",", ", ", "_", "|", "/"})))
}

// onChar is an expression over one character.
func (f *function) onChar(c string) string {
	return pick(f.random, []string{c, c, c, c + ".upper()", c + ".lower()", c + " * 2", c + ".swapcase()"})
}

func (f *function) fString() expr {
	parts := make([]string, 0, 2)
	for range f.random.between(1, 2) {
		k := strKind
		if f.known(intKind) && (f.random.chance(0.5) || !f.known(strKind, charKind)) {
			k = intKind
		}
		v := f.find(k)
		if v == nil {
			v = f.find(charKind)
		}
		if v == nil {
			continue
		}
		parts = append(parts, "{"+f.use(v).text+"}")
	}
	if len(parts) == 0 {
		return f.literal(strKind)
	}
	if len(parts) == 2 && parts[0] == parts[1] {
		parts = parts[:1]
	}
	joined := strings.Join(parts, pick(f.random, []string{"", "-", ":", " ", "=", "_"}))
	if len(parts) == 1 {
		joined = pick(f.random, []string{"<" + joined + ">", joined + "!", "#" + joined, "[" + joined + "]", "id_" + joined})
	}
	return is("f%s", f.quoted(joined))
}

func (f *function) condition(depth int) expr {
	r := f.random
	ints, chars, texts := f.known(intKind), f.known(charKind), f.known(strKind)
	lists, words := f.known(intListKind), f.known(strListKind)
	dict := f.known(intDictKind, strDictKind, groupKind)
	return choose(r, []option[expr]{
		{when(ints, 3), func() expr {
			return f.differing(comparison, f.operand(intKind), pick(r, []string{"<", ">", ">", "<=", ">=", "==", "!="}), f.integer(depth-1), intKind)
		}},
		{when(ints, 1.6), func() expr {
			m := r.between(2, 3)
			left := binary(product, f.operand(intKind), "%", is("%d", m))
			if r.chance(0.2) {
				return left
			}
			return binary(comparison, left, pick(r, []string{"==", "==", "!="}), is("%d", r.IntN(2)))
		}},
		{when(chars, 1.8), func() expr { return f.conditionOnText(f.operand(charKind)) }},
		{when(chars && texts, 1.2), func() expr {
			return binary(comparison, f.operand(charKind), pick(r, []string{"in", "in", "not in"}), f.operand(strKind))
		}},
		{when(chars, 1.4), func() expr {
			return f.differing(comparison, f.operand(charKind), pick(r, []string{"==", "==", "!="}), f.char(1), charKind)
		}},
		{when(texts, 1.2), func() expr { return f.conditionOnText(f.operand(strKind)) }},
		{when(texts, 0.8), func() expr {
			return is("%s.%s(%s)", f.operand(strKind), pick(r, []string{"startswith", "endswith"}), f.char(0))
		}},
		{when(texts, 0.8), func() expr {
			return binary(comparison, is("len(%s)", f.operand(strKind)), pick(r, []string{">", "<", "==", ">="}), f.integer(0))
		}},
		{when(texts, 0.4), func() expr {
			s := f.operand(strKind)
			return binary(comparison, s, "==", is("%s[::-1]", s))
		}},
		{when(texts && !chars, 0.8), func() expr {
			return binary(comparison, f.literal(charKind), pick(r, []string{"in", "not in"}), f.operand(strKind))
		}},
		{when(lists && ints, 1), func() expr {
			return binary(comparison, f.operand(intKind), pick(r, []string{"in", "not in"}), f.operand(intListKind))
		}},
		{when(f.known(setKind) && ints, 3), func() expr {
			return binary(comparison, f.operand(intKind), pick(r, []string{"in", "not in"}), f.operand(setKind))
		}},
		{when(words, 0.7), func() expr {
			return binary(comparison, f.textOperand(), pick(r, []string{"in", "not in"}), f.operand(strListKind))
		}},
		{when(dict, 1.4), func() expr {
			return binary(comparison, f.textOperand(), pick(r, []string{"in", "not in"}), f.use(f.findDict()))
		}},
		{when(lists, 0.5), func() expr {
			return binary(comparison, is("len(%s)", f.operand(intListKind)), pick(r, []string{">", "<", "=="}), is("%d", r.between(1, 4)))
		}},
		{when(f.known(boolKind), 2), func() expr {
			if r.chance(0.4) {
				return expr{"not " + f.operand(boolKind).at(negation), negation}
			}
			return f.operand(boolKind)
		}},
		{when(lists && depth > 0, 0.3), func() expr {
			x := f.elementName(intKind)
			return is("%s(%s for %s in %s)", pick(r, []string{"any", "all"}), f.conditionOn(intKind, x), x, f.operand(intListKind))
		}},
		{when(depth > 0, 0.9), func() expr {
			if r.chance(0.6) {
				return binary(conjunction, f.condition(0), "and", f.condition(0))
			}
			return binary(disjunction, f.condition(0), "or", f.condition(0))
		}},
		{when(depth > 0, 0.3), func() expr { return expr{"not " + f.condition(0).at(negation), negation} }},
		{when(f.helperOf(boolKind) != nil, 6), func() expr { return f.callHelper(boolKind) }},
		{0.02, func() expr { return is("%s", pick(r, []string{"True", "False"})) }},
	})
}

// conditionOnText is a test that a string answers by a method.
func (f *function) conditionOnText(s expr) expr {
	test := is("%s.%s()", s, pick(f.random, []string{"isupper", "islower", "isdigit", "isalpha", "isalnum", "isalpha", "isdigit", "isspace"}))
	if f.random.chance(0.15) {
		return expr{"not " + test.text, negation}
	}
	return test
}

// conditionOn is a test of the named element alone, for a comprehension.
func (f *function) conditionOn(k kind, name string) expr {
	r := f.random
	x := is("%s", name)
	if k == intKind {
		if r.chance(0.4) {
			return binary(comparison, binary(product, x, "%", is("%d", r.between(2, 3))), "==", is("0"))
		}
		return binary(comparison, x, pick(r, []string{">", "<", "!=", ">="}), f.integer(0))
	}
	if k == strKind && r.chance(0.5) {
		return binary(comparison, is("len(%s)", x), pick(r, []string{">", "<", "=="}), is("%d", r.between(2, 5)))
	}
	if name := f.unusedConstant(strKind, 0.8); name != "" {
		return binary(comparison, x, pick(r, []string{"in", "not in"}), is("%s", name))
	}
	if r.chance(0.4) {
		if v := f.find(charKind); v != nil && v.name != name {
			return binary(comparison, x, pick(r, []string{"!=", "==", "!="}), f.use(v))
		}
		return binary(comparison, x, pick(r, []string{"in", "not in"}), is("%s", f.quoted(pick(r, []string{"aeiou", "aeiou", "abc", "xyz", "aei", "lmnop", "rst"}))))
	}
	return f.conditionOnText(x)
}

func (f *function) intList(depth int) expr {
	r := f.random
	lists := f.known(intListKind)
	if depth <= 0 && lists {
		return f.operand(intListKind)
	}
	return choose(r, []option[expr]{
		{when(lists, 1), func() expr { return f.operand(intListKind) }},
		{when(lists, 2), func() expr { return is("%s[%s]", f.operand(intListKind), f.slice()) }},
		{when(lists, 1.2), func() expr {
			return is("sorted(%s%s)", f.operand(intListKind), pick(r, []string{"", "", ", reverse=True"}))
		}},
		{when(lists, 0.5), func() expr { return is("list(reversed(%s))", f.operand(intListKind)) }},
		{when(lists, 0.4), func() expr { return is("%s.copy()", f.operand(intListKind)) }},
		{when(lists, 0.25), func() expr {
			x := f.elementName(intKind)
			return is("sorted(%s, key=lambda %s: %s)", f.operand(intListKind), x, pick(r, []string{"-" + x, x + " % 3", "abs(" + x + ")", "str(" + x + ")"}))
		}},
		{when(lists, 0.8), func() expr { return binary(sum, f.operand(intListKind), "+", is("[%s]", f.integer(0))) }},
		{when(lists, 2), func() expr {
			x := f.elementName(intKind)
			what := pick(r, []string{x, x + " * 2", x + " + 1", x + " - 1", x + " % 3", x + " ** 2", "-" + x})
			if r.chance(0.55) {
				return is("[%s for %s in %s if %s]", what, x, f.operand(intListKind), f.conditionOn(intKind, x))
			}
			return is("[%s for %s in %s]", what, x, f.operand(intListKind))
		}},
		{when(f.known(strListKind), 1), func() expr {
			w := f.elementName(strKind)
			return is("[len(%s) for %s in %s]", w, w, f.operand(strListKind))
		}},
		{when(f.known(intDictKind), 0.8), func() expr { return is("%s(%s.values())", pick(r, []string{"list", "sorted"}), f.operand(intDictKind)) }},
		{when(f.known(setKind), 1), func() expr { return is("sorted(%s)", f.operand(setKind)) }},
		{when(f.known(intKind), 0.4), func() expr { return is("list(range(%s))", f.operand(intKind)) }},
		{when(lists, 0.25), func() expr { return is("[0] * len(%s)", f.operand(intListKind)) }},
		{0.3, func() expr { return f.literal(intListKind) }},
	})
}

func (f *function) strList(depth int) expr {
	r := f.random
	texts, lists := f.known(strKind), f.known(strListKind)
	if depth <= 0 && lists {
		return f.operand(strListKind)
	}
	return choose(r, []option[expr]{
		{when(lists, 1), func() expr { return f.operand(strListKind) }},
		{when(texts, 1.2), func() expr { return is("list(%s)", f.operand(strKind)) }},
		{when(texts, 1), func() expr { return is("%s.split(%s)", f.operand(strKind), f.char(0)) }},
		{when(texts, 0.8), func() expr { return is("%s.split()", f.operand(strKind)) }},
		{when(texts, 0.4), func() expr { return is("sorted(%s)", f.operand(strKind)) }},
		{when(texts, 1), func() expr {
			c := f.elementName(charKind)
			return is("[%s for %s in %s if %s]", f.onChar(c), c, f.operand(strKind), f.conditionOn(charKind, c))
		}},
		{when(lists, 1.2), func() expr {
			w := f.elementName(strKind)
			what := pick(r, []string{w, w + ".upper()", w + "[0]", w + "[::-1]", w + ".title()", w + "[:2]"})
			if r.chance(0.5) {
				return is("[%s for %s in %s if %s]", what, w, f.operand(strListKind), f.conditionOn(strKind, w))
			}
			return is("[%s for %s in %s]", what, w, f.operand(strListKind))
		}},
		{when(lists, 0.8), func() expr {
			return is("sorted(%s%s)", f.operand(strListKind), pick(r, []string{"", "", ", key=len", ", reverse=True"}))
		}},
		{when(lists, 0.8), func() expr { return is("%s[%s]", f.operand(strListKind), f.slice()) }},
		{when(f.known(intDictKind, strDictKind), 1), func() expr {
			return is("%s(%s)", pick(r, []string{"list", "sorted"}), f.use(f.findDict()))
		}},
		{when(f.known(intListKind), 0.6), func() expr { return is("list(map(str, %s))", f.operand(intListKind)) }},
		{when(lists, 0.2), func() expr {
			return is("list(map(str.%s, %s))", pick(r, []string{"upper", "strip", "title"}), f.operand(strListKind))
		}},
		{when(texts, 0.2), func() expr {
			return is("list(filter(str.%s, %s))", pick(r, []string{"isalpha", "isdigit", "isupper"}), f.operand(strKind))
		}},
		{0.2, func() expr { return f.literal(strListKind) }},
	})
}

func (f *function) intDict(depth int) expr {
	r := f.random
	dicts, texts := f.known(intDictKind), f.known(strKind)
	return choose(r, []option[expr]{
		{when(dicts, 1), func() expr { return f.operand(intDictKind) }},
		{when(dicts, 1), func() expr { return is("%s.copy()", f.operand(intDictKind)) }},
		{when(dicts, 1), func() expr {
			return is("{k: v%s for k, v in %s.items() if %s}", pick(r, []string{"", "", " + 1", " * 2"}), f.operand(intDictKind), f.conditionOn(intKind, "v"))
		}},
		{when(texts, 1), func() expr {
			s := f.operand(strKind)
			return is("{c: %s.count(c) for c in %s}", s, s)
		}},
		{when(f.known(strListKind), 1), func() expr {
			w := f.elementName(strKind)
			return is("{%s: len(%s) for %s in %s}", w, w, w, f.operand(strListKind))
		}},
		{when(f.known(strListKind) && f.known(intListKind), 2), func() expr {
			return is("dict(zip(%s, %s))", f.operand(strListKind), f.operand(intListKind))
		}},
		{when(texts || f.known(strListKind), 0.5), func() expr {
			k := strListKind
			if texts {
				k = strKind
			}
			return is("dict.fromkeys(%s, %s)", f.operand(k), f.integer(0))
		}},
		{0.2, func() expr { return f.literal(intDictKind) }},
	})
}

func (f *function) strDict() expr {
	if f.known(strDictKind) {
		d := f.operand(strDictKind)
		return is("%s", pick(f.random, []string{d.text, "dict(" + d.text + ")", d.text + ".copy()", "{v: k for k, v in " + d.text + ".items()}"}))
	}
	return f.literal(strDictKind)
}

func (f *function) pair(depth int) expr {
	if f.random.chance(0.15) && f.known(intKind) {
		return is("divmod(%s, %d)", f.operand(intKind), f.random.between(2, 5))
	}
	return is("(%s, %s)", f.integer(depth-1), f.integer(depth-1))
}

func (f *function) set(depth int) expr {
	r := f.random
	if f.known(setKind) && f.known(intListKind) && r.chance(0.4) {
		return binary(sum, f.operand(setKind), pick(r, []string{"-"}), is("set(%s)", f.operand(intListKind)))
	}
	if f.known(intListKind) {
		return is("set(%s)", f.operand(intListKind))
	}
	return is("{%s, %s}", f.integer(depth-1), f.integer(0))
}
