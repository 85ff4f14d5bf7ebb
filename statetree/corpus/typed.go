package corpus

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// typed is an argument of an idiom's type as Python source.
func (in *inputs) typed(t string) string {
	r := in.random
	quote := func(s string) string { return in.quote + s + in.quote }
	list := func(low, high int, item func() string) string {
		n := r.between(low, high)
		return "[" + joined(n, func(int) string { return item() }) + "]"
	}
	number := func(low, high int) func() string {
		return func() string { return strconv.Itoa(r.between(low, high)) }
	}
	if draw, ok := numericTypes[t]; ok {
		return draw(in)
	}
	switch t {
	case "string":
		return in.input(strKind)
	case "word":
		w := in.plainWord()
		if len(in.texts) > 0 && r.chance(0.2) {
			w = in.relative(pick(r, in.texts))
		}
		in.texts = append(in.texts, w)
		return quote(w)
	case "sentence":
		var parts []string
		for range r.between(2, 3) {
			parts = append(parts, in.plainWord())
		}
		if r.chance(0.4) {
			parts = append(parts, parts[0])
		}
		if r.chance(0.3) {
			parts[0] = strings.ToUpper(parts[0][:1]) + parts[0][1:]
		}
		in.texts = append(in.texts, parts...)
		return quote(strings.Join(parts, " "))
	case "mixed":
		w := in.plainWord()
		return quote(pick(r, []string{w + strconv.Itoa(r.IntN(100)), strings.ToUpper(w[:1]) + w[1:] + "!", w[:2] + strconv.Itoa(r.IntN(10)) + w[1:2], strings.ToUpper(w)}))
	case "digits":
		return quote(pick(r, []string{strconv.Itoa(r.between(1, 99)), strconv.Itoa(r.between(10, 9999)), strconv.Itoa(r.between(100, 999))}))
	case "csv":
		return quote(strings.Trim(strings.ReplaceAll(list(2, 4, number(0, 20)), " ", ""), "[]"))
	case "hexes":
		return quote(joinedWith("", r.between(2, 4), func() string { return pick(r, strings.Split("0123456789abcdef", "")) }))
	case "brackets":
		return quote(joinedWith("", r.between(2, 6), func() string { return pick(r, []string{"(", ")", "[", "]", "()", "(", "a"}) }))
	case "char":
		return in.input(charKind)
	case "int":
		return strconv.Itoa(in.integer())
	case "small":
		return strconv.Itoa(r.between(0, 12))
	case "tiny":
		return strconv.Itoa(r.between(0, 3))
	case "nat":
		return strconv.Itoa(r.between(2, 6))
	case "ints":
		return in.input(intListKind)
	case "posints":
		return list(2, 5, number(1, 20))
	case "fewints":
		return list(2, 4, number(0, 9))
	case "sorted":
		values := make([]int, r.between(3, 6))
		for i := range values {
			values[i] = r.between(0, 20)
		}
		slices.Sort(values)
		return "[" + joined(len(values), func(i int) string { return strconv.Itoa(values[i]) }) + "]"
	case "words":
		return list(2, 4, func() string {
			w := in.plainWord()
			if r.chance(0.2) && len(in.texts) > 0 {
				w = pick(r, in.texts)
			}
			in.texts = append(in.texts, w)
			return quote(w)
		})
	case "counts":
		return in.input(intDictKind)
	case "table":
		return in.input(strDictKind)
	case "bool":
		return in.input(boolKind)
	case "float":
		return decimal(r)
	case "floats":
		return list(2, 4, func() string { return decimal(r) })
	case "bits":
		return list(2, 5, number(0, 1))
	case "matrix":
		width := r.between(2, 3)
		return list(2, 3, func() string { return list(width, width, number(0, 9)) })
	case "pairs":
		return list(2, 3, func() string { return "(" + quote(pick(r, keys)) + ", " + number(0, 12)() + ")" })
	}
	if value, ok := in.formatted(t); ok {
		return value
	}
	if value, ok := in.structured(t); ok {
		return value
	}
	panic(fmt.Sprintf("no values of type %q", t))
}

// plainWord is a word of small letters, or people's names, or random letters: two
// to eight of them.
func (in *inputs) plainWord() string {
	r := in.random
	switch x := r.Float64(); {
	case x < 0.5:
		return pick(r, words)
	case x < 0.65:
		return pick(r, people)
	}
	letters := pick(r, []string{"abc", "abcde", "abcdefghijklmnopqrstuvwxyz", "aeiourstlnm", "abcdefghijklmnopqrstuvwxyz"})
	var b strings.Builder
	for range r.between(max(2, in.style.Letters[0]), in.style.Letters[1]) {
		b.WriteByte(letters[r.IntN(len(letters))])
	}
	return b.String()
}

// relative is a word made of the letters of another: the same, its beginning, or
// its letters in another order. One without two letters has no relatives.
func (in *inputs) relative(w string) string {
	if len(w) < 2 || strings.Trim(w, "abcdefghijklmnopqrstuvwxyz") != "" {
		return in.plainWord()
	}
	switch in.IntN(4) {
	case 0:
		return w
	case 1:
		return w[:in.between(2, len(w))]
	}
	letters := []byte(w)
	in.Shuffle(len(letters), func(i, j int) { letters[i], letters[j] = letters[j], letters[i] })
	return string(letters)
}

// decimal is a number with few digits behind the point.
func decimal(r random) string {
	return strconv.Itoa(r.between(0, 12)) + pick(r, []string{".5", ".0", ".25", ".75", ".1"})
}

// joinedWith writes n items with a separator between them.
func joinedWith(separator string, n int, item func() string) string {
	items := make([]string, n)
	for i := range items {
		items[i] = item()
	}
	return strings.Join(items, separator)
}
