package adapter

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-dap"

	"github.com/neuraldbg/neuraldbg/statetree/repr"
)

// maxHover is how many characters of a value a hover shows.
const maxHover = 300

// onEvaluate finds the value of a name, or of a path of members and items such
// as `order.items[0]`, in the predicted values. Nothing is executed, and the
// model is not asked.
func (s *session) onEvaluate(r *dap.EvaluateRequest) (dap.ResponseMessage, error) {
	entry, err := s.shown()
	if err != nil {
		return nil, err
	}
	expression := strings.TrimSpace(r.Arguments.Expression)
	if expression == "" {
		return nil, badArguments("evaluate: expression is missing")
	}
	if len(entry.Stack) == 0 {
		return nil, cannotEvaluate("there is no frame to evaluate in")
	}
	ref := frameRef{frame: entry.Stack[0], top: !entry.Ended()}
	if id := r.Arguments.FrameId; id != 0 {
		var ok bool
		if ref, ok = s.frames.get(id); !ok {
			return nil, staleFrame(id)
		}
	}
	found, err := lookUp(localsOf(&entry, ref), expression)
	if err != nil {
		return nil, err
	}
	v := s.present(found)
	if r.Arguments.Context == "hover" {
		v.Value = shortened(v.Value, maxHover)
	}
	return &dap.EvaluateResponse{Response: *newResponse(&r.Request), Body: dap.EvaluateResponseBody{
		Result: v.Value, Type: v.Type, PresentationHint: v.PresentationHint, VariablesReference: v.VariablesReference,
		NamedVariables: v.NamedVariables, IndexedVariables: v.IndexedVariables,
	}}, nil
}

func cannotEvaluate(format string, args ...any) error {
	return &requestError{id: idCannotEvaluate, message: fmt.Sprintf(format, args...)}
}

// shortened cuts a text after some characters.
func shortened(text string, characters int) string {
	for i := range text {
		if characters == 0 {
			return text[:i] + "…"
		}
		characters--
	}
	return text
}

// lookUp finds the variable that an expression reaches: a name, then members
// and items.
func lookUp(locals []variable, expression string) (variable, error) {
	name, path := splitName(expression)
	for _, v := range locals {
		if v.expression != "" && v.expression == name {
			return follow(v, path, expression)
		}
	}
	if name == "" || path != "" && path[0] != '.' && path[0] != '[' {
		return variable{}, notAPath(expression)
	}
	return variable{}, cannotEvaluate("name %q is not known here", name)
}

func notAPath(expression string) error {
	return cannotEvaluate("%s: only names, members and items of predicted values can be evaluated; nothing is executed", expression)
}

// splitName cuts the identifier off the beginning of an expression.
func splitName(expression string) (name, rest string) {
	for i, r := range expression {
		if r != '_' && !unicode.IsLetter(r) && (i == 0 || !unicode.IsDigit(r) && !unicode.Is(unicode.Mn, r)) {
			return expression[:i], expression[i:]
		}
	}
	return expression, ""
}

// follow walks a path of members and items from a variable.
func follow(v variable, path, expression string) (variable, error) {
	for path != "" {
		step, rest, ok := nextStep(path)
		if !ok {
			return variable{}, notAPath(expression)
		}
		next, ok := part(v, step)
		if !ok {
			return variable{}, cannotEvaluate("%s has no %s that is known", v.expression, step)
		}
		v, path = next, rest
	}
	return v, nil
}

// nextStep cuts the first `.member` or `[key]` off a path. A key is written as
// repr writes it.
func nextStep(path string) (step, rest string, ok bool) {
	if member, isMember := strings.CutPrefix(path, "."); isMember {
		name, rest := splitName(member)
		return "." + name, rest, name != ""
	}
	if path[0] != '[' {
		return "", "", false
	}
	end := closingBracket(path)
	if end < 0 {
		return "", "", false
	}
	key := repr.Parse(strings.TrimSpace(path[1:end]))
	if key.Kind == repr.Text {
		return "", "", false
	}
	return "[" + key.String() + "]", path[end+1:], true
}

// closingBracket returns the offset of the bracket that closes the first one,
// -1 when there is none. Brackets in strings do not count.
func closingBracket(text string) int {
	depth, quote := 0, rune(0)
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case quote != 0 && r == '\\':
			i++ // what is escaped does not end the string
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case r == '\'' || r == '"':
			quote = r
		case r == '[' || r == '(' || r == '{':
			depth++
		case r == ']' || r == ')' || r == '}':
			if depth--; depth == 0 {
				return i
			}
		}
		i += size
	}
	return -1
}

// part returns the part of a value that a step reaches. An index below zero
// counts from the end.
func part(v variable, step string) (variable, bool) {
	parts := v.parts()
	if negative, ok := strings.CutPrefix(step, "[-"); ok {
		n := 0
		if _, err := fmt.Sscanf(negative, "%d]", &n); err == nil && n >= 1 && n <= len(parts) && parts[len(parts)-n].indexed {
			return parts[len(parts)-n], true
		}
	}
	for _, p := range parts {
		if p.expression == v.expression+step {
			return p, true
		}
	}
	return variable{}, false
}
