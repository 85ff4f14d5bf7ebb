package expr

import (
	"strconv"
	"strings"

	"go.starlark.net/starlark"
)

// strFormat is one call of str.format.
type strFormat struct {
	e         *evaluation
	arguments arguments
	automatic int  // the next number of {}
	manual    bool // a number was given
}

// run replaces the fields of a text. Fields in a format are one level deep.
func (f *strFormat) run(text string, depth int) (string, error) {
	if depth > 2 {
		return "", valueError("Max string recursion exceeded")
	}
	var out strings.Builder
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case (c == '{' || c == '}') && i+1 < len(text) && text[i+1] == c:
			out.WriteByte(c)
			i += 2
		case c == '}':
			return "", valueError("Single '}' encountered in format string")
		case c == '{':
			end := matchingBrace(text[i:])
			if end < 0 {
				return "", valueError("expected '}' before end of string")
			}
			written, err := f.field(text[i+1:i+end], depth)
			if err != nil {
				return "", err
			}
			out.WriteString(written)
			if err := f.e.allocate(len(written)); err != nil {
				return "", err
			}
			i += end + 1
		default:
			out.WriteByte(c)
			i++
		}
	}
	return out.String(), nil
}

func matchingBrace(text string) int {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// field writes one field: name, conversion and format.
func (f *strFormat) field(text string, depth int) (string, error) {
	name, format := text, ""
	conversion := ""
	brackets := 0
	for i := range len(text) {
		if text[i] == '[' {
			brackets++
		}
		if text[i] == ']' {
			brackets--
		}
		if brackets <= 0 && (text[i] == ':' || text[i] == '!') {
			name = text[:i]
			rest := text[i:]
			if rest[0] == '!' {
				if len(rest) < 2 {
					return "", valueError("end of string while looking for conversion specifier")
				}
				conversion = rest[1:2]
				rest = rest[2:]
				if rest != "" && rest[0] != ':' {
					return "", valueError("expected ':' after conversion specifier")
				}
				if strings.IndexByte("rsa", conversion[0]) < 0 {
					return "", valueError("Unknown conversion specifier %s", conversion)
				}
			}
			format = strings.TrimPrefix(rest, ":")
			break
		}
	}
	v, err := f.lookup(name)
	if err != nil {
		return "", err
	}
	if strings.ContainsAny(format, "{}") {
		if format, err = f.run(format, depth+1); err != nil {
			return "", err
		}
	}
	if v, err = f.e.convert(v, conversion); err != nil {
		return "", err
	}
	return f.e.format(v, format)
}

// lookup finds the value of a field's name: an argument, then attributes and
// items.
func (f *strFormat) lookup(name string) (starlark.Value, error) {
	end := strings.IndexAny(name, ".[")
	if end < 0 {
		end = len(name)
	}
	v, err := f.argument(name[:end])
	for rest := name[end:]; err == nil && rest != ""; {
		if rest[0] == '.' {
			stop := strings.IndexAny(rest[1:], ".[")
			if stop < 0 {
				stop = len(rest) - 1
			}
			if stop == 0 {
				return nil, valueError("Empty attribute in format string")
			}
			v, err = f.e.attribute(v, rest[1:1+stop])
			rest = rest[1+stop:]
			continue
		}
		stop := strings.IndexByte(rest, ']')
		switch {
		case rest[0] != '[':
			return nil, valueError("Only '.' or '[' may follow ']' in format field specifier")
		case stop < 0:
			return nil, valueError("Missing ']' in format string")
		case stop == 1:
			return nil, valueError("Empty attribute in format string")
		}
		var key starlark.Value = str(rest[1:stop])
		if n, notDigits := strconv.ParseUint(rest[1:stop], 10, 31); notDigits == nil {
			key = starlark.MakeUint64(n)
		}
		v, err = f.e.index(v, key)
		rest = rest[stop+1:]
	}
	return v, err
}

func (f *strFormat) argument(name string) (starlark.Value, error) {
	number, err := strconv.ParseUint(name, 10, 31)
	switch {
	case name == "":
		if f.manual {
			return nil, valueError("cannot switch from manual field specification to automatic field numbering")
		}
		number = uint64(f.automatic)
		f.automatic++
	case err == nil:
		if f.automatic > 0 {
			return nil, valueError("cannot switch from automatic field numbering to manual field specification")
		}
		f.manual = true
	default:
		for _, n := range f.arguments.named {
			if n.name == name {
				return n.value, nil
			}
		}
		return nil, raise("KeyError", "%s", reprOf(str(name)))
	}
	if int(number) >= len(f.arguments.positional) {
		return nil, raise("IndexError", "Replacement index %d out of range for positional args tuple", number)
	}
	return f.arguments.positional[number], nil
}
