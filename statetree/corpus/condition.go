package corpus

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
	test := is("%s.%s()", s, pick(f.random, []string{"isupper", "islower", "isdigit", "isalpha", "isalnum", "isalpha", "isdigit", "isspace", "isnumeric", "isdecimal", "istitle", "isascii"}))
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
