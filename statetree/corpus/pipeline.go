package corpus

import (
	"slices"
	"strings"
)

// idiomProgram makes a program of one idiom with an entry for it.
func (p *program) idiomProgram() Case {
	functions := map[string]bool{}
	w := p.expand(pickIdiom(p.random), functions, nil)
	in := &inputs{program: p}
	call := func() string { return w.name + "(" + strings.Join(in.forIdiom(w.idiom), ", ") + ")" }
	return p.entered(w.lines, call(), call)
}

// forIdiom are arguments for an idiom.
func (in *inputs) forIdiom(d *idiom) []string { return in.ofTypes(d.parameters) }

// entered decides how a program of people's functions is run: by a call, by a
// main function of its own, or as a module. again makes another call.
func (p *program) entered(lines []string, entry string, again func() string) Case {
	source := func(more ...string) string {
		return strings.Join(lines, "\n") + "\n" + strings.Join(more, "\n")
	}
	r := p.random
	switch x := r.Float64(); {
	case x < 0.1:
		name := pick(r, []string{"result", "answer", "value", "out"})
		last := pick(r, []string{"return " + name, "print(" + name + ")"})
		return Case{Source: source("", "def main():", "    "+name+" = "+entry, "    "+last, ""), Entry: "main()"}
	case x < 0.15:
		return Case{Source: source("", "result = "+entry, "print(result)", "")}
	case x < 0.17:
		return Case{Source: source("", "first = "+entry, "second = "+again(), "print(first, second)", "")}
	}
	return Case{Source: source(), Entry: entry}
}

// pipeline is a function that hands its arguments on to several others, while
// it is made.
type pipeline struct {
	*program
	functions map[string]bool
	lines     []string // of the functions that it calls
	body      []string
	taken     map[string]bool
	// scope are the values at hand, parameters those of them that are arguments.
	scope      []typedName
	parameters []typedName
	returns    string
}

// typedName is a name with an idiom's type.
type typedName struct {
	name, kind string
	uses       int
}

var pipelineNames = []string{
	"describe", "report", "process", "summarize", "analyze", "handle", "build_report", "evaluate",
	"show", "compute", "run", "prepare", "make_line", "review", "update", "inspect", "solve",
}

// pipelineProgram makes a program in which a function calls two or three
// others, or calls one that does.
func (p *program) pipelineProgram() Case {
	functions := map[string]bool{}
	inner := p.newPipeline(functions)
	for range p.between(1, 2) {
		inner.step(nil)
	}
	if p.chance(0.3) && len(inner.parameters) < 4 {
		inner.finish(true)
		name := freeName(p.random, pipelineNames, functions)
		functions[name] = true
		w := written{name: name, lines: inner.function(name), idiom: &idiom{returns: inner.returns}}
		for _, v := range inner.parameters {
			w.parameters = append(w.parameters, v.name)
			w.idiom.parameters = append(w.idiom.parameters, v.kind)
		}
		outer := p.newPipeline(functions)
		outer.lines = append(inner.lines, append([]string{""}, w.lines...)...)
		outer.step(&w)
		if len(outer.lines) < 16 && p.chance(0.4) {
			outer.step(nil)
		}
		inner = outer
	} else if len(inner.body) < 2 {
		inner.step(nil)
	}
	inner.finish(false)
	name := freeName(p.random, pipelineNames, functions)
	lines := append(inner.lines, append([]string{""}, inner.function(name)...)...)
	types := make([]string, len(inner.parameters))
	for i, v := range inner.parameters {
		types[i] = v.kind
	}
	in := &inputs{program: p}
	call := func() string { return name + "(" + strings.Join(in.ofTypes(types), ", ") + ")" }
	entry := call()
	if len(types) > 1 && p.chance(0.06) {
		values := in.ofTypes(types)
		last := len(types) - 1
		values[last] = inner.parameters[last].name + "=" + values[last]
		entry = name + "(" + strings.Join(values, ", ") + ")"
	}
	return p.entered(lines, entry, call)
}

func (p *program) newPipeline(functions map[string]bool) *pipeline {
	return &pipeline{program: p, functions: functions, taken: map[string]bool{}}
}

// free is a name of the pool that neither a variable nor a function has.
func (l *pipeline) free(pool []string) string {
	return freeName(l.random, pool, union(l.functions, l.taken))
}

// function writes the function itself.
func (l *pipeline) function(name string) []string {
	names := make([]string, len(l.parameters))
	for i, v := range l.parameters {
		names[i] = v.name
	}
	return append([]string{"def " + name + "(" + strings.Join(names, ", ") + "):"}, l.body...)
}

// step calls one more function: w, or an idiom that suits what is at hand.
func (l *pipeline) step(w *written) {
	if w == nil {
		drawn := l.expand(l.suitable(), l.functions, l.taken)
		w = &drawn
		if len(l.lines) > 0 {
			l.lines = append(l.lines, "")
		}
		l.lines = append(l.lines, w.lines...)
	}
	if len(l.scope) == 0 && len(w.parameters) > 0 && l.chance(0.25) && l.over(w) {
		return
	}
	arguments := make([]string, len(w.parameters))
	for i := range arguments {
		arguments[i] = l.argument(w.idiom.parameters[i], w.parameters[i])
		if i > 0 && i == len(arguments)-1 && l.chance(0.06) {
			arguments[i] = w.parameters[i] + "=" + arguments[i]
		}
	}
	l.assign(w.idiom.returns, w.name+"("+strings.Join(arguments, ", ")+")")
}

