package corpus

// words are values of strings, short and with letters that repeat.
var words = []string{
	"apple", "banana", "cherry", "hello", "world", "python", "book", "tree", "cat", "dog",
	"moon", "sun", "river", "stone", "green", "blue", "red", "letter", "coffee", "summer",
	"winter", "rabbit", "tiger", "panda", "level", "noon", "radar", "data", "code", "test",
	"abc", "abba", "aabb", "xyz", "foo", "bar", "baz", "spam", "eggs", "ham", "tea", "milk",
	"pepper", "butter", "potato", "cocoa", "mississippi", "queen", "king", "jazz", "fuzz",
	"left", "right", "up", "down", "one", "two", "three", "north", "east", "west", "south",
}

// people are names of people.
var people = []string{
	"ann", "bob", "eve", "tom", "mia", "leo", "max", "kim", "ada", "alan", "grace", "linus",
	"anna", "otto", "hannah", "dave", "carol", "erin", "frank", "ivan", "judy", "oscar",
}

// keys are names of things, for dicts.
var keys = []string{
	"a", "b", "c", "d", "x", "y", "z", "k", "id", "age", "cat", "dog", "pen", "cup", "red",
	"blue", "name", "size", "tea", "egg", "fig", "plum", "one", "two", "low", "high",
}

// The names that people give to what they hold. The first ones come up more
// often than the last.
var variableNames = map[kind][]string{
	intKind:     {"n", "x", "num", "k", "m", "value", "total", "size", "limit", "a", "b", "y", "start", "step", "idx", "amount"},
	strKind:     {"text", "s", "string", "word", "t", "name", "line", "value", "txt", "sentence", "st", "message"},
	charKind:    {"char", "c", "ch", "letter", "sep", "sub", "x", "target", "t", "delim", "old", "new", "prefix", "suffix"},
	intListKind: {"nums", "numbers", "arr", "array", "lst", "values", "xs", "a", "items", "data", "l"},
	strListKind: {"words", "items", "names", "strings", "tokens", "parts", "lst", "lines", "strs"},
	intDictKind: {"d", "counts", "dic", "scores", "prices", "dictionary", "stock", "ages"},
	strDictKind: {"d", "mapping", "names", "table", "dic", "aliases"},
	pairKind:    {"pair", "point", "pos", "bounds"},
	setKind:     {"seen", "unique", "ids", "marked"},
	boolKind:    {"flag", "found", "reverse", "strict", "ok"},
}

// resultNames are names of what a function builds up.
var resultNames = map[kind][]string{
	intKind:     {"count", "total", "result", "n", "res", "cnt", "ans", "score", "sum_", "best", "acc"},
	strKind:     {"result", "new_text", "res", "out", "output", "ans", "s2", "new", "r"},
	charKind:    {"last", "prev", "best", "first", "cur"},
	intListKind: {"result", "res", "new_list", "out", "ans", "output", "ls", "acc", "kept", "indexes"},
	strListKind: {"result", "parts", "chars", "out", "new_words", "tokens", "res", "ls"},
	intDictKind: {"counts", "d", "freq", "dic", "result", "occ", "counter", "new_dict"},
	strDictKind: {"result", "mapping", "new_d", "table", "out"},
	pairKind:    {"pair", "result", "ends"},
	setKind:     {"seen", "unique", "visited", "used"},
	boolKind:    {"found", "flag", "ok", "changed"},
}

// temporaryNames are names of steps on the way.
var temporaryNames = map[kind][]string{
	intKind:     {"temp", "length", "idx", "val", "diff", "rest", "mid", "q", "cur", "step", "pos"},
	strKind:     {"temp", "tmp", "new", "piece", "head", "tail", "part", "clean", "w"},
	charKind:    {"first", "last", "ch", "cur", "letter"},
	intListKind: {"tmp", "copy", "rest", "ordered", "half", "evens", "ys"},
	strListKind: {"parts", "pieces", "tokens", "chars", "ls", "ws"},
	intDictKind: {"copy", "tmp", "lookup", "sizes"},
	strDictKind: {"copy", "tmp", "lookup"},
	pairKind:    {"pair", "ends", "p"},
	setKind:     {"unique", "common", "ids"},
	boolKind:    {"flag", "ok", "is_last", "match"},
}

// elementNames are names of what a loop goes over.
var elementNames = map[kind][]string{
	intKind:  {"x", "num", "n", "i", "item", "elem", "v", "number", "val", "e"},
	strKind:  {"word", "w", "item", "name", "token", "part", "p", "line"},
	charKind: {"c", "char", "ch", "letter", "x", "l"},
}

var indexNames = []string{"i", "i", "i", "j", "idx", "index", "k"}

var entryNames = []string{
	"process", "solve", "transform", "compute", "convert", "check", "build", "run", "update",
	"collect", "reduce", "combine", "summarize", "evaluate", "scan", "calc", "handle", "select",
}

var helperNames = map[kind][]string{
	intKind:  {"score", "weight", "helper", "g", "double", "measure", "cost", "value_of", "clamp", "adjust"},
	strKind:  {"clean", "helper", "g", "shorten", "fix", "label", "wrap", "mark", "encode"},
	charKind: {"shift", "helper", "g", "swap", "code"},
	boolKind: {"is_valid", "check", "keep", "is_big", "ok", "matches", "test", "accept"},
}

var constantNames = map[kind][]string{
	intKind:     {"LIMIT", "BASE", "MAX", "STEP", "OFFSET", "SIZE"},
	strKind:     {"VOWELS", "PREFIX", "ALPHABET", "LETTERS"},
	charKind:    {"SEP", "FILL", "MARK", "DEFAULT"},
	intListKind: {"PRIMES", "WEIGHTS", "STEPS"},
	strListKind: {"COLORS", "NAMES", "STOP_WORDS"},
	intDictKind: {"PRICES", "SCORES", "VALUES"},
}

// reserved are names that a program must not take: Python's keywords and the
// builtins that generated programs use.
var reserved = map[string]bool{
	"sum": true, "len": true, "max": true, "min": true, "list": true, "dict": true, "str": true,
	"int": true, "set": true, "range": true, "sorted": true, "reversed": true, "enumerate": true,
	"zip": true, "abs": true, "any": true, "all": true, "print": true, "tuple": true, "map": true,
	"filter": true, "ord": true, "chr": true, "bool": true, "main": true,
}
