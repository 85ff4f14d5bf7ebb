package corpus

import (
	"slices"
	"strconv"
)

// loop writes a for loop that builds up the accumulators.
func (f *function) loop(results []accumulator) {
	defer f.growing(results)()
	fixed := make([]bool, len(f.variables))
	for i := range fixed {
		fixed[i] = f.variables[i].fixed
	}
	defer func() {
		for i := range fixed {
			f.variables[i].fixed = fixed[i]
		}
	}()
	element, keep, counted := f.loopHead()
	f.loops++
	f.scoped(func() {
		f.variables = append(f.variables, keep...)
		var main *variable
		for i := range f.variables {
			if f.variables[i].name == element {
				main = &f.variables[i]
			}
		}
		f.loopBody(results, main, counted)
	})
	f.loops--
}

// loopHead writes the head of a for loop. It returns the name of the element
// that the body should be about, the loop's names, and whether the element is
// just a counter.
func (f *function) loopHead() (element string, names []variable, counted bool) {
	r := f.random
	add := func(k kind, pool []string) string {
		name := f.freeName(pool)
		names = append(names, variable{name: name, kind: k, fixed: k == intKind && r.chance(0.7)})
		return name
	}
	type head = option[string]
	over := func(k kind) string { return f.loopOver(k) }
	line := choose(r, []head{
		{when(f.iterates(strKind), 4), func() string {
			element = add(charKind, elementNames[charKind])
			return element + " in " + over(strKind)
		}},
		{when(f.iterates(intListKind), 5), func() string {
			element = add(intKind, elementNames[intKind])
			return element + " in " + over(intListKind)
		}},
		{when(f.iterates(strListKind), 4), func() string {
			element = add(strKind, elementNames[strKind])
			return element + " in " + over(strListKind)
		}},
		{when(f.iterates(strKind), 0.6), func() string {
			element = add(strKind, elementNames[strKind])
			return element + " in " + f.use(f.iterable(strKind)).text + ".split(" + pick(r, []string{"", f.char(0).text}) + ")"
		}},
		{when(f.iterates(intDictKind, strDictKind), 5), func() string {
			d := f.iterable(intDictKind, strDictKind)
			f.use(d)
			d.fixed = true
			key := add(strKind, []string{"k", "k", "key", "name"})
			if r.chance(0.25) {
				element = key
				return key + " in " + d.name
			}
			value := add(d.kind.value(), []string{"v", "v", "value", "val"})
			element = pick(r, []string{key, value, value})
			return key + ", " + value + " in " + d.name + ".items()"
		}},
		{when(f.iterates(strKind, intListKind, strListKind), 2.5), func() string {
			list := f.sequence()
			index := add(intKind, indexNames)
			element = add(list.kind.element(), elementNames[list.kind.element()])
			list.fixed = true
			return index + ", " + element + " in enumerate(" + f.use(list).text + pick(r, []string{"", "", "", ", 1"}) + ")"
		}},
		{when(f.iterates(strKind, intListKind, strListKind), 2.5), func() string {
			list := f.sequence()
			f.use(list)
			list.fixed = true
			index := add(intKind, indexNames)
			names[len(names)-1].fixed = true
			k := list.kind.element()
			length := "len(" + list.name + ")"
			bounds := pick(r, []string{length, length, length, "1, " + length, "0, " + length + ", 2", length + " - 1", length + " - 1, -1, -1"})
			// The element is an expression; give it a name in scope by that text.
			names = append(names, variable{name: list.name + "[" + index + "]", kind: k, fixed: true})
			element = names[len(names)-1].name
			return index + " in range(" + bounds + ")"
		}},
		{when(f.twoLists(), 1), func() string {
			a, b := f.iterable(intListKind, strListKind), f.sequence()
			for b.name == a.name {
				b = f.sequence()
			}
			a.fixed, b.fixed = true, true
			x := add(a.kind.element(), elementNames[a.kind.element()])
			y := add(b.kind.element(), []string{"b", "y", "w", "t", "q"})
			element = pick(r, []string{x, y})
			return x + ", " + y + " in zip(" + f.use(a).text + ", " + f.use(b).text + ")"
		}},
		{1.2, func() string {
			counted = true
			bound := strconv.Itoa(r.between(2, 5))
			if v := f.sequence(); v != nil && r.chance(0.4) {
				bound = "min(len(" + f.use(v).text + "), " + strconv.Itoa(r.between(3, 5)) + ")"
			}
			element = add(intKind, indexNames)
			names[len(names)-1].fixed = true
			if r.chance(0.25) {
				return element + " in range(" + strconv.Itoa(r.between(5, 10)) + ", 0, -" + strconv.Itoa(r.between(2, 3)) + ")"
			}
			if r.chance(0.2) {
				return element + " in range(1, " + bound + " + 1)"
			}
			return element + " in range(" + bound + ")"
		}},
	})
	f.body.line("for " + line + ":")
	return element, names, counted
}

