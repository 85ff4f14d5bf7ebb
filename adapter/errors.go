package adapter

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/google/go-dap"

	"github.com/neuraldbg/neuraldbg/adapter/timeline"
)

// requestError is an error that answers a request. Its text is what the client
// shows.
type requestError struct {
	id       int
	message  string
	showUser bool // as a dialog of its own
}

func (e *requestError) Error() string { return e.message }

// The ids of error responses, as the protocol wants them: unique in the
// adapter, the same in every version.
const (
	idInternal = 1000 + iota
	idUnknownRequest
	idBadArguments
	idNotNow
	idLaunchFailed
	idStale
	idCannotEvaluate
	idCannotEdit
	idCancelled
)

func badArguments(format string, args ...any) error {
	return &requestError{id: idBadArguments, message: fmt.Sprintf(format, args...)}
}

func notNow(format string, args ...any) error {
	return &requestError{id: idNotNow, message: fmt.Sprintf(format, args...)}
}

// errNotStopped is the message that clients know for a request that needs a
// stopped debugger.
var errNotStopped = &requestError{id: idNotNow, message: "notStopped"}

// errCancelled answers a request that the client has cancelled, in the
// protocol's own word.
var errCancelled = &requestError{id: idCancelled, message: "cancelled"}

// longestMessage is how many characters of an error's text are shown: it may repeat
// what the client has sent.
const longestMessage = 1000

// errorResponse returns the answer to a request that failed.
func errorResponse(r *dap.Request, err error) *dap.ErrorResponse {
	var re *requestError
	if !errors.As(err, &re) {
		re = &requestError{id: idInternal, message: err.Error()}
	}
	response := &dap.ErrorResponse{Response: *newResponse(r)}
	response.Success = false
	response.Message = shortened(re.message, longestMessage)
	// Format may hold braces from values, which clients would take for
	// variables.
	response.Body.Error = &dap.ErrorMessage{
		Id: re.id, Format: "{message}", Variables: map[string]string{"message": response.Message}, ShowUser: re.showUser,
	}
	return response
}

// decodeError turns an error of decoding a request into the answer.
func decodeError(r *dap.Request, err error) error {
	var field *dap.DecodeProtocolMessageFieldError
	if errors.As(err, &field) {
		return &requestError{id: idUnknownRequest, message: fmt.Sprintf("unknown request %q", r.Command)}
	}
	command := r.Command
	if command == "" {
		command = "not a message of the protocol"
	}
	return badJSON(command, err)
}

// badJSON tells why the JSON of a request, or of its arguments, cannot be read.
func badJSON(command string, err error) error {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return badArguments("%s: %v", command, err)
	}
	field := strings.TrimPrefix(wrong.Field, "ProtocolMessage.")
	if field == "" {
		field = "it"
	}
	is, wanted := wrong.Value, jsonType(wrong.Type)
	if number, ok := strings.CutPrefix(is, "number "); ok {
		is = number // with the value, which is what is wrong with it
	} else {
		is = withArticle(is)
	}
	return badArguments("%s: %s is %s; it must be %s", command, field, is, wanted)
}

// jsonType names what JSON a Go type is read from.
func jsonType(t reflect.Type) string {
	if reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) {
		return "a string"
	}
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "a boolean"
	case reflect.Slice, reflect.Array:
		return "an array"
	case reflect.Struct, reflect.Map, reflect.Pointer:
		return "an object"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "a whole number from 0"
	}
	return "a whole number"
}

func withArticle(noun string) string {
	if strings.ContainsAny(noun[:1], "aeo") {
		return "an " + noun
	}
	return "a " + noun
}

// launchFailed wraps an error of a launch, which the client shows in a dialog.
func launchFailed(err error) error {
	return &requestError{id: idLaunchFailed, message: err.Error(), showUser: true}
}

// stopReason maps the timeline's reasons to the protocol's words. What they do
// not say is in the description.
var stopReason = map[timeline.Reason]string{
	timeline.ReasonStep:               "step",
	timeline.ReasonEntry:              "entry",
	timeline.ReasonBreakpoint:         "breakpoint",
	timeline.ReasonException:          "exception",
	timeline.ReasonFunctionBreakpoint: "function breakpoint",
	timeline.ReasonDataBreakpoint:     "data breakpoint",
	timeline.ReasonExit:               "pause",
	timeline.ReasonBeginning:          "step",
	timeline.ReasonPause:              "pause",
	timeline.ReasonLimit:              "pause",
	timeline.ReasonGoto:               "goto",
}
