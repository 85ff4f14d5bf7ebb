package expr

import (
	"strings"

	"github.com/neuraldbg/neuraldbg/statetree/source"
)

// ParseAssignment divides a statement such as `n = 3`, `items[0].x = 'a'` or
// `n += 1` into what is changed and the expression of the new value. ok is false
// for what is no assignment to one target.
func ParseAssignment(text string) (target, value string, ok bool) {
	if len(text) > maxText {
		return "", "", false
	}
	n, err := source.ParseExpression(text)
	if err != nil || n.Kind() != "assignment" && n.Kind() != "augmented_assignment" {
		return "", "", false
	}
	left, _ := n.At("left")
	right, ok := n.At("right")
	switch left.Kind() {
	case "identifier", "attribute", "subscript":
	default:
		return "", "", false
	}
	if !ok || right.Kind() == "assignment" {
		return "", "", false
	}
	op, augmented := n.At("operator")
	if !augmented {
		return left.Text(), right.Text(), true
	}
	return left.Text(), left.Text() + " " + strings.TrimSuffix(op.Kind(), "=") + " (" + right.Text() + ")", true
}
