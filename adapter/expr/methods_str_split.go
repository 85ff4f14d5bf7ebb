package expr

import (
	"slices"
	"strings"
	"unicode"

	"go.starlark.net/starlark"
)

// strSplit is split and rsplit.
func strSplit(name string) method {
	return func(e *evaluation, self starlark.Value, a arguments) (starlark.Value, error) {
		v, err := a.bind(name, "sep=? maxsplit=?")
		if err != nil {
			return nil, err
		}
		most := -1
		if v[1] != nil {
			if most, err = asInt(v[1]); err != nil {
				return nil, err
			}
		}
		s := string(self.(str))
		var parts []string
		if v[0] == nil || v[0] == starlark.None {
			parts = splitSpace(s, most, name == "rsplit")
		} else {
			sep, err := asStr(v[0])
			if err != nil {
				return nil, err
			}
			if sep == "" {
				return nil, valueError("empty separator")
			}
			parts = splitAt(s, string(sep), most, name == "rsplit")
		}
		out := make([]starlark.Value, len(parts))
		for i, p := range parts {
			out[i] = str(p)
		}
		return starlark.NewList(out), e.allocate(16*len(out) + len(s))
	}
}

// splitAt splits at a separator, at most some times unless most is negative.
func splitAt(s, sep string, most int, fromRight bool) []string {
	if most < 0 {
		return strings.Split(s, sep)
	}
	if !fromRight {
		return strings.SplitN(s, sep, most+1)
	}
	var parts []string
	for range most {
		at := strings.LastIndex(s, sep)
		if at < 0 {
			break
		}
		parts = append(parts, s[at+len(sep):])
		s = s[:at]
	}
	parts = append(parts, s)
	slices.Reverse(parts)
	return parts
}

// splitSpace splits at runs of white space.
func splitSpace(s string, most int, fromRight bool) []string {
	var parts []string
	if !fromRight {
		for s = strings.TrimLeftFunc(s, isSpace); s != ""; s = strings.TrimLeftFunc(s, isSpace) {
			end := strings.IndexFunc(s, isSpace)
			if end < 0 || most >= 0 && len(parts) == most {
				end = len(s)
			}
			parts = append(parts, s[:end])
			s = s[end:]
		}
		return parts
	}
	for s = strings.TrimRightFunc(s, isSpace); s != ""; s = strings.TrimRightFunc(s, isSpace) {
		start := strings.LastIndexFunc(s, isSpace)
		if start < 0 || most >= 0 && len(parts) == most {
			parts = append(parts, s)
			break
		}
		start += characterSize(s[start:])
		parts = append(parts, s[start:])
		s = s[:start]
	}
	slices.Reverse(parts)
	return parts
}

func strSplitlines(e *evaluation, self starlark.Value, a arguments) (starlark.Value, error) {
	v, err := a.bind("splitlines", "keepends=?")
	if err != nil {
		return nil, err
	}
	keep := false
	if v[0] != nil {
		n, err := asIndex(v[0])
		if err != nil {
			return nil, err
		}
		keep = n.Sign() != 0
	}
	var out []starlark.Value
	for s := string(self.(str)); s != ""; {
		end := strings.IndexFunc(s, isLineEnd)
		if end < 0 {
			out = append(out, str(s))
			break
		}
		next := end + characterSize(s[end:])
		if strings.HasPrefix(s[end:], "\r\n") {
			next = end + 2
		}
		if keep {
			end = next
		}
		out = append(out, str(s[:end]))
		s = s[next:]
	}
	return starlark.NewList(out), e.allocate(16 * len(out))
}

func isLineEnd(r rune) bool {
	switch r {
	case '\n', '\r', '\v', '\f', 0x1c, 0x1d, 0x1e, 0x85, 0x2028, 0x2029:
		return true
	}
	return false
}

// isSpace is str.isspace of one character.
func isSpace(r rune) bool {
	return r >= 0x1c && r <= 0x1f || r >= 9 && r <= 13 || r == 0x85 || unicode.Is(unicode.Z, r) && r != 0x200b
}
