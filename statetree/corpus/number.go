package corpus

import "strconv"

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
			return is("%s.%s(%s)", f.operand(strKind), pick(r, []string{"find", "find", "rfind", "index", "rindex"}), f.char(0))
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
