package timeline

import (
	"strings"

	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/repr"
	"github.com/neuraldbg/neuraldbg/statetree/source"
)

// print shows what a print statement wrote that was run between two entries, the
// first time that the position comes to the later one. Only lines that hold
// nothing but a call of print are considered, and only arguments whose values
// are known.
func (t *Timeline) print(before, e *Entry) {
	if e.printed || before.Ended() || before.State.Event != statetree.Line {
		return
	}
	e.printed = true
	if text, ok := t.printed(before, e); ok {
		t.listener.output(text)
	}
}

// printed returns what was written between two entries.
func (t *Timeline) printed(before, e *Entry) (text string, ok bool) {
	file := t.target.File
	s := &before.State
	if file == nil || s.File != file.Path() || !strings.HasPrefix(strings.TrimLeft(s.Source, " \t"), "print(") {
		return "", false
	}
	call, ok := printStatement(file, s.Line)
	if !ok || !leaves(before, e, call) {
		return "", false
	}
	return t.written(argumentsOf(file, call), before.Names(0))
}

// printStatement returns the call of print that is all of the statement at a
// line.
func printStatement(file *source.File, line int) (source.CallSite, bool) {
	text := file.Line(line)
	indent := len(text) - len(strings.TrimLeft(text, " \t"))
	for _, call := range file.CallSites(line) {
		if call.Name != "print" || call.Column != indent+1 || len(call.Callees) > 0 {
			continue
		}
		last := file.Line(call.EndLine)
		rest := strings.TrimSpace(last[min(call.EndColumn-1, len(last)):])
		return call, rest == "" || rest[0] == '#'
	}
	return source.CallSite{}, false
}

// leaves reports whether a statement was run to its end between an entry in it
// and a later one.
func leaves(before, e *Entry, statement source.CallSite) bool {
	if e.Ended() {
		return e.Exit == statetree.ExitNormal
	}
	if len(before.Stack) == 0 || len(e.Stack) == 0 {
		return false
	}
	same := before.Stack[0].Activation == e.Stack[0].Activation
	switch e.State.Event {
	case statetree.Line:
		return !same || e.State.Line < statement.Line || e.State.Line > statement.EndLine
	case statetree.Return:
		return same && !e.Unwinding
	}
	return false // into a call that the statement makes, or an exception
}

// argumentsOf returns the text between the parentheses of a call.
func argumentsOf(file *source.File, call source.CallSite) string {
	var b strings.Builder
	for line := call.Line; line <= call.EndLine; line++ {
		text := file.Line(line)
		if line == call.EndLine {
			text = text[:call.EndColumn-2] // without the closing parenthesis
		}
		if line == call.Line {
			text = text[call.Column-1+len("print("):]
		}
		b.WriteString(text)
		b.WriteByte('\n')
	}
	return b.String()
}

// written returns what print writes with the arguments. ok is false when they
// are not all known, or when it does not write to the standard output.
func (t *Timeline) written(arguments string, names map[string]string) (text string, ok bool) {
	separator, end := " ", "\n"
	var words []string
	for _, argument := range splitArguments(arguments) {
		keyword, expression, isKeyword := cutKeyword(argument)
		starred := !isKeyword && strings.HasPrefix(expression, "*")
		if starred {
			expression = strings.TrimSpace(expression[1:])
		}
		value, err := t.value(expression, names)
		if err != nil {
			return "", false
		}
		switch {
		case starred:
			more, ok := elements(value)
			if !ok {
				return "", false
			}
			words = append(words, more...)
			continue
		case keyword == "flush", keyword == "file" && value == "None":
			continue
		case (keyword == "sep" || keyword == "end") && value == "None":
			continue
		}
		word, ok := str(value)
		if !ok || keyword == "file" {
			return "", false
		}
		switch keyword {
		case "sep":
			separator = word
		case "end":
			end = word
		default:
			words = append(words, word)
		}
	}
	return strings.Join(words, separator) + end, true
}

// value returns the repr of a name, of an expression, or of what is a repr
// already.
func (t *Timeline) value(expression string, names map[string]string) (string, error) {
	if text, ok := names[expression]; ok {
		return text, nil
	}
	text, evalErr := eval(t.breakpoints.evaluator, expression, names)
	if evalErr == nil {
		return text, nil
	}
	text, err := canonicalRepr(expression)
	if err != nil && t.breakpoints.evaluator != nil {
		err = evalErr
	}
	return text, err
}

// elements returns what print writes of the elements of a list or tuple.
func elements(text string) (words []string, ok bool) {
	v := repr.Parse(text)
	if v.Kind != repr.List && v.Kind != repr.Tuple || v.Cut {
		return nil, false
	}
	for _, child := range v.Children {
		word, ok := str(child.Value.String())
		if !ok {
			return nil, false
		}
		words = append(words, word)
	}
	return words, true
}

// splitArguments divides the arguments of a call at its commas.
func splitArguments(text string) []string {
	var out []string
	add := func(s string) {
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, s)
		}
	}
	begin := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case ',':
			add(text[begin:i])
			begin = i + 1
		case '(', '[', '{':
			if end := closing(text[i:]); end > 0 {
				i += end
			}
		case '\'', '"':
			i += stringEnd(text[i:])
		}
	}
	add(text[begin:])
	return out
}

// stringEnd returns the offset of the quote that ends the string with which text
// begins, or of the last byte.
func stringEnd(text string) int {
	quote := text[:1]
	if triple := strings.Repeat(quote, 3); strings.HasPrefix(text, triple) {
		quote = triple
	}
	for i := len(quote); i < len(text); i++ {
		if text[i] == '\\' {
			i++
		} else if strings.HasPrefix(text[i:], quote) {
			return i + len(quote) - 1
		}
	}
	return len(text) - 1
}

// cutKeyword divides a keyword argument.
func cutKeyword(argument string) (keyword, expression string, ok bool) {
	name, value, ok := strings.Cut(argument, "=")
	name = strings.TrimSpace(name)
	if !ok || !isName(name) || strings.HasPrefix(value, "=") {
		return "", argument, false
	}
	return name, strings.TrimSpace(value), true
}

// isName reports whether text is an identifier.
func isName(text string) bool {
	name, rest := cutName(text)
	return name != "" && rest == ""
}
