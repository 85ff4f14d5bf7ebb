package corpus

import (
	"strconv"
	"strings"
)

// recursion makes the main function one that calls itself. Each form ends: its
// argument becomes smaller in every call.
func (p *program) recursion() {
	r := p.random
	name := pick(r, []string{"f", "f", "fact", "fib", "rec", "walk", "solve", "count_down", "power", "digits", "g"})
	f := p.newFunction(name)
	p.main = f
	line := func(indent int, text string) {
		f.body.lines = append(f.body.lines, strings.Repeat("    ", indent)+text)
	}
	small := strconv.Itoa(r.between(0, 2))
	step := strconv.Itoa(r.between(1, 2))
	operator := pick(r, []string{" + ", " + ", " * ", " - "})
	n := pick(r, []string{"n", "n", "x", "k", "num"})
	s := pick(r, []string{"s", "text", "word", "t"})
	l := pick(r, []string{"nums", "lst", "xs", "arr"})
	var arguments []string
	in := &inputs{program: p}
	switch r.IntN(7) {
	case 0: // counting down
		line(0, "def "+name+"("+n+"):")
		line(1, "if "+n+" <= "+small+":")
		line(2, "return "+pick(r, []string{"1", "0", n, small}))
		line(1, "return "+n+operator+name+"("+n+" - "+step+")")
		arguments = []string{strconv.Itoa(r.between(3, 6))}
	case 1: // two calls
		line(0, "def "+name+"("+n+"):")
		line(1, "if "+n+" < 2:")
		line(2, "return "+pick(r, []string{n, "1"}))
		line(1, "return "+name+"("+n+" - 1)"+pick(r, []string{" + ", " + ", " - "})+name+"("+n+" - 2)")
		arguments = []string{strconv.Itoa(r.between(2, 4))}
	case 2: // the digits
		by := pick(r, []string{"10", "10", "2", "3"})
		line(0, "def "+name+"("+n+"):")
		line(1, "if "+n+" == 0:")
		line(2, "return "+pick(r, []string{"0", "1"}))
		line(1, "return "+n+" % "+by+" + "+name+"("+n+" // "+by+")")
		arguments = []string{strconv.Itoa(r.between(3, 60))}
	case 3: // a string, letter by letter
		line(0, "def "+name+"("+s+"):")
		line(1, "if "+pick(r, []string{"not " + s, "len(" + s + ") < 2", s + " == " + p.quote + p.quote})+":")
		line(2, "return "+s)
		line(1, "return "+pick(r, []string{
			name + "(" + s + "[1:]) + " + s + "[0]", s + "[-1] + " + name + "(" + s + "[:-1])",
			s + "[0].upper() + " + name + "(" + s + "[2:])", s + "[0] + " + p.quote + "-" + p.quote + " + " + name + "(" + s + "[1:])",
		}))
		arguments = []string{p.quote + in.word() + p.quote}
	case 4: // a list, item by item
		line(0, "def "+name+"("+l+"):")
		line(1, "if "+pick(r, []string{"not " + l, "len(" + l + ") == 0"})+":")
		line(2, "return 0")
		if r.chance(0.5) {
			line(1, "if "+l+"[0] "+pick(r, []string{"< 0", "% 2 == 0", "> " + strconv.Itoa(r.between(2, 9))})+":")
			line(2, "return "+name+"("+l+"[1:])")
		}
		line(1, "return "+pick(r, []string{l + "[0] + ", "1 + ", l + "[-1] - "})+name+"("+l+"[1:])")
		arguments = []string{in.input(intListKind)}
	case 5: // Euclid
		a, b := pick(r, []string{"a", "x", "m"}), pick(r, []string{"b", "y", "n"})
		line(0, "def "+name+"("+a+", "+b+"):")
		line(1, "if "+b+" == 0:")
		line(2, "return "+a)
		line(1, "return "+name+"("+b+", "+a+" % "+b+")")
		arguments = []string{strconv.Itoa(r.between(6, 90)), strconv.Itoa(r.between(2, 40))}
	default: // with an accumulator
		acc := pick(r, []string{"acc", "total", "res", "out"})
		line(0, "def "+name+"("+n+", "+acc+"):")
		line(1, "if "+n+pick(r, []string{" == 0", " <= 0", " < 1"})+":")
		line(2, "return "+acc)
		if r.chance(0.5) {
			line(1, "return "+name+"("+n+" - 1, "+acc+pick(r, []string{" + " + n, " * 2", " + 1"})+")")
			arguments = []string{strconv.Itoa(r.between(2, 5)), strconv.Itoa(r.between(0, 3))}
		} else {
			line(1, "return "+name+"("+n+" - 1, "+acc+" + ["+n+pick(r, []string{"", " * 2", " % 2"})+"])")
			arguments = []string{strconv.Itoa(r.between(2, 5)), "[]"}
		}
	}
	p.entry = name + "(" + strings.Join(arguments, ", ") + ")"
}

// neverEnding makes a program without an end: nothing in its loop leaves it or
// fails, and its values stay small.
func neverEnding(r random, style Style) Case {
	p := newProgram(r, style)
	name := pick(r, []string{"f", "f", "run", "spin", "wait", "loop", "process"})
	n := pick(r, []string{"n", "x", "num", "k", "count"})
	s := pick(r, []string{"s", "text", "word"})
	i := pick(r, []string{"i", "j", "step"})
	total := pick(r, []string{"total", "result", "acc"})
	m := strconv.Itoa(r.between(3, 9))
	literal := strconv.Itoa(r.between(1, style.Small))
	word := p.quote + (&inputs{program: p}).word() + p.quote
	var lines []string
	var argument string
	switch r.IntN(6) {
	case 0:
		lines = []string{"def " + name + "(" + n + "):", "    while True:", "        " + n + " = (" + n + " + " + strconv.Itoa(r.between(1, 4)) + ") % " + m}
		argument = literal
	case 1:
		lines = []string{"def " + name + "(" + n + "):", "    " + total + " = 0", "    while " + n + " > 0:", "        " + total + " += " + pick(r, []string{"1", n, "2"})}
		if r.chance(0.5) {
			lines = append(lines, "        if "+total+" > "+m+":", "            "+total+" = 0")
		}
		lines = append(lines, "    return "+total)
		argument = literal
	case 2:
		lines = []string{"def " + name + "(" + s + "):", "    " + i + " = 0", "    while " + i + " < len(" + s + "):", "        if " + s + "[" + i + "] == '#':", "            " + i + " += 1", "    return " + i}
		argument = word
	case 3:
		lines = []string{"def " + name + "(" + s + "):", "    while len(" + s + ") > 0:", "        " + s + " = " + s + "[1:] + " + s + "[0]", "    return " + s}
		argument = word
	case 4:
		lines = []string{"def " + name + "(" + n + "):", "    flag = True", "    while flag or " + n + " > 0:", "        flag = not flag", "        " + n + " = abs(" + n + ") + 1", "    return " + n}
		argument = literal
	default:
		lines = []string{"def " + name + "(" + n + "):", "    while " + n + " != 0:", "        if " + n + " % 2 == 0:", "            " + n + " = " + n + " + 1", "        else:", "            " + n + " = " + n + " - 1", "        if " + n + " == 0:", "            " + n + " = 2", "    return " + n}
		argument = literal
	}
	return Case{Source: strings.Join(lines, "\n") + "\n", Entry: name + "(" + argument + ")", Never: true}
}
