package corpus

import (
	"strconv"
	"strings"
)

// head writes the def line and brings the parameters into scope; the body is next.
func (f *function) head(parameters []kind) {
	names := make([]string, len(parameters))
	for i, k := range parameters {
		names[i] = f.define(k, variableNames[k])
	}
	f.body.line("def " + f.name + "(" + strings.Join(names, ", ") + "):")
	f.body.indent = 1
}

// write writes the function's body.
func (f *function) write() {
	r := f.random
	if r.chance(f.style.Guard) {
		f.guard()
	}
	choose(r, []statement{
		do(6, func() { f.building(f.loop) }),
		do(2, func() { f.building(f.while) }),
		do(2.2, func() {
			for range r.between(1, 3) {
				f.change()
			}
			f.giveBack(nil)
		}),
		do(1, f.branches),
		do(0.4, func() { f.giveBack(nil) }),
		do(10*f.style.Try, f.trying),
	})
}

// building writes one or two loops that build up one or two results, with what
// people do before and after.
func (f *function) building(loop func([]accumulator)) {
	r := f.random
	if r.chance(0.3) {
		f.change()
	}
	results := []accumulator{f.start(f.resultKind())}
	if r.chance(0.15) {
		results = append(results, f.start(f.resultKind()))
	}
	loop(results)
	if r.chance(0.06) {
		f.loop(results)
	}
	if r.chance(0.2) {
		f.change()
	}
	f.giveBack(results)
}

// resultKind is a kind of what a loop may build up here.
func (f *function) resultKind() kind {
	texts := f.known(strKind, strListKind, strDictKind, intDictKind)
	return choose(f.random, []option[kind]{
		{3, func() kind { return intKind }},
		{when(f.known(strKind), 6), func() kind { return strKind }},
		{when(texts && !f.known(strKind), 2), func() kind { return strKind }},
		{when(f.known(intListKind, intDictKind, setKind, intKind), 2.5), func() kind { return intListKind }},
		{when(texts, 2), func() kind { return strListKind }},
		{when(texts, 1.8), func() kind { return intDictKind }},
		{when(f.known(strListKind, strDictKind, intDictKind), 0.5), func() kind { return groupKind }},
		{when(f.known(strDictKind), 1), func() kind { return strDictKind }},
		{when(f.known(intListKind), 0.5), func() kind { return setKind }},
		{0.4, func() kind { return boolKind }},
		{when(f.known(strKind), 0.4), func() kind { return charKind }},
	})
}

// guard writes an early return for a special case.
func (f *function) guard() {
	r := f.random
	test := f.condition(f.depth() - 1).text
	if v := f.findSized(); v != nil && r.chance(0.5) {
		test = pick(r, []string{"not " + v.name, "len(" + v.name + ") < " + strconv.Itoa(r.between(2, 4)), "len(" + v.name + ") == " + strconv.Itoa(r.between(1, 5))})
	}
	f.body.line("if " + test + ":")
	f.scoped(func() {
		if r.chance(0.06) {
			f.body.line("raise ValueError(" + f.quoted(pick(r, []string{"bad", "empty", "too short", "no"})) + ")")
			return
		}
		f.body.line("return " + pick(r, []string{"None", "-1", "0", "[]", f.quoted(""), "False", f.expr(f.derivedKind(), 1).text, f.expr(intKind, 1).text}))
	})
}

// branches writes an if with its alternatives, each of which returns or
// changes something.
func (f *function) branches() {
	r := f.random
	if r.chance(0.5) {
		f.change()
	}
	k := f.derivedKind()
	returning := r.chance(0.6)
	name := ""
	if !returning {
		name = f.start(f.resultKind()).name
		k = f.named(name).kind
	}
	outcome := func() {
		if returning {
			f.body.line("return " + f.expr(k, f.depth()).text)
		} else {
			f.accumulate(accumulator{name, k}, nil)
		}
	}
	f.body.line("if " + f.condition(f.depth()).text + ":")
	f.scoped(outcome)
	if r.chance(0.45) {
		f.body.line("elif " + f.condition(f.depth()-1).text + ":")
		f.scoped(outcome)
	}
	if returning && r.chance(0.5) {
		f.body.line("return " + f.expr(k, f.depth()).text)
		return
	}
	f.body.line("else:")
	f.scoped(outcome)
	if !returning {
		f.giveBack([]accumulator{{name, k}})
	}
}

