package adapter

import (
	"fmt"
	"strings"

	"github.com/google/go-dap"

	"github.com/neuraldbg/neuraldbg/adapter/timeline"
)

// dataSeparator stands between the function and the expression in a dataId,
// which is of the form "count: n". It is valid as long as the program is.
const dataSeparator = ": "

// onDataBreakpointInfo says whether the client can ask to stop when a variable's
// value changes.
func (s *session) onDataBreakpointInfo(r *dap.DataBreakpointInfoRequest) (dap.ResponseMessage, error) {
	entry, err := s.shown()
	if err != nil {
		return nil, err
	}
	a := r.Arguments
	response := &dap.DataBreakpointInfoResponse{Response: *newResponse(&r.Request)}
	refuse := func(format string, args ...any) (dap.ResponseMessage, error) {
		response.Body.Description = fmt.Sprintf(format, args...)
		return response, nil
	}
	if len(entry.Stack) == 0 {
		return refuse("there is no frame whose values could change")
	}
	frame, expression := entry.Stack[0], strings.TrimSpace(a.Name)
	switch {
	case expression == "":
		return nil, badArguments("dataBreakpointInfo: name is missing")
	case len(expression) > longestMessage:
		return refuse("the expression is too long")
	case a.VariablesReference != 0:
		c, ok := s.variables.get(a.VariablesReference)
		if !ok {
			return nil, staleVariables(a.VariablesReference)
		}
		v, ok := c.child(a.Name)
		if !ok || v.frame == nil || v.expression == "" {
			return refuse("%s is not a variable of the program", a.Name)
		}
		frame, expression = v.frame.frame, v.expression
	case a.FrameId != 0:
		ref, ok := s.frames.get(a.FrameId)
		if !ok {
			return nil, staleFrame(a.FrameId)
		}
		frame = ref.frame
	}
	if frame.Label || frame.Function == "" {
		return refuse("the values of this frame are not predicted")
	}
	response.Body.DataId = frame.Function + dataSeparator + expression
	response.Body.Description = fmt.Sprintf("%s in %s", expression, frame.Function)
	response.Body.AccessTypes = []dap.DataBreakpointAccessType{"write"}
	response.Body.CanPersist = true
	return response, nil
}

// onSetDataBreakpoints replaces the data breakpoints. The response has one entry
// for each request, in the same order.
func (s *session) onSetDataBreakpoints(r *dap.SetDataBreakpointsRequest) (dap.ResponseMessage, error) {
	requests := make([]timeline.DataRequest, len(r.Arguments.Breakpoints))
	for i, b := range r.Arguments.Breakpoints {
		function, expression, ok := strings.Cut(b.DataId, dataSeparator)
		requests[i] = timeline.DataRequest{
			Function: function, Expression: expression,
			Modifiers: timeline.Modifiers{Condition: b.Condition, HitCondition: b.HitCondition},
		}
		switch {
		case !ok || function == "" || expression == "":
			requests[i].Refusal = fmt.Sprintf("%q is not a dataId that dataBreakpointInfo gave", b.DataId)
		case b.AccessType != "" && b.AccessType != "write":
			requests[i].Refusal = "only changes of a value can be predicted, not reads"
		}
	}
	response := &dap.SetDataBreakpointsResponse{
		Response: *newResponse(&r.Request), Body: dap.SetDataBreakpointsResponseBody{Breakpoints: make([]dap.Breakpoint, len(requests))},
	}
	for i, b := range s.breakpoints.SetData(requests) {
		response.Body.Breakpoints[i] = dap.Breakpoint{Id: b.ID, Verified: b.Verified, Message: b.Message}
	}
	return response, nil
}
