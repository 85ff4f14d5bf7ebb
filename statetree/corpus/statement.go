package corpus

import (
	"strings"
)

// accumulator is what a loop builds up.
type accumulator struct {
	name string
	kind kind
}

// start defines an accumulator and writes its first value.
func (f *function) start(k kind) accumulator {
	r := f.random
	first := map[kind]string{
		intKind: pick(r, []string{"0", "0", "0", "0", "1"}), strKind: f.quoted(""), charKind: f.quoted(""),
		intListKind: "[]", strListKind: "[]", intDictKind: "{}", strDictKind: "{}", groupKind: "{}",
		setKind: "set()", boolKind: "False",
	}[k]
	pool := resultNames[k]
	if k == groupKind {
		pool = []string{"groups", "result", "d", "index", "by_letter"}
	}
	if r.chance(0.06) {
		// The longer way to write an empty value.
		first = strings.NewReplacer("[]", "list()", "{}", "dict()").Replace(first)
	}
	name := f.freeName(pool)
	f.body.line(name + " = " + first)
	// Its own name comes into scope now, so that later expressions can use it.
	f.variables = append(f.variables, variable{name: name, kind: k, uses: 1})
	return accumulator{name, k}
}

// accumulate writes how a loop's step changes an accumulator, by an expression
// over what is in scope, rather over the loop's own names.
func (f *function) accumulate(a accumulator, element *variable) {
	r := f.random
	line := func(text string) { f.body.line(text) }
	// from is an expression of the kind that mentions the loop's element.
	from := func(k kind) expr { return f.about(element, k) }
	switch a.kind {
	case intKind:
		switch r.IntN(10) {
		case 0, 1, 2:
			line(a.name + " += " + pick(r, []string{"1", "1", "1", "2"}))
		case 3, 4, 5:
			line(a.name + " += " + from(intKind).text)
		case 6:
			line(a.name + " -= " + from(intKind).text)
		case 7:
			line(a.name + " = " + binary(sum, expr{a.name + " * " + pick(r, []string{"2", "2", "3"}), product}, "+", from(intKind)).text)
		case 8:
			line(a.name + " = " + pick(r, []string{"max", "min"}) + "(" + a.name + ", " + from(intKind).text + ")")
		default:
			line(a.name + " = " + binary(product, expr{a.name + " + " + from(intKind).at(product), sum}, "%", is("%d", r.between(3, 10))).text)
		}
	case strKind:
		piece := from(strKind)
		switch r.IntN(6) {
		case 0:
			line(a.name + " = " + binary(sum, piece, "+", is("%s", a.name)).text)
		case 1:
			line(a.name + " += " + binary(sum, piece, "+", f.literal(charKind)).text)
		default:
			line(a.name + " += " + piece.text)
		}
	case charKind:
		line(a.name + " = " + from(charKind).text)
	case intListKind, strListKind:
		item := from(a.kind.element())
		switch r.IntN(12) {
		case 0:
			line(a.name + ".insert(0, " + item.text + ")")
		case 1:
			line(a.name + " += [" + item.text + "]")
		default:
			line(a.name + ".append(" + item.text + ")")
		}
	case intDictKind:
		key := from(strKind)
		switch r.IntN(4) {
		case 0:
			line(a.name + "[" + key.text + "] = " + from(intKind).text)
		case 1:
			line("if " + key.at(comparison+1) + " not in " + a.name + ":")
			f.scoped(func() { line(a.name + "[" + key.text + "] = 0") })
			line(a.name + "[" + key.text + "] += " + pick(r, []string{"1", "1", from(intKind).text}))
		default:
			line(a.name + "[" + key.text + "] = " + a.name + ".get(" + key.text + ", 0) + " + pick(r, []string{"1", "1", "2", from(intKind).at(product)}))
		}
	case strDictKind:
		line(a.name + "[" + from(strKind).text + "] = " + from(strKind).text)
	case groupKind:
		item := from(strKind)
		key := item.at(primary) + "[0]"
		if element != nil && element.kind == charKind || r.chance(0.3) {
			key = "len(" + item.text + ")"
		}
		line(a.name + ".setdefault(" + key + ", []).append(" + item.text + ")")
	case setKind:
		line(a.name + ".add(" + from(intKind).text + ")")
	case boolKind:
		line(a.name + " = " + pick(r, []string{"True", "not " + a.name}))
	}
}

