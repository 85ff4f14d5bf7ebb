package corpus

import (
	"embed"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// An idiom is a function that people write again and again, such as one that
// counts vowels, with slots for its names, constants and variants.
//
// The files in the folder idioms hold them in this form, one after the other:
//
//	=== count_vowels|vowels (string) -> int     the names that it may have, the
//	                                            types of its arguments and result
//	@n vowel_count|total                        names for a slot; absent: the ones
//	                                            of its letters in slotNames
//	def @f(@s):                                 @f is the function's own name
//	    @n = «0|0|1»                            one of the alternatives
//	?    @s = @s.lower()                        lines that half the programs have
//	%either                                     one of several groups of lines
//	    for @c in @s:
//	%or
//	    for @c in sorted(@s):
//	%end
//	        @n += «$int 1 9»                    a number or another drawn value
//	    return @n
//
// Alternatives may hold others. `@@` is an at sign.
type idiom struct {
	names      []string
	parameters []string
	returns    string // "" where it is of no use to a caller
	slots      map[string][]string
	body       []idiomNode
}

// idiomNode is a line, or a choice between groups of lines.
type idiomNode struct {
	line   string
	either [][]idiomNode
}

//go:embed idioms/*.txt
var idiomFiles embed.FS

// idiomShares are the files of idioms with the share of the programs that are
// made from each. Loops over strings are what a model of letters learns last.
var idiomShares = []struct {
	file  string
	share float64
}{
	{"strings", .36}, {"lists", .2}, {"dicts", .12}, {"texts", .09}, {"numbers", .08},
	{"errors", .05}, {"recursion", .04}, {"classes", .04}, {"functions", .02},
}

// idiomGroups returns the idioms of each file, in the order of idiomShares.
var idiomGroups = sync.OnceValue(func() [][]*idiom {
	var groups [][]*idiom
	for _, s := range idiomShares {
		text, err := idiomFiles.ReadFile("idioms/" + s.file + ".txt")
		if err != nil {
			panic(err) // it is part of the program
		}
		group, err := parseIdioms(string(text))
		if err != nil {
			panic(fmt.Sprintf("%s.txt: %v", s.file, err))
		}
		groups = append(groups, group)
	}
	return groups
})

// pickIdiom draws an idiom.
func pickIdiom(r random) *idiom {
	var options []option[*idiom]
	for i, group := range idiomGroups() {
		options = append(options, option[*idiom]{idiomShares[i].share, func() *idiom { return pick(r, group) }})
	}
	return choose(r, options)
}

// stages returns the idioms that a pipeline may call: short ones with a result
// of a known type.
var stages = sync.OnceValue(func() []*idiom {
	return slices.DeleteFunc(slices.Concat(idiomGroups()...), func(d *idiom) bool {
		return d.returns == "" || d.lines() > 8 || len(d.parameters) > 3
	})
})

// lines is the most lines that the idiom may have.
func (d *idiom) lines() int { return countLines(d.body) }

func countLines(nodes []idiomNode) int {
	count := 0
	for _, n := range nodes {
		longest := 1
		for i, group := range n.either {
			if c := countLines(group); i == 0 || c > longest {
				longest = c
			}
		}
		count += longest
	}
	return count
}

var idiomHead = regexp.MustCompile(`^=== ([\w|]+) \(([\w, ]*)\)(?: -> (\w+))?$`)

func parseIdioms(text string) ([]*idiom, error) {
	var all []*idiom
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for at := 0; at < len(lines); {
		head := idiomHead.FindStringSubmatch(lines[at])
		if head == nil {
			return nil, fmt.Errorf("line %d: %q is no head of an idiom", at+1, lines[at])
		}
		d := &idiom{names: strings.Split(head[1], "|"), returns: head[3], slots: map[string][]string{}}
		if head[2] != "" {
			d.parameters = strings.Split(head[2], ", ")
		}
		for at++; at < len(lines) && slotLine.MatchString(lines[at]); at++ {
			slot, names, _ := strings.Cut(lines[at][1:], " ")
			d.slots[slot] = strings.Split(names, "|")
		}
		var err error
		if d.body, err = d.parseBody(lines, &at, false); err != nil {
			return nil, fmt.Errorf("the idiom %s: line %d: %w", head[1], at+1, err)
		}
		all = append(all, d)
	}
	return all, nil
}

var slotLine = regexp.MustCompile(`^@[a-z]+[0-9]* [\w|]+$`)

// parseBody reads lines up to the end of the idiom, or of the group that holds
// them.
func (d *idiom) parseBody(lines []string, at *int, group bool) ([]idiomNode, error) {
	var body []idiomNode
	for ; *at < len(lines); *at++ {
		line := lines[*at]
		switch {
		case strings.HasPrefix(line, "==="):
			if group {
				return nil, fmt.Errorf("a choice without its end")
			}
			return trimBlank(body), nil
		case line == "%either":
			node := idiomNode{}
			for lines[*at] != "%end" {
				*at++
				branch, err := d.parseBody(lines, at, true)
				if err != nil {
					return nil, err
				}
				node.either = append(node.either, branch)
			}
			body = append(body, node)
		case line == "%or" || line == "%end":
			if !group {
				return nil, fmt.Errorf("%s outside of a choice", line)
			}
			return body, nil
		case strings.HasPrefix(line, "?"):
			var group []idiomNode
			for ; *at < len(lines) && strings.HasPrefix(lines[*at], "?"); *at++ {
				group = append(group, idiomNode{line: lines[*at][1:]})
			}
			*at--
			body = append(body, idiomNode{either: [][]idiomNode{nil, group}})
		default:
			body = append(body, idiomNode{line: line})
		}
	}
	if group {
		return nil, fmt.Errorf("a choice without its end")
	}
	return trimBlank(body), nil
}

func trimBlank(body []idiomNode) []idiomNode {
	for len(body) > 0 && body[len(body)-1].line == "" && body[len(body)-1].either == nil {
		body = body[:len(body)-1]
	}
	return body
}

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
}

