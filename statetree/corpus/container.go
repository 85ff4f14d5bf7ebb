package corpus

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
		{when(texts, 0.15), func() expr {
			return is("%s.%s", f.operand(strKind), pick(r, []string{"rsplit(" + f.char(0).text + ", 1)", "split(" + f.char(0).text + ", 1)", "splitlines()"}))
		}},
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
			return is("%s(%s%s)", pick(r, []string{"list", "sorted"}), f.use(f.findDict()), pick(r, []string{"", ".keys()"}))
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
