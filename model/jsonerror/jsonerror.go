// Package jsonerror tells people what is wrong with a JSON file that they gave:
// encoding/json's own errors name the Go types that a value was meant for.
package jsonerror

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
)

// Describe rewrites an error of encoding/json: "vocab_size is a string, must be a
// whole number". Other errors are returned as they are.
func Describe(err error) error {
	var kind *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &kind):
		where := kind.Field
		if where == "" {
			where = "the content"
		}
		if number, ok := strings.CutPrefix(kind.Value, "number "); ok && outOfRange(number, kind.Type) {
			return fmt.Errorf("%s is %s, must be a smaller number", where, number)
		}
		return fmt.Errorf("%s is %s, must be %s", where, article(kind.Value), wanted(kind.Type))
	case errors.As(err, &syntax):
		return fmt.Errorf("not JSON at byte %d: %s", syntax.Offset, syntax.Error())
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("not JSON: it ends too early")
	}
	return err
}

// outOfRange reports whether a number is one of those that a type is for, and is
// only too large for it.
func outOfRange(number string, t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Float32, reflect.Float64:
		return true
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return !strings.ContainsAny(number, ".eE")
	}
	return false
}

// article puts one before what encoding/json calls a value: "string",
// "number 1.5", "object".
func article(value string) string {
	switch value[:min(1, len(value))] {
	case "a", "o":
		return "an " + value
	}
	return "a " + value
}

// wanted is a Go type in JSON's words.
func wanted(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return "a whole number"
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "a whole number that is not negative"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Pointer:
		return wanted(t.Elem())
	}
	return "an object"
}
