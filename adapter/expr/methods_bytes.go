package expr

import (
	"encoding/hex"
	"strings"
	"unicode/utf8"

	"go.starlark.net/starlark"
)

// bytesMethods are the methods of bytes; most programs need few.
var bytesMethods = map[string]method{
	"decode": func(e *evaluation, self starlark.Value, a arguments) (starlark.Value, error) {
		return decode(e, self.(bytesValue), a)
	},
	"hex": bytesHex, "count": bytesSearch("count"), "find": bytesSearch("find"), "index": bytesSearch("index"),
	"startswith": bytesAffix("startswith", strings.HasPrefix), "endswith": bytesAffix("endswith", strings.HasSuffix),
	"lower": bytesMap("lower", func(c byte) byte {
		if c >= 'A' && c <= 'Z' {
			return c + 'a' - 'A'
		}
		return c
	}),
	"upper": bytesMap("upper", func(c byte) byte {
		if c >= 'a' && c <= 'z' {
			return c - 'a' + 'A'
		}
		return c
	}),
	"strip": bytesStrip, "split": bytesSplit, "join": bytesJoin, "replace": bytesReplace,
}

// codec returns the name of an encoding and how errors are handled.
func codec(name string, a arguments) (encoding string, err error) {
	v, err := a.bind(name, "encoding=? errors=?")
	if err != nil {
		return "", err
	}
	encoding = "utf-8"
	if v[0] != nil {
		s, err := asStr(v[0])
		if err != nil {
			return "", err
		}
		encoding = strings.ReplaceAll(strings.ToLower(string(s)), "_", "-")
	}
	if v[1] != nil {
		if s, ok := v[1].(str); !ok || s != "strict" {
			return "", unsupported("error handlers of encodings are not supported")
		}
	}
	switch encoding {
	case "utf8", "utf-8", "u8":
		return "utf-8", nil
	case "ascii", "us-ascii":
		return "ascii", nil
	case "latin-1", "latin1", "iso-8859-1", "l1":
		return "latin-1", nil
	}
	return "", unsupported("the encoding %s is not supported", encoding)
}

func encode(e *evaluation, s str, a arguments) (starlark.Value, error) {
	encoding, err := codec("encode", a)
	if err != nil {
		return nil, err
	}
	if err := e.allocate(len(s)); err != nil {
		return nil, err
	}
	most := map[string]rune{"utf-8": 0x10ffff, "ascii": 0x7f, "latin-1": 0xff}[encoding]
	out := make([]byte, 0, len(s))
	for rest := string(s); rest != ""; {
		size := characterSize(rest)
		c := code(rest)
		switch {
		case c > most || c >= 0xd800 && c <= 0xdfff:
			return nil, raise("UnicodeEncodeError", "'%s' codec can't encode character '%s'", encoding, ascii(string(c)))
		case encoding == "utf-8":
			out = append(out, rest[:size]...)
		default:
			out = append(out, byte(c))
		}
		rest = rest[size:]
	}
	return bytesValue(out), nil
}

func decode(e *evaluation, b bytesValue, a arguments) (starlark.Value, error) {
	encoding, err := codec("decode", a)
	if err != nil {
		return nil, err
	}
	if err := e.allocate(2 * len(b)); err != nil {
		return nil, err
	}
	switch {
	case encoding == "latin-1":
		var out strings.Builder
		for i := range len(b) {
			out.WriteRune(rune(b[i]))
		}
		return str(out.String()), nil
	case encoding == "utf-8" && utf8.ValidString(string(b)), encoding == "ascii" && isASCII(string(b)):
		return str(b), nil
	}
	return nil, raise("UnicodeDecodeError", "'%s' codec can't decode these bytes", encoding)
}

func asBytes(v starlark.Value) (bytesValue, error) {
	if b, ok := v.(bytesValue); ok {
		return b, nil
	}
	if err := notKnown(v); err != nil {
		return "", err
	}
	return "", typeError("a bytes-like object is required, not '%s'", describeType(v))
}

func bytesHex(_ *evaluation, self starlark.Value, a arguments) (starlark.Value, error) {
	if len(a.positional)+len(a.named) > 0 {
		return nil, unsupported("separators of bytes.hex are not supported")
	}
	return str(hex.EncodeToString([]byte(self.(bytesValue)))), nil
}

