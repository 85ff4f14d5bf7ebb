package corpus

import (
	"fmt"
	"strconv"
	"strings"
)

// containerTypes are dicts and lists that people's programs look things up in: with
// more than one level, or of things that are parsed.
var containerTypes = map[string]argumentType{
	"groups": container(func(in *inputs) string {
		return in.dict(in.between(2, 3), func() string { return bracketed(in.draws(0, 3, 0, 12)) }).text
	}),
	"wordgroups": container(func(in *inputs) string {
		return in.dict(in.between(2, 3), func() string { return in.listOf(1, 3, in.quotedWord) }).text
	}),
	"dictofdicts": container(func(in *inputs) string {
		number := func() string { return in.numeral(0, 12) }
		inner := func() string { return in.dict(in.between(1, 2), number).text }
		return in.dict(2, inner).text
	}),
	"numbered": container(func(in *inputs) string {
		next := 0
		return "{" + joinedWith(", ", in.between(2, 4), func() string {
			next += in.between(1, 3)
			return strconv.Itoa(next) + ": " + in.quotedWord()
		}) + "}"
	}),
	"records": container(func(in *inputs) string {
		return in.listOf(2, 3, func() string {
			return fmt.Sprintf("{%s: %s, %s: %d}", in.quoted("name"), in.quoted(pick(in.random, people)), in.quoted("age"), in.between(1, 60))
		})
	}),
	"wordpairs": container(func(in *inputs) string {
		return in.listOf(2, 4, func() string { return "(" + in.quotedWord() + ", " + in.quotedWord() + ")" })
	}),
	"numwords": container(func(in *inputs) string {
		number := func() string { return in.numeral(0, 12) }
		return in.listOf(2, 5, func() string {
			return in.quoted(pick(in.random, []string{number(), number(), in.plainWord(), "-" + number(), number() + ".5", ""}))
		})
	}),
}

// container is a type whose strings later arguments may have: a key is one of them.
func container(draw func(in *inputs) string) argumentType {
	return argumentType{draw: func(in *inputs) string {
		value := draw(in)
		for i, part := range strings.Split(value, in.quote) {
			if i%2 == 1 {
				in.texts = append(in.texts, part)
			}
		}
		return value
	}}
}

// quotedWord is a plain word as a literal.
func (in *inputs) quotedWord() string { return in.quoted(in.plainWord()) }
