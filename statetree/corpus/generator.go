package corpus

import (
	"iter"
	"strconv"
	"strings"
)

// Generator makes random programs. It holds no state between cases: Case may be
// called from several goroutines, in any order.
type Generator struct {
	seed  uint64
	style Style
}

// NewGenerator returns the generator of a seed and a style.
func NewGenerator(seed uint64, style Style) *Generator { return &Generator{seed, style} }

// Cases returns count cases, from case first on.
func (g *Generator) Cases(first uint64, count int) iter.Seq[Case] {
	return func(yield func(Case) bool) {
		for i := range count {
			if !yield(g.Case(first + uint64(i))) {
				return
			}
		}
	}
}

// Case returns case index.
func (g *Generator) Case(index uint64) Case {
	r := newRandom(g.seed, index)
	var c Case
	if r.chance(g.style.Never) {
		c = neverEnding(r, g.style)
	} else {
		shape := drawShape(r, g.style)
		for range attempts {
			p := newProgram(r, g.style)
			p.build(shape)
			c = Case{Source: p.source(), Entry: p.entry}
			if p.tidy() {
				break
			}
		}
	}
	c.Index = index
	return c
}

// attempts is how often a program is made anew because it is not tidy. One
// program in some 200, most with a helper and a constant, is not tidy even then.
const attempts = 40

// shape is what is decided about a program before it is made, so that the
// shares hold however many attempts are needed.
type shape struct{ constant, recursion, helper, module bool }

func drawShape(r random, s Style) shape {
	return shape{r.chance(s.Constant), r.chance(s.Recursion), r.chance(s.Helper), r.chance(s.Module)}
}

// program is one case while it is made.
type program struct {
	random
	style     Style
	quote     string
	helpers   []*helper
	constants []*constant
	main      *function
	// parameters are the kinds of the main function's parameters.
	parameters []kind
	// module are the lines below the functions, for an entry without a call.
	module []string
	entry  string
	// mentioned are the strings in the code: inputs have them too, sometimes.
	mentioned []string
}

// helper is a function that the main function calls.
type helper struct {
	*function
	parameters []kind
	returns    kind
	uses       int
}

type constant struct {
	name, value string
	kind        kind
	uses        int
}

func newProgram(r random, style Style) *program {
	p := &program{random: r, style: style, quote: "'"}
	if r.chance(0.3) {
		p.quote = `"`
	}
	return p
}

// build decides what the program has and writes it.
func (p *program) build(shape shape) {
	if shape.recursion {
		p.recursion()
		return
	}
	if shape.constant {
		p.addConstant()
	}
	if shape.helper {
		p.addHelper()
	}
	name := "f"
	if p.chance(0.35) {
		name = pick(p.random, entryNames)
	}
	p.main = p.newFunction(name)
	f := p.main
	p.parameters = p.drawParameters()
	f.head(p.parameters)
	f.body.indent = 1
	f.write()
	p.enter(shape.module)
}

// drawParameters chooses the kinds of the main function's parameters.
func (p *program) drawParameters() []kind {
	r := p.random
	one := func() kind {
		return choose(r, []option[kind]{
			{5, func() kind { return strKind }},
			{3.5, func() kind { return intListKind }},
			{1.5, func() kind { return strListKind }},
			{1.6, func() kind { return intDictKind }},
			{0.4, func() kind { return strDictKind }},
			{1.5, func() kind { return intKind }},
			{0.15, func() kind { return pairKind }},
			{0.15, func() kind { return setKind }},
		})
	}
	kinds := []kind{one()}
	if r.chance(0.55) {
		kinds = append(kinds, choose(r, []option[kind]{
			{3, func() kind { return intKind }},
			{when(kinds[0] != intKind && kinds[0] != intListKind, 3), func() kind { return charKind }},
			{0.25, func() kind { return boolKind }},
			{1.2, one},
		}))
	}
	if len(kinds) == 2 && r.chance(0.15) {
		kinds = append(kinds, pick(r, []kind{intKind, charKind, intKind, strKind}))
	}
	return kinds
}

// head writes the def line and brings the parameters into scope.
func (f *function) head(parameters []kind) {
	names := make([]string, len(parameters))
	for i, k := range parameters {
		names[i] = f.define(k, variableNames[k])
	}
	f.body.line("def " + f.name + "(" + strings.Join(names, ", ") + "):")
}

