package timeline

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/neuraldbg/neuraldbg/adapter/expr"
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
	// is an expression: "n is {n}"; see expr.Template.
	LogMessage string
}

// guard are Modifiers that were read.
type guard struct {
	Modifiers
	condition *expr.Expression // nil when there is none
	hits      hitCondition
	message   *expr.Template   // nil when the breakpoint stops
	watch     *expr.Expression // the value of a data breakpoint
	// revision is another one for other modifiers: what was found out for one
	// says nothing about the other.
	revision int
}

// guard reads modifiers. The error says in one line what is wrong with them.
func (m Modifiers) guard() (guard, error) {
	g := guard{Modifiers: m}
	var err error
	if strings.TrimSpace(m.Condition) != "" {
		if g.condition, err = expr.Parse(m.Condition); err != nil {
			return g, fmt.Errorf("condition: %w", err)
		}
	}
	if g.hits, err = parseHitCondition(m.HitCondition); err != nil {
		return g, err
	}
	if m.LogMessage != "" {
		if g.message, err = expr.ParseTemplate(m.LogMessage); err != nil {
			return g, fmt.Errorf("log message: %w", err)
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
