package adapter

import (
	"fmt"

	"github.com/google/go-dap"

	"github.com/neuraldbg/neuraldbg/adapter/timeline"
	"github.com/neuraldbg/neuraldbg/statetree/source"
)

// onSetBreakpoints replaces the breakpoints of one file. The response has one
// entry a requested one, in the same order. It is answered while predicting too:
// a Continue that is going on obeys the new set.
func (s *session) onSetBreakpoints(r *dap.SetBreakpointsRequest) (dap.ResponseMessage, error) {
	path := r.Arguments.Source.Path
	if path == "" {
		return nil, badArguments("setBreakpoints: source.path is missing")
	}
	requested := r.Arguments.Breakpoints
	if len(requested) == 0 {
		for _, line := range r.Arguments.Lines { // deprecated in the protocol, still sent
			requested = append(requested, dap.SourceBreakpoint{Line: line})
		}
	}
	lines := make([]int, len(requested))
	for i, b := range requested {
		lines[i] = s.lineFromClient(b.Line)
	}
	file, err := s.files.open(s.pathFromClient(path))
	name := s.files.name(s.pathFromClient(path))
	set := s.breakpoints.Set(name, lines, snapper(file, err))
	response := &dap.SetBreakpointsResponse{
		Response: *newResponse(&r.Request), Body: dap.SetBreakpointsResponseBody{Breakpoints: make([]dap.Breakpoint, len(set))},
	}
	for i, b := range set {
		response.Body.Breakpoints[i] = dap.Breakpoint{
			Id: b.ID, Verified: b.Verified, Message: b.Message, Line: s.lineToClient(b.Line),
			Source: &dap.Source{Name: r.Arguments.Source.Name, Path: path},
		}
	}
	return response, nil
}

// snapper returns how requested lines of a file are moved to executable ones.
func snapper(file *source.File, err error) timeline.Snap {
	if err != nil {
		return func(int) (timeline.Snapped, error) { return timeline.Snapped{}, err }
	}
	return timeline.SnapTo(file)
}

// refreshBreakpoints moves the breakpoints of the program to what its source
// says now, and tells the client about those that have changed.
func (s *session) refreshBreakpoints() {
	name := s.target.File.Path()
	old := s.breakpoints.All(name)
	lines := make([]int, len(old))
	for i, b := range old {
		lines[i] = b.Requested
	}
	for i, b := range s.breakpoints.Set(name, lines, snapper(s.target.File, nil)) {
		if b == old[i] {
			continue
		}
		s.event(&dap.BreakpointEvent{Event: *newEvent("breakpoint"), Body: dap.BreakpointEventBody{
			Reason: "changed",
			Breakpoint: dap.Breakpoint{
				Id: b.ID, Verified: b.Verified, Message: b.Message, Line: s.lineToClient(b.Line), Source: s.sourceOf(b.File),
			},
		}})
	}
}

// onSetFunctionBreakpoints replaces the breakpoints on functions, by their
// qualified or plain names.
func (s *session) onSetFunctionBreakpoints(r *dap.SetFunctionBreakpointsRequest) (dap.ResponseMessage, error) {
	names := make([]string, len(r.Arguments.Breakpoints))
	for i, b := range r.Arguments.Breakpoints {
		names[i] = b.Name
	}
	set := s.breakpoints.SetFunctions(names)
	response := &dap.SetFunctionBreakpointsResponse{
		Response: *newResponse(&r.Request), Body: dap.SetFunctionBreakpointsResponseBody{Breakpoints: make([]dap.Breakpoint, len(set))},
	}
	for i, b := range set {
		response.Body.Breakpoints[i] = dap.Breakpoint{Id: b.ID, Verified: true}
		if s.config != nil && s.target.File.FunctionNamed(b.Name) == nil {
			response.Body.Breakpoints[i].Message = fmt.Sprintf("%s has no function %s yet", s.target.File.Path(), b.Name)
			response.Body.Breakpoints[i].Verified = false
		}
	}
	return response, nil
}

// onSetExceptionBreakpoints accepts what every client sends. No filters are
// announced, so none can be set.
func (s *session) onSetExceptionBreakpoints(r *dap.SetExceptionBreakpointsRequest) (dap.ResponseMessage, error) {
	response := &dap.SetExceptionBreakpointsResponse{Response: *newResponse(&r.Request)}
	for _, filter := range r.Arguments.Filters {
		response.Body.Breakpoints = append(response.Body.Breakpoints, dap.Breakpoint{Message: fmt.Sprintf("there is no filter %q", filter)})
	}
	for _, filter := range r.Arguments.FilterOptions {
		response.Body.Breakpoints = append(response.Body.Breakpoints, dap.Breakpoint{Message: fmt.Sprintf("there is no filter %q", filter.FilterId)})
	}
	return response, nil
}
