package expr

import (
	"math"
	"math/big"
	"slices"
	"strings"

	"go.starlark.net/starlark"
)

// builtins are Python's built-in names that expressions can use.
var builtins = map[string]starlark.Value{}

// refusedBuiltins are those that they cannot, and why.
var refusedBuiltins = map[string]string{
	"open": "it reads and writes files", "input": "nothing is asked of the user", "eval": "use the expression itself",
	"exec": "it runs statements", "compile": "it makes code", "id": "addresses are not predicted",
	"hash": "hashes are not predicted", "dir": "a repr does not tell all names", "vars": "a repr does not tell all names",
	"globals": "the module's names may not be known", "locals": "use the names themselves", "super": "classes are not known",
	"property": "classes are not known", "classmethod": "classes are not known", "staticmethod": "classes are not known",
	"memoryview": "it is not implemented", "bytearray": "it is not implemented", "slice": "write it between brackets",
	"issubclass": "classes are not known", "setattr": "evaluation changes nothing", "delattr": "evaluation changes nothing",
	"breakpoint": "it is a statement for the debugger", "help": "it reads documentation", "__import__": "modules are not run",
	"exit": "evaluation changes nothing", "quit": "evaluation changes nothing", "aiter": "async is not supported",
	"anext": "async is not supported",
}

func init() { // a literal would refer to itself by way of lookup
	for name := range constructors {
		builtins[name] = typeValue(name)
	}
	for name, f := range map[string]func(e *evaluation, a arguments) (starlark.Value, error){
		"abs": builtinAbs, "all": builtinAll, "any": builtinAny, "ascii": builtinASCII, "bin": builtinBase("bin", 2, "0b"),
		"callable": builtinCallable, "chr": builtinChr, "divmod": builtinDivmod, "enumerate": builtinEnumerate,
		"filter": builtinFilter, "format": builtinFormat, "getattr": builtinGetattr, "hasattr": builtinHasattr,
		"hex": builtinBase("hex", 16, "0x"), "isinstance": builtinIsinstance, "iter": builtinIter, "len": builtinLen,
		"map": builtinMap, "max": builtinExtreme("max", ">"), "min": builtinExtreme("min", "<"), "next": builtinNext,
		"oct": builtinBase("oct", 8, "0o"), "ord": builtinOrd, "pow": builtinPow, "print": builtinPrint, "repr": builtinRepr,
		"reversed": builtinReversed, "round": builtinRound, "sorted": builtinSorted, "sum": builtinSum, "zip": builtinZip,
	} {
		builtins[name] = &function{name: name, call: f}
	}
	builtins["NotImplemented"] = &opaque{text: "NotImplemented", class: "NotImplementedType"}
	builtins["Ellipsis"] = ellipsis
	builtins["__debug__"] = starlark.True
}

func builtinAbs(_ *evaluation, a arguments) (starlark.Value, error) {
	v, err := a.bind("abs", "x /")
	if err != nil {
		return nil, err
	}
	switch x := v[0].(type) {
	case starlark.Bool, starlark.Int:
		i := toInt(x)
		if i.Sign() < 0 {
			return starlark.MakeInt(0).Sub(i), nil
		}
		return i, nil
	case starlark.Float:
		return starlark.Float(math.Abs(float64(x))), nil
	case complexValue:
		return starlark.Float(math.Hypot(real(complex128(x)), imag(complex128(x)))), nil
	}
	if err := notArithmetic(v[0]); err != nil {
		return nil, err
	}
	return nil, typeError("bad operand type for abs(): '%s'", describeType(v[0]))
}

func builtinAll(e *evaluation, a arguments) (starlark.Value, error) {
	return quantify(e, a, "all", false)
}
func builtinAny(e *evaluation, a arguments) (starlark.Value, error) {
	return quantify(e, a, "any", true)
}

