package corpus

import (
	"strconv"
	"strings"
)

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
	for _, h := range p.helpers {
		if h.name == name {
			name = "f"
		}
	}
	p.main = p.newFunction(name)
	f := p.main
	p.parameters = p.drawParameters()
	f.head(p.parameters)
	f.write()
	p.enter(shape.module)
}

// drawParameters chooses the kinds of the main function's parameters.
func (p *program) drawParameters() []kind {
	r := p.random
	one := func() kind {
		return choose(r, []option[kind]{
			{6.5, func() kind { return strKind }},
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
