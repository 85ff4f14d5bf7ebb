package expr

import (
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"go.starlark.net/starlark"
)

// key returns a text that two hashable values share exactly when Python takes
// them for the same key: equal ones. 1, 1.0 and True are one key.
func (e *evaluation) key(v starlark.Value) (string, error) {
	if err := e.tick(1); err != nil {
		return "", err
	}
	switch v := v.(type) {
	case starlark.NoneType:
		return "N", nil
	case starlark.Bool, starlark.Int:
		return "i" + toInt(v).String(), nil
	case starlark.Float:
		return floatKey(float64(v))
	case complexValue:
		if imag(complex128(v)) == 0 {
			return floatKey(real(complex128(v)))
		}
		return "c" + writeComplex(complex128(v)), nil
	case str:
		return "s" + string(v), nil
	case bytesValue:
		return "b" + string(v), nil
	case ellipsisType:
		return "E", nil
	case typeValue:
		return "t" + string(v), nil
	case starlark.Tuple:
		keys, err := e.keys(v)
		return "(" + strings.Join(keys, "") + ")", err
	case *set:
		if v.frozen {
			keys, err := e.keys(v.elements)
			slices.Sort(keys)
			return "f(" + strings.Join(keys, "") + ")", err
		}
	case rangeValue:
		return v.key(), nil
	case *enumValue:
		if _, ok := v.value.(starlark.Int); ok {
			return "", unsupported("whether %s and %s are one key depends on its class", v, reprOf(v.value))
		}
		return "e" + v.class + "." + v.name, nil
	case *object:
		if isDateLike(v.class) {
			return "d" + v.text, nil
		}
		return "", unsupported("whether %s can be a key depends on its class", shorten(v.text))
	case *opaque:
		return "", notKnown(v)
	case *function, *starlark.Function, *iterator:
		return "", unsupported("functions and iterators as keys are not supported")
	}
	return "", typeError("unhashable type: '%s'", describeType(v))
}

func floatKey(f float64) (string, error) {
	switch {
	case math.IsNaN(f):
		return "", unsupported("nan as a key is not supported: whether it is the same nan is not known")
	case f == math.Trunc(f) && !math.IsInf(f, 0):
		i, _ := big.NewFloat(f).Int(nil)
		return "i" + i.String(), nil
	}
	return "f" + strconv.FormatFloat(f, 'g', -1, 64), nil
}

// keys returns the keys of elements, each with its length, so that no two
// sequences of keys look the same when joined.
func (e *evaluation) keys(elements []starlark.Value) ([]string, error) {
	out := make([]string, len(elements))
	for i, element := range elements {
		k, err := e.key(element)
		if err != nil {
			return nil, err
		}
		if err := e.allocate(len(k)); err != nil {
			return nil, err
		}
		out[i] = strconv.Itoa(len(k)) + ":" + k
	}
	return out, nil
}
