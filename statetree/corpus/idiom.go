package corpus

import (
	"embed"
	"fmt"
	"regexp"
	"slices"
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
//	        @n += «$int 1 9»                    a number from 1 to 9
//	    return @n
//
// Alternatives may hold others. `@@` is an at sign.
type idiom struct {
	names      []string
	parameters []string // names of argumentTypes
	returns    string   // "" where it is of no use to a caller
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
	{"strings", .17}, {"lists", .09}, {"dicts", .05}, {"texts", .04}, {"numbers", .04},
	{"errors", .03}, {"recursion", .03}, {"classes", .03}, {"functions", .02},
	{"algorithms", .08}, {"applications", .08},
	{"text_tools", .1}, {"mappings", .09}, {"sequences", .09}, {"arithmetic", .06},
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