// loopOver is what a loop goes over: a name that must not change in it, or a
// changed copy of one.
func (f *function) loopOver(k kind) string {
	r := f.random
	v := f.iterable(k)
	f.use(v)
	if r.chance(0.8) {
		v.fixed = true
		return v.name
	}
	if k == strKind {
		return pick(r, []string{v.name + "[::-1]", "reversed(" + v.name + ")", v.name + "[1:]", v.name + ".lower()", "sorted(" + v.name + ")"})
	}
	return pick(r, []string{v.name + "[::-1]", "reversed(" + v.name + ")", v.name + "[1:]", "sorted(" + v.name + ")", v.name + "[:3]"})
}

func (f *function) sequence() *variable {
	return f.iterable(strKind, intListKind, strListKind)
}

// iterable returns a name of one of the kinds that a loop may go over: not one
// that the loops around build up.
func (f *function) iterable(kinds ...kind) *variable {
	return f.findWhere(func(v *variable) bool { return !v.grows && slices.Contains(kinds, v.kind) })
}

func (f *function) iterates(kinds ...kind) bool { return f.iterable(kinds...) != nil }

// growing marks the accumulators until the returned function is called.
func (f *function) growing(results []accumulator) (release func()) {
	var marked []int
	for i := range f.variables {
		for _, a := range results {
			if v := &f.variables[i]; v.name == a.name && !v.grows {
				v.grows = true
				marked = append(marked, i)
			}
		}
	}
	return func() {
		for _, i := range marked {
			f.variables[i].grows = false
		}
	}
}

func (f *function) twoLists() bool {
	lists, sequences := 0, 0
	for i := range f.variables {
		if f.variables[i].grows {
			continue
		}
		switch f.variables[i].kind {
		case intListKind, strListKind:
			lists++
			sequences++
		case strKind:
			sequences++
		}
	}
	return lists > 0 && sequences > 1
}

// loopBody writes what happens to the accumulators in one step.
func (f *function) loopBody(results []accumulator, element *variable, counted bool) {
	r := f.random
	a := results[r.IntN(len(results))]
	other := results[len(results)-1]
	update := func() { f.accumulate(a, element) }
	if r.chance(0.12) {
		f.assign()
		if element != nil { // the scope may have moved in memory
			element = f.named(element.name)
		}
	}
	choose(r, []statement{
		do(3, func() {
			update()
			if len(results) > 1 {
				f.accumulate(other, element)
			}
		}),
		do(4.5, func() {
			f.body.line("if " + f.conditionAbout(element).text + ":")
			f.scoped(update)
			if len(results) > 1 && other != a {
				f.body.line("else:")
				f.scoped(func() { f.accumulate(other, element) })
			} else if r.chance(0.45) {
				f.alternative(a, element)
			}
		}),
		do(0.9, func() {
			f.body.line("if " + f.conditionAbout(element).text + ":")
			f.scoped(func() { f.body.line(pick(r, []string{"continue", "continue", "break"})) })
			update()
		}),
		do(0.7, func() {
			update()
			f.body.line("if " + f.stopCondition(a) + ":")
			f.scoped(func() { f.body.line("break") })
		}),
		do(when(f.loops == 1, 0.6), func() {
			f.body.line("if " + f.conditionAbout(element).text + ":")
			f.scoped(func() { f.giveBack(results) })
			update()
		}),
		do(when(f.loops == 1 && !counted, 0.8), func() { f.loop([]accumulator{a}) }),
		do(when(f.loops == 1, 0.25), func() {
			f.body.line("try:")
			f.scoped(func() { f.accumulate(a, element) })
			f.except(func() { f.accumulate(a, element) })
		}),
	})
}

// alternative writes an else, or an elif, that changes the accumulator too.
func (f *function) alternative(a accumulator, element *variable) {
	if f.chance(0.3) {
		f.body.line("elif " + f.conditionAbout(element).text + ":")
		f.scoped(func() { f.accumulate(a, element) })
		if f.chance(0.5) {
			return
		}
	}
	f.body.line("else:")
	f.scoped(func() { f.accumulate(a, element) })
}

// stopCondition is a test by which a loop ends when enough was accumulated.
func (f *function) stopCondition(a accumulator) string {
	n := strconv.Itoa(f.between(2, 6))
	switch a.kind {
	case intKind:
		return a.name + " > " + strconv.Itoa(f.between(3, 20))
	case boolKind:
		return a.name
	case charKind:
		return a.name + " == " + f.char(0).at(comparison+1)
	}
	return "len(" + a.name + ") " + pick(f.random, []string{">", ">=", "=="}) + " " + n
}

// except writes a handler for what the try before it may raise.
func (f *function) except(otherwise func()) {
	f.body.line("except" + pick(f.random, []string{" ValueError", " ValueError", " IndexError", " KeyError", " (ValueError, IndexError)", " Exception", " Exception", ""}) + ":")
	f.scoped(otherwise)
}

func (f *function) named(name string) *variable {
	for i := range f.variables {
		if f.variables[i].name == name {
			return &f.variables[i]
		}
	}
	return nil
}
