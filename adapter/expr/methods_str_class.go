package expr

import (
	"strings"
	"unicode"

	"go.starlark.net/starlark"

	"github.com/neuraldbg/neuraldbg/statetree/repr"
)

// known makes a test of characters that always has an answer.
func known(f func(rune) bool) func(rune) (bool, error) {
	return func(r rune) (bool, error) { return f(r), nil }
}

// strAll is a method that says whether all characters, and at least one, are of
// some kind.
func strAll(name string, is func(rune) (bool, error)) method {
	return func(e *evaluation, self starlark.Value, a arguments) (starlark.Value, error) {
		if _, err := a.bind(name, ""); err != nil {
			return nil, err
		}
		s := string(self.(str))
		if s == "" {
			return starlark.False, nil
		}
		for rest := s; rest != ""; rest = rest[characterSize(rest):] {
			if ok, err := is(code(rest)); !ok || err != nil {
				return starlark.False, err
			}
		}
		return starlark.True, e.tick(len(s) / 8)
	}
}

func isDecimal(r rune) bool { return unicode.Is(unicode.Nd, r) }

// isDigitRune is isdigit. Which other numbers are digits, such as ², is not in
// Go's tables.
func isDigitRune(r rune) (bool, error) {
	switch {
	case unicode.Is(unicode.Nd, r), r == '²', r == '³', r == '¹':
		return true, nil
	case unicode.Is(unicode.No, r) && r > 0xff:
		return false, unsupported("isdigit of %q is not supported", r)
	}
	return false, nil
}

// isNumeric is isnumeric. Some letters are numbers too, such as those of
// Chinese.
func isNumeric(r rune) (bool, error) {
	if unicode.Is(unicode.Lo, r) && r >= 0x3000 {
		return false, unsupported("isnumeric of %q is not supported", r)
	}
	return unicode.Is(unicode.N, r), nil
}

func isAlnum(r rune) (bool, error) { return unicode.IsLetter(r) || unicode.Is(unicode.N, r), nil }

func strIsASCII(_ *evaluation, self starlark.Value, a arguments) (starlark.Value, error) {
	_, err := a.bind("isascii", "")
	return starlark.Bool(isASCII(string(self.(str)))), err
}

func strIsIdentifier(_ *evaluation, self starlark.Value, a arguments) (starlark.Value, error) {
	_, err := a.bind("isidentifier", "")
	s := string(self.(str))
	for i, r := range s {
		if r != '_' && !unicode.IsLetter(r) && (i == 0 || !unicode.IsDigit(r) && !unicode.Is(unicode.Mn, r) && !unicode.Is(unicode.Mc, r)) {
			return starlark.False, err
		}
	}
	return starlark.Bool(s != ""), err
}

// strIsPrintable asks the writer of reprs, which escapes what is not printable.
func strIsPrintable(_ *evaluation, self starlark.Value, a arguments) (starlark.Value, error) {
	_, err := a.bind("isprintable", "")
	s := strings.NewReplacer(`\`, "", `'`, "", `"`, "").Replace(string(self.(str)))
	return starlark.Bool(!strings.Contains(repr.Value{Kind: repr.String, Text: s}.String(), `\`)), err
}

// strIsCase is islower and isupper: no letter of the other case, and one of this.
func strIsCase(name string) method {
	return func(_ *evaluation, self starlark.Value, a arguments) (starlark.Value, error) {
		_, err := a.bind(name, "")
		found := false
		for _, r := range string(self.(str)) {
			low := unicode.IsLower(r) || unicode.Is(unicode.Other_Lowercase, r)
			up := unicode.IsUpper(r) || unicode.Is(unicode.Other_Uppercase, r)
			if name == "isupper" {
				low, up = up, low
			}
			if up || unicode.IsTitle(r) {
				return starlark.False, err
			}
			found = found || low
		}
		return starlark.Bool(found), err
	}
}

// strIsTitle says whether capitals stand exactly where no letter stands before.
func strIsTitle(_ *evaluation, self starlark.Value, a arguments) (starlark.Value, error) {
	_, err := a.bind("istitle", "")
	before, found := false, false
	for _, r := range string(self.(str)) {
		capital := unicode.IsUpper(r) || unicode.IsTitle(r)
		if capital && before || unicode.IsLower(r) && !before {
			return starlark.False, err
		}
		before = isCased(r)
		found = found || before
	}
	return starlark.Bool(found), err
}
