package expr

import (
	"context"
	"strings"
)

// Template is the message of a log point: text with expressions in braces,
// "n is {n}, {s[0]!r}". {{ and }} are braces. As in an f-string, a conversion
// (!r, !s, !a) and a format (:>8) may follow an expression.
type Template struct {
	expression *Expression
}

// ParseTemplate parses a log message. Every error is an *Error.
func ParseTemplate(text string) (*Template, error) {
	e, err := translateTemplate(text)
	if err != nil {
		return nil, err
	}
	return &Template{e}, nil
}

// Names returns the names that the message's expressions use, each once.
func (t *Template) Names() []string { return t.expression.names }

// Format returns the message with the values in place of the expressions.
func (t *Template) Format(ctx context.Context, scope Scope) (string, error) {
	v, err := t.expression.Eval(ctx, scope)
	if err != nil {
		return "", err
	}
	return strings.ToValidUTF8(v.Str(), "\uFFFD"), nil
}
