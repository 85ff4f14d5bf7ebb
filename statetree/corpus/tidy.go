package corpus

import (
	"slices"
	"strings"
)

// longest is the largest number of lines of a main function.
const longest = 16

// tidy reports whether the program is one that a person could have written:
// everything it defines is used, and it is neither long nor empty.
func (p *program) tidy() bool {
	if len(p.main.body.lines) > longest || pointless(p.main.body.lines) {
		return false
	}
	body := strings.Join(p.main.body.lines[1:], "\n")
	for _, name := range p.main.parameterNames() {
		if mentions(body, name) == 0 {
			return false
		}
	}
	for _, h := range p.helpers {
		if pointless(h.body.lines) || mentions(body, h.name) == 0 || mentions(strings.Join(h.body.lines[1:], "\n"), h.parameterNames()[0]) == 0 {
			return false
		}
		body += "\n" + strings.Join(h.body.lines, "\n")
	}
	for _, c := range p.constants {
		if mentions(body, c.name) == 0 {
			return false
		}
	}
	// A name that is assigned and never read is a mistake; people make few.
	for _, line := range p.main.body.lines {
		name, _, ok := strings.Cut(strings.TrimSpace(line), " = ")
		if ok && strings.IndexFunc(name, func(c rune) bool { return c > 127 || !isNameByte(byte(c)) }) < 0 && mentions(body, name) < 2 {
			return false
		}
	}
	return true
}

// pointless reports whether some line compares or combines a thing with itself,
// or two branches do the same.
func pointless(lines []string) bool {
	for i, line := range lines {
		tokens := strings.Fields(line)
		for j := 1; j+1 < len(tokens); j++ {
			left, right := strings.TrimLeft(tokens[j-1], "(["), strings.TrimRight(tokens[j+1], ":)],")
			switch tokens[j] {
			case "==", "!=", "<", ">", "<=", ">=", "-", "//", "%", "and", "or", "in", "=", "+=", "-=", "-1":
				if left == right {
					return true
				}
			case "not":
				if tokens[j-1] == "not" {
					return true
				}
			case "else", "if":
				if j > 1 && left == strings.TrimRight(tokens[len(tokens)-1], ":)],") {
					return true
				}
			}
		}
		if trimmed := strings.TrimSpace(line); i > 1 && i+1 < len(lines) && lines[i-1] == lines[i+1] &&
			(trimmed == "else:" || strings.HasPrefix(trimmed, "elif ")) {
			return true
		}
	}
	return false
}

// parameterNames are the names in the function's head.
func (f *function) parameterNames() []string {
	_, list, _ := strings.Cut(f.body.lines[0], "(")
	list, _, _ = strings.Cut(list, ")")
	return slices.DeleteFunc(strings.Split(list, ", "), func(s string) bool { return s == "" })
}

// mentions counts how often the name stands in the text as a whole word.
func mentions(text, name string) int {
	count := 0
	for at := 0; ; {
		i := strings.Index(text[at:], name)
		if i < 0 {
			return count
		}
		start, end := at+i, at+i+len(name)
		if (start == 0 || !isNameByte(text[start-1])) && (end == len(text) || !isNameByte(text[end])) {
			count++
		}
		at = end
	}
}

func isNameByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
