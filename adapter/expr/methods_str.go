package expr

import (
	"strings"
	"unicode"

	"go.starlark.net/starlark"
	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

// strMethods are the methods of str.
var strMethods = map[string]method{
	"capitalize": strMap("capitalize", capitalize), "casefold": strMap("casefold", func(s string) (string, error) { return cases.Fold().String(s), nil }),
	"center": strPad("center"), "ljust": strPad("ljust"), "rjust": strPad("rjust"), "zfill": strZfill,
	"count": strCount, "encode": func(e *evaluation, self starlark.Value, a arguments) (starlark.Value, error) {
		return encode(e, self.(str), a)
	},
	"startswith": strAffix("startswith", strings.HasPrefix), "endswith": strAffix("endswith", strings.HasSuffix),
	"expandtabs": strExpandtabs, "find": strFind("find", false), "index": strFind("index", false), "rfind": strFind("rfind", true),
	"rindex": strFind("rindex", true), "format": strFormatMethod, "format_map": strFormatMap,
	"isalnum": strAll("isalnum", isAlnum), "isalpha": strAll("isalpha", known(unicode.IsLetter)), "isdecimal": strAll("isdecimal", known(isDecimal)),
	"isdigit": strAll("isdigit", isDigitRune), "isnumeric": strAll("isnumeric", isNumeric), "isspace": strAll("isspace", known(isSpace)),
	"isascii": strIsASCII, "isidentifier": strIsIdentifier, "isprintable": strIsPrintable, "islower": strIsCase("islower"),
	"isupper": strIsCase("isupper"), "istitle": strIsTitle, "join": strJoin, "lower": strMap("lower", lower), "upper": strMap("upper", upper),
	"swapcase": strMap("swapcase", swapcase), "title": strMap("title", title),
	"strip": strStrip("strip", true, true), "lstrip": strStrip("lstrip", true, false), "rstrip": strStrip("rstrip", false, true),
	"partition": strPartition("partition", strings.Index), "rpartition": strPartition("rpartition", strings.LastIndex),
	"removeprefix": strRemove("removeprefix", strings.TrimPrefix), "removesuffix": strRemove("removesuffix", strings.TrimSuffix),
	"replace": strReplace, "split": strSplit("split"), "rsplit": strSplit("rsplit"), "splitlines": strSplitlines,
}

// strMap is a method without arguments that returns another string.
func strMap(name string, f func(string) (string, error)) method {
	return func(e *evaluation, self starlark.Value, a arguments) (starlark.Value, error) {
		if _, err := a.bind(name, ""); err != nil {
			return nil, err
		}
		text := string(self.(str))
		if err := e.allocate(3 * len(text)); err != nil {
			return nil, err
		}
		if !isASCII(text) && hasSurrogates(text) {
			return nil, unsupported("str.%s of lone surrogates is not supported", name)
		}
		out, err := f(text)
		return str(out), err
	}
}

func hasSurrogates(s string) bool {
	for i := 0; i < len(s); i += characterSize(s[i:]) {
		if c := code(s[i:]); c >= 0xd800 && c <= 0xdfff {
			return true
		}
	}
	return false
}

func lower(s string) (string, error) {
	if isASCII(s) {
		return strings.ToLower(s), nil
	}
	return cases.Lower(language.Und).String(s), nil
}

func upper(s string) (string, error) {
	if isASCII(s) {
		return strings.ToUpper(s), nil
	}
	return cases.Upper(language.Und).String(s), nil
}

// plain refuses text in which a letter changes to several ones, or depends on
// its neighbours: the methods that need title case map one letter to one.
func plain(s, name string) error {
	for _, r := range s {
		if r >= 0x80 && (unicode.Is(unicode.Lt, r) || unicode.ToTitle(r) != unicode.ToUpper(r) || r == 'ß' || r == 'Σ' || r == 'ŉ' || r == 'İ' ||
			r >= 0xfb00 && r <= 0xfb17 || r >= 0x1f80 && r <= 0x1fff || r == 'և' || r >= 0x1e96 && r <= 0x1e9a || r == 'ΐ' || r == 'ΰ' || r == 'ǰ') {
			return unsupported("str.%s of %q is not supported", name, r)
		}
	}
	return nil
}

func capitalize(s string) (string, error) {
	if err := plain(s, "capitalize"); err != nil || s == "" {
		return s, err
	}
	size := characterSize(s)
	return strings.ToUpper(s[:size]) + strings.ToLower(s[size:]), nil
}

func swapcase(s string) (string, error) {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsUpper(r):
			return unicode.ToLower(r)
		case unicode.IsLower(r):
			return unicode.ToUpper(r)
		}
		return r
	}, s), plain(s, "swapcase")
}

