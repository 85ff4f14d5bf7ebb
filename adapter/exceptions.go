package adapter

import (
	"fmt"
	"strings"

	"github.com/google/go-dap"

	"github.com/neuraldbg/neuraldbg/adapter/timeline"
)

// exceptionFilters are what a client offers to stop at.
var exceptionFilters = []dap.ExceptionBreakpointsFilter{
	{
		Filter: timeline.Raised, Label: "Raised Exceptions", SupportsCondition: true,
		Description:          "Stop where an exception is raised. Every state is predicted then, one after the other.",
		ConditionDescription: exceptionCondition,
	},
	{
		Filter: timeline.Uncaught, Label: "Uncaught Exceptions", SupportsCondition: true, Default: true,
		Description:          "Stop where an exception is raised that ends the run.",
		ConditionDescription: exceptionCondition,
	},
}

const exceptionCondition = "An expression over the frame's values, such as exception_name == 'KeyError' or n > 3"

// onSetExceptionBreakpoints replaces the exception breakpoints. The response has
// one entry for each filter, then one for each filter with options.
func (s *session) onSetExceptionBreakpoints(r *dap.SetExceptionBreakpointsRequest) (dap.ResponseMessage, error) {
	var requests []timeline.ExceptionRequest
	for _, filter := range r.Arguments.Filters {
		requests = append(requests, timeline.ExceptionRequest{Filter: filter})
	}
	for _, o := range r.Arguments.FilterOptions {
		requests = append(requests, timeline.ExceptionRequest{Filter: o.FilterId, Condition: o.Condition})
	}
	response := &dap.SetExceptionBreakpointsResponse{Response: *newResponse(&r.Request)}
	for _, b := range s.breakpoints.SetExceptions(requests) {
		response.Body.Breakpoints = append(response.Body.Breakpoints, dap.Breakpoint{Id: b.ID, Verified: b.Verified, Message: b.Message})
	}
	return response, nil
}

// onExceptionInfo tells about the exception that the shown state raises.
func (s *session) onExceptionInfo(r *dap.ExceptionInfoRequest) (dap.ResponseMessage, error) {
	if err := checkThread("exceptionInfo", r.Arguments.ThreadId); err != nil {
		return nil, err
	}
	entry, err := s.shown()
	if err != nil {
		return nil, err
	}
	repr, ok := entry.Exception()
	if !ok {
		return nil, notNow("exceptionInfo: no exception is raised here")
	}
	name, message := exceptionParts(repr)
	trace := make([]string, 0, len(entry.Stack))
	for _, f := range entry.Stack {
		if f.Label {
			trace = append(trace, f.Function)
			continue
		}
		trace = append(trace, fmt.Sprintf("%s, line %d, in %s", f.File, f.Line, f.Function))
	}
	mode := dap.ExceptionBreakMode("always")
	if s.stopped.Uncaught {
		mode = "unhandled"
	}
	return &dap.ExceptionInfoResponse{Response: *newResponse(&r.Request), Body: dap.ExceptionInfoResponseBody{
		ExceptionId: name, Description: repr, BreakMode: mode,
		Details: &dap.ExceptionDetails{
			Message: message, TypeName: name, FullTypeName: name, StackTrace: strings.Join(trace, "\n"),
		},
	}}, nil
}

// exceptionParts splits the repr of an exception, `ValueError('no')`, into the
// class and what it was made with.
func exceptionParts(repr string) (name, arguments string) {
	name, arguments, ok := strings.Cut(repr, "(")
	if !ok {
		return repr, ""
	}
	return name, strings.TrimSuffix(arguments, ")")
}
