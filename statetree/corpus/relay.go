package corpus

import "strings"

// relay makes a program whose function hands its arguments, most of them as
// they are, on to a helper that works with them; sometimes by way of another.
func (p *program) relay() {
	r := p.random
	mixed := []kind{strKind, strKind, intListKind, intKind, intKind, strListKind, intDictKind, charKind, boolKind}
	taken := map[kind]bool{}
	var parameters []kind
	for range r.between(2, 3) {
		k := pick(r, mixed)
		for taken[k] && k != intKind {
			k = pick(r, mixed)
		}
		taken[k] = true
		parameters = append(parameters, k)
	}
	inner := p.newFunction(pick(r, []string{"helper", "count_in", "apply", "combine", "work", "inner", "g", "make", "check_one", "step", "calc", "merge_in"}))
	inner.head(parameters)
	inner.write()
	p.helpers = append(p.helpers, &helper{function: inner, parameters: parameters})
	if r.chance(0.35) {
		name := pick(r, []string{"middle", "prepare", "wrapper", "call_it", "forward", "outer"})
		parameters = p.handOn(name, p.helpers[0], false)
		p.helpers = append(p.helpers, &helper{function: p.main, parameters: parameters})
	}
	name := freeName(r, append([]string{"f", "f", "main_part", "start", "use", "describe"}, entryNames...), map[string]bool{inner.name: true})
	p.parameters = p.handOn(name, p.helpers[len(p.helpers)-1], true)
	p.enter(r.chance(p.style.Module))
}

// handOn makes the main function one that calls h with its own parameters, and
// returns the kinds of these. The first one that is called by the entry also
// does something with what it gets.
func (p *program) handOn(name string, h *helper, first bool) []kind {
	r := p.random
	f := p.newFunction(name)
	p.main = f
	// The parameters in another order, often under other names.
	order := r.Perm(len(h.parameters))
	if r.chance(0.5) {
		for i := range order {
			order[i] = i
		}
	}
	var parameters []kind
	names := make([]string, len(h.parameters))
	their := h.parameterNames()
	for _, at := range order {
		k := h.parameters[at]
		if len(parameters) > 0 && r.chance(0.12) {
			names[at] = f.literal(k).text
			continue
		}
		if f.taken[their[at]] || r.chance(0.6) {
			names[at] = f.freeName(variableNames[k])
		} else {
			names[at] = their[at]
			f.taken[their[at]] = true
		}
		f.variables = append(f.variables, variable{name: names[at], kind: k, uses: 1})
		parameters = append(parameters, k)
	}
	heads := make([]string, len(f.variables))
	for i, v := range f.variables {
		heads[i] = v.name
	}
	f.body.line("def " + name + "(" + strings.Join(heads, ", ") + "):")
	f.body.indent = 1
	for i, k := range h.parameters {
		if k == intKind && r.chance(0.15) {
			names[i] += pick(r, []string{" + 1", " * 2", " - 1"})
		} else if k == strKind && r.chance(0.1) {
			names[i] += pick(r, []string{".upper()", "[1:]", "[::-1]"})
		}
	}
	call := h.name + "(" + strings.Join(names, ", ") + ")"
	if !first || r.chance(0.3) {
		f.body.line("return " + call)
		return parameters
	}
	if r.chance(0.2) {
		f.change()
	}
	result := f.freeName([]string{"result", "res", "out", "value", "answer"})
	f.body.line(result + " = " + call)
	other := f.variables[0].name
	f.body.line("return " + pick(r, []string{result, result, other + ", " + result, "[" + result + ", " + other + "]", "str(" + result + ")", result + " == " + other}))
	return parameters
}
