package corpus

import (
	"fmt"
	"maps"
	"regexp"
	"strconv"
	"strings"
)

// written is an idiom with its slots filled.
type written struct {
	*idiom
	name       string
	lines      []string
	parameters []string // the names of those without a default
}

// expansion is one filling of slots.
type expansion struct {
	*program
	idiom *idiom
	names map[string]string
	taken map[string]bool
	terse bool // its names are those of a writer who does not care for names
}

// expand fills the slots of an idiom. The names that functions have are taken;
// to the function's own name, those of its caller's variables are too.
func (p *program) expand(d *idiom, functions, variables map[string]bool) written {
	x := &expansion{program: p, idiom: d, names: map[string]string{}, taken: maps.Clone(functions), terse: p.chance(0.2)}
	own := d.names
	if x.terse {
		own = terseNames["f"]
	}
	x.names["f"] = freeName(p.random, own, union(functions, variables))
	x.taken[x.names["f"]], functions[x.names["f"]] = true, true
	w := written{idiom: d, name: x.names["f"]}
	x.write(d.body, &w.lines)
	for _, line := range w.lines {
		if rest, ok := strings.CutPrefix(line, "def "+w.name+"("); ok {
			list, _, _ := strings.Cut(rest, ")")
			for name := range strings.SplitSeq(list, ", ") {
				if name != "" && !strings.Contains(name, "=") {
					name, _, _ = strings.Cut(name, ":") // its type
					w.parameters = append(w.parameters, name)
				}
			}
		} else if rest, ok := strings.CutPrefix(line, "def "); ok {
			helper, _, _ := strings.Cut(rest, "(")
			functions[helper] = true // the program's other idioms must not replace it
		}
	}
	return w
}

func (x *expansion) write(nodes []idiomNode, lines *[]string) {
	for _, n := range nodes {
		if n.either != nil {
			x.write(pick(x.random, n.either), lines)
		} else {
			*lines = append(*lines, x.fill(n.line))
		}
	}
}

var (
	alternatives = regexp.MustCompile(`«[^«»]*»`)
	slotPattern  = regexp.MustCompile(`@@|@[a-z]+[0-9]*`)
)

// fill replaces the slots of a line. Idioms are written with single quotes
// outside; in a program that prefers double quotes the two are exchanged.
func (x *expansion) fill(line string) string {
	line = slotPattern.ReplaceAllStringFunc(x.choices(line), func(slot string) string {
		if slot == "@@" {
			return "@"
		}
		return x.slot(slot[1:])
	})
	if x.quote == `"` {
		line = exchangeQuotes.Replace(line)
	}
	return line
}

var exchangeQuotes = strings.NewReplacer(`'`, `"`, `"`, `'`)

// choices replaces the alternatives in a text by one of each.
func (p *program) choices(text string) string {
	for alternatives.MatchString(text) {
		text = alternatives.ReplaceAllStringFunc(text, func(group string) string {
			group = strings.TrimSuffix(strings.TrimPrefix(group, "«"), "»")
			if !strings.HasPrefix(group, "$") {
				group = pick(p.random, strings.Split(group, "|"))
			}
			if drawn, ok := strings.CutPrefix(group, "$"); ok {
				return p.drawn(drawn)
			}
			return group
		})
	}
	return text
}

// drawn is a number in the code, of the range in "int LOW HIGH".
func (p *program) drawn(words string) string {
	var low, high int
	if _, err := fmt.Sscanf(words, "int %d %d", &low, &high); err != nil {
		panic(fmt.Sprintf("an alternative has no range: %q", words))
	}
	return p.numeral(low, high)
}

// slot is the name in a slot; it is drawn when it is first needed.
func (x *expansion) slot(slot string) string {
	if name, ok := x.names[slot]; ok {
		return name
	}
	pool := x.idiom.slots[slot]
	if terse := terseNames[strings.TrimRight(slot, "0123456789")]; x.terse && terse != nil {
		pool = terse
	}
	if pool == nil {
		pool = slotNames[strings.TrimRight(slot, "0123456789")]
	}
	if pool == nil {
		panic(fmt.Sprintf("the idiom %s has a slot without names: @%s", x.idiom.names[0], slot))
	}
	x.names[slot] = x.free(pool)
	return x.names[slot]
}

// free is a name of the pool that is not taken, more often one of the first.
func (x *expansion) free(pool []string) string {
	name := freeName(x.random, pool, x.taken)
	x.taken[name] = true
	return name
}

// freeName returns a name of the pool that is not taken, more often one of the
// first, or the first with a number.
func freeName(r random, pool []string, taken map[string]bool) string {
	for range 12 {
		if name := pool[min(r.IntN(len(pool)), r.IntN(len(pool)))]; !taken[name] && !reserved[name] {
			return name
		}
	}
	for number := 2; ; number++ {
		if name := pool[0] + strconv.Itoa(number); !taken[name] {
			return name
		}
	}
}

func union(a, b map[string]bool) map[string]bool {
	both := maps.Clone(a)
	maps.Copy(both, b)
	return both
}