// about is an expression of the kind that most likely mentions the element.
func (f *function) about(element *variable, k kind) expr {
	r := f.random
	if element == nil || r.chance(0.12) {
		return f.expr(k, f.depth())
	}
	element.uses++
	x := is("%s", element.name)
	if h := f.helperOf(k); h != nil && h.takes(element.kind) && r.chance(0.8) {
		h.uses++
		return is("%s(%s)", h.name, x)
	}
	if f.helperOf(k) != nil && r.chance(0.8) {
		return f.callHelper(k)
	}
	switch {
	case k == intKind && element.kind == intKind:
		switch r.IntN(7) {
		case 0, 1, 2:
			return x
		case 3:
			return binary(product, x, "*", f.integer(0))
		case 4:
			return binary(sum, x, pick(r, []string{"+", "-"}), f.integer(0))
		case 5:
			return binary(product, x, pick(r, []string{"%", "//"}), is("%d", r.between(2, 5)))
		}
		return expr{x.text + " ** 2", power}
	case k == intKind && element.kind.isText():
		if v := f.find(strKind); v != nil && v.name != element.name && r.chance(0.4) {
			return is("%s.%s(%s)", f.use(v), pick(r, []string{"count", "count", "find", "index"}), x)
		}
		if d := f.find(intDictKind); d != nil && r.chance(0.6) {
			return is("%s.get(%s, %d)", f.use(d), x, r.IntN(2))
		}
		if element.kind == charKind {
			return f.integer(1)
		}
		return is("len(%s)", x)
	case k.isText() && element.kind.isText():
		switch r.IntN(8) {
		case 0, 1, 2:
			return x
		case 3:
			return is("%s.%s()", x, f.caseMethod())
		case 4:
			if element.kind == strKind {
				return is("%s[%s]", x, pick(r, []string{"0", "-1", "::-1", ":2", "1:", ":3", ":-1"}))
			}
			return binary(product, x, "*", is("%d", r.between(2, 3)))
		case 5:
			return binary(sum, x, "+", f.char(0))
		case 6:
			return f.replaced(x)
		}
		return x
	case k.isText() && element.kind == intKind:
		if s := f.find(strKind); s != nil && r.chance(0.5) {
			return is("%s[%s %% len(%s)]", f.use(s), x, s.name)
		}
		return is("str(%s)", x)
	}
	return f.expr(k, 1)
}

// depth is how deep an expression may nest here.
func (f *function) depth() int { return f.between(1, max(1, f.style.Depth)) }

// conditionAbout is a test that most likely mentions the element.
func (f *function) conditionAbout(element *variable) expr {
	r := f.random
	if element == nil || r.chance(0.15) {
		return f.condition(f.depth() - 1)
	}
	if h := f.helperOf(boolKind); h != nil {
		if !h.takes(element.kind) {
			return f.callHelper(boolKind)
		}
		element.uses++
		h.uses++
		return is("%s(%s)", h.name, element.name)
	}
	element.uses++
	x := is("%s", element.name)
	switch {
	case element.kind == charKind:
		if s := f.findWhere(func(v *variable) bool { return v.kind == strKind && !v.fixed }); s != nil && r.chance(0.25) {
			return binary(comparison, x, pick(r, []string{"in", "not in"}), f.use(s))
		}
		if c := f.constantOf(strKind); c != "" && r.chance(0.6) {
			return binary(comparison, x, pick(r, []string{"in", "not in"}), is("%s", c))
		}
	case element.kind == intKind:
		if s := f.findWhere(func(v *variable) bool { return v.kind == setKind || v.kind == intListKind && !v.fixed }); s != nil && r.chance(0.3) {
			return binary(comparison, x, pick(r, []string{"in", "not in"}), f.use(s))
		}
	case element.kind == strKind:
		if d := f.findDict(); d != nil && r.chance(0.35) {
			return binary(comparison, x, pick(r, []string{"in", "not in"}), f.use(d))
		}
		if r.chance(0.3) {
			return is("%s.%s(%s)", x, pick(r, []string{"startswith", "endswith"}), f.char(0))
		}
	}
	return f.conditionOn(element.kind, element.name)
}

// change writes a statement that changes one of the names in scope, or defines
// a new one.
func (f *function) change() {
	r := f.random
	line := func(text string) { f.body.line(text) }
	free := func(k kind) func() string {
		return func() string { return f.use(f.findFree(k)).text }
	}
	has := func(k kind) bool { return f.findFree(k) != nil }
	ints, texts, lists, words, dict := free(intKind), free(strKind), free(intListKind), free(strListKind), free(intDictKind)
	choose(r, []statement{
		do(2, f.assign),
		do(when(has(strKind), 2), func() { s := texts(); line(s + " = " + f.rework(s)) }),
		do(when(has(intKind), 1.2), func() {
			line(ints() + " " + pick(r, []string{"+=", "+=", "-=", "*="}) + " " + f.integer(0).text)
		}),
		do(when(has(strKind), 0.8), func() { line(texts() + " += " + f.text(1).text) }),
		do(when(has(intListKind), 2.5), func() { f.changeList(lists(), intKind) }),
		do(when(has(strListKind), 2), func() { f.changeList(words(), strKind) }),
		do(when(has(intDictKind), 2), func() {
			d := dict()
			switch r.IntN(6) {
			case 0, 1:
				line(d + "[" + f.textOperand().text + "] = " + f.integer(1).text)
			case 2:
				line(d + ".pop(" + f.textOperand().text + pick(r, []string{", None", ", 0", ""}) + ")")
			case 3:
				line(d + ".update(" + f.literal(intDictKind).text + ")")
			case 4:
				line(d + ".setdefault(" + f.textOperand().text + ", " + f.integer(0).text + ")")
			default:
				key := f.textOperand().text
				line(d + "[" + key + "] = " + d + ".get(" + key + ", 0) + " + f.integer(0).text)
			}
		}),
		do(when(has(strDictKind), 1), func() {
			line(free(strDictKind)() + "[" + f.textOperand().text + "] = " + f.text(1).text)
		}),
		do(when(has(intDictKind), 0.4), func() { line("del " + dict() + "[" + f.textOperand().text + "]") }),
		do(when(has(intDictKind), 0.2), func() { line(dict() + ".popitem()") }),
		do(when(f.known(intListKind), 0.4), func() {
			value := f.use(f.find(intListKind)).text
			first, rest := f.freeName([]string{"first", "head", "a"}), f.freeName([]string{"rest", "tail", "others"})
			line(first + ", *" + rest + " = " + value)
			f.variables = append(f.variables, variable{name: first, kind: intKind}, variable{name: rest, kind: intListKind})
		}),
		do(when(f.known(strKind, intListKind), 0.08), func() { line("assert " + f.condition(0).text) }),
		do(when(has(setKind), 0.5), func() { line(free(setKind)() + ".add(" + f.integer(0).text + ")") }),
		do(when(has(boolKind), 0.5), func() { b := free(boolKind)(); line(b + " = not " + b) }),
	})
}

