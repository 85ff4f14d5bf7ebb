package expr

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"go.starlark.net/starlark"

	"github.com/neuraldbg/neuraldbg/statetree/repr"
)

// asError is errors.As for this package's errors.
func asError(err error, target **Error) bool { return errors.As(err, target) }

// maxSafeRepr is far beyond the repr of any result, escapes included.
const maxSafeRepr = 256 << 20

// reprOf is repr(v).
func reprOf(v starlark.Value) string {
	var w writer
	w.write(v)
	return w.out.String()
}

// strOf is str(v).
func strOf(v starlark.Value) string {
	switch v := v.(type) {
	case str:
		return string(v)
	case *enumValue:
		return v.class + "." + v.name
	}
	return reprOf(v)
}

// writer writes reprs. What is longer than maxSafeRepr it cuts.
type writer struct{ out strings.Builder }

func (w *writer) write(v starlark.Value) {
	if w.out.Len() > maxSafeRepr {
		return
	}
	switch v := v.(type) {
	case starlark.NoneType:
		w.out.WriteString("None")
	case starlark.Bool:
		w.out.WriteString(map[bool]string{true: "True", false: "False"}[bool(v)])
	case starlark.Int:
		w.out.WriteString(v.String())
	case starlark.Float:
		w.out.WriteString(writeFloat(float64(v)))
	case str:
		w.out.WriteString(repr.Value{Kind: repr.String, Text: string(v)}.String())
	case bytesValue:
		w.out.WriteString(repr.Value{Kind: repr.Bytes, Text: string(v)}.String())
	case *starlark.List:
		w.elements("[", elementsOf(v), "]")
	case starlark.Tuple:
		closing := ")"
		if len(v) == 1 {
			closing = ",)"
		}
		w.elements("(", v, closing)
	case *dict:
		w.dict(v)
	case *set:
		w.set(v)
	case *view:
		kind := v.kind
		if v.of.class == "OrderedDict" {
			kind = "o" + kind
		}
		w.elements(kind+"([", v.elements(), "])")
	case *enumValue:
		w.out.WriteString("<" + v.class + "." + v.name + ": ")
		if v.value != nil {
			w.write(v.value)
		}
		w.out.WriteByte('>')
	case *starlark.Function:
		w.out.WriteString("<function <lambda>>")
	default:
		w.out.WriteString(v.String())
	}
}

func (w *writer) elements(opening string, elements []starlark.Value, closing string) {
	w.out.WriteString(opening)
	for i, element := range elements {
		if i > 0 {
			w.out.WriteString(", ")
		}
		w.write(element)
	}
	w.out.WriteString(closing)
}

func (w *writer) dict(v *dict) {
	if v.text != "" {
		w.out.WriteString(v.text)
		return
	}
	w.out.WriteByte('{')
	for i, entry := range v.entries {
		if i > 0 {
			w.out.WriteString(", ")
		}
		w.write(entry.key)
		w.out.WriteString(": ")
		w.write(entry.value)
	}
	w.out.WriteByte('}')
}

func (w *writer) set(v *set) {
	switch {
	case len(v.elements) == 0:
		w.out.WriteString(v.Type() + "()")
	case v.frozen:
		w.elements("frozenset({", v.elements, "})")
	default:
		w.elements("{", v.elements, "}")
	}
}

// writeFloat is the repr of a float: the shortest text that reads back as it.
func writeFloat(f float64) string {
	switch {
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	case math.IsNaN(f):
		return "nan"
	}
	text := shortestFloat(f)
	if strings.ContainsAny(text, ".e") {
		return text
	}
	return text + ".0"
}

// shortestFloat is writeFloat without the .0 of whole numbers.
func shortestFloat(f float64) string {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return writeFloat(f)
	}
	scientific := strconv.FormatFloat(f, 'e', -1, 64)
	exponent, _ := strconv.Atoi(scientific[strings.IndexByte(scientific, 'e')+1:])
	if exponent < -4 || exponent >= 16 {
		return scientific
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}

// writeComplex is the repr of a complex number.
func writeComplex(c complex128) string {
	im := shortestFloat(imag(c))
	if real(c) == 0 && !math.Signbit(real(c)) {
		return im + "j"
	}
	if im[0] != '-' {
		im = "+" + im
	}
	return "(" + shortestFloat(real(c)) + im + "j)"
}

// text is str(v), or repr(v) for conversion "r", counted and checked.
func (e *evaluation) text(v starlark.Value, conversion string) (string, error) {
	if err := e.checkText(v); err != nil {
		return "", err
	}
	var out string
	switch conversion {
	case "r":
		out = reprOf(v)
	case "a":
		out = ascii(reprOf(v))
	default:
		if x, ok := v.(*object); ok {
			return e.objectText(x)
		}
		if x, ok := v.(*enumValue); ok {
			if _, isInt := x.value.(starlark.Int); isInt {
				return "", unsupported("the text of %s depends on its class; use its .name or .value", x)
			}
			if _, isStr := x.value.(str); isStr {
				return "", unsupported("the text of %s depends on its class; use its .name or .value", x)
			}
		}
		out = strOf(v)
	}
	return out, e.allocate(len(out))
}

