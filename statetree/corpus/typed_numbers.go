package corpus

import (
	"slices"
	"strconv"
	"strings"
)

// numericTypes are those that are made of numbers. Whole numbers and flat lists are
// bounded, and with them what a loop over them costs.
var numericTypes = map[string]argumentType{
	// Whole numbers: any, small ones, a few digits, a byte, a share, a year, one with
	// a pattern.
	"int":      {draw: func(in *inputs) string { return strconv.Itoa(in.integer()) }},
	"small":    {"int", func(in *inputs) string { return in.numeral(0, 12) }},
	"tiny":     {"int", func(in *inputs) string { return in.numeral(0, 3) }},
	"nat":      {"int", func(in *inputs) string { return in.numeral(2, 6) }},
	"positive": {"int", func(in *inputs) string { return in.numeral(1, 40) }},
	"hundreds": {"int", func(in *inputs) string {
		return strconv.Itoa(pick(in.random, []int{in.between(0, 99), in.between(10, 999), in.between(100, 999)}))
	}},
	"signed": {"int", func(in *inputs) string {
		return strconv.Itoa(pick(in.random, []int{in.between(-9, 9), in.between(-99, 99), in.between(0, 20), in.between(-999, 999)}))
	}},
	"byte": {"int", func(in *inputs) string {
		return strconv.Itoa(pick(in.random, []int{in.between(0, 15), in.between(0, 255)}))
	}},
	"percent": {"int", func(in *inputs) string {
		return strconv.Itoa(pick(in.random, []int{in.between(0, 100), 5 * in.between(0, 20)}))
	}},
	"year": {"int", func(in *inputs) string {
		return strconv.Itoa(pick(in.random, []int{in.between(1890, 2040), 4 * in.between(470, 510), 100 * in.between(16, 24)}))
	}},
	"long": {"int", func(in *inputs) string { return strconv.Itoa(in.longInteger()) }},

	// Numbers with a fraction: any, an amount of money, a measured value; lists of them.
	"float":   {draw: func(in *inputs) string { return decimal(in.random) }},
	"floats":  {draw: func(in *inputs) string { return in.listOf(2, 4, func() string { return decimal(in.random) }) }},
	"money":   {"float", func(in *inputs) string { return in.hundredths(0, 20000) }},
	"measure": {"float", func(in *inputs) string { return strconv.FormatFloat(float64(in.between(-300, 1200))/10, 'f', 1, 64) }},
	"amounts": {"floats", func(in *inputs) string { return in.listOf(2, 5, func() string { return in.hundredths(50, 9999) }) }},
	"readings": {"floats", func(in *inputs) string {
		return in.listOf(2, 5, func() string { return strconv.FormatFloat(float64(in.between(-80, 400))/10, 'f', 1, 64) })
	}},

	// Lists of whole numbers.
	"ints":    {draw: func(in *inputs) string { return in.input(intListKind) }},
	"posints": {"ints", func(in *inputs) string { return bracketed(in.draws(2, 5, 1, 20)) }},
	"fewints": {"ints", func(in *inputs) string { return bracketed(in.draws(2, 4, 0, 9)) }},
	"bits":    {draw: func(in *inputs) string { return bracketed(in.draws(2, 5, 0, 1)) }},
	"sorted": {"ints", func(in *inputs) string {
		values := in.draws(3, 6, 0, 20)
		slices.Sort(values)
		return bracketed(values)
	}},
	"numbers":   {"ints", func(in *inputs) string { return bracketed(in.numbers()) }},
	"somenums":  {"ints", func(in *inputs) string { return bracketed(in.someNumbers(3, 6)) }},
	"repeats":   {"ints", func(in *inputs) string { low := in.between(0, 7); return bracketed(in.draws(3, 7, low, low+3)) }},
	"withzeros": {"ints", func(in *inputs) string { return bracketed(in.draws(3, 7, pick(in.random, []int{0, 0, -2}), 3)) }},
	"ascending": {"ints", func(in *inputs) string { return bracketed(in.ascending()) }},
	"marks":     {"ints", func(in *inputs) string { return bracketed(in.draws(3, 6, 35, 100)) }},
	"shuffled":  {"ints", func(in *inputs) string { return bracketed(in.shuffled(in.between(3, 6))) }},

	// Tuples and sets of them.
	"tuple":  {draw: func(in *inputs) string { return "(" + commas(in.someNumbers(2, 5)) + ")" }},
	"intset": {draw: func(in *inputs) string { return "{" + commas(in.ascending()) + "}" }},

	// Lists of lists: of one width, as wide as high, of noughts and ones, ragged, nested.
	"matrix": {draw: func(in *inputs) string {
		width := in.between(2, 3)
		return in.listOf(2, 3, func() string { return bracketed(in.draws(width, width, 0, 9)) })
	}},
	"square": {"matrix", func(in *inputs) string {
		n := in.between(2, 3)
		high := pick(in.random, []int{1, 9, 9, 20, 99})
		return in.listOf(n, n, func() string { return bracketed(in.draws(n, n, 0, high)) })
	}},
	"grid": {"matrix", func(in *inputs) string {
		width := in.between(2, 4)
		return in.listOf(2, 3, func() string { return bracketed(in.draws(width, width, 0, 1)) })
	}},
	"ragged": {draw: func(in *inputs) string {
		return in.listOf(2, 4, func() string { return bracketed(in.draws(0, 3, 0, pick(in.random, []int{9, 30}))) })
	}},
	"deep": {draw: func(in *inputs) string { return in.deep(2) }},

	// Pairs: intervals, points, names with a number.
	"intervals": {draw: func(in *inputs) string {
		return in.listOf(2, 4, func() string {
			from := in.between(0, 14)
			return bracketed([]int{from, from + in.between(1, 7)})
		})
	}},
	"points": {draw: func(in *inputs) string {
		return in.listOf(2, 4, func() string { return "(" + commas(in.draws(2, 2, pick(in.random, []int{0, -5}), 9)) + ")" })
	}},
	"people": {draw: func(in *inputs) string {
		high := pick(in.random, []int{9, 40, 100})
		return in.listOf(2, 4, func() string {
			return "(" + in.quoted(pick(in.random, people)) + ", " + in.numeral(high/8, high) + ")"
		})
	}},

	// What is not of one type.
	"mixedlist": {draw: func(in *inputs) string { return in.listOf(2, 6, in.anyScalar) }},
	"holes": {draw: func(in *inputs) string {
		return in.listOf(2, 6, func() string {
			if in.chance(0.3) {
				return "None"
			}
			return in.numeral(0, 30)
		})
	}},
}

