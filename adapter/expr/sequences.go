package expr

import (
	"unicode/utf8"

	"go.starlark.net/starlark"
)

// writeRune appends a code point in UTF-8, lone surrogates as in WTF-8.
func writeRune(out interface{ Write([]byte) (int, error) }, r rune) {
	if utf8.ValidRune(r) {
		var buffer [utf8.UTFMax]byte
		out.Write(buffer[:utf8.EncodeRune(buffer[:], r)])
		return
	}
	out.Write([]byte{0xe0 | byte(r>>12), 0x80 | byte(r>>6)&0x3f, 0x80 | byte(r)&0x3f})
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// characterSize returns how many bytes the first character of s has.
func characterSize(s string) int {
	if len(s) >= 3 && s[0] == 0xed && s[1] >= 0xa0 { // a lone surrogate
		return 3
	}
	_, size := utf8.DecodeRuneInString(s)
	return size
}

// code returns the code point of the first character of s.
func code(s string) rune {
	if len(s) >= 3 && s[0] == 0xed && s[1] >= 0xa0 {
		return 0xd000 | rune(s[1]&0x3f)<<6 | rune(s[2]&0x3f)
	}
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// offsets returns where the characters of s begin, and its length; nil when
// every character is one byte.
func offsets(s string) []int {
	if isASCII(s) {
		return nil
	}
	out := make([]int, 0, len(s)+1)
	for i := 0; i < len(s); i += characterSize(s[i:]) {
		out = append(out, i)
	}
	return append(out, len(s))
}

// length is len() of a string.
func (v str) length() int {
	if isASCII(string(v)) {
		return len(v)
	}
	return len(offsets(string(v))) - 1
}

// characters returns the one-character strings that s consists of.
func characters(v str) []starlark.Value {
	out := make([]starlark.Value, 0, len(v))
	for s := string(v); s != ""; {
		size := characterSize(s)
		out = append(out, str(s[:size]))
		s = s[size:]
	}
	return out
}

// between returns the characters from one index to another.
func (v str) between(start, end int) str {
	if at := offsets(string(v)); at != nil {
		return v[at[start]:at[end]]
	}
	return v[start:end]
}

// size is len(v).
func (e *evaluation) size(v starlark.Value) (int, error) {
	switch v := v.(type) {
	case str:
		return v.length(), e.tick(len(v) / 16)
	case bytesValue:
		return len(v), nil
	case *starlark.List:
		return v.Len(), nil
	case starlark.Tuple:
		return len(v), nil
	case *dict:
		return len(v.entries), nil
	case *set:
		return len(v.elements), nil
	case *view:
		return len(v.of.entries), nil
	case rangeValue:
		return v.count(), nil
	case *sequence:
		return len(v.elements), nil
	case *object, *enumValue:
		return 0, unsupported("whether %s has a length depends on its class", shorten(v.String()))
	}
	if err := notKnown(v); err != nil {
		return 0, err
	}
	return 0, typeError("object of type '%s' has no len()", describeType(v))
}

// index is v[i].
func (e *evaluation) index(v, i starlark.Value) (starlark.Value, error) {
	if mapping, ok := v.(*dict); ok {
		return e.item(mapping, i)
	}
	switch v := v.(type) {
	case str, bytesValue, *starlark.List, starlark.Tuple, rangeValue, *sequence:
		if s, ok := i.(sliceValue); ok {
			return e.slice(v, s)
		}
		return e.element(v, i)
	case *object, *enumValue:
		return nil, unsupported("what %s has at an index depends on its class", shorten(v.String()))
	case typeValue:
		return nil, unsupported("generic types are not supported")
	}
	if err := notKnown(v); err != nil {
		return nil, err
	}
	return nil, typeError("'%s' object is not subscriptable", describeType(v))
}

func (e *evaluation) item(v *dict, key starlark.Value) (starlark.Value, error) {
	if _, ok := key.(sliceValue); ok {
		return nil, typeError("unhashable type: 'slice'")
	}
	value, err := v.get(e, key)
	switch {
	case value != nil || err != nil:
		return value, err
	case v.class == "Counter":
		return starlark.MakeInt(0), nil
	case v.class == "defaultdict":
		return nil, unsupported("a missing key of a defaultdict would be added, and evaluation changes nothing; use .get")
	}
	return nil, raise("KeyError", "%s", reprOf(key))
}

func (e *evaluation) element(v, i starlark.Value) (starlark.Value, error) {
	n, err := e.size(v)
	if err != nil {
		return nil, err
	}
	if _, isInt := i.(starlark.Int); !isInt {
		if _, isBool := i.(starlark.Bool); !isBool {
			if err := notKnown(i); err != nil {
				return nil, err
			}
			return nil, typeError("%s indices must be integers or slices, not %s", describeType(v), describeType(i))
		}
	}
	at, err := asInt(i)
	if err != nil {
		return nil, err
	}
	if at < 0 {
		at += n
	}
	if at < 0 || at >= n {
		return nil, raise("IndexError", "%s index out of range", describeType(v))
	}
	switch v := v.(type) {
	case str:
		return v.between(at, at+1), nil
	case bytesValue:
		return starlark.MakeInt(int(v[at])), nil
	case *starlark.List:
		return v.Index(at), nil
	case starlark.Tuple:
		return v[at], nil
	case rangeValue:
		return starlark.MakeInt(v.at(at)), nil
	}
	return v.(*sequence).elements[at], nil
}

// bounds are a slice of a sequence of known length: indices, and how many
// elements there are from start to stop.
type bounds struct{ start, stop, step, count int }

// bounds resolves a slice of a sequence with n elements.
func (s sliceValue) bounds(n int) (b bounds, err error) {
	b.step = 1
	if s.step != starlark.None {
		if b.step, err = sliceIndex(s.step); err != nil {
			return b, err
		}
		if b.step == 0 {
			return b, valueError("slice step cannot be zero")
		}
	}
	low, high := 0, n
	if b.step < 0 {
		low, high = -1, n-1
	}
	resolve := func(v starlark.Value, otherwise int) (int, error) {
		if v == starlark.None {
			return otherwise, nil
		}
		i, err := sliceIndex(v)
		if i < 0 {
			i += n
		}
		return min(max(i, low), high), err
	}
	first, last := low, high
	if b.step < 0 {
		first, last = high, low
	}
	if b.start, err = resolve(s.start, first); err != nil {
		return b, err
	}
	if b.stop, err = resolve(s.stop, last); err != nil {
		return b, err
	}
	switch {
	case b.step > 0 && b.stop > b.start:
		b.count = (b.stop-b.start-1)/b.step + 1
	case b.step < 0 && b.stop < b.start:
		b.count = (b.start-b.stop-1)/-b.step + 1
	}
	return b, nil
}

func sliceIndex(v starlark.Value) (int, error) {
	i, err := asIndex(v)
	if err != nil {
		if notKnown(v) != nil {
			return 0, err
		}
		return 0, typeError("slice indices must be integers or None or have an __index__ method")
	}
	return clamp(i), nil
}

// slice is v[a:b:c].
func (e *evaluation) slice(v starlark.Value, s sliceValue) (starlark.Value, error) {
	n, err := e.size(v)
	if err != nil {
		return nil, err
	}
	at, err := s.bounds(n)
	if err != nil {
		return nil, err
	}
	if _, ok := v.(rangeValue); !ok {
		if err := e.allocate(16 * at.count); err != nil {
			return nil, err
		}
		if err := e.tick(at.count); err != nil {
			return nil, err
		}
	}
	switch v := v.(type) {
	case str:
		return sliceString(v, at), nil
	case bytesValue:
		out := make([]byte, at.count)
		for i := range out {
			out[i] = v[at.start+i*at.step]
		}
		return bytesValue(out), nil
	case *starlark.List:
		out := make([]starlark.Value, at.count)
		for i := range out {
			out[i] = v.Index(at.start + i*at.step)
		}
		return starlark.NewList(out), nil
	case starlark.Tuple:
		out := make(starlark.Tuple, at.count)
		for i := range out {
			out[i] = v[at.start+i*at.step]
		}
		return out, nil
	case rangeValue:
		return rangeValue{v.at(at.start), v.at(at.stop), at.step * v.step}, nil
	}
	q := v.(*sequence)
	if q.class == "deque" {
		return nil, typeError("sequence index must be integer, not 'slice'")
	}
	return nil, unsupported("slices of a %s are not supported", q.class)
}

func sliceString(v str, at bounds) str {
	if at.count == 0 {
		return ""
	}
	if at.step == 1 {
		return v.between(at.start, at.stop)
	}
	begins := offsets(string(v))
	out := make([]byte, 0, at.count)
	for i := range at.count {
		from := at.start + i*at.step
		if begins == nil {
			out = append(out, v[from])
		} else {
			out = append(out, v[begins[from]:begins[from+1]]...)
		}
	}
	return str(out)
}

// concatenate is a + b of sequences; nil when they are none, or not of one type.
func (e *evaluation) concatenate(a, b starlark.Value) (starlark.Value, error) {
	switch x := a.(type) {
	case str:
		if y, ok := b.(str); ok {
			return x + y, e.allocate(len(x) + len(y))
		}
		return nil, typeError(`can only concatenate str (not "%s") to str`, describeType(b))
	case bytesValue:
		if y, ok := b.(bytesValue); ok {
			return x + y, e.allocate(len(x) + len(y))
		}
		return nil, typeError("can't concat %s to bytes", describeType(b))
	case *starlark.List:
		if y, ok := b.(*starlark.List); ok {
			if err := e.allocate(16 * (x.Len() + y.Len())); err != nil {
				return nil, err
			}
			return starlark.NewList(append(elementsOf(x), elementsOf(y)...)), nil
		}
		return nil, typeError(`can only concatenate list (not "%s") to list`, describeType(b))
	case starlark.Tuple:
		if y, ok := b.(starlark.Tuple); ok {
			if err := e.allocate(16 * (len(x) + len(y))); err != nil {
				return nil, err
			}
			return append(append(make(starlark.Tuple, 0, len(x)+len(y)), x...), y...), nil
		}
		return nil, typeError(`can only concatenate tuple (not "%s") to tuple`, describeType(b))
	}
	return nil, nil
}

// repeat is a * b with a sequence and an int, in any order; nil otherwise.
func (e *evaluation) repeat(a, b starlark.Value) (starlark.Value, error) {
	if rank(a) == 1 {
		a, b = b, a
	}
	size := 0
	switch v := a.(type) {
	case str:
		size = len(v)
	case bytesValue:
		size = len(v)
	case *starlark.List:
		size = 16 * v.Len()
	case starlark.Tuple:
		size = 16 * len(v)
	default:
		return nil, nil
	}
	if rank(b) != 1 {
		return nil, typeError("can't multiply sequence by non-int of type '%s'", describeType(b))
	}
	if _, fits := toInt(b).Int64(); !fits {
		return nil, raise("OverflowError", "cannot fit 'int' into an index-sized integer")
	}
	times := max(0, clamp(toInt(b)))
	if size > 0 && times > maxMemory/size {
		return nil, tooLarge("the sequence is too long")
	}
	if size == 0 {
		times = 0
	}
	if err := e.allocate(size * times); err != nil {
		return nil, err
	}
	if err := e.tick(size * times / 16); err != nil {
		return nil, err
	}
	switch v := a.(type) {
	case str:
		return str(repeatBytes(string(v), times)), nil
	case bytesValue:
		return bytesValue(repeatBytes(string(v), times)), nil
	case *starlark.List:
		return starlark.NewList(repeatElements(elementsOf(v), times)), nil
	}
	return starlark.Tuple(repeatElements(a.(starlark.Tuple), times)), nil
}

func repeatBytes(s string, times int) []byte {
	out := make([]byte, 0, len(s)*times)
	for range times {
		out = append(out, s...)
	}
	return out
}

func repeatElements(v []starlark.Value, times int) []starlark.Value {
	out := make([]starlark.Value, 0, len(v)*times)
	for range times {
		out = append(out, v...)
	}
	return out
}

// combine is |, &, - and ^ of sets, and | of dicts; nil for other operands.
func (e *evaluation) combine(op string, a, b starlark.Value) (starlark.Value, error) {
	if x, ok := a.(*dict); ok && op == "|" {
		if y, ok := b.(*dict); ok {
			if x.class != "dict" || y.class != "dict" {
				return nil, unsupported("| of a %s and a %s is not supported", x.class, y.class)
			}
			return e.merge(x, y)
		}
	}
	if typed(a) && typed(b) && op == "|" {
		return nil, unsupported("unions of types are not supported")
	}
	x, xok, err := e.setLike(a)
	if err != nil || !xok {
		return nil, err
	}
	y, yok, err := e.setLike(b)
	if err != nil || !yok {
		return nil, err
	}
	return e.combineSets(op, x, y)
}

func typed(v starlark.Value) bool {
	switch v.(type) {
	case typeValue, starlark.NoneType:
		return true
	}
	return false
}

func (e *evaluation) merge(a, b *dict) (starlark.Value, error) {
	out := newDict()
	for _, d := range []*dict{a, b} {
		for _, entry := range d.entries {
			if err := out.put(e, entry.key, entry.value); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// setLike returns a set, or a view of a dict as one.
func (e *evaluation) setLike(v starlark.Value) (*set, bool, error) {
	switch v := v.(type) {
	case *set:
		return v, true, nil
	case *view:
		if v.kind == "dict_values" {
			return nil, false, nil
		}
		s, err := v.asSet(e)
		return s, true, err
	}
	return nil, false, nil
}

func (e *evaluation) combineSets(op string, a, b *set) (starlark.Value, error) {
	var elements []starlark.Value
	for k, i := range sortedIndex(a) {
		_, also := b.index[k]
		if op == "|" || op == "&" && also || (op == "-" || op == "^") && !also {
			elements = append(elements, a.elements[i])
		}
	}
	if op == "|" || op == "^" {
		for k, i := range sortedIndex(b) {
			if _, also := a.index[k]; !also {
				elements = append(elements, b.elements[i])
			}
		}
	}
	if err := e.tick(len(a.elements) + len(b.elements)); err != nil {
		return nil, err
	}
	return e.setOf(a.frozen, elements)
}
