package source

import (
	"fmt"
	"strings"
)

// layout checks what the parser is generous about: indentation, brackets and
// quotes that match, the colon of a compound statement.
type layout struct {
	text    string
	at      int
	indents []int // columns of the open blocks
	open    []int // offsets of the open brackets
	header  int   // offset of the line that a block has to follow, or -1
	// comments are the lines that have nothing else, without their indentation.
	comments []span
	bad      *syntaxError
}

// span is the bytes from start up to end, which is left out.
type span struct{ start, end int }

// checkLayout returns the first fault, or nil, and the lines before it that are
// only a comment.
func checkLayout(text string) (comments []span, fault *syntaxError) {
	l := &layout{text: text, indents: []int{0}, header: -1}
	for l.at < len(text) && l.bad == nil {
		l.line()
	}
	if l.bad == nil && l.header >= 0 {
		l.missingBlock(l.header)
	}
	return l.comments, l.bad
}

// blank writes spaces over spans of a text.
func blank(text string, spans []span) string {
	if len(spans) == 0 {
		return text
	}
	blanked := []byte(text)
	for _, s := range spans {
		for i := s.start; i < s.end; i++ {
			blanked[i] = ' '
		}
	}
	return string(blanked)
}

func (l *layout) fail(at int, format string, arguments ...any) {
	if l.bad == nil {
		l.bad = &syntaxError{at, fmt.Sprintf(format, arguments...)}
	}
}

func (l *layout) missingBlock(at int) {
	line := strings.TrimSpace(firstLine(l.text[l.header:]))
	l.fail(at, "expected an indented block after %q", line)
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// line checks one logical line, or skips one that is blank.
func (l *layout) line() {
	column := 0
	for l.at < len(l.text) {
		switch l.text[l.at] {
		case ' ':
			column++
		case '\t':
			column = column/8*8 + 8
		case '\f':
			column = 0
		default:
			l.indented(column)
			return
		}
		l.at++
	}
}

func (l *layout) indented(column int) {
	switch l.text[l.at] {
	case '\n':
		l.at++
		return
	case '#':
		start := l.at
		l.at += len(firstLine(l.text[l.at:]))
		l.comments = append(l.comments, span{start, l.at})
		return
	case '\\': // a continued blank
		if strings.HasPrefix(l.text[l.at:], "\\\n") {
			l.at += 2
			return
		}
	}
	start := l.at
	top := l.indents[len(l.indents)-1]
	switch {
	case l.header >= 0 && column <= top:
		l.missingBlock(start)
	case l.header >= 0:
		l.indents = append(l.indents, column)
	case column > top:
		l.fail(start, "unexpected indent")
	default:
		for column < l.indents[len(l.indents)-1] {
			l.indents = l.indents[:len(l.indents)-1]
		}
		if column != l.indents[len(l.indents)-1] {
			l.fail(start, "unindent does not match any outer indentation level")
		}
	}
	l.header = -1
	colon, last := l.tokens()
	if l.bad != nil {
		return
	}
	if last == ':' {
		l.header = start
	}
	if !colon && compound[firstWord(l.text[start:])] {
		end := l.at
		for end > start && (l.text[end-1] == '\n' || l.text[end-1] == ' ') {
			end--
		}
		l.fail(end, "expected ':'")
	}
}

// compound are the words that begin a line with a colon.
var compound = nameSet("if elif else for while def class with try except finally")

// firstWord returns the word that decides what a line is.
func firstWord(line string) string {
	line = strings.TrimPrefix(line, "async ")
	end := 0
	for end < len(line) && line[end] >= 'a' && line[end] <= 'z' {
		end++
	}
	if end < len(line) && (line[end] == '_' || line[end] >= '0' && line[end] <= '9' || line[end] >= 'A' && line[end] <= 'Z' || line[end] >= 0x80) {
		return ""
	}
	return line[:end]
}

// tokens goes over one logical line. colon says that it has one outside
// brackets, last is its last character that is not white space or comment.
func (l *layout) tokens() (colon bool, last byte) {
	for l.at < len(l.text) && l.bad == nil {
		c := l.text[l.at]
		switch c {
		case '\n':
			l.at++
			if len(l.open) == 0 {
				return colon, last
			}
			continue
		case '#':
			l.at += len(firstLine(l.text[l.at:]))
			continue
		case '\'', '"':
			l.quoted()
		case '\\':
			l.at++ // with what follows it
		case '(', '[', '{':
			l.open = append(l.open, l.at)
		case ')', ']', '}':
			l.closed(c)
		case ':':
			colon = colon || len(l.open) == 0
		}
		if l.at < len(l.text) {
			if c != ' ' && c != '\t' && c != '\f' {
				last = c
			}
			l.at++
		}
	}
	if len(l.open) > 0 {
		at := l.open[len(l.open)-1]
		l.fail(at, "'%c' was never closed", l.text[at])
	}
	return colon, last
}

func (l *layout) closed(c byte) {
	if len(l.open) == 0 {
		l.fail(l.at, "unmatched '%c'", c)
		return
	}
	open := l.text[l.open[len(l.open)-1]]
	if closes := map[byte]byte{'(': ')', '[': ']', '{': '}'}[open]; closes != c {
		l.fail(l.at, "closing '%c' does not match opening '%c'", c, open)
		return
	}
	l.open = l.open[:len(l.open)-1]
}

// quoted goes to the last quote of the string that begins here.
func (l *layout) quoted() {
	start := l.at
	quote := l.text[start : start+1]
	triple := strings.HasPrefix(l.text[start:], strings.Repeat(quote, 3))
	if triple {
		quote = strings.Repeat(quote, 3)
	}
	for l.at += len(quote); l.at < len(l.text); l.at++ {
		switch {
		case l.text[l.at] == '\\':
			l.at++
		case strings.HasPrefix(l.text[l.at:], quote):
			l.at += len(quote) - 1
			return
		case l.text[l.at] == '\n' && !triple:
			l.fail(start, "unterminated string literal")
			return
		}
	}
	l.fail(start, "unterminated string literal")
}