// expand fills the slots of an idiom. The names that functions have are taken;
// to the function's own name, those of its caller's variables are too.
func (p *program) expand(d *idiom, functions, variables map[string]bool) written {
	x := &expansion{program: p, idiom: d, names: map[string]string{}, taken: maps.Clone(functions)}
	x.names["f"] = freeName(p.random, d.names, union(functions, variables))
	x.taken[x.names["f"]], functions[x.names["f"]] = true, true
	w := written{idiom: d, name: x.names["f"]}
	x.write(d.body, &w.lines)
	for _, line := range w.lines {
		if rest, ok := strings.CutPrefix(line, "def "+w.name+"("); ok {
			list, _, _ := strings.Cut(rest, ")")
			for name := range strings.SplitSeq(list, ", ") {
				if name != "" && !strings.Contains(name, "=") {
					w.parameters = append(w.parameters, name)
				}
			}
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
	for strings.Contains(line, "«") {
		line = alternatives.ReplaceAllStringFunc(line, func(group string) string {
			group = strings.TrimSuffix(strings.TrimPrefix(group, "«"), "»")
			if drawn, ok := strings.CutPrefix(group, "$"); ok {
				return x.drawn(strings.Fields(drawn))
			}
			return pick(x.random, strings.Split(group, "|"))
		})
	}
	line = slotPattern.ReplaceAllStringFunc(line, func(slot string) string {
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

// drawn is a value in the code, always with single quotes.
func (x *expansion) drawn(words []string) string {
	if words[0] == "int" {
		low, errLow := strconv.Atoi(words[1])
		high, errHigh := strconv.Atoi(words[2])
		if errLow != nil || errHigh != nil {
			panic(fmt.Sprintf("the idiom %s: no range: %q", x.idiom.names[0], words))
		}
		return strconv.Itoa(x.between(low, high))
	}
	value := (&inputs{program: x.program}).typed(words[0])
	if x.quote == `"` {
		value = exchangeQuotes.Replace(value)
	}
	return value
}

// slot is the name in a slot; it is drawn when it is first needed.
func (x *expansion) slot(slot string) string {
	if name, ok := x.names[slot]; ok {
		return name
	}
	pool := x.idiom.slots[slot]
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