func title(s string) (string, error) {
	cased := false
	return strings.Map(func(r rune) rune {
		before := cased
		cased = isCased(r)
		if before {
			return unicode.ToLower(r)
		}
		return unicode.ToUpper(r)
	}, s), plain(s, "title")
}

func isCased(r rune) bool { return unicode.IsUpper(r) || unicode.IsLower(r) || unicode.IsTitle(r) }

func strPad(name string) method {
	return func(e *evaluation, self starlark.Value, a arguments) (starlark.Value, error) {
		v, err := a.bind(name, "width fillchar=? /")
		if err != nil {
			return nil, err
		}
		width, err := asInt(v[0])
		if err != nil {
			return nil, err
		}
		fill := str(" ")
		if v[1] != nil {
			if fill, err = asStr(v[1]); err != nil {
				return nil, err
			}
			if fill.length() != 1 {
				return nil, typeError("The fill character must be exactly one character long")
			}
		}
		s := self.(str)
		missing := width - s.length()
		if missing <= 0 {
			return s, nil
		}
		if missing > maxMemory {
			return nil, tooLarge("the width is too large")
		}
		if err := e.allocate(missing * len(fill)); err != nil {
			return nil, err
		}
		before := 0
		switch name {
		case "rjust":
			before = missing
		case "center": // where one is left over, it depends on the width
			before = missing/2 + missing&width&1
		}
		return str(strings.Repeat(string(fill), before)) + s + str(strings.Repeat(string(fill), missing-before)), nil
	}
}

func strZfill(e *evaluation, self starlark.Value, a arguments) (starlark.Value, error) {
	v, err := a.bind("zfill", "width /")
	if err != nil {
		return nil, err
	}
	width, err := asInt(v[0])
	if err != nil {
		return nil, err
	}
	s := self.(str)
	missing := width - s.length()
	if missing <= 0 {
		return s, nil
	}
	if err := e.allocate(missing); err != nil {
		return nil, err
	}
	sign := 0
	if s != "" && (s[0] == '+' || s[0] == '-') {
		sign = 1
	}
	return s[:sign] + str(strings.Repeat("0", missing)) + s[sign:], nil
}

func strExpandtabs(e *evaluation, self starlark.Value, a arguments) (starlark.Value, error) {
	v, err := a.bind("expandtabs", "tabsize=?")
	if err != nil {
		return nil, err
	}
	size := 8
	if v[0] != nil {
		if size, err = asInt(v[0]); err != nil {
			return nil, err
		}
	}
	var out strings.Builder
	column := 0
	for s := string(self.(str)); s != ""; {
		n := characterSize(s)
		switch {
		case s[0] == '\t':
			if size > 0 {
				spaces := size - column%size
				if err := e.allocate(spaces); err != nil {
					return nil, err
				}
				out.WriteString(strings.Repeat(" ", spaces))
				column += spaces
			}
		case s[0] == '\n' || s[0] == '\r':
			column = 0
			out.WriteByte(s[0])
		default:
			column++
			out.WriteString(s[:n])
		}
		s = s[n:]
	}
	return str(out.String()), e.allocate(out.Len())
}

func strFormatMethod(e *evaluation, self starlark.Value, a arguments) (starlark.Value, error) {
	f := strFormat{e: e, arguments: a}
	text, err := f.run(string(self.(str)), 1)
	return str(text), err
}

func strFormatMap(e *evaluation, self starlark.Value, a arguments) (starlark.Value, error) {
	v, err := a.bind("format_map", "mapping /")
	if err != nil {
		return nil, err
	}
	mapping, ok := v[0].(*dict)
	if !ok || mapping.class != "dict" {
		return nil, unsupported("format_map of a %s is not supported", describeType(v[0]))
	}
	f := strFormat{e: e}
	for _, entry := range mapping.entries {
		if name, ok := entry.key.(str); ok {
			f.arguments.named = append(f.arguments.named, field{string(name), entry.value})
		}
	}
	text, err := f.run(string(self.(str)), 1)
	return str(text), err
}

func strJoin(e *evaluation, self starlark.Value, a arguments) (starlark.Value, error) {
	v, err := a.bind("join", "iterable /")
	if err != nil {
		return nil, err
	}
	elements, err := e.collect(v[0], true)
	if err != nil {
		return nil, err
	}
	texts := make([]string, len(elements))
	for i, element := range elements {
		s, ok := element.(str)
		if !ok {
			if err := notKnown(element); err != nil {
				return nil, err
			}
			return nil, typeError("sequence item %d: expected str instance, %s found", i, describeType(element))
		}
		texts[i] = string(s)
	}
	return e.joinStrings(texts, string(self.(str)))
}
