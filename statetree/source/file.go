package source

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

// File is one parsed Python file. It is immutable and may be used by several
// goroutines.
type File struct {
	path   string
	text   string // UTF-8, line feeds only
	lines  []string
	starts []int // offset of each line
	root   *node
	units  []*unit // in the order of the text; units[0] is the module
	// imported are the names that imports bind in the module's scope.
	imported map[string]bool
	// topLevel is findTopLevel, made when it is first asked for.
	topLevel func() *topLevel
}

// SyntaxError says where a file stops being Python.
type SyntaxError struct {
	Path         string
	Line, Column int
	Message      string
	Source       string // the text of the line
}

// Error returns one line: path:line:column: message: the line's text.
func (e *SyntaxError) Error() string {
	place := fmt.Sprintf("%s:%d", e.Path, e.Line)
	if e.Column > 0 {
		place += fmt.Sprintf(":%d", e.Column)
	}
	message := place + ": " + e.Message
	if source := excerpt(e.Source); source != "" {
		message += ": " + source
	}
	return message
}

// maxExcerpt is how many characters of the user's text a message quotes.
const maxExcerpt = 80

// excerpt returns a text as a message quotes it: one line, and not a long one.
func excerpt(text string) string {
	text = strings.TrimSpace(text)
	if strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) && r != '\t' }) {
		text = strconv.Quote(text)
	}
	count := 0
	for i := range text {
		if count++; count > maxExcerpt {
			return text[:i] + "…"
		}
	}
	return text
}

// Parse reads the Python file whose bytes are src. path is used in messages and
// as the File of origins; it is not opened. Every error is a *SyntaxError.
func Parse(path string, src []byte) (*File, error) {
	text, line, err := decode(src)
	if err != nil {
		return nil, &SyntaxError{Path: path, Line: line, Message: err.Error()}
	}
	f := &File{path: path, text: text}
	f.splitLines()
	root, bad := parseTree(text, f.lineAt)
	if bad != nil {
		line := f.lineAt(bad.start)
		e := &SyntaxError{Path: path, Line: line, Column: bad.start - f.starts[line-1] + 1, Message: bad.message}
		e.Source = f.Line(line)
		return nil, e
	}
	f.root = root
	f.imported = map[string]bool{}
	importedNames(root, text, f.imported)
	f.units = collectUnits(f)
	f.topLevel = sync.OnceValue(f.findTopLevel)
	return f, nil
}

func (f *File) splitLines() {
	count := strings.Count(f.text, "\n") + 1
	f.lines = make([]string, 0, count)
	f.starts = make([]int, 0, count)
	for at := 0; at < len(f.text) || at == 0; {
		end := strings.IndexByte(f.text[at:], '\n')
		f.starts = append(f.starts, at)
		if end < 0 {
			f.lines = append(f.lines, f.text[at:])
			break
		}
		f.lines = append(f.lines, f.text[at:at+end])
		at += end + 1
	}
}

// lineAt returns the line of an offset; the last line's for what is beyond.
func (f *File) lineAt(offset int) int {
	return max(1, sort.SearchInts(f.starts, offset+1))
}

// Path returns the path that Parse was given.
func (f *File) Path() string { return f.path }

// Text returns the whole text, in UTF-8 with line feeds.
func (f *File) Text() string { return f.text }

// Lines returns the physical lines without their line ends. An empty file has
// one empty line. The caller must not change the slice.
func (f *File) Lines() []string { return f.lines }

// Line returns the text of a physical line, from 1, without its line end; "" for
// a line that is not there.
func (f *File) Line(line int) string {
	if line < 1 || line > len(f.lines) {
		return ""
	}
	return f.lines[line-1]
}