// listOf is a list literal of low to high items.
func (in *inputs) listOf(low, high int, item func() string) string {
	return "[" + joined(in.between(low, high), func(int) string { return item() }) + "]"
}

// numeral is a whole number out of a range.
func (p *program) numeral(low, high int) string { return strconv.Itoa(p.between(low, high)) }

// decimal is a number with few digits behind the point.
func decimal(r random) string {
	return strconv.Itoa(r.between(0, 12)) + pick(r, []string{".5", ".0", ".25", ".75", ".1"})
}

// commas writes numbers with commas between them.
func commas(values []int) string {
	return joined(len(values), func(i int) string { return strconv.Itoa(values[i]) })
}

func bracketed(values []int) string { return "[" + commas(values) + "]" }

// hundredths is a number with two digits behind the point, or one.
func (in *inputs) hundredths(low, high int) string {
	value := float64(in.between(low, high)) / 100
	if in.chance(0.3) {
		value = float64(in.between(low/100, high/100)) + pick(in.random, []float64{0, 0.5, 0.99, 0.25})
	}
	text := strconv.FormatFloat(value, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}

// longInteger is a number whose digits matter: with a pattern, or of up to six
// digits.
func (in *inputs) longInteger() int {
	switch in.IntN(6) {
	case 0:
		return pick(in.random, []int{121, 1221, 12321, 153, 370, 371, 407, 1634, 145, 1000, 1024, 4096, 9999, 1001, 101, 28, 496, 81, 1729})
	case 1: // a palindrome
		half := in.between(1, 99)
		text := strconv.Itoa(half)
		for at := len(text) - 1 - in.IntN(2); at >= 0; at-- {
			half = 10*half + int(text[at]-'0')
		}
		return half
	case 2:
		return in.between(10, 99)
	case 3:
		return in.between(100, 999)
	}
	return pick(in.random, []int{in.between(100, 9999), in.between(1000, 9999), in.between(10000, 999999)})
}

// draws are low to high numbers out of a range.
func (in *inputs) draws(fewest, most, low, high int) []int {
	values := make([]int, in.between(fewest, most))
	for i := range values {
		values[i] = in.between(low, high)
	}
	return values
}

// numbers are those of a list as people call a function with: seldom none or
// only one, often small, sometimes negative, sorted, or of three digits.
func (in *inputs) numbers() []int {
	switch x := in.Float64(); {
	case x < 0.04:
		return nil
	case x < 0.09:
		return in.draws(1, 1, -9, 99)
	}
	return in.someNumbers(2, 7)
}

// someNumbers are the numbers of a list that is not empty.
func (in *inputs) someNumbers(fewest, most int) []int {
	switch in.IntN(12) {
	case 0, 1, 2:
		return in.draws(fewest, most, 0, 9)
	case 3, 4:
		return in.draws(fewest, most, 1, 99)
	case 5, 6:
		return in.draws(fewest, most, -9, 9)
	case 7:
		return in.draws(fewest, most, -50, 150)
	case 8:
		return in.draws(fewest, most, 100, 999)
	case 9: // one after the other, or by tens, up or down
		values := make([]int, in.between(fewest, most))
		step, from := pick(in.random, []int{1, 1, 1, 2, 5, 10, -1}), in.between(0, 10)
		for i := range values {
			values[i] = from + i*step
		}
		return values
	case 10:
		values := in.draws(fewest, most, -10, 60)
		slices.Sort(values)
		if in.chance(0.3) {
			slices.Reverse(values)
		}
		return values
	}
	return in.draws(fewest, most, 1, 4)
}

// ascending are different numbers, the least first.
func (in *inputs) ascending() []int {
	values := make([]int, in.between(2, 7))
	step, at := pick(in.random, []int{2, 4, 10, 30}), in.between(-5, 10)
	for i := range values {
		values[i] = at
		at += in.between(1, step)
	}
	return values
}

// shuffled are the numbers from 0 or 1 on in any order.
func (in *inputs) shuffled(n int) []int {
	values := in.Perm(n)
	if in.chance(0.5) {
		for i := range values {
			values[i]++
		}
	}
	return values
}

// deep is a list of numbers and lists, which nest up to depth.
func (in *inputs) deep(depth int) string {
	return in.listOf(1, 3, func() string {
		if depth > 0 && in.chance(0.4) {
			return in.deep(depth - 1)
		}
		return in.numeral(0, 12)
	})
}

// anyScalar is an item of a list whose items are not of one type.
func (in *inputs) anyScalar() string {
	switch in.IntN(9) {
	case 0, 1, 2:
		return strconv.Itoa(in.integer())
	case 3, 4:
		return in.quoted(in.plainWord())
	case 5:
		return pick(in.random, []string{"True", "False"})
	case 6:
		return "None"
	case 7:
		return decimal(in.random)
	}
	return pick(in.random, []string{in.quoted(""), "0", in.quoted(strconv.Itoa(in.IntN(50))), "[]", in.quoted("a"), "1"})
}
