package corpus

import "strings"

// variable is a name in scope.
type variable struct {
	name string
	kind kind
	// fixed says that the program must not assign to the name nor change its
	// value: a loop depends on it.
	fixed bool
	// grows says that a loop around builds the value up.
	grows bool
	uses  int
}

// function is a function, or a module's body, while it is made.
type function struct {
	random
	style     Style
	program   *program
	name      string
	variables []variable
	taken     map[string]bool
	body      writer
	// loops is how many loops hold the place that is being written.
	loops int
}

// writer collects lines with their indentation.
type writer struct {
	lines  []string
	indent int
}

func (w *writer) line(text string) {
	w.lines = append(w.lines, strings.Repeat("    ", w.indent)+text)
}

func (p *program) newFunction(name string) *function {
	f := &function{random: p.random, style: p.style, program: p, name: name, taken: map[string]bool{name: true}}
	for _, h := range p.helpers {
		f.taken[h.name] = true
	}
	for _, c := range p.constants {
		f.taken[c.name] = true
	}
	return f
}

// define adds a name from pool to the scope.
func (f *function) define(k kind, pool []string) string {
	name := f.freeName(pool)
	f.variables = append(f.variables, variable{name: name, kind: k})
	return name
}

// freeName returns an unused name of the pool, most likely one of the first,
// and takes it for the whole function.
func (f *function) freeName(pool []string) string {
	name := freeName(f.random, pool, f.taken)
	f.taken[name] = true
	return name
}

// elementName is a name for a comprehension. It may come up again.
func (f *function) elementName(k kind) string {
	for range 8 {
		if name := pick(f.random, elementNames[k][:4]); !f.taken[name] {
			return name
		}
	}
	return "el"
}

// find returns a name of the kind, rather one that was not used yet, or nil.
func (f *function) find(k kind) *variable {
	return f.findWhere(func(v *variable) bool { return v.kind == k })
}

func (f *function) findWhere(matches func(*variable) bool) *variable {
	var found *variable
	weights := 0.0
	for i := range f.variables {
		v := &f.variables[i]
		if !matches(v) {
			continue
		}
		weight := 1.0
		if v.uses == 0 {
			weight = 4
		}
		weights += weight
		if f.Float64()*weights < weight {
			found = v
		}
	}
	return found
}

func (f *function) findSized() *variable {
	return f.findWhere(func(v *variable) bool {
		return v.kind != intKind && v.kind != boolKind && v.kind != pairKind && v.kind != charKind
	})
}

func (f *function) findDict() *variable {
	return f.findWhere(func(v *variable) bool { return v.kind.isDict() })
}

// findFree returns a name whose value may change.
func (f *function) findFree(k kind) *variable {
	return f.findWhere(func(v *variable) bool { return v.kind == k && !v.fixed })
}

func (f *function) use(v *variable) expr {
	v.uses++
	return is("%s", v.name)
}

// scoped runs write with one more level of indentation. Names that it defines
// are gone afterwards, since the block may not have run.
func (f *function) scoped(write func()) {
	names := len(f.variables)
	f.body.indent++
	write()
	f.body.indent--
	f.leave(names)
}

// leave drops the names defined since there were so many.
func (f *function) leave(names int) { f.variables = f.variables[:names] }

// fix marks a name fixed until the returned function is called.
func (f *function) fix(name string) (release func()) {
	for i := range f.variables {
		if f.variables[i].name == name && !f.variables[i].fixed {
			f.variables[i].fixed = true
			return func() { f.variables[i].fixed = false }
		}
	}
	return func() {}
}

// helperOf returns a helper that gives the kind, sometimes, or nil.
func (f *function) helperOf(k kind) *helper {
	for _, h := range f.program.helpers {
		if h.function != f && h.returns == k && h.uses < 2 {
			return h
		}
	}
	return nil
}

// takes reports whether the helper takes one value, of that kind.
func (h *helper) takes(k kind) bool {
	return len(h.parameters) == 1 && (h.parameters[0] == k || h.parameters[0].isText() && k.isText())
}

// callHelper is a call with arguments from the scope.
func (f *function) callHelper(k kind) expr {
	h := f.helperOf(k)
	h.uses++
	arguments := make([]string, len(h.parameters))
	for i, p := range h.parameters {
		switch {
		case p.isText() && f.known(charKind, strKind):
			if p == charKind {
				arguments[i] = f.char(0).text
			} else {
				arguments[i] = f.textOperand().text
			}
		default:
			arguments[i] = f.operand(p).text
		}
	}
	return is("%s(%s)", h.name, strings.Join(arguments, ", "))
}

// unusedConstant returns a module-level constant of the kind that nothing uses
// yet, with the given chance, or "".
func (f *function) unusedConstant(k kind, chance float64) string {
	for _, c := range f.program.constants {
		if c.kind == k && c.uses == 0 && f.chance(chance) {
			c.uses++
			return c.name
		}
	}
	return ""
}

// constantOf returns a module-level constant of the kind, or "".
func (f *function) constantOf(k kind) string {
	for _, c := range f.program.constants {
		if c.kind == k {
			c.uses++
			return c.name
		}
	}
	return ""
}
