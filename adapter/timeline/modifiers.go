package timeline

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/neuraldbg/neuraldbg/statetree/repr"
)

// Modifiers are what a breakpoint asks for besides its place. Each may be empty.
type Modifiers struct {
	// Condition is an expression over the frame's predicted values: the
	// breakpoint stops only where it is true.
	Condition string
	// HitCondition says which of the visits for which the condition holds
	// count: "3" or "== 3" (the third), "> 3", ">= 3", "< 3", "<= 3", "% 3"
	// (every third).
	HitCondition string
	// LogMessage is written to the console in place of a stop. What is in braces
	// is an expression: "n is {n}".
	LogMessage string
}

// guard are Modifiers that were read.
type guard struct {
	Modifiers
	hits    hitCondition
	message []messagePart
	// revision is another one for other modifiers: what was found out for one
	// says nothing about the other.
	revision int
}

// logs reports whether the breakpoint writes a message in place of stopping.
func (g *guard) logs() bool { return len(g.message) > 0 }

// guard reads modifiers. The error says in one line what is wrong with them.
func (m Modifiers) guard(e Evaluator) (guard, error) {
	m.Condition = strings.TrimSpace(m.Condition)
	g := guard{Modifiers: m}
	if m.Condition != "" {
		if err := check(e, m.Condition); err != nil {
			return g, fmt.Errorf("condition: %w", err)
		}
	}
	var err error
	if g.hits, err = parseHitCondition(m.HitCondition); err != nil {
		return g, err
	}
	g.message = parseMessage(m.LogMessage)
	for _, part := range g.message {
		if part.expression {
			if err := check(e, part.text); err != nil {
				return g, fmt.Errorf("log message: {%s}: %w", part.text, err)
			}
		}
	}
	return g, nil
}

// hitCondition compares the number of a visit with a limit. The zero value
// holds for every visit.
type hitCondition struct {
	operator string
	limit    int
}

// hitOperators are the operators, those first that begin with another one.
var hitOperators = []string{"==", ">=", "<=", ">", "<", "%"}

func parseHitCondition(text string) (hitCondition, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return hitCondition{}, nil
	}
	c, rest := hitCondition{operator: "=="}, text
	for _, operator := range hitOperators {
		if after, ok := strings.CutPrefix(text, operator); ok {
			c.operator, rest = operator, after
			break
		}
	}
	limit, err := strconv.Atoi(strings.TrimSpace(rest))
	if err != nil || limit < 0 || limit == 0 && c.operator == "%" {
		return hitCondition{}, fmt.Errorf("hit condition %q: write a number of visits such as 3, or one of ==, >, >=, <, <=, %% with a number", text)
	}
	c.limit = limit
	return c, nil
}

// holds reports whether the breakpoint counts at its n-th visit.
func (c hitCondition) holds(n int) bool {
	switch c.operator {
	case "==":
		return n == c.limit
	case ">":
		return n > c.limit
	case ">=":
		return n >= c.limit
	case "<":
		return n < c.limit
	case "<=":
		return n <= c.limit
	case "%":
		return n%c.limit == 0
	}
	return true
}

// messagePart is a piece of a log message: text, or an expression.
type messagePart struct {
	text       string
	expression bool
}

// parseMessage divides a log message. Only what is in braces is an expression,
// up to the brace that closes it in Python's eyes; a brace that nothing closes,
// and an empty pair, are text.
func parseMessage(message string) []messagePart {
	var parts []messagePart
	text := func(s string) {
		if s != "" {
			parts = append(parts, messagePart{text: s})
		}
	}
	for message != "" {
		open := strings.IndexByte(message, '{')
		if open < 0 {
			break
		}
		end := closing(message[open:])
		if end < 0 {
			break
		}
		expression := strings.TrimSpace(message[open+1 : open+end])
		if expression == "" {
			text(message[:open+end+1])
		} else {
			text(message[:open])
			parts = append(parts, messagePart{text: expression, expression: true})
		}
		message = message[open+end+1:]
	}
	text(message)
	return parts
}

// closing returns the offset of the bracket that closes the one with which text
// begins, -1 when there is none. Brackets in Python's strings do not count.
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

// str returns what Python's str makes of a value whose repr is given. ok is
// false where the repr does not tell.
func str(text string) (s string, ok bool) {
	switch v := repr.Parse(text); v.Kind {
	case repr.String:
		return v.Text, !v.Cut
	case repr.Text, repr.Object, repr.Enum, repr.Elided:
		return text, false
	default:
		return text, !v.Cut
	}
}
