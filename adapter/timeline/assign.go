package timeline

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/repr"
)

// assign returns locals in which a target has another value. The target is a
// name, or a path from one such as a[0]['key'].x.
func assign(locals statetree.Locals, target, text string) (statetree.Locals, error) {
	name, path := cutName(strings.TrimSpace(target))
	old, ok := locals.Get(name)
	switch {
	case name == "":
		return nil, fmt.Errorf("%q is not a name, nor a part of one's value", target)
	case !ok:
		return nil, fmt.Errorf("there is no local variable %q", name)
	}
	if path == "" {
		return locals.Set(name, text), nil
	}
	steps, ok := splitPath(path)
	if !ok {
		return nil, fmt.Errorf("%q is not a name, nor a part of one's value", target)
	}
	value, ok := replacePart(repr.Parse(old), steps, repr.Parse(text))
	if !ok {
		return nil, fmt.Errorf("%s has no part %s that is known", name, path)
	}
	return locals.Set(name, value.String()), nil
}

// TargetExpression returns a target of Edit as the parts of values are named:
// a["x"] as a['x']. ok is false for what is no target.
func TargetExpression(text string) (target string, ok bool) {
	name, path := cutName(strings.TrimSpace(text))
	steps, ok := splitPath(path)
	return name + strings.Join(steps, ""), ok && name != ""
}

// cutName cuts the identifier off the beginning of an expression.
func cutName(expression string) (name, rest string) {
	for i, r := range expression {
		if r != '_' && !unicode.IsLetter(r) && (i == 0 || !unicode.IsDigit(r) && !unicode.Is(unicode.Mn, r)) {
			return expression[:i], expression[i:]
		}
	}
	return expression, ""
}

// splitPath divides a path into its steps, each as repr.Item has it: "[0]",
// "['a']", ".x".
func splitPath(path string) (steps []string, ok bool) {
	for path = strings.TrimSpace(path); path != ""; path = strings.TrimSpace(path) {
		if member, isMember := strings.CutPrefix(path, "."); isMember {
			name, rest := cutName(member)
			if name == "" {
				return nil, false
			}
			steps, path = append(steps, "."+name), rest
			continue
		}
		if path[0] != '[' {
			return nil, false
		}
		end := closing(path)
		if end < 0 {
			return nil, false
		}
		key := repr.Parse(strings.TrimSpace(path[1:end]))
		if key.Kind == repr.Text {
			return nil, false
		}
		steps, path = append(steps, "["+key.String()+"]"), path[end+1:]
	}
	return steps, true
}

// replacePart returns a value in which the part that steps lead to is another
// one. The value itself is left as it was.
func replacePart(v repr.Value, steps []string, part repr.Value) (repr.Value, bool) {
	if len(steps) == 0 {
		return part, true
	}
	i, steps, ok := childAt(v, steps)
	if !ok {
		return v, false
	}
	child, ok := replacePart(v.Children[i].Value, steps, part)
	if !ok {
		return v, false
	}
	v.Children = slices.Clone(v.Children)
	v.Children[i].Value = child
	return v, true
}

// childAt returns the index of the child in which the part lies that steps lead
// to, and the steps from there.
func childAt(v repr.Value, steps []string) (index int, rest []string, ok bool) {
	step := steps[0]
	switch v.Kind {
	case repr.List, repr.Tuple:
		n, err := parseIndex(step)
		if n < 0 {
			n += len(v.Children)
		}
		return n, steps[1:], err == nil && n >= 0 && n < len(v.Children)
	case repr.Dict:
		for i, c := range v.Children {
			if c.Key != nil && "["+c.Key.String()+"]" == step {
				return i, steps[1:], true
			}
		}
	case repr.Object:
		for i, c := range v.Children {
			if c.Name != "" && "."+c.Name == step {
				return i, steps[1:], true
			}
		}
		if len(v.Children) > 0 && v.Children[0].Name == "" && step[0] == '[' {
			return 0, steps, true // an object that wraps one collection
		}
	}
	return 0, nil, false
}

func parseIndex(step string) (int, error) {
	n := 0
	_, err := fmt.Sscanf(step, "[%d]", &n)
	return n, err
}

// closing returns the offset of the bracket that closes the one with which text
// begins, -1 when there is none. Brackets in strings do not count.
func closing(text string) int {
	depth, quote := 0, byte(0)
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quote != 0 && c == '\\':
			i++ // what is escaped does not end the string
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == '[' || c == '(' || c == '{':
			depth++
		case c == ']' || c == ')' || c == '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}