// quantify is any and all: it ends at the first element with the given truth.
func quantify(e *evaluation, a arguments, name string, until bool) (starlark.Value, error) {
	v, err := a.bind(name, "iterable /")
	if err != nil {
		return nil, err
	}
	it, err := e.iterate(v[0], false)
	if err != nil {
		return nil, err
	}
	for it.next < len(it.elements) {
		it.next++
		ok, err := truth(it.elements[it.next-1])
		if err != nil {
			return nil, err
		}
		if ok == until {
			return starlark.Bool(until), nil
		}
	}
	return starlark.Bool(!until), it.err
}

func builtinASCII(e *evaluation, a arguments) (starlark.Value, error) {
	v, err := a.bind("ascii", "object /")
	if err != nil {
		return nil, err
	}
	text, err := e.text(v[0], "a")
	return str(text), err
}

// builtinBase is bin, oct and hex.
func builtinBase(name string, base int, prefix string) func(*evaluation, arguments) (starlark.Value, error) {
	return func(_ *evaluation, a arguments) (starlark.Value, error) {
		v, err := a.bind(name, "x /")
		if err != nil {
			return nil, err
		}
		i, err := asIndex(v[0])
		if err != nil {
			return nil, err
		}
		text := new(big.Int).Abs(i.BigInt()).Text(base)
		if i.Sign() < 0 {
			return str("-" + prefix + text), nil
		}
		return str(prefix + text), nil
	}
}

func builtinCallable(_ *evaluation, a arguments) (starlark.Value, error) {
	v, err := a.bind("callable", "object /")
	if err != nil {
		return nil, err
	}
	switch x := v[0].(type) {
	case *function, *starlark.Function, typeValue:
		return starlark.True, nil
	case *opaque:
		if x.class == "function" || x.class == "type" || x.class == "method" || x.class == "builtin_function_or_method" {
			return starlark.True, nil
		}
		return nil, notKnown(x)
	case *object, *enumValue:
		return nil, unsupported("whether %s can be called depends on its class", shorten(x.String()))
	}
	return starlark.False, nil
}

func builtinChr(_ *evaluation, a arguments) (starlark.Value, error) {
	v, err := a.bind("chr", "i /")
	if err != nil {
		return nil, err
	}
	i, err := asInt(v[0])
	if err != nil {
		return nil, err
	}
	if i < 0 || i > 0x10ffff {
		return nil, valueError("chr() arg not in range(0x110000)")
	}
	var out strings.Builder
	writeRune(&out, rune(i))
	return str(out.String()), nil
}

func builtinDivmod(e *evaluation, a arguments) (starlark.Value, error) {
	v, err := a.bind("divmod", "x y /")
	if err != nil {
		return nil, err
	}
	if rank(v[0]) == 3 || rank(v[1]) == 3 {
		return nil, typeError("can't take floor or mod of complex number.")
	}
	if rank(v[0]) == 0 || rank(v[1]) == 0 {
		for _, operand := range v {
			if err := notArithmetic(operand); err != nil {
				return nil, err
			}
		}
		return nil, badOperands("divmod()", v[0], v[1])
	}
	quotient, err := e.binary("//", v[0], v[1])
	if err != nil {
		return nil, err
	}
	remainder, err := e.binary("%", v[0], v[1])
	return starlark.Tuple{quotient, remainder}, err
}

func builtinFormat(e *evaluation, a arguments) (starlark.Value, error) {
	v, err := a.bind("format", "value spec=? /")
	if err != nil {
		return nil, err
	}
	spec := str("")
	if v[1] != nil {
		if spec, err = asStr(v[1]); err != nil {
			return nil, err
		}
	}
	text, err := e.format(v[0], string(spec))
	return str(text), err
}

// asStr returns an argument that must be a string.
func asStr(v starlark.Value) (str, error) {
	if s, ok := v.(str); ok {
		return s, nil
	}
	if err := notKnown(v); err != nil {
		return "", err
	}
	return "", typeError("must be str, not %s", describeType(v))
}

