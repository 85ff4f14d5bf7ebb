package corpus

// slotNames are the names for an idiom's slots, by the letters of the slot.
var slotNames = map[string][]string{
	"s":     {"text", "s", "word", "string", "name", "line", "value", "message", "txt", "st", "phrase", "a"},
	"t":     {"other", "t", "target", "pattern", "second", "sub"},
	"c":     {"ch", "c", "char", "letter"},
	"w":     {"word", "w", "name", "item", "part", "token"},
	"x":     {"x", "num", "n", "value", "v", "item"},
	"y":     {"y", "other", "b", "rest", "m"},
	"n":     {"n", "num", "number", "limit", "size", "k"},
	"k":     {"k", "step", "shift", "limit", "size", "times", "offset"},
	"i":     {"i", "i", "idx", "index", "pos"},
	"j":     {"j", "k", "other_index", "end"},
	"xs":    {"nums", "numbers", "values", "items", "xs", "data", "scores", "prices", "lst"},
	"ys":    {"others", "b", "ys", "right", "second"},
	"ws":    {"words", "names", "items", "tokens", "parts", "lines"},
	"d":     {"counts", "d", "prices", "scores", "stock", "ages", "table", "data"},
	"total": {"total", "result", "acc", "s", "sum_", "res"},
	"count": {"count", "n", "total", "cnt", "found"},
	"best":  {"best", "largest", "result", "top", "m"},
	"out":   {"result", "out", "res", "output", "new", "kept"},
	"r":     {"result", "out", "res", "rev", "answer"},
	"freq":  {"counts", "freq", "d", "seen", "result", "tally"},
	"seen":  {"seen", "known", "used", "visited"},
	"key":   {"key", "k", "name", "item"},
	"val":   {"value", "v", "val", "amount"},
	"low":   {"low", "lo", "left", "start"},
	"high":  {"high", "hi", "right", "end"},
	"mid":   {"mid", "m", "middle"},
	"tmp":   {"tmp", "t", "last", "temp"},
	"row":   {"row", "line", "r"},
	"m":     {"matrix", "grid", "rows", "m", "table"},
	"p":     {"pairs", "points", "entries", "items"},
	"a":     {"a", "x", "first", "left"},
	"b":     {"b", "y", "second", "right"},
	"flag":  {"ok", "found", "flag", "valid"},
	"prev":  {"prev", "last", "before"},
	"stack": {"stack", "st", "todo", "opened"},
	"sep":   {"sep", "delim", "mark", "glue"},
	"o":     {"obj", "acc", "it", "box", "thing"},
	"e":     {"e", "err", "error"},
	"g":     {"helper", "step", "inner", "apply", "go"},
}

// terseNames are the names in programs whose writer does not care for names, by
// the letters of the slot.
var terseNames = map[string][]string{
	"f":     {"f", "func", "g", "solve", "foo", "fn", "test", "my_func", "calc", "h"},
	"s":     {"s", "t", "a", "st", "x", "w"},
	"x":     {"x", "i", "n", "e", "v", "a"},
	"n":     {"n", "x", "a", "m", "num"},
	"xs":    {"a", "nums", "l", "lst", "arr", "ls", "xs", "array", "li", "v"},
	"ys":    {"b", "arr2", "l2", "ys", "lst2"},
	"ws":    {"a", "l", "ws", "lst", "arr"},
	"d":     {"d", "dic", "m", "a"},
	"total": {"s", "ans", "res", "t", "sm", "ret"},
	"count": {"c", "cnt", "ans", "res", "k"},
	"best":  {"m", "mx", "ans", "res", "b"},
	"out":   {"res", "ans", "l", "r", "ls", "new", "lst2", "b", "ret"},
	"r":     {"r", "res", "ans", "ret", "o"},
	"tmp":   {"tmp", "t", "temp", "p"},
	"row":   {"r", "x", "row", "l"},
	"m":     {"m", "a", "mat", "arr", "g"},
	"low":   {"l", "lo", "i", "p"},
	"high":  {"r", "hi", "j", "q"},
	"key":   {"k", "x", "key"},
	"val":   {"v", "y", "val"},
	"flag":  {"flag", "f", "ok", "b"},
	"prev":  {"p", "prev", "last"},
}

