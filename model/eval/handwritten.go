package eval

import (
	"embed"
	"fmt"
	"path"
	"strings"

	"github.com/neuraldbg/neuraldbg/statetree/corpus"
)

// handwritten are short programs as people write them, in the manner of MBPP
// (arXiv 2108.07732): a few functions and the asserts that test them, one a line,
// each `assert CALL == LITERAL`. They were written for this project to measure
// on, and must never be trained on.
//
//go:embed handwritten/*.py
var handwritten embed.FS

// Handwritten returns the cases of the handwritten programs, one for each
// assert, in the order of the files' names. A case's ID is the file's name
// without its ending and the number of the assert, such as "gcd_lcm/2".
func Handwritten() ([]corpus.Case, error) {
	const folder = "handwritten"
	files, err := handwritten.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("read the handwritten programs: %w", err)
	}
	var cases []corpus.Case
	for _, file := range files {
		text, err := handwritten.ReadFile(path.Join(folder, file.Name()))
		if err != nil {
			return nil, fmt.Errorf("read the handwritten programs: %w", err)
		}
		source, asserts := splitAsserts(string(text))
		for i, a := range asserts {
			call, output, ok := splitEqual(a)
			if !ok {
				return nil, fmt.Errorf("read the handwritten programs: %s: %q is not `assert CALL == LITERAL`", file.Name(), a)
			}
			cases = append(cases, corpus.Case{
				Index: uint64(len(cases)), Source: source, Entry: call, Output: output,
				ID: fmt.Sprintf("%s/%d", strings.TrimSuffix(file.Name(), ".py"), i),
			})
		}
	}
	return cases, nil
}

// splitAsserts parts a program from the asserts at its end.
func splitAsserts(text string) (source string, asserts []string) {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if assertion, ok := strings.CutPrefix(line, "assert "); ok {
			asserts = append(asserts, strings.TrimSpace(assertion))
			continue
		}
		b.WriteString(line)
	}
	return strings.TrimRight(b.String(), "\n") + "\n", asserts
}

// splitEqual parts an expression at its first == outside of brackets and strings.
func splitEqual(text string) (left, right string, ok bool) {
	depth, quote := 0, byte(0)
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && quote != 0:
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case strings.IndexByte("([{", c) >= 0:
			depth++
		case strings.IndexByte(")]}", c) >= 0:
			depth--
		case depth == 0 && strings.HasPrefix(text[i:], "=="):
			return strings.TrimSpace(text[:i]), strings.TrimSpace(text[i+2:]), true
		}
	}
	return "", "", false
}