func bytesSearch(name string) method {
	return func(_ *evaluation, self starlark.Value, a arguments) (starlark.Value, error) {
		v, err := a.bind(name, "sub /")
		if err != nil {
			return nil, unsupported("bytes.%s with bounds is not supported", name)
		}
		if i, ok := v[0].(starlark.Int); ok {
			n := clamp(i)
			if n < 0 || n > 255 {
				return nil, valueError("byte must be in range(0, 256)")
			}
			v[0] = bytesValue([]byte{byte(n)})
		}
		sub, err := asBytes(v[0])
		if err != nil {
			return nil, err
		}
		s := string(self.(bytesValue))
		if name == "count" {
			if sub == "" {
				return starlark.MakeInt(len(s) + 1), nil
			}
			return starlark.MakeInt(strings.Count(s, string(sub))), nil
		}
		at := strings.Index(s, string(sub))
		if at < 0 && name == "index" {
			return nil, valueError("subsection not found")
		}
		return starlark.MakeInt(at), nil
	}
}

func bytesAffix(name string, has func(s, affix string) bool) method {
	return func(_ *evaluation, self starlark.Value, a arguments) (starlark.Value, error) {
		if len(a.positional) > 1 {
			return nil, unsupported("bytes.%s with bounds is not supported", name)
		}
		v, err := a.bind(name, "affix /")
		if err != nil {
			return nil, err
		}
		affixes, ok := v[0].(starlark.Tuple)
		if !ok {
			affixes = starlark.Tuple{v[0]}
		}
		for _, affix := range affixes {
			b, err := asBytes(affix)
			if err != nil {
				return nil, err
			}
			if has(string(self.(bytesValue)), string(b)) {
				return starlark.True, nil
			}
		}
		return starlark.False, nil
	}
}

func bytesMap(name string, f func(byte) byte) method {
	return func(e *evaluation, self starlark.Value, a arguments) (starlark.Value, error) {
		if _, err := a.bind(name, ""); err != nil {
			return nil, err
		}
		out := []byte(self.(bytesValue))
		for i, c := range out {
			out[i] = f(c)
		}
		return bytesValue(out), e.allocate(len(out))
	}
}

func bytesStrip(_ *evaluation, self starlark.Value, a arguments) (starlark.Value, error) {
	v, err := a.bind("strip", "bytes=? /")
	if err != nil {
		return nil, err
	}
	set := bytesValue(" \t\n\r\v\f")
	if v[0] != nil && v[0] != starlark.None {
		if set, err = asBytes(v[0]); err != nil {
			return nil, err
		}
	}
	b := self.(bytesValue)
	for b != "" && strings.IndexByte(string(set), b[0]) >= 0 {
		b = b[1:]
	}
	for b != "" && strings.IndexByte(string(set), b[len(b)-1]) >= 0 {
		b = b[:len(b)-1]
	}
	return b, nil
}

func bytesSplit(e *evaluation, self starlark.Value, a arguments) (starlark.Value, error) {
	v, err := a.bind("split", "sep=? maxsplit=?")
	if err != nil {
		return nil, err
	}
	if v[0] == nil || v[0] == starlark.None {
		return nil, unsupported("bytes.split without a separator is not supported")
	}
	sep, err := asBytes(v[0])
	if err != nil {
		return nil, err
	}
	if sep == "" {
		return nil, valueError("empty separator")
	}
	most := -1
	if v[1] != nil {
		if most, err = asInt(v[1]); err != nil {
			return nil, err
		}
	}
	var out []starlark.Value
	for _, part := range splitAt(string(self.(bytesValue)), string(sep), most, false) {
		out = append(out, bytesValue(part))
	}
	return starlark.NewList(out), e.allocate(16 * len(out))
}

func bytesJoin(e *evaluation, self starlark.Value, a arguments) (starlark.Value, error) {
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
		b, err := asBytes(element)
		if err != nil {
			return nil, err
		}
		texts[i] = string(b)
	}
	joined, err := e.joinStrings(texts, string(self.(bytesValue)))
	return bytesValue(joined), err
}

func bytesReplace(e *evaluation, self starlark.Value, a arguments) (starlark.Value, error) {
	v, err := a.bind("replace", "old new count=? /")
	if err != nil {
		return nil, err
	}
	before, err := asBytes(v[0])
	if err != nil {
		return nil, err
	}
	after, err := asBytes(v[1])
	if err != nil {
		return nil, err
	}
	if before == "" || v[2] != nil {
		return nil, unsupported("this bytes.replace is not supported")
	}
	b := self.(bytesValue)
	if err := e.allocate(len(b) + strings.Count(string(b), string(before))*len(after)); err != nil {
		return nil, err
	}
	return bytesValue(strings.ReplaceAll(string(b), string(before), string(after))), nil
}