// suitable is an idiom for the next step, rather one that takes the last
// result.
func (l *pipeline) suitable() *idiom {
	list := stages()
	for range 40 {
		d := pick(l.random, list)
		if len(l.body) == 0 || slices.ContainsFunc(d.parameters, func(t string) bool { return accepts(t, l.scope[len(l.scope)-1].kind) }) {
			return d
		}
	}
	return pick(l.random, list)
}

// argument is a value for a parameter: something at hand, a new parameter of
// the pipeline, or a literal.
func (l *pipeline) argument(kind, name string) string {
	var fit []*typedName
	for i := range l.scope {
		if v := &l.scope[i]; accepts(kind, v.kind) && (v.uses == 0 || l.chance(0.3)) {
			fit = append(fit, v)
		}
	}
	if len(fit) > 0 && (fit[len(fit)-1].uses == 0 || l.chance(0.85)) {
		v := fit[len(fit)-1]
		if v.uses > 0 && l.chance(0.3) {
			v = pick(l.random, fit)
		}
		v.uses++
		return v.name
	}
	if len(l.parameters) == 0 || len(l.parameters) < 4 && l.chance(0.85) {
		if pool := typeNames[plainType(kind)]; l.taken[name] || l.functions[name] || l.chance(0.5) {
			name = l.free(pool)
		}
		return l.parameter(kind, name)
	}
	return (&inputs{program: l.program}).typed(kind)
}

func (l *pipeline) parameter(kind, name string) string {
	l.taken[name] = true
	v := typedName{name: name, kind: kind, uses: 1}
	l.parameters = append(l.parameters, v)
	l.scope = append(l.scope, v)
	return name
}

// assign writes a statement that keeps a result.
func (l *pipeline) assign(kind, value string) {
	name := l.free(resultTypeNames[plainType(kind)])
	l.taken[name] = true
	l.body = append(l.body, "    "+name+" = "+value)
	l.scope = append(l.scope, typedName{name: name, kind: plainType(kind)})
}

// over writes a loop that calls the function for each item of a list. It
// reports false where its first parameter is no item.
func (l *pipeline) over(w *written) bool {
	list := map[string]string{"string": "words", "word": "words", "int": "ints", "small": "posints"}[w.idiom.parameters[0]]
	result := map[string]string{"string": "words", "int": "ints", "bool": "bool"}[plainType(w.idiom.returns)]
	if list == "" || result == "" {
		return false
	}
	over := l.parameter(list, l.free(typeNames[plainType(list)]))
	item := l.free(map[string][]string{"words": {"word", "w", "name", "item"}, "ints": {"x", "n", "num", "value"}}[plainType(list)])
	l.taken[item] = true
	arguments := []string{item}
	for i := 1; i < len(w.parameters); i++ {
		arguments = append(arguments, l.argument(w.idiom.parameters[i], w.parameters[i]))
	}
	call := w.name + "(" + strings.Join(arguments, ", ") + ")"
	line := func(text string) { l.body = append(l.body, "    "+text) }
	switch {
	case result == "bool" && l.chance(0.5):
		l.assign("words", "[]")
		out := l.scope[len(l.scope)-1].name
		l.scope[len(l.scope)-1].kind = plainType(list)
		line("for " + item + " in " + over + ":")
		line("    if " + call + ":")
		line("        " + out + ".append(" + item + ")")
	case result == "bool":
		l.assign("int", "0")
		line("for " + item + " in " + over + ":")
		line("    if " + call + ":")
		line("        " + l.scope[len(l.scope)-1].name + " += 1")
	case result == "ints" && l.chance(0.5):
		l.assign("int", "0")
		line("for " + item + " in " + over + ":")
		line("    " + l.scope[len(l.scope)-1].name + " += " + call)
	case l.chance(0.3):
		l.assign(result, "["+call+" for "+item+" in "+over+"]")
	default:
		l.assign(result, "[]")
		line("for " + item + " in " + over + ":")
		line("    " + l.scope[len(l.scope)-1].name + ".append(" + call + ")")
	}
	return true
}

// finish writes the return statement. A plain one gives back the last result,
// whose type is known.
func (l *pipeline) finish(plain bool) {
	r := l.random
	last := l.scope[len(l.scope)-1]
	l.returns = last.kind
	line := l.body[len(l.body)-1]
	if name, call, ok := strings.Cut(strings.TrimSpace(line), " = "); ok && name == last.name && strings.HasPrefix(line, "    ") && line[4] != ' ' && r.chance(0.35) {
		l.body[len(l.body)-1] = "    return " + call
		return
	}
	if plain {
		l.body = append(l.body, "    return "+last.name)
		return
	}
	other := last
	for _, v := range l.scope {
		if v.name != last.name && (v.uses == 0 || r.chance(0.4)) {
			other = v
		}
	}
	q := l.quote
	value := last.name
	switch x := r.Float64(); {
	case x < 0.3 && other.name != last.name:
		value = "f" + q + "{" + other.name + "}" + pick(r, []string{": ", " = ", " -> ", " has ", "/"}) + "{" + last.name + "}" + q
	case x < 0.45 && other.name != last.name:
		value = other.name + ", " + last.name
	case x < 0.55 && other.name != last.name:
		value = "{" + q + other.name + q + ": " + other.name + ", " + q + last.name + q + ": " + last.name + "}"
	case x < 0.65:
		l.body = append(l.body, "    if "+map[bool]string{true: "", false: "not "}[last.kind == "bool" || r.chance(0.4)]+last.name+":")
		l.body = append(l.body, "        return "+pick(r, []string{"None", q + "none" + q, q + "ok" + q, "0", q + "yes" + q}))
	case x < 0.7:
		value = "str(" + last.name + ")"
	}
	l.body = append(l.body, "    return "+value)
}
