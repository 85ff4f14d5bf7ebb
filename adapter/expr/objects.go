package expr

import (
	"cmp"
	"strings"

	"go.starlark.net/starlark"

	"github.com/neuraldbg/neuraldbg/statetree/repr"
)

// isException reports whether an object is one of Python's exceptions, as far as
// its class's name tells.
func isException(v *object) bool {
	name := lastName(v.class)
	return strings.HasSuffix(name, "Error") || strings.HasSuffix(name, "Exception") || strings.HasSuffix(name, "Warning") ||
		name == "StopIteration" || name == "KeyboardInterrupt" || name == "SystemExit"
}

// isDateLike reports whether a class is one of datetime's whose values are
// ordered by their fields.
func isDateLike(class string) bool {
	switch class {
	case "datetime.date", "datetime.datetime", "datetime.time", "datetime.timedelta":
		return true
	}
	return false
}

// attribute is v.name.
func (e *evaluation) attribute(v starlark.Value, name string) (starlark.Value, error) {
	if strings.HasPrefix(name, "__") {
		if name == "__name__" {
			if t, ok := v.(typeValue); ok {
				return str(lastName(string(t))), nil
			}
		}
		return nil, unsupported("attributes such as %s are not supported", name)
	}
	switch v := v.(type) {
	case *object:
		return v.attribute(name)
	case *enumValue:
		switch name {
		case "name":
			return str(v.name), nil
		case "value":
			if v.value != nil {
				return v.value, nil
			}
		}
		return nil, unsupported("the attribute %s of %s is not known", name, v)
	case typeValue:
		return unboundMethod(string(v), name)
	case starlark.Bool, starlark.Int, starlark.Float, complexValue:
		if value := numberAttribute(v, name); value != nil {
			return value, nil
		}
	case rangeValue:
		switch name {
		case "start":
			return starlark.MakeInt(v.start), nil
		case "stop":
			return starlark.MakeInt(v.stop), nil
		case "step":
			return starlark.MakeInt(v.step), nil
		}
	}
	if err := notKnown(v); err != nil {
		return nil, err
	}
	class := typeName(v)
	if method, ok := methods[class][name]; ok {
		return &function{name: name, call: func(e *evaluation, a arguments) (starlark.Value, error) { return method(e, v, a) }}, nil
	}
	if mutating[class][name] {
		return nil, unsupported("%s.%s changes the %s, and evaluation changes nothing", class, name, class)
	}
	if unsupportedMethods[class][name] {
		return nil, unsupported("%s.%s is not supported", class, name)
	}
	if _, ok := methods[class]; !ok {
		return nil, unsupported("attributes of a %s are not supported", describeType(v))
	}
	return nil, raise("AttributeError", "'%s' object has no attribute '%s'", describeType(v), name)
}

func (v *object) attribute(name string) (starlark.Value, error) {
	for _, f := range v.fields {
		if f.name == name {
			return f.value, nil
		}
	}
	for i := range v.positional {
		if (repr.Value{Type: v.class}).PositionalName(i) == name {
			return v.positional[i], nil
		}
	}
	if zeroWhenAbsent[v.class][name] {
		return starlark.MakeInt(0), nil
	}
	if name == "args" && isException(v) && len(v.fields) == 0 {
		return starlark.Tuple(v.positional), nil
	}
	return nil, unknown("the repr of this %s does not show an attribute %s", describeType(v), name)
}

// zeroWhenAbsent are the attributes that a repr leaves out when they are zero.
var zeroWhenAbsent = map[string]map[string]bool{
	"datetime.datetime":  setOfNames("second microsecond"),
	"datetime.time":      setOfNames("second microsecond"),
	"datetime.timedelta": setOfNames("days seconds microseconds"),
}

// unboundMethod is str.upper and the like, whose first argument is the object.
func unboundMethod(class, name string) (starlark.Value, error) {
	method, ok := methods[class][name]
	if !ok {
		return nil, unsupported("%s.%s is not supported", class, name)
	}
	return &function{name: name, call: func(e *evaluation, a arguments) (starlark.Value, error) {
		if len(a.positional) == 0 {
			return nil, typeError("unbound method %s.%s() needs an argument", class, name)
		}
		self := a.positional[0]
		if err := notKnown(self); err != nil {
			return nil, err
		}
		if typeName(self) != class {
			return nil, typeError("descriptor '%s' for '%s' objects doesn't apply to a '%s' object", name, class, describeType(self))
		}
		return method(e, self, arguments{a.positional[1:], a.named})
	}}, nil
}

// compareDates orders two objects of one class of datetime's.
func compareDates(a, b *object) (int, error) {
	if a.class == "datetime.timedelta" {
		for _, name := range []string{"days", "seconds", "microseconds"} {
			x, _ := a.attribute(name)
			y, _ := b.attribute(name)
			if order, _ := compareNumbers(x, y); order != 0 {
				return order, nil
			}
		}
		return 0, nil
	}
	if len(a.fields) > 0 || len(b.fields) > 0 {
		return 0, unsupported("comparing times with time zones is not supported")
	}
	for i := range max(len(a.positional), len(b.positional)) {
		var x, y int
		if i < len(a.positional) {
			x, _ = asInt(a.positional[i])
		}
		if i < len(b.positional) {
			y, _ = asInt(b.positional[i])
		}
		if order := cmp.Compare(x, y); order != 0 {
			return order, nil
		}
	}
	return 0, nil
}