// trying writes a try statement around something that may well fail.
func (f *function) trying() {
	r := f.random
	operation, raises := f.risky()
	if r.chance(0.12) {
		raises = pick(r, []string{"TypeError", "KeyError", "ValueError", "IndexError"})
	}
	handler := "except " + pick(r, []string{raises, raises, raises, "Exception"}) + ":"
	if r.chance(0.1) {
		handler = "except:"
	}
	if r.chance(0.5) {
		f.body.line("try:")
		f.scoped(func() { f.body.line("return " + operation) })
		f.body.line(handler)
		f.scoped(func() { f.body.line("return " + pick(r, []string{"None", "-1", "0", "False", f.quoted("error")})) })
		return
	}
	name := f.freeName([]string{"result", "value", "res", "found", "pos", "n", "x"})
	f.body.line("try:")
	f.scoped(func() { f.body.line(name + " = " + operation) })
	f.body.line(handler)
	f.scoped(func() { f.body.line(name + " = " + pick(r, []string{"None", "-1", "0", "0"})) })
	if r.chance(0.1) {
		f.body.line("finally:")
		f.scoped(f.change)
	}
	if r.chance(0.3) {
		f.change()
	}
	rest := f.expr(f.derivedKind(), 1).text
	f.body.line("return " + pick(r, []string{name, name, name + ", " + rest, "[" + name + "]"}))
}

// risky is an operation that may well fail, and what it raises then.
func (f *function) risky() (operation, raises string) {
	r := f.random
	type pair = [2]string
	lists := func(v *variable) bool { return v.kind == intListKind || v.kind == strListKind }
	drawn := choose(r, []option[pair]{
		{when(f.known(strKind, charKind), 1), func() pair { return pair{"int(" + f.textOperand().text + ")", "ValueError"} }},
		{when(f.known(intDictKind), 3), func() pair {
			return pair{f.operand(intDictKind).text + "[" + f.textOperand().text + "]", "KeyError"}
		}},
		{when(f.findWhere(lists) != nil, 1), func() pair {
			return pair{f.use(f.findWhere(lists)).text + "[" + f.integer(0).text + "]", "IndexError"}
		}},
		{when(f.known(intListKind), 1), func() pair {
			return pair{f.operand(intListKind).text + ".index(" + f.integer(0).text + ")", "ValueError"}
		}},
		{when(f.known(strKind), 1), func() pair {
			return pair{f.operand(strKind).text + ".index(" + f.char(0).text + ")", "ValueError"}
		}},
		{when(f.known(intKind), 1), func() pair {
			return pair{f.integer(0).at(product) + " // " + f.integer(0).at(product+1), "ZeroDivisionError"}
		}},
		{0.1, func() pair { return pair{"int(" + f.literal(strKind).text + ")", "ValueError"} }},
	})
	return drawn[0], drawn[1]
}

// giveBack writes the return statement: what was built up, or something made
// from it.
func (f *function) giveBack(results []accumulator) {
	r := f.random
	if len(results) == 0 {
		k := f.derivedKind()
		// Rather something that this function has made.
		if last := f.variables[len(f.variables)-1]; last.uses == 0 && r.chance(0.7) {
			k = last.kind
		}
		value := f.expr(k, f.depth())
		if v := f.findWhere(func(v *variable) bool { return v.uses == 0 }); v != nil {
			other := f.use(v).text
			value = expr{value.text + ", " + other, ternary}
			if r.chance(0.6) {
				value = f.expr(v.kind, 1)
				v := f.named(other)
				if v != nil && !strings.Contains(value.text, other) {
					value = is("%s", other)
				}
			}
		}
		f.body.line("return " + value.text)
		return
	}
	names := make([]string, len(results))
	for i, a := range results {
		names[i] = a.name
	}
	if len(names) > 1 {
		f.body.line("return " + strings.Join(names, ", "))
		return
	}
	a, name := results[0], names[0]
	plain := []string{name, name, name}
	var made []string
	switch a.kind {
	case intKind:
		made = []string{name + " % " + strconv.Itoa(r.between(2, 9)), name + " > " + strconv.Itoa(r.between(1, 9)), name + " * 2", "str(" + name + ")", name + " - " + f.integer(0).text, name + " == " + f.integer(0).text}
	case strKind:
		made = []string{name + ".strip()", name + "[::-1]", name + "." + f.caseMethod() + "()", "len(" + name + ")", name + "[:" + strconv.Itoa(r.between(2, 5)) + "]"}
	case intListKind:
		made = []string{"sum(" + name + ")", "sorted(" + name + ")", "len(" + name + ")", name + "[::-1]", "max(" + name + ")", name + "[-1]"}
	case strListKind:
		join := f.separator().text + ".join(" + name + ")"
		made = []string{join, join, join, "len(" + name + ")", name + "[::-1]", "sorted(" + name + ")"}
	case intDictKind, strDictKind, groupKind:
		made = []string{"len(" + name + ")", "sorted(" + name + ".items())", "list(" + name + ".values())", "list(" + name + ")"}
		if a.kind == intDictKind {
			made = append(made, "max("+name+".values())", "sum("+name+".values())")
		}
	case setKind:
		made = []string{"sorted(" + name + ")", "len(" + name + ")", "sorted(" + name + ")"}
		plain = plain[:1]
	case boolKind:
		made = []string{"not " + name}
	case charKind:
		made = []string{name + " or " + f.literal(charKind).text}
	}
	if len(made) > 0 && r.chance(0.35) {
		f.body.line("return " + pick(r, made))
		return
	}
	f.body.line("return " + pick(r, plain))
}
