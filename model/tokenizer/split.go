package tokenizer

import (
	"fmt"
	"unicode"
	"unicode/utf8"

	"github.com/dlclark/regexp2"
	"golang.org/x/text/unicode/norm"
)

// Pattern is the pre-token pattern of the vocabularies that Train learns, in
// the syntax that tokenizer.json shares with Oniguruma. The package comment
// says why it is as it is.
const Pattern = `\p{N}|[^\p{L}\p{N}\r\n']?\p{L}+|[\r\n]+|[^\p{L}\p{N}\r\n]*'(?=\p{L})|[^\p{L}\p{N}\r\n]+(?!\p{L})`

// gpt2Pattern is what a ByteLevel pre-tokenizer with use_regex splits by.
const gpt2Pattern = `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`

// A splitter hands the pre-tokens of text to yield, in order; together they are
// the text.
type splitter func(text string, yield func(piece string))

// splitByPattern returns a splitter that isolates the matches of pattern: each
// match is a pre-token, and so is what lies between two.
func splitByPattern(pattern string) (splitter, error) {
	if pattern == Pattern {
		return splitOwn, nil
	}
	return splitByRegexp(pattern)
}

// splitByRegexp is the general way. The patterns in use need lookahead, which
// the standard library's regexp leaves out.
func splitByRegexp(pattern string) (splitter, error) {
	re, err := regexp2.Compile(pattern, regexp2.None)
	if err != nil {
		return nil, fmt.Errorf("pre-token pattern %q: %w", pattern, err)
	}
	return func(text string, yield func(string)) {
		// regexp2 counts runes. Decoding here keeps invalid bytes: each is
		// one U+FFFD of width 1.
		runes := make([]rune, 0, len(text))
		offsets := make([]int, 0, len(text)+1)
		for i, r := range text {
			runes = append(runes, r)
			offsets = append(offsets, i)
		}
		offsets = append(offsets, len(text))
		end := 0
		// The only error is a timeout, and none is set.
		for m, _ := re.FindRunesMatch(runes); m != nil; m, _ = re.FindNextMatch(m) {
			if m.Index > end {
				yield(text[offsets[end]:offsets[m.Index]])
			}
			if m.Length > 0 {
				yield(text[offsets[m.Index]:offsets[m.Index+m.Length]])
			}
			end = m.Index + m.Length
		}
		if end < len(runes) {
			yield(text[offsets[end]:])
		}
	}, nil
}

// splitOwn splits by Pattern, some hundred times faster than a regular
// expression does.
func splitOwn(text string, yield func(string)) {
	for start := 0; start < len(text); {
		class, size := classify(text[start:])
		end := start + size
		switch class {
		case digit:
		case letter, lineEnd:
			end = runEnd(text, end, class)
		default:
			last := start // the last character of the run
			for end < len(text) {
				next, size := classify(text[end:])
				if next != other {
					break
				}
				last, end = end, end+size
			}
			if text[last] == '\'' || end == len(text) {
				break
			}
			if next, _ := classify(text[end:]); next == letter {
				if last > start {
					yield(text[start:last])
					start = last
				}
				end = runEnd(text, end, letter)
			}
		}
		yield(text[start:end])
		start = end
	}
}

// splitDigits isolates the digits of text: each alone, or each run of them.
func splitDigits(individual bool) splitter {
	return func(text string, yield func(string)) {
		for start := 0; start < len(text); {
			class, size := classify(text[start:])
			end := start + size
			for (class != digit || !individual) && end < len(text) {
				next, size := classify(text[end:])
				if (next == digit) != (class == digit) {
					break
				}
				end += size
			}
			yield(text[start:end])
			start = end
		}
	}
}

// charClass is what Pattern tells apart.
type charClass uint8

const (
	other charClass = iota
	letter
	digit
	lineEnd
)

var asciiClass [utf8.RuneSelf]charClass

func init() {
	for b := range asciiClass {
		asciiClass[b] = runeClass(rune(b))
	}
}

// classify returns the class of the first character of text, and its size in
// bytes. Text is not empty.
func classify(text string) (class charClass, size int) {
	if text[0] < utf8.RuneSelf {
		return asciiClass[text[0]], 1
	}
	r, size := utf8.DecodeRuneInString(text)
	return runeClass(r), size
}

func runeClass(r rune) charClass {
	switch {
	case r == '\r' || r == '\n':
		return lineEnd
	case unicode.IsLetter(r):
		return letter
	case unicode.IsNumber(r):
		return digit
	}
	return other
}

func runEnd(text string, end int, class charClass) int {
	for end < len(text) {
		next, size := classify(text[end:])
		if next != class {
			break
		}
		end += size
	}
	return end
}

func normalise(text string) string { return norm.NFC.String(text) }
