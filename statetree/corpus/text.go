package corpus

import "strings"

// replaced is s with one thing in place of another.
func (f *function) replaced(s expr) expr {
	from, to := f.char(0), f.replacement()
	if from.text == to.text {
		to = is("%s", f.quoted("*"))
	}
	return is("%s.replace(%s, %s)", s, from, to)
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