// objectText is str of an object, where the repr tells it.
func (e *evaluation) objectText(v *object) (string, error) {
	switch {
	case isException(v) && len(v.fields) == 0 && lastName(v.class) != "KeyError":
		switch len(v.positional) {
		case 0:
			return "", nil
		case 1:
			return e.text(v.positional[0], "")
		}
		return e.text(starlark.Tuple(v.positional), "")
	case isDataLike(v) && !isDateLike(v.class):
		return v.text, nil
	}
	return "", unsupported("str of a %s is not supported", describeType(v))
}

// checkText refuses values whose text is not known or too long.
func (e *evaluation) checkText(v starlark.Value) error {
	if o, ok := v.(*opaque); ok {
		if o.cut {
			return notKnown(v)
		}
		return nil
	}
	if t, ok := v.(typeValue); ok && strings.HasPrefix(string(t), "?.") {
		return unknown("the module of the class %s is not known; type(...).__name__ is", lastName(string(t)))
	}
	if o, ok := v.(*iterator); ok {
		return unsupported("the text of a %s holds its address", o.class)
	}
	if f, ok := v.(*starlark.Function); ok {
		return unsupported("the text of a %s holds its address", typeName(f))
	}
	if i, ok := v.(starlark.Int); ok && bitLen(i) > maxTextBits {
		return tooManyDigits("")
	}
	if s, ok := v.(*set); ok && s.unordered {
		return unknown("the order of this set's elements is not known; sorted(...) has one")
	}
	if isContainer(v) {
		return e.eachPart(v, e.checkText)
	}
	return nil
}

// maxTextBits is more than the bits of integers that Python writes: those of up
// to 4,300 digits.
const maxTextBits = 14284

func isContainer(v starlark.Value) bool {
	switch v.(type) {
	case *starlark.List, starlark.Tuple, *dict, *set, *view:
		return true
	}
	return false
}

// eachPart calls f for the direct parts of a collection.
func (e *evaluation) eachPart(v starlark.Value, f func(starlark.Value) error) error {
	var parts []starlark.Value
	switch v := v.(type) {
	case *starlark.List:
		parts = elementsOf(v)
	case starlark.Tuple:
		parts = v
	case *set:
		parts = v.elements
	case *view:
		parts = v.elements()
	case *dict:
		for _, entry := range v.entries {
			parts = append(parts, entry.key, entry.value)
		}
	}
	if err := e.tick(len(parts) + 1); err != nil {
		return err
	}
	for _, p := range parts {
		if err := f(p); err != nil {
			return err
		}
	}
	return nil
}

// checkSize refuses results whose repr would be very long, or which have very many
// parts: whoever shows them takes each apart. Values share parts, so that a small one
// may have a repr that fills the memory.
func (e *evaluation) checkSize(v starlark.Value) error {
	size, parts := 0, 0
	var add func(starlark.Value) error
	add = func(v starlark.Value) error {
		switch v := v.(type) {
		case str:
			size += len(v)
		case bytesValue:
			size += len(v)
		case starlark.Int:
			if bitLen(v) > maxTextBits {
				return tooLarge("the integer is too large to be shown")
			}
			size += bitLen(v) / 3
		case *dict:
			size += len(v.text)
		case *opaque:
			size += len(v.text)
		case typeValue:
			if err := e.checkText(v); err != nil {
				return err
			}
		}
		size += 8
		parts++
		if size > maxRepr || parts > maxParts {
			return tooLarge("the result is too large to be shown; look at a part of it, such as [:100], or at its len")
		}
		if isContainer(v) {
			return e.eachPart(v, add)
		}
		return nil
	}
	return add(v)
}

// ascii escapes all that is not ASCII, as the built-in function ascii does.
func ascii(text string) string {
	if isASCII(text) {
		return text
	}
	var out strings.Builder
	for s := text; s != ""; {
		size := characterSize(s)
		switch r := code(s); {
		case r < 0x80:
			out.WriteRune(r)
		case r <= 0xff:
			out.WriteString(`\x` + hexadecimal(r, 2))
		case r <= 0xffff:
			out.WriteString(`\u` + hexadecimal(r, 4))
		default:
			out.WriteString(`\U` + hexadecimal(r, 8))
		}
		s = s[size:]
	}
	return out.String()
}

func hexadecimal(r rune, digits int) string {
	text := strconv.FormatInt(int64(r), 16)
	return strings.Repeat("0", digits-len(text)) + text
}
