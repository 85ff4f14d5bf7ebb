package corpus

import (
	"fmt"
	"strconv"
	"strings"
)

// quoted writes a string without quotes or backslashes in it as a literal, in
// the program's way of quoting.
func (p *program) quoted(s string) string { return p.quote + s + p.quote }

func (f *function) quoted(s string) string { return f.program.quoted(s) }

// literal is a value of the kind as it stands in code: shorter than an input.
func (f *function) literal(k kind) expr {
	r := f.random
	switch k {
	case boolKind:
		return is("%s", pick(r, []string{"True", "False"}))
	case charKind:
		return is("%s", f.quoted(f.program.mention(f.program.anyChar())))
	case strKind:
		return is("%s", f.quoted(f.program.mention(pick(r, []string{"abc", "x", "no", "yes", "ab", "none", "ok", "end", pick(r, keys), pick(r, words), pick(r, keys)}))))
	case intListKind:
		return is("[%s]", joined(r.between(2, 3), func(int) string { return strconv.Itoa(f.smallInt()) }))
	case strListKind:
		return is("[%s]", joined(r.between(2, 3), func(int) string { return f.quoted(pick(r, keys)) }))
	case intDictKind:
		return f.program.dict(r.between(1, 3), func() string { return strconv.Itoa(f.smallInt()) })
	case strDictKind:
		return f.program.dict(r.between(1, 3), func() string { return f.quoted(f.program.anyChar()) })
	case groupKind:
		return is("{}")
	case pairKind:
		return is("(%d, %d)", f.smallInt(), f.smallInt())
	case setKind:
		return is("{%d, %d}", f.smallInt(), f.smallInt()+1)
	}
	return f.intLiteral()
}

// joined writes n items with commas between them.
func joined(n int, item func(i int) string) string {
	items := make([]string, n)
	for i := range items {
		items[i] = item(i)
	}
	return strings.Join(items, ", ")
}

// dict is a dict literal with n different keys.
func (p *program) dict(n int, value func() string) expr {
	seen := map[string]bool{}
	return is("{%s}", joined(n, func(int) string {
		key := pick(p.random, keys)
		if len(p.mentioned) > 0 && p.chance(0.3) {
			key = pick(p.random, p.mentioned)
		}
		for seen[key] {
			key = pick(p.random, keys)
		}
		seen[key] = true
		return p.quoted(key) + ": " + value()
	}))
}

// mention notes that the code has the string.
func (p *program) mention(s string) string {
	p.mentioned = append(p.mentioned, s)
	return s
}

// anyChar is a character that inputs are likely to have.
func (p *program) anyChar() string {
	if p.chance(0.3) {
		return pick(p.random, []string{"-", ",", " ", "_", ".", "/", ":", "*", "1", "0"})
	}
	return pick(p.random, strings.Split("aaabceeilnoorst", ""))
}

// inputs are the values that one call passes. They are made to suit each other:
// characters occur in the strings, keys in the dicts.
type inputs struct {
	*program
	// texts are the strings so far, from which later ones are taken.
	texts []string
	// nodes are the names of a graph's nodes, as literals.
	nodes []string
}

// input is an argument of the kind as Python source.
func (in *inputs) input(k kind) string {
	r, style := in.random, in.style
	items := r.between(style.Items[0], style.Items[1])
	switch k {
	case boolKind:
		return pick(r, []string{"True", "False"})
	case charKind:
		return in.quoted(in.part())
	case strKind:
		s := in.string()
		in.texts = append(in.texts, s)
		return in.quoted(s)
	case intListKind:
		if r.chance(0.03) {
			return "[]"
		}
		values := make([]int, items)
		for i := range values {
			if values[i] = in.integer(); i > 0 && r.chance(0.15) {
				values[i] = values[r.IntN(i)]
			}
		}
		return fmt.Sprintf("[%s]", joined(items, func(i int) string { return strconv.Itoa(values[i]) }))
	case strListKind:
		if r.chance(0.03) {
			return "[]"
		}
		return fmt.Sprintf("[%s]", joined(items, func(int) string {
			s := in.word()
			in.texts = append(in.texts, s)
			return in.quoted(s)
		}))
	case intDictKind, strDictKind:
		d := in.dict(min(items, 4), func() string {
			if k == intDictKind {
				return strconv.Itoa(in.integer())
			}
			return in.quoted(in.word())
		})
		for i, part := range strings.Split(d.text, in.quote) {
			if i%2 == 1 {
				in.texts = append(in.texts, part)
			}
		}
		return d.text
	case pairKind:
		return fmt.Sprintf("(%d, %d)", in.integer(), in.integer())
	case setKind:
		return fmt.Sprintf("{%s}", joined(3, func(i int) string { return strconv.Itoa(3*i + r.IntN(3)) }))
	}
	return strconv.Itoa(in.integer())
}

func (in *inputs) integer() int {
	r := in.random
	switch {
	case r.chance(0.7):
		return r.between(0, in.style.Small)
	case r.chance(0.3):
		return -r.between(1, in.style.Small)
	}
	return r.between(in.style.Small, in.style.Large)
}

func (in *inputs) word() string {
	r := in.random
	if len(in.mentioned) > 0 && r.chance(0.2) {
		piece := pick(r, in.mentioned)
		switch r.IntN(3) {
		case 0:
			return piece
		case 1:
			return piece + pick(r, words)
		}
		return pick(r, words) + piece
	}
	if r.chance(0.55) {
		return pick(r, words)
	}
	letters := pick(r, []string{"abc", "abcde", "abcdefghijklmnopqrstuvwxyz", "aeiourstlnm", "xyz"})
	var b strings.Builder
	for range r.between(in.style.Letters[0], in.style.Letters[1]) {
		b.WriteByte(letters[r.IntN(len(letters))])
	}
	return b.String()
}

func (in *inputs) string() string {
	r := in.random
	word := in.word()
	if word == "" {
		return word
	}
	switch r.IntN(20) {
	case 0, 1, 2:
		return strings.ToUpper(word[:1]) + word[1:]
	case 3:
		return strings.ToUpper(word)
	case 4, 5:
		return word + " " + in.word()
	case 6, 7:
		separator := pick(r, []string{"-", ",", "_", ".", "/", ":"})
		return word + separator + in.word()
	case 8, 9:
		return word[:min(len(word), 4)] + strconv.Itoa(r.IntN(100))
	case 10:
		return strconv.Itoa(r.between(1, 99999))
	case 11:
		return pick(r, []string{"", " ", "a", " " + word, word + " ", word + "!", "#" + word})
	case 12:
		mixed := []byte(word)
		for i := range mixed {
			if letter := mixed[i] >= 'a' && mixed[i] <= 'z'; r.chance(0.4) && letter {
				mixed[i] &^= 0x20
			}
		}
		return string(mixed)
	}
	return word
}

// part is a piece of a string among the arguments, most of the time.
func (in *inputs) part() string {
	r := in.random
	if len(in.texts) == 0 || r.chance(0.25) {
		return in.anyChar()
	}
	s := pick(r, in.texts)
	if s == "" {
		return in.anyChar()
	}
	at := r.IntN(len(s))
	if r.chance(0.15) {
		return s[at:min(len(s), at+2)]
	}
	return s[at : at+1]
}