// typeNames are the names of what holds a value of an idiom's type.
var typeNames = map[string][]string{
	"string": {"text", "s", "name", "line", "title", "label"},
	"int":    {"n", "k", "limit", "amount", "bonus", "value", "x"},
	"bool":   {"ok", "flag", "strict", "found"},
	"char":   {"c", "sep", "mark", "letter"},
	"ints":   {"nums", "values", "prices", "scores", "data"},
	"words":  {"words", "names", "items", "parts", "tags"},
	"counts": {"counts", "prices", "scores", "stock", "ages"},
	"table":  {"table", "names", "mapping"},
	"float":  {"rate", "price", "x", "ratio"},
	"floats": {"rates", "prices", "values"},
	"matrix": {"grid", "matrix", "rows"},
	"pairs":  {"pairs", "items", "entries"},
	"bits":   {"bits", "flags", "digits"},

	"mixedlist": {"items", "values", "data", "lst", "things"},
	"holes":     {"values", "readings", "data", "nums"},
	"tuple":     {"t", "values", "tup", "nums"},
	"intset":    {"ids", "s", "numbers", "chosen"},
	"ragged":    {"lists", "groups", "nested", "rows"},
	"deep":      {"nested", "tree", "lst", "items"},
	"intervals": {"intervals", "ranges", "spans"},
	"points":    {"points", "coords", "path"},
	"people":    {"people", "pairs", "scores", "entries"},

	"groups":      {"groups", "table", "scores", "d"},
	"wordgroups":  {"groups", "graph", "teams", "d"},
	"dictofdicts": {"config", "data", "nested", "tree"},
	"numbered":    {"names", "ids", "d", "users"},
	"records":     {"people", "users", "records", "rows"},
	"wordpairs":   {"pairs", "edges", "links"},
	"numwords":    {"values", "fields", "tokens"},
}

// resultTypeNames are the names of a result of an idiom's type.
var resultTypeNames = map[string][]string{
	"string": {"label", "cleaned", "result", "first", "title", "short"},
	"int":    {"total", "count", "score", "result", "size", "best"},
	"bool":   {"ok", "found", "valid", "same"},
	"ints":   {"values", "kept", "steps", "result", "found"},
	"words":  {"parts", "tokens", "kept", "result", "chosen"},
	"counts": {"counts", "freq", "tally", "result"},
	"float":  {"mean", "ratio", "result"},
}

// valueType is the type by which values of an idiom's types are told apart:
// several kinds of input are one type.
func valueType(t string) string {
	switch t {
	case "word", "sentence", "digits", "mixed", "csv", "hexes", "brackets",
		"key", "color", "phrase", "padded", "spaced", "query", "settings", "colons", "csvrows", "lines", "version",
		"clock", "date", "email", "phone", "card", "isbn", "bitstring", "path", "url", "address", "roman",
		"coded", "snake", "camel", "template", "tagged", "formula", "ranges", "numberlist", "password", "moves":
		return "string"
	case "small", "nat", "tiny", "positive", "hundreds", "signed", "byte", "percent", "year", "long":
		return "int"
	case "money", "measure":
		return "float"
	case "posints", "sorted", "fewints", "numbers", "somenums", "repeats", "withzeros", "ascending", "marks", "shuffled":
		return "ints"
	case "amounts", "readings":
		return "floats"
	case "square", "grid":
		return "matrix"
	}
	return t
}

// accepts reports whether an argument of the type may be any value of another:
// what a function takes may be bounded, what it gives is not.
func accepts(parameter, value string) bool {
	switch parameter {
	case "string", "int", "ints", "words", "counts", "bool", "char", "pairs", "float":
		return valueType(value) == parameter
	}
	return parameter == value
}
