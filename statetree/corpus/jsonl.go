package corpus

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/neuraldbg/neuraldbg/internal/regularfile"
)

// jsonCase is one line of the form in which CruxEval is published.
type jsonCase struct {
	Code   string  `json:"code"`
	Input  *string `json:"input"`
	Output string  `json:"output"`
	ID     string  `json:"id"`
}

// ReadJSONL yields the cases of a file of JSON lines with the fields code, input
// and output, as CruxEval has them (arXiv 2401.03065): code defines f, input is
// the text between the parentheses of its call, output is the result as a
// literal. Blank lines are passed over. An error names the line and ends the sequence.
func ReadJSONL(r io.Reader) iter.Seq2[Case, error] {
	return func(yield func(Case, error) bool) {
		lines := newJSONLines(r, jsonlPlace{line: 1})
		for index := uint64(0); ; index++ {
			c, err := lines.next()
			if errors.Is(err, io.EOF) {
				return
			}
			c.Index = index
			if !yield(c, err) || err != nil {
				return
			}
		}
	}
}

// ReadJSONLFile reads all cases of a file.
func ReadJSONLFile(path string) ([]Case, error) {
	file, err := regularfile.OpenStream(path)
	if err != nil {
		return nil, fmt.Errorf("opening the cases: %w", err)
	}
	defer file.Close()
	var cases []Case
	for c, err := range ReadJSONL(file) {
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		cases = append(cases, c)
	}
	return cases, nil
}

// jsonlPlace is where a line begins: its number, from 1, and its offset in bytes.
type jsonlPlace struct {
	line   int
	offset int64
}

// jsonLines reads a file of cases line by line.
type jsonLines struct {
	lines *bufio.Reader
	// at is where the last case was, after what comes next.
	at, after jsonlPlace
}

// newJSONLines reads from a place of the file on.
func newJSONLines(r io.Reader, from jsonlPlace) *jsonLines {
	return &jsonLines{lines: bufio.NewReaderSize(r, 1<<16), after: from}
}

// next returns the next line's case, without an index; io.EOF at the end. Other
// errors name the line.
func (l *jsonLines) next() (Case, error) {
	for {
		line, err := l.readLine()
		l.at = l.after
		l.after.line++
		l.after.offset += int64(len(line))
		if err != nil && !errors.Is(err, io.EOF) {
			return Case{}, fmt.Errorf("line %d: %w", l.at.line, err)
		}
		if len(bytes.TrimSpace(line)) == 0 {
			if err != nil {
				return Case{}, io.EOF
			}
			continue
		}
		c, err := parseJSONCase(line)
		if err != nil {
			return Case{}, fmt.Errorf("line %d: %w", l.at.line, err)
		}
		return c, nil
	}
}

// maxJSONLine is the longest line that is read, in bytes: far beyond any program,
// so that a file of something else does not take all memory.
const maxJSONLine = 16 << 20

// readLine returns a line with its end.
func (l *jsonLines) readLine() ([]byte, error) {
	var line []byte
	for {
		part, err := l.lines.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > maxJSONLine {
			return nil, fmt.Errorf("it has more than %d MB: not a program as JSON", maxJSONLine>>20)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

func parseJSONCase(line []byte) (Case, error) {
	var j jsonCase
	err := json.Unmarshal(line, &j)
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &kind) && kind.Field != "":
		return Case{}, fmt.Errorf("%s is no string, but a JSON %s", kind.Field, kind.Value)
	case errors.As(err, &kind):
		return Case{}, fmt.Errorf("it is a JSON %s, and no object with code, input and output", kind.Value)
	case err != nil:
		return Case{}, fmt.Errorf("not a JSON object with code, input and output: %w", err)
	case j.Code == "":
		return Case{}, errors.New("it has no code")
	case j.Input == nil:
		return Case{}, errors.New(`it has no input; that of a function without parameters is ""`)
	}
	return Case{Source: j.Code + "\n", Entry: "f(" + *j.Input + ")", Output: j.Output, ID: j.ID}, nil
}
