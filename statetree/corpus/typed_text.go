package corpus

import (
	"fmt"
	"strconv"
	"strings"
)

// textTypes are strings that people's programs parse or look up: text in some small
// format. Formats are the plain ones most of the time, and now and then broken, as
// input is.
var textTypes = map[string]argumentType{
	"key": format(func(in *inputs) string {
		if len(in.texts) > 0 && in.chance(0.8) {
			return pick(in.random, in.texts)
		}
		return pick(in.random, keys)
	}),
	"phrase": format(func(in *inputs) string {
		end := pick(in.random, []string{"", "", "!", ".", "?", " " + in.numeral(1, 9)})
		between := pick(in.random, []string{" ", " ", " ", ", ", "  ", "-"})
		return title(in.plainWord()) + between + joinedWith(" ", in.between(1, 2), in.plainWord) + end
	}),
	"padded": format(func(in *inputs) string {
		around := pick(in.random, []string{" ", "  ", "-", "--", "*", "0", "#", "."})
		return strings.Repeat(around, in.IntN(3)) + in.plainWord() + strings.Repeat(around, in.IntN(3))
	}),
	"spaced": format(func(in *inputs) string {
		return joinedWith(pick(in.random, []string{" ", ",", "-", "/", ", "}), in.between(2, 4), in.plainWord)
	}),
	"query":    format(func(in *inputs) string { return joinedWith("&", in.between(1, 3), in.entry("=")) }),
	"settings": format(func(in *inputs) string { return joinedWith(";", in.between(1, 3), in.entry("=")) }),
	"colons":   format(func(in *inputs) string { return joinedWith(",", in.between(2, 3), in.entry(":")) }),
	"csvrows": format(func(in *inputs) string {
		return joinedWith(`\n`, in.between(2, 3), func() string { return in.plainWord() + "," + in.numeral(0, 20) })
	}),
	"lines": format(func(in *inputs) string {
		return joinedWith(`\n`, in.between(2, 4), func() string {
			return pick(in.random, []string{in.plainWord(), in.plainWord(), in.plainWord(), in.plainWord() + " " + in.plainWord(), "  " + in.plainWord(), "", "# " + in.plainWord()})
		})
	}),
	"version": format(func(in *inputs) string {
		return joinedWith(".", in.between(2, 3), func() string { return in.numeral(0, 12) })
	}),
	"clock": format(func(in *inputs) string { return fmt.Sprintf("%02d:%02d", in.between(0, 23), in.between(0, 59)) }),
	"date": format(func(in *inputs) string {
		return fmt.Sprintf("%d-%02d-%02d", in.between(1990, 2030), in.between(1, 12), in.between(1, 28))
	}),
	"email": format(func(in *inputs) string {
		host := pick(in.random, []string{"mail", "site", "work", "home"}) + pick(in.random, []string{".com", ".org", ".net", ""})
		return pick(in.random, people) + pick(in.random, []string{"", "", "." + pick(in.random, people), in.numeral(1, 99)}) + pick(in.random, []string{"@", "@", "@", "@", "", "@@"}) + host
	}),
	"phone": format(func(in *inputs) string {
		return pick(in.random, []string{"", "+", "0"}) + in.digits(2, 3) + pick(in.random, []string{"-", " ", "", "-"}) + in.digits(3, 4)
	}),
	"card": format(func(in *inputs) string { return in.digits(4, 8) }),
	"isbn": format(func(in *inputs) string {
		return in.digits(9, 9) + pick(in.random, append(strings.Split("0123456789", ""), "X", "X"))
	}),
	"bitstring": format(func(in *inputs) string {
		return joinedWith("", in.between(3, 6), func() string { return in.numeral(0, 1) })
	}),
	"path": format(func(in *inputs) string {
		name := in.plainWord() + pick(in.random, []string{".txt", ".py", ".tar.gz", "", ".md"})
		return pick(in.random, []string{"", "/", "./"}) + joinedWith("", in.between(0, 2), func() string { return in.plainWord() + "/" }) + name
	}),
	"url": format(func(in *inputs) string {
		return pick(in.random, []string{"http://", "https://", ""}) + in.plainWord() + pick(in.random, []string{".com", ".org", ".io"}) + pick(in.random, []string{"", "/" + in.plainWord(), "/" + in.plainWord() + "?" + pick(in.random, keys) + "=" + in.numeral(1, 9)})
	}),
	"address": format(func(in *inputs) string {
		return joinedWith(".", pick(in.random, []int{4, 4, 4, 3}), func() string { return in.numeral(0, 290) })
	}),
	"roman": format(func(in *inputs) string {
		return pick(in.random, []string{"I", "IV", "IX", "XII", "XIV", "VII", "XL", "XC", "MM", "CD", "XIX", "LVI", "III", "XXI", "MCM", "VI"})
	}),
	"coded": format(func(in *inputs) string {
		return joinedWith("", in.between(2, 4), func() string { return pick(in.random, strings.Split("abcdexyz", "")) + in.numeral(1, 4) })
	}),
	"snake": format(func(in *inputs) string { return joinedWith("_", in.between(2, 3), in.plainWord) }),
	"camel": format(func(in *inputs) string {
		name := joinedWith("", in.between(1, 2), func() string { return title(in.plainWord()) })
		return pick(in.random, []string{in.plainWord() + name, name + title(in.plainWord())})
	}),
	"template": format(func(in *inputs) string {
		return pick(in.random, []string{"hi {name}", "{name} has {n}", "dear {name}!", "{a} and {b}", "{n} x {name}", "to {name}: {n}"})
	}),
	"tagged": format(func(in *inputs) string {
		tag := pick(in.random, []string{"b", "p", "i", "li"})
		return pick(in.random, []string{"<" + tag + ">" + in.plainWord() + "</" + tag + ">", in.plainWord() + " <" + tag + ">" + in.plainWord(), "(" + in.plainWord() + ") " + in.plainWord(), "[" + in.plainWord() + "]"})
	}),
	"formula": format(func(in *inputs) string {
		return in.numeral(0, 20) + pick(in.random, []string{" + ", " - ", " * "}) + in.numeral(1, 9)
	}),
	"ranges": format(func(in *inputs) string {
		return joinedWith(",", in.between(2, 3), func() string {
			low := in.between(1, 9)
			if in.chance(0.5) {
				return strconv.Itoa(low)
			}
			return fmt.Sprintf("%d-%d", low, low+in.between(1, 3))
		})
	}),
	"numberlist": format(func(in *inputs) string {
		return joinedWith(" ", in.between(2, 5), func() string { return in.numeral(-5, 20) })
	}),
	"color": format(func(in *inputs) string {
		return pick(in.random, []string{"#", "#", ""}) + joinedWith("", 6, func() string { return pick(in.random, strings.Split("0048acf", "")) })
	}),
	"password": format(func(in *inputs) string {
		return in.plainWord() + pick(in.random, []string{"", in.numeral(1, 99), "!", title(in.plainWord()), "_" + in.numeral(1, 9), "A1!"})
	}),
	"moves": format(func(in *inputs) string {
		return joinedWith("", in.between(3, 6), func() string { return pick(in.random, []string{"U", "D", "L", "R"}) })
	}),
}

// format is a type of strings. Later arguments may have parts of them, unless there
// is an escape in them, which must not be cut in two.
func format(draw func(in *inputs) string) argumentType {
	return argumentType{"string", func(in *inputs) string {
		text := draw(in)
		if !strings.Contains(text, `\`) {
			in.texts = append(in.texts, text)
		}
		return in.quoted(text)
	}}
}

// entry returns a function that writes a key and what it stands for, with middle
// between them.
func (in *inputs) entry(middle string) func() string {
	return func() string {
		key := pick(in.random, keys)
		switch x := in.Float64(); {
		case x < 0.6:
			return key + middle + in.numeral(0, 40)
		case x < 0.9:
			return key + middle + in.plainWord()
		}
		return key + middle
	}
}

// digits are so many digits.
func (in *inputs) digits(fewest, most int) string {
	return joinedWith("", in.between(fewest, most), func() string { return in.numeral(0, 9) })
}
