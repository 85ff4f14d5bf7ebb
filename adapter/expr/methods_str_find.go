package expr

import (
	"strings"

	"go.starlark.net/starlark"
)

// span resolves the optional start and stop of a search, as slices do. It
// reports false where start is behind the end: nothing is found there, not even
// the empty string.
func span(s str, start, stop starlark.Value) (from, to int, ok bool, err error) {
	n := s.length()
	from, to = 0, n
	for i, v := range []starlark.Value{start, stop} {
		if v == nil || v == starlark.None {
			continue
		}
		at, err := sliceIndex(v)
		if err != nil {
			return 0, 0, false, err
		}
		if at < 0 {
			at = max(0, at+n)
		}
		if i == 0 {
			from = at
		} else {
			to = min(at, n)
		}
	}
	return from, to, from <= to && from <= n, nil
}

func strCount(_ *evaluation, self starlark.Value, a arguments) (starlark.Value, error) {
	v, err := a.bind("count", "sub start=? stop=? /")
	if err != nil {
		return nil, err
	}
	sub, err := asStr(v[0])
	if err != nil {
		return nil, err
	}
	s := self.(str)
	from, to, ok, err := span(s, v[1], v[2])
	if err != nil || !ok {
		return starlark.MakeInt(0), err
	}
	if sub == "" {
		return starlark.MakeInt(to - from + 1), nil
	}
	return starlark.MakeInt(strings.Count(string(s.between(from, to)), string(sub))), nil
}

func strFind(name string, last bool) method {
	return func(_ *evaluation, self starlark.Value, a arguments) (starlark.Value, error) {
		v, err := a.bind(name, "sub start=? stop=? /")
		if err != nil {
			return nil, err
		}
		sub, err := asStr(v[0])
		if err != nil {
			return nil, err
		}
		s := self.(str)
		from, to, ok, err := span(s, v[1], v[2])
		if err != nil {
			return nil, err
		}
		at := -1
		if ok {
			part := string(s.between(from, to))
			if last {
				at = strings.LastIndex(part, string(sub))
			} else {
				at = strings.Index(part, string(sub))
			}
			if at >= 0 {
				at = from + str(part[:at]).length()
			}
		}
		if at < 0 && strings.HasSuffix(name, "index") {
			return nil, valueError("substring not found")
		}
		return starlark.MakeInt(at), nil
	}
}

func strAffix(name string, has func(s, affix string) bool) method {
	return func(_ *evaluation, self starlark.Value, a arguments) (starlark.Value, error) {
		v, err := a.bind(name, "affix start=? stop=? /")
		if err != nil {
			return nil, err
		}
		affixes, ok := v[0].(starlark.Tuple)
		if !ok {
			affixes = starlark.Tuple{v[0]}
		}
		s := self.(str)
		from, to, inside, err := span(s, v[1], v[2])
		if err != nil {
			return nil, err
		}
		for _, affix := range affixes {
			text, ok := affix.(str)
			if !ok {
				if err := notKnown(affix); err != nil {
					return nil, err
				}
				return nil, typeError("%s first arg must be str or a tuple of str, not %s", name, describeType(affix))
			}
			if inside && has(string(s.between(from, to)), string(text)) {
				return starlark.True, nil
			}
		}
		return starlark.False, nil
	}
}

func strStrip(name string, left, right bool) method {
	return func(_ *evaluation, self starlark.Value, a arguments) (starlark.Value, error) {
		v, err := a.bind(name, "chars=? /")
		if err != nil {
			return nil, err
		}
		drop := isSpace
		if v[0] != nil && v[0] != starlark.None {
			set, err := asStr(v[0])
			if err != nil {
				return nil, err
			}
			drop = func(r rune) bool { return strings.ContainsRune(string(set), r) }
		}
		s := string(self.(str))
		if hasSurrogates(s) {
			return nil, unsupported("str.%s of lone surrogates is not supported", name)
		}
		if left {
			s = strings.TrimLeftFunc(s, drop)
		}
		if right {
			s = strings.TrimRightFunc(s, drop)
		}
		return str(s), nil
	}
}

func strPartition(name string, find func(s, sub string) int) method {
	return func(_ *evaluation, self starlark.Value, a arguments) (starlark.Value, error) {
		v, err := a.bind(name, "sep /")
		if err != nil {
			return nil, err
		}
		sep, err := asStr(v[0])
		if err != nil {
			return nil, err
		}
		if sep == "" {
			return nil, valueError("empty separator")
		}
		s := self.(str)
		at := find(string(s), string(sep))
		switch {
		case at >= 0:
			return starlark.Tuple{s[:at], sep, s[at+len(sep):]}, nil
		case name == "partition":
			return starlark.Tuple{s, str(""), str("")}, nil
		}
		return starlark.Tuple{str(""), str(""), s}, nil
	}
}

func strRemove(name string, trim func(s, affix string) string) method {
	return func(_ *evaluation, self starlark.Value, a arguments) (starlark.Value, error) {
		v, err := a.bind(name, "affix /")
		if err != nil {
			return nil, err
		}
		affix, err := asStr(v[0])
		return str(trim(string(self.(str)), string(affix))), err
	}
}

func strReplace(e *evaluation, self starlark.Value, a arguments) (starlark.Value, error) {
	v, err := a.bind("replace", "old new count=? /")
	if err != nil {
		return nil, err
	}
	before, err := asStr(v[0])
	if err != nil {
		return nil, err
	}
	after, err := asStr(v[1])
	if err != nil {
		return nil, err
	}
	count := -1
	if v[2] != nil {
		if count, err = asInt(v[2]); err != nil {
			return nil, err
		}
	}
	s := self.(str)
	most := s.length() + 1
	if before != "" {
		most = strings.Count(string(s), string(before))
	}
	if err := e.allocate(len(s) + most*len(after)); err != nil {
		return nil, err
	}
	return str(strings.Replace(string(s), string(before), string(after), count)), nil
}