// rework is a string made from the one of that name.
func (f *function) rework(s string) string {
	r := f.random
	switch r.IntN(6) {
	case 0, 1:
		return s + "." + f.caseMethod() + "()"
	case 2:
		return f.replaced(is("%s", s)).text
	case 3:
		return s + ".strip(" + pick(r, []string{"", f.char(0).text}) + ")"
	case 4:
		return s + "[" + f.slice() + "]"
	}
	return s + " + " + f.char(0).text
}

func (f *function) changeList(name string, item kind) {
	r := f.random
	line := func(text string) { f.body.line(name + text) }
	value := func() string { return f.expr(item, 1).text }
	switch r.IntN(13) {
	case 12:
		line(pick(r, []string{".clear()", " *= 2", ".append(" + name + ".pop(0))"}))
	case 0, 1, 2:
		line(".append(" + value() + ")")
	case 3:
		line(".sort(" + pick(r, []string{"", "", "reverse=True"}) + ")")
	case 4, 5:
		line(".reverse()")
	case 6:
		line(".insert(" + pick(r, []string{"0", "0", "1", "-1"}) + ", " + value() + ")")
	case 7:
		line(".pop(" + pick(r, []string{"", "", "0"}) + ")")
	case 8:
		line(".extend([" + value() + ", " + f.expr(item, 0).text + "])")
	case 9:
		line("[" + pick(r, []string{"0", "-1"}) + "] = " + value())
	case 10:
		line(".remove(" + f.expr(item, 0).text + ")")
	default:
		line(pick(r, []string{"[0], ", "[-1], "}) + name + "[1] = " + name + "[1], " + name + "[0]")
	}
}

// assign writes a new name with a value that comes from those in scope.
func (f *function) assign() {
	r := f.random
	k := f.derivedKind()
	value := f.expr(k, f.depth())
	for range 3 {
		// A bare name or a literal says little.
		if strings.ContainsAny(value.text, "([ ") {
			break
		}
		value = f.expr(k, f.depth())
	}
	if v := f.named(value.text); v != nil {
		// Two names for one list could make a loop go over what it builds.
		switch {
		case k == intListKind || k == strListKind:
			value = is("%s[:]", value)
		case k.isDict() || k == setKind:
			value = is("%s.copy()", value)
		}
	}
	if k == intKind && r.chance(0.15) && f.known(strKind, intListKind) {
		second := f.integer(1)
		a, b := f.freeName(temporaryNames[k]), f.freeName(temporaryNames[k])
		f.body.line(a + ", " + b + " = " + value.text + ", " + second.text)
		f.variables = append(f.variables, variable{name: a, kind: k}, variable{name: b, kind: k})
		return
	}
	f.body.line(f.define(k, temporaryNames[k]) + " = " + value.text)
}

// derivedKind is a kind that something in scope can give.
func (f *function) derivedKind() kind {
	texts := f.known(strKind, charKind)
	return choose(f.random, []option[kind]{
		{2.2, func() kind { return intKind }},
		{when(texts, 5), func() kind { return strKind }},
		{when(f.known(intListKind), 3), func() kind { return intListKind }},
		{when(f.known(strListKind) || f.known(strKind), 2), func() kind { return strListKind }},
		{when(f.known(intDictKind) || f.known(strListKind, strKind), 0.8), func() kind { return intDictKind }},
		{when(f.known(intListKind), 0.5), func() kind { return setKind }},
		{0.7, func() kind { return boolKind }},
		{when(f.known(intKind), 0.3), func() kind { return pairKind }},
	})
}
