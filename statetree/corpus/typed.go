package corpus

import (
	"strconv"
	"strings"
)

// generalTypes are words and other strings without a format, and what holds them.
// Later arguments may have parts of them.
var generalTypes = map[string]argumentType{
	"bool":   {draw: func(in *inputs) string { return in.input(boolKind) }},
	"char":   {draw: func(in *inputs) string { return in.input(charKind) }},
	"string": {draw: func(in *inputs) string { return in.input(strKind) }},
	"counts": {draw: func(in *inputs) string { return in.input(intDictKind) }},
	"table":  {draw: func(in *inputs) string { return in.input(strDictKind) }},
	"word": {"string", func(in *inputs) string {
		w := in.plainWord()
		if len(in.texts) > 0 && in.chance(0.2) {
			w = in.relative(pick(in.random, in.texts))
		}
		in.texts = append(in.texts, w)
		return in.quoted(w)
	}},
	"tinyword": {draw: func(in *inputs) string {
		w := in.plainWord()
		if len(in.texts) > 0 && in.chance(0.5) {
			w = in.relative(pick(in.random, in.texts))
		}
		w = w[:min(len(w), 4)]
		in.texts = append(in.texts, w)
		return in.quoted(w)
	}},
	"sentence": {"string", func(in *inputs) string {
		var parts []string
		for range in.between(2, 3) {
			parts = append(parts, in.plainWord())
		}
		if in.chance(0.4) {
			parts = append(parts, parts[0])
		}
		if in.chance(0.3) {
			parts[0] = title(parts[0])
		}
		in.texts = append(in.texts, parts...)
		return in.quoted(strings.Join(parts, " "))
	}},
	"words": {draw: func(in *inputs) string {
		return in.listOf(2, 4, func() string {
			w := in.plainWord()
			if in.chance(0.2) && len(in.texts) > 0 {
				w = pick(in.random, in.texts)
			}
			in.texts = append(in.texts, w)
			return in.quoted(w)
		})
	}},
	"pairs": {draw: func(in *inputs) string {
		return in.listOf(2, 3, func() string { return "(" + in.quoted(pick(in.random, keys)) + ", " + in.numeral(0, 12) + ")" })
	}},

	// Strings that no later argument refers to.
	"mixed": {"string", func(in *inputs) string {
		w := in.plainWord()
		return in.quoted(pick(in.random, []string{w + strconv.Itoa(in.IntN(100)), title(w) + "!", w[:2] + strconv.Itoa(in.IntN(10)) + w[1:2], strings.ToUpper(w)}))
	}},
	"digits": {"string", func(in *inputs) string {
		return in.quoted(pick(in.random, []string{in.numeral(1, 99), in.numeral(10, 9999), in.numeral(100, 999)}))
	}},
	"csv": {"string", func(in *inputs) string {
		return in.quoted(strings.ReplaceAll(commas(in.draws(2, 4, 0, 20)), " ", ""))
	}},
	"hexes": {"string", func(in *inputs) string {
		return in.quoted(joinedWith("", in.between(2, 4), func() string { return pick(in.random, strings.Split("0123456789abcdef", "")) }))
	}},
	"brackets": {"string", func(in *inputs) string {
		return in.quoted(joinedWith("", in.between(2, 6), func() string { return pick(in.random, []string{"(", ")", "[", "]", "()", "(", "a"}) }))
	}},
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

// title is a word with its first letter large.
func title(w string) string { return strings.ToUpper(w[:1]) + w[1:] }

// joinedWith writes n items with a separator between them.
func joinedWith(separator string, n int, item func() string) string {
	items := make([]string, n)
	for i := range items {
		items[i] = item()
	}
	return strings.Join(items, separator)
}