func builtinGetattr(e *evaluation, a arguments) (starlark.Value, error) {
	v, err := a.bind("getattr", "object name default=? /")
	if err != nil {
		return nil, err
	}
	name, err := asStr(v[1])
	if err != nil {
		return nil, err
	}
	value, err := e.attribute(v[0], string(name))
	var own *Error
	if v[2] != nil && asError(err, &own) && own.Exception == "AttributeError" {
		return v[2], nil
	}
	return value, err
}

func builtinHasattr(e *evaluation, a arguments) (starlark.Value, error) {
	v, err := a.bind("hasattr", "object name /")
	if err != nil {
		return nil, err
	}
	name, err := asStr(v[1])
	if err != nil {
		return nil, err
	}
	_, err = e.attribute(v[0], string(name))
	var own *Error
	if asError(err, &own) && own.Exception == "AttributeError" {
		return starlark.False, nil
	}
	return starlark.True, err
}

func builtinIsinstance(e *evaluation, a arguments) (starlark.Value, error) {
	v, err := a.bind("isinstance", "object class /")
	if err != nil {
		return nil, err
	}
	ok, err := isInstance(v[0], v[1])
	return starlark.Bool(ok), err
}

func isInstance(v, class starlark.Value) (bool, error) {
	switch class := class.(type) {
	case typeValue:
		name := typeName(v)
		switch {
		case class == "object" || string(class) == name || class == "int" && name == "bool":
			return true, nil
		case name == "":
			return false, notKnown(v)
		}
		switch v := v.(type) {
		case *object, *opaque, *enumValue:
			return false, unsupported("whether %s is one of %s depends on its class", shorten(v.String()), class)
		case *dict:
			return class == "dict" && v.class != "mappingproxy", nil
		}
		return false, nil
	case starlark.Tuple:
		for _, c := range class {
			if ok, err := isInstance(v, c); ok || err != nil {
				return ok, err
			}
		}
		return false, nil
	}
	if err := notKnown(class); err != nil {
		return false, err
	}
	return false, typeError("isinstance() arg 2 must be a type, a tuple of types, or a union")
}

func builtinLen(e *evaluation, a arguments) (starlark.Value, error) {
	v, err := a.bind("len", "obj /")
	if err != nil {
		return nil, err
	}
	n, err := e.size(v[0])
	return starlark.MakeInt(n), err
}

func builtinOrd(_ *evaluation, a arguments) (starlark.Value, error) {
	v, err := a.bind("ord", "c /")
	if err != nil {
		return nil, err
	}
	n := 0
	switch x := v[0].(type) {
	case str:
		if n = x.length(); n == 1 {
			return starlark.MakeInt(int(code(string(x)))), nil
		}
	case bytesValue:
		if n = len(x); n == 1 {
			return starlark.MakeInt(int(x[0])), nil
		}
	default:
		if err := notKnown(x); err != nil {
			return nil, err
		}
		return nil, typeError("ord() expected string of length 1, but %s found", describeType(x))
	}
	return nil, typeError("ord() expected a character, but string of length %d found", n)
}

func builtinPow(e *evaluation, a arguments) (starlark.Value, error) {
	v, err := a.bind("pow", "base exp mod=?")
	if err != nil {
		return nil, err
	}
	if v[2] == nil || v[2] == starlark.None {
		return e.binary("**", v[0], v[1])
	}
	if rank(v[0]) != 1 || rank(v[1]) != 1 || rank(v[2]) != 1 {
		for _, operand := range v {
			if err := notArithmetic(operand); err != nil {
				return nil, err
			}
		}
		return nil, typeError("pow() 3rd argument not allowed unless all arguments are integers")
	}
	base, exponent, modulus := toInt(v[0]).BigInt(), toInt(v[1]).BigInt(), toInt(v[2]).BigInt()
	switch {
	case modulus.Sign() == 0:
		return nil, valueError("pow() 3rd argument cannot be 0")
	case modulus.BitLen() > 4096 || exponent.BitLen() > 4096:
		return nil, tooLarge("the integer is too large")
	}
	result := new(big.Int).Exp(base, exponent, new(big.Int).Abs(modulus))
	if result == nil {
		return nil, valueError("base is not invertible for the given modulus")
	}
	return starlark.MakeBigInt(result).Mod(starlark.MakeBigInt(modulus)), nil
}

