package corpus

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
)

// jsonCase is one line of the form in which CruxEval is published.
type jsonCase struct {
	Code   string `json:"code"`
	Input  string `json:"input"`
	Output string `json:"output"`
	ID     string `json:"id"`
}

// ReadJSONL yields the cases of a file of JSON lines with the fields code, input
// and output, as CruxEval has them (arXiv 2401.03065): code defines f, input is
// the text between the parentheses of its call, output is the result as a
// literal. Blank lines are passed over. An error names the line and ends the sequence.
func ReadJSONL(r io.Reader) iter.Seq2[Case, error] {
	return func(yield func(Case, error) bool) {
		lines := bufio.NewReaderSize(r, 1<<16)
		var index uint64
		for number := 1; ; number++ {
			line, err := lines.ReadBytes('\n')
			if hasCase(line) {
				c, bad := parseJSONCase(line)
				if bad != nil {
					yield(Case{}, fmt.Errorf("line %d: %w", number, bad))
					return
				}
				c.Index = index
				index++
				if !yield(c, nil) {
					return
				}
			}
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield(Case{}, fmt.Errorf("reading line %d: %w", number, err))
				return
			}
		}
	}
}

// hasCase tells whether a line, or a part of it, has more than blanks.
func hasCase(line []byte) bool { return len(bytes.TrimSpace(line)) > 0 }

// ReadJSONLFile reads all cases of a file.
func ReadJSONLFile(path string) ([]Case, error) {
	file, err := os.Open(path)
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

func parseJSONCase(line []byte) (Case, error) {
	var j jsonCase
	if err := json.Unmarshal(line, &j); err != nil {
		return Case{}, fmt.Errorf("not a JSON object with code, input and output: %w", err)
	}
	if j.Code == "" {
		return Case{}, errors.New("it has no code")
	}
	return Case{Source: j.Code + "\n", Entry: "f(" + j.Input + ")", Output: j.Output, ID: j.ID}, nil
}
