package corpus

// kind is the type of a value in a generated program.
type kind uint8

const (
	intKind     kind = iota
	boolKind         // True or False
	charKind         // a string that is meant to be one character, or a short part of another
	strKind          // a string
	intListKind      // list[int]
	strListKind      // list[str]
	intDictKind      // dict[str, int]
	strDictKind      // dict[str, str]
	groupKind        // dict[str, list[str]]
	pairKind         // tuple[int, int]
	setKind          // set[int]
)

// isText tells whether values of the kind are strings.
func (k kind) isText() bool { return k == strKind || k == charKind }

// isDict tells whether values of the kind are dicts with strings as keys.
func (k kind) isDict() bool { return k == intDictKind || k == strDictKind || k == groupKind }

// element is the kind of what a loop over a value of the kind goes over.
func (k kind) element() kind {
	switch k {
	case strKind, charKind:
		return charKind
	case strListKind, intDictKind, strDictKind, groupKind:
		return strKind
	}
	return intKind
}

// value is the kind of a dict's values.
func (k kind) value() kind {
	if k == strDictKind {
		return strKind
	}
	return intKind
}