// write writes the function's body.
func (f *function) write() {
	r := f.random
	if r.chance(f.style.Guard) {
		f.guard()
	}
	type statement = option[struct{}]
	do := func(weight float64, write func()) statement {
		return statement{weight, func() struct{} { write(); return struct{}{} }}
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
		{4, func() kind { return intKind }},
		{when(texts, 3), func() kind { return strKind }},
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

// addHelper writes a short function for the main one to call.
func (p *program) addHelper() {
	r := p.random
	parameters := []kind{pick(r, []kind{intKind, intKind, charKind, strKind, strKind})}
	if r.chance(0.3) {
		parameters = append(parameters, pick(r, []kind{intKind, intKind, charKind}))
	}
	returns := pick(r, []kind{intKind, intKind, strKind, boolKind, boolKind})
	if parameters[0] == intKind && r.chance(0.6) {
		returns = pick(r, []kind{intKind, boolKind})
	}
	pool := helperNames[returns]
	if len(pool) == 0 {
		pool = helperNames[intKind]
	}
	f := p.newFunction(pick(r, pool))
	f.head(parameters)
	f.body.indent = 1
	if r.chance(0.5) {
		f.body.line("if " + f.condition(f.depth()-1).text + ":")
		f.scoped(func() { f.body.line("return " + f.expr(returns, 1).text) })
		if r.chance(0.2) {
			f.body.line("else:")
			f.scoped(func() { f.body.line("return " + f.expr(returns, 1).text) })
			p.helpers = append(p.helpers, &helper{function: f, parameters: parameters, returns: returns})
			return
		}
	} else if r.chance(0.25) {
		f.assign()
	}
	f.body.line("return " + f.expr(returns, f.depth()).text)
	p.helpers = append(p.helpers, &helper{function: f, parameters: parameters, returns: returns})
}

// addConstant writes a module-level constant.
func (p *program) addConstant() {
	r := p.random
	c := &constant{kind: pick(r, []kind{intKind, intKind, charKind, strKind})}
	c.name = pick(r, constantNames[c.kind])
	switch {
	case c.kind == intKind:
		c.value = strconv.Itoa(r.between(2, p.style.Small))
	case c.name == "VOWELS":
		c.value = p.quote + "aeiou" + p.quote
	case c.name == "ALPHABET" || c.name == "LETTERS":
		c.value = p.quote + pick(r, []string{"abcdef", "abcde", "xyz", "abcdefghij"}) + p.quote
	case c.kind == strKind:
		c.value = p.quote + pick(r, []string{"id_", "re", "pre", "x-"}) + p.quote
	default:
		c.value = p.quote + p.anyChar() + p.quote
	}
	p.constants = append(p.constants, c)
}

// enter decides how the program is run: by a call with suitable arguments, or
// as a module that makes such calls.
func (p *program) enter(module bool) {
	call := p.call()
	if !module {
		p.entry = call
		return
	}
	if p.chance(0.5) {
		p.module = []string{"result = " + call, "print(result)"}
		if p.chance(0.5) {
			p.module = append(p.module[:1], pick(p.random, []string{"again = ", "second = ", "other = "})+p.call(), "print(result, again)")
			name, _, _ := strings.Cut(p.module[1], " ")
			p.module[2] = "print(result, " + name + ")"
		}
		return
	}
	p.module = []string{"results = []", "for " + "args in [" + p.arguments(true) + ", " + p.arguments(true) + "]:", "    results.append(" + p.main.name + "(*args))"}
	if p.chance(0.4) {
		p.module = append(p.module, "print(results)")
	}
}

func (p *program) call() string { return p.main.name + "(" + p.arguments(false) + ")" }

// arguments are new arguments for the main function, or a tuple of them.
func (p *program) arguments(tuple bool) string {
	in := &inputs{program: p}
	// Containers and strings first: characters and keys are taken from them.
	values := make([]string, len(p.parameters))
	for _, late := range []bool{false, true} {
		for i, k := range p.parameters {
			if (k == charKind) == late {
				values[i] = in.input(k)
			}
		}
	}
	list := strings.Join(values, ", ")
	if !tuple {
		return list
	}
	if len(values) == 1 {
		list += ","
	}
	return "(" + list + ")"
}

// source is the program's text.
func (p *program) source() string {
	var blocks []string
	if len(p.constants) > 0 {
		lines := make([]string, len(p.constants))
		for i, c := range p.constants {
			lines[i] = c.name + " = " + c.value
		}
		blocks = append(blocks, strings.Join(lines, "\n"))
	}
	for _, h := range p.helpers {
		blocks = append(blocks, strings.Join(h.body.lines, "\n"))
	}
	blocks = append(blocks, strings.Join(p.main.body.lines, "\n"))
	if len(p.module) > 0 {
		blocks = append(blocks, strings.Join(p.module, "\n"))
	}
	return strings.Join(blocks, "\n\n") + "\n"
}
