package corpus

import (
	"slices"
	"strconv"
)

// while writes a loop with a condition that ends by construction: each form
// moves towards its end in every step, on names that nothing else changes.
func (f *function) while(results []accumulator) {
	r := f.random
	a := results[0]
	defer f.growing(results)()
	f.loops++
	defer func() { f.loops-- }()
	// body writes a step that is about an element and then moves on.
	body := func(element string, k kind, own []variable, moves ...string) {
		f.scoped(func() {
			f.variables = append(f.variables, own...)
			f.variables = append(f.variables, variable{name: element, kind: k, fixed: true})
			f.step(a, element)
			for _, m := range moves {
				f.body.line(m)
			}
		})
	}
	choose(r, []statement{
		do(when(f.changeable(intKind) != nil, 3), func() { // digits, halving
			v := f.changeable(intKind)
			n := f.use(v).text
			defer f.fix(n)()
			by := pick(r, []string{"10", "10", "2", "2", "3"})
			f.body.line("while " + n + " > 0:")
			if r.chance(0.5) {
				digit := f.freeName([]string{"digit", "d", "r", "rest", "bit"})
				f.body.indent++
				f.body.line(digit + " = " + n + " % " + by)
				f.body.indent--
				body(digit, intKind, nil, n+" //= "+by)
			} else {
				body(n, intKind, nil, n+pick(r, []string{" //= " + by, " -= " + strconv.Itoa(r.between(2, 4)), " = " + n + " // 2"}))
			}
		}),
		do(when(f.changeable(strKind, intListKind, strListKind) != nil, 3.5), func() { // an index
			v := f.changeable(strKind, intListKind, strListKind)
			f.use(v)
			defer f.fix(v.name)()
			i := f.freeName(indexNames)
			list, k := v.name, v.kind.element()
			f.body.line(i + " = " + pick(r, []string{"0", "0", "0", "1"}))
			head := "while " + i + " < len(" + list + ")"
			if r.chance(0.25) {
				f.variables = append(f.variables, variable{name: list + "[" + i + "]", kind: k, fixed: true})
				head += " and " + f.conditionOn(k, list+"["+i+"]").at(conjunction+1)
				f.leave(len(f.variables) - 1)
			}
			f.body.line(head + ":")
			f.variables = append(f.variables, variable{name: i, kind: intKind, fixed: true})
			body(list+"["+i+"]", k, nil, i+" += "+pick(r, []string{"1", "1", "1", "2"}))
			f.leave(len(f.variables) - 1)
		}),
		do(when(f.changeable(intListKind, strListKind) != nil, 2), func() { // emptying a list
			v := f.changeable(intListKind, strListKind)
			f.use(v)
			list, k := v.name, v.kind.element()
			defer f.fix(list)()
			f.body.line("while " + pick(r, []string{list, list, "len(" + list + ") > 1"}) + ":")
			item := f.freeName(elementNames[k])
			f.body.indent++
			f.body.line(item + " = " + list + ".pop(" + pick(r, []string{"", "", "0"}) + ")")
			f.body.indent--
			body(item, k, nil)
		}),
		do(1.2, func() { f.forwards(a) }),
		do(when(f.changeable(strKind) != nil, 1.5), func() { // a string that grows or shrinks
			v := f.changeable(strKind)
			s := f.use(v).text
			defer f.fix(s)()
			switch r.IntN(3) {
			case 0:
				f.body.line("while len(" + s + ") < " + strconv.Itoa(r.between(6, 10)) + ":")
				body(s, strKind, nil, s+pick(r, []string{" += " + f.literal(charKind).text, " = " + f.literal(charKind).text + " + " + s}))
			case 1:
				f.body.line("while len(" + s + ") > " + strconv.Itoa(r.between(1, 3)) + ":")
				body(s, strKind, nil, s+" = "+s+pick(r, []string{"[1:]", "[:-1]", "[1:-1]"}))
			default:
				c := f.literal(charKind).text
				f.body.line("while " + s + "." + pick(r, []string{"startswith", "endswith"}) + "(" + c + ") and " + s + ":")
				body(s, strKind, nil, s+" = "+s+"["+pick(r, []string{"1:-1", "1:-1", "2:-1"})+"]")
			}
		}),
		do(when(f.changeable(intKind) != nil, 0.7), func() { // Euclid
			v := f.changeable(intKind)
			x := f.use(v).text
			defer f.fix(x)()
			y := f.freeName([]string{"b", "y", "m", "rest"})
			f.body.line(y + " = " + strconv.Itoa(r.between(2, 12)))
			f.body.line("while " + y + ":")
			body(x, intKind, nil, x+", "+y+" = "+y+", "+x+" % "+y)
			f.variables = append(f.variables, variable{name: y, kind: intKind, uses: 1})
		}),
		do(0.8, func() { // while True with a way out
			i := f.freeName([]string{"i", "step", "tries", "j"})
			f.body.line(i + " = 0")
			f.body.line("while True:")
			f.scoped(func() {
				f.body.line(i + " += 1")
				f.body.line("if " + i + pick(r, []string{" > ", " >= ", " == "}) + strconv.Itoa(r.between(3, 5)) + ":")
				f.scoped(func() { f.body.line("break") })
				f.variables = append(f.variables, variable{name: i, kind: intKind, fixed: true})
				f.step(a, i)
			})
		}),
	})
}

// changeable returns a name of one of the kinds that a while loop may use up:
// nothing else depends on it or changes it.
func (f *function) changeable(kinds ...kind) *variable {
	return f.findWhere(func(v *variable) bool { return !v.grows && !v.fixed && slices.Contains(kinds, v.kind) })
}

// forwards writes a while loop that counts to a small bound.
func (f *function) forwards(a accumulator) {
	r := f.random
	i := f.freeName(indexNames)
	start, move := "0", pick(r, []string{" += 1", " += 2", " += 3"})
	if r.chance(0.6) {
		start, move = "1", pick(r, []string{" += 1", " += 2", " += 3", " *= 2", " *= 3"})
	}
	f.body.line(i + " = " + start)
	f.body.line("while " + i + " < " + strconv.Itoa(r.between(4, 12)) + ":")
	f.scoped(func() {
		f.variables = append(f.variables, variable{name: i, kind: intKind, fixed: true})
		f.step(a, i)
		f.body.line(i + move)
	})
}

// step writes one step of a while loop: no continue, so that it moves on.
func (f *function) step(a accumulator, element string) {
	main := f.named(element)
	if f.chance(0.45) {
		f.body.line("if " + f.conditionAbout(main).text + ":")
		f.scoped(func() { f.accumulate(a, main) })
		if f.chance(0.35) {
			f.alternative(a, main)
		}
		return
	}
	f.accumulate(a, main)
}
