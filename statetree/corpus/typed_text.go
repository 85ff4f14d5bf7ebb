package corpus

import (
	"fmt"
	"strconv"
	"strings"
)

// formatted is an argument of a type that people's programs parse or look up:
// text in some small format, or a dict or list with more than one level. It
// reports false for other types. Formats are the plain ones most of the time,
// and now and then broken, as input is.
func (in *inputs) formatted(t string) (string, bool) {
	if text, ok := in.formattedText(t); ok {
		if !strings.Contains(text, `\`) {
			in.texts = append(in.texts, text)
		}
		return in.quote + text + in.quote, true
	}
	value, ok := in.levels(t)
	for i, part := range strings.Split(value, in.quote) {
		if i%2 == 1 {
			in.texts = append(in.texts, part) // a key is drawn from them
		}
	}
	return value, ok
}

// levels is formatted for the types that are dicts and lists.
func (in *inputs) levels(t string) (string, bool) {
	r := in.random
	quote := func(s string) string { return in.quote + s + in.quote }
	number := func() string { return strconv.Itoa(r.between(0, 12)) }
	list := func(low, high int, item func() string) string {
		return "[" + joinedWith(", ", r.between(low, high), item) + "]"
	}
	word := func() string { return quote(in.plainWord()) }
	switch t {
	case "groups":
		return in.dict(r.between(2, 3), func() string { return list(0, 3, number) }).text, true
	case "wordgroups":
		return in.dict(r.between(2, 3), func() string { return list(1, 3, word) }).text, true
	case "dictofdicts":
		inner := func() string { return in.dict(r.between(1, 2), number).text }
		return in.dict(2, inner).text, true
	case "numbered":
		next := 0
		return "{" + joinedWith(", ", r.between(2, 4), func() string {
			next += r.between(1, 3)
			return strconv.Itoa(next) + ": " + word()
		}) + "}", true
	case "records":
		return list(2, 3, func() string {
			return fmt.Sprintf("{%s: %s, %s: %d}", quote("name"), quote(pick(r, people)), quote("age"), r.between(1, 60))
		}), true
	case "wordpairs":
		return list(2, 4, func() string { return "(" + word() + ", " + word() + ")" }), true
	case "numwords":
		return list(2, 5, func() string {
			return quote(pick(r, []string{number(), number(), in.plainWord(), "-" + number(), number() + ".5", ""}))
		}), true
	}
	return "", false
}

// formattedText is formatted for the types that are strings, without quotes.
func (in *inputs) formattedText(t string) (string, bool) {
	r := in.random
	word := in.plainWord
	title := func(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
	number := func(low, high int) string { return strconv.Itoa(r.between(low, high)) }
	digits := func(low, high int) string {
		return joinedWith("", r.between(low, high), func() string { return number(0, 9) })
	}
	entry := func(middle string) func() string {
		return func() string {
			key := pick(r, keys)
			switch x := r.Float64(); {
			case x < 0.6:
				return key + middle + number(0, 40)
			case x < 0.9:
				return key + middle + word()
			}
			return key + middle
		}
	}
	switch t {
	case "key":
		if len(in.texts) > 0 && r.chance(0.8) {
			return pick(r, in.texts), true
		}
		return pick(r, keys), true
	case "phrase":
		end := pick(r, []string{"", "", "!", ".", "?", " " + number(1, 9)})
		between := pick(r, []string{" ", " ", " ", ", ", "  ", "-"})
		return title(word()) + between + joinedWith(" ", r.between(1, 2), word) + end, true
	case "padded":
		around := pick(r, []string{" ", "  ", "-", "--", "*", "0", "#", "."})
		return strings.Repeat(around, r.IntN(3)) + word() + strings.Repeat(around, r.IntN(3)), true
	case "spaced":
		return joinedWith(pick(r, []string{" ", ",", "-", "/", ", "}), r.between(2, 4), word), true
	case "query":
		return joinedWith("&", r.between(1, 3), entry("=")), true
	case "settings":
		return joinedWith(";", r.between(1, 3), entry("=")), true
	case "colons":
		return joinedWith(",", r.between(2, 3), entry(":")), true
	case "csvrows":
		return joinedWith(`\n`, r.between(2, 3), func() string { return word() + "," + number(0, 20) }), true
	case "lines":
		return joinedWith(`\n`, r.between(2, 4), func() string {
			return pick(r, []string{word(), word(), word(), word() + " " + word(), "  " + word(), "", "# " + word()})
		}), true
	case "version":
		return joinedWith(".", r.between(2, 3), func() string { return number(0, 12) }), true
	case "clock":
		return fmt.Sprintf("%02d:%02d", r.between(0, 23), r.between(0, 59)), true
	case "date":
		return fmt.Sprintf("%d-%02d-%02d", r.between(1990, 2030), r.between(1, 12), r.between(1, 28)), true
	case "email":
		host := pick(r, []string{"mail", "site", "work", "home"}) + pick(r, []string{".com", ".org", ".net", ""})
		return pick(r, people) + pick(r, []string{"", "", "." + pick(r, people), number(1, 99)}) + pick(r, []string{"@", "@", "@", "@", "", "@@"}) + host, true
	case "phone":
		return pick(r, []string{"", "+", "0"}) + digits(2, 3) + pick(r, []string{"-", " ", "", "-"}) + digits(3, 4), true
	case "card":
		return digits(4, 8), true
	case "isbn":
		return digits(9, 9) + pick(r, append(strings.Split("0123456789", ""), "X", "X")), true
	case "bitstring":
		return joinedWith("", r.between(3, 6), func() string { return number(0, 1) }), true
	case "path":
		name := word() + pick(r, []string{".txt", ".py", ".tar.gz", "", ".md"})
		return pick(r, []string{"", "/", "./"}) + joinedWith("", r.between(0, 2), func() string { return word() + "/" }) + name, true
	case "url":
		return pick(r, []string{"http://", "https://", ""}) + word() + pick(r, []string{".com", ".org", ".io"}) + pick(r, []string{"", "/" + word(), "/" + word() + "?" + pick(r, keys) + "=" + number(1, 9)}), true
	case "address":
		return joinedWith(".", pick(r, []int{4, 4, 4, 3}), func() string { return number(0, 290) }), true
	case "roman":
		return pick(r, []string{"I", "IV", "IX", "XII", "XIV", "VII", "XL", "XC", "MM", "CD", "XIX", "LVI", "III", "XXI", "MCM", "VI"}), true
	case "coded":
		return joinedWith("", r.between(2, 4), func() string { return pick(r, strings.Split("abcdexyz", "")) + number(1, 4) }), true
	case "snake":
		return joinedWith("_", r.between(2, 3), word), true
	case "camel":
		name := joinedWith("", r.between(1, 2), func() string { return title(word()) })
		return pick(r, []string{word() + name, name + title(word())}), true
	case "template":
		return pick(r, []string{"hi {name}", "{name} has {n}", "dear {name}!", "{a} and {b}", "{n} x {name}", "to {name}: {n}"}), true
	case "tagged":
		tag := pick(r, []string{"b", "p", "i", "li"})
		return pick(r, []string{"<" + tag + ">" + word() + "</" + tag + ">", word() + " <" + tag + ">" + word(), "(" + word() + ") " + word(), "[" + word() + "]"}), true
	case "formula":
		return number(0, 20) + pick(r, []string{" + ", " - ", " * "}) + number(1, 9), true
	case "ranges":
		return joinedWith(",", r.between(2, 3), func() string {
			low := r.between(1, 9)
			if r.chance(0.5) {
				return strconv.Itoa(low)
			}
			return fmt.Sprintf("%d-%d", low, low+r.between(1, 3))
		}), true
	case "numberlist":
		return joinedWith(" ", r.between(2, 5), func() string { return number(-5, 20) }), true
	case "color":
		return pick(r, []string{"#", "#", ""}) + joinedWith("", 6, func() string { return pick(r, strings.Split("0048acf", "")) }), true
	case "password":
		return word() + pick(r, []string{"", number(1, 99), "!", title(word()), "_" + number(1, 9), "A1!"}), true
	case "moves":
		return joinedWith("", r.between(3, 6), func() string { return pick(r, []string{"U", "D", "L", "R"}) }), true
	}
	return "", false
}