func builtinPrint(e *evaluation, a arguments) (starlark.Value, error) {
	if e.scope.Print == nil {
		return nil, unsupported("print is not supported here: evaluation writes nothing")
	}
	separator, end := "", ""
	for _, option := range []struct {
		name      string
		otherwise string
		to        *string
	}{{"sep", " ", &separator}, {"end", "\n", &end}} {
		*option.to = option.otherwise
		for _, n := range a.named {
			if n.name != option.name || n.value == starlark.None {
				continue
			}
			text, err := asStr(n.value)
			if err != nil {
				return nil, err
			}
			*option.to = string(text)
		}
	}
	for _, n := range a.named {
		switch n.name {
		case "sep", "end", "flush":
		case "file":
			if n.value != starlark.None {
				return nil, unsupported("print to a file is not supported")
			}
		default:
			return nil, typeError("print() got an unexpected keyword argument '%s'", n.name)
		}
	}
	texts := make([]string, len(a.positional))
	for i, v := range a.positional {
		var err error
		if texts[i], err = e.text(v, ""); err != nil {
			return nil, err
		}
	}
	written, err := e.joinStrings(texts, separator)
	if err != nil {
		return nil, err
	}
	e.scope.Print(string(written) + end)
	return starlark.None, nil
}

func builtinRepr(e *evaluation, a arguments) (starlark.Value, error) {
	v, err := a.bind("repr", "obj /")
	if err != nil {
		return nil, err
	}
	text, err := e.text(v[0], "r")
	return str(text), err
}

func builtinRound(_ *evaluation, a arguments) (starlark.Value, error) {
	v, err := a.bind("round", "number ndigits=?")
	if err != nil {
		return nil, err
	}
	plain := v[1] == nil || v[1] == starlark.None
	digits := 0
	if !plain {
		if digits, err = asInt(v[1]); err != nil {
			return nil, err
		}
	}
	switch x := v[0].(type) {
	case starlark.Bool, starlark.Int:
		i := toInt(x)
		if plain || digits >= 0 {
			return i, nil
		}
		if -digits > 5000 {
			return starlark.MakeInt(0), nil
		}
		return starlark.MakeBigInt(roundInt(i.BigInt(), -digits)), nil
	case starlark.Float:
		if !plain {
			return roundFloat(float64(x), digits)
		}
		return truncate(math.RoundToEven(float64(x)))
	}
	if err := notArithmetic(v[0]); err != nil {
		return nil, err
	}
	return nil, typeError("type %s doesn't define __round__ method", describeType(v[0]))
}

func builtinSum(e *evaluation, a arguments) (starlark.Value, error) {
	v, err := a.bind("sum", "iterable start=?")
	if err != nil {
		return nil, err
	}
	var total starlark.Value = starlark.MakeInt(0)
	if v[1] != nil {
		total = v[1]
		switch total.(type) {
		case str:
			return nil, typeError("sum() can't sum strings [use ''.join(seq) instead]")
		case bytesValue:
			return nil, typeError("sum() can't sum bytes [use b''.join(seq) instead]")
		}
	}
	it, err := e.iterate(v[0], false)
	if err != nil {
		return nil, err
	}
	elements, last := it.rest()
	if it.unordered && slices.ContainsFunc(elements, func(v starlark.Value) bool { return rank(v) != 1 }) {
		return nil, unknown("the order of this set's elements is not known, and the sum may depend on it")
	}
	for _, element := range elements {
		if total, err = e.binary("+", total, element); err != nil {
			return nil, err
		}
	}
	return total, last
}
