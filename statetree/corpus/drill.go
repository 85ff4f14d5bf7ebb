package corpus

// drill makes a program whose function is a row of single operations, most of them on
// what those before gave. Programs of people spend most of their states on loops
// around few operations; in a drill nearly every state has a new value to be computed,
// so that a model sees more of them in the same number of tokens. What a line computes
// need not be used, so drills are not made anew until they are tidy.
func (p *program) drill() {
	r := p.random
	f := p.drillFunction()
	p.parameters = append(p.drawParameters(), intKind)
	f.head(p.parameters)
	for range r.between(4, 9) {
		choose(r, []statement{
			do(5, f.assign),
			do(3, f.calculate),
			do(2.5, f.change),
			do(1.5, f.branch),
		})
	}
	f.giveBack(nil)
	p.enter(false)
}

// drillFunction begins the function of a drill.
func (p *program) drillFunction() *function {
	p.main = p.newFunction(pick(p.random, append([]string{"f", "f"}, entryNames...)))
	return p.main
}

// calculate defines a number, or a truth value, by one operation on two numbers, the
// first of which is a name.
func (f *function) calculate() {
	r := f.random
	left := f.operand(intKind)
	second := func() expr {
		if v := f.find(intKind); v != nil && v.name != left.text && r.chance(0.5) {
			return f.use(v)
		}
		return is("%d", r.between(1, f.style.Small))
	}
	small := func() expr { return is("%d", r.between(2, 9)) }
	value := choose(r, []option[expr]{
		{4, func() expr { return binary(sum, left, "+", second()) }},
		{3, func() expr { return binary(sum, left, "-", second()) }},
		{1.5, func() expr { return binary(product, left, "*", small()) }},
		{1.5, func() expr { return binary(product, left, "//", small()) }},
		{1.5, func() expr { return binary(product, left, "%", small()) }},
		{1, func() expr { return is("%s(%s, %s)", pick(r, []string{"max", "min"}), left, second()) }},
		{1, func() expr {
			return binary(comparison, left, pick(r, []string{"<", ">", "<=", ">=", "==", "!="}), second())
		}},
	})
	k := intKind
	if value.prec == comparison {
		k = boolKind
	}
	f.body.line(f.define(k, temporaryNames[k]) + " = " + value.text)
}

// branch writes a change that a condition decides on.
func (f *function) branch() {
	f.body.line("if " + f.condition(f.depth()-1).text + ":")
	f.scoped(f.change)
	if f.chance(0.3) {
		f.body.line("else:")
		f.scoped(f.change)
	}
}
