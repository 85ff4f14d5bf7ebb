package adapter

import (
	"fmt"
	"strings"

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
	requests := make([]timeline.LineRequest, len(requested))
	for i, b := range requested {
		requests[i] = timeline.LineRequest{
			Line:      s.lineFromClient(b.Line),
			Modifiers: timeline.Modifiers{Condition: b.Condition, HitCondition: b.HitCondition, LogMessage: b.LogMessage},
		}
	}
	file, err := s.files.open(s.pathFromClient(path))
	name := s.files.name(s.pathFromClient(path))
	set := s.breakpoints.SetLines(name, requests, snapper(file, err))
	out := make([]breakpoint, len(set))
	for i, b := range set {
		out[i] = s.lineBreakpoint(b, &dap.Source{Name: r.Arguments.Source.Name, Path: path})
	}
	return breakpointsResponse(&r.Request, out), nil
}

// lineBreakpoint returns what the client is told about a breakpoint on a line.
func (s *session) lineBreakpoint(b timeline.Breakpoint, file *dap.Source) breakpoint {
	line := s.lineToClient(b.Line)
	return breakpoint{Line: &line, Breakpoint: dap.Breakpoint{Id: b.ID, Verified: b.Verified, Message: b.Message, Source: file}}
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
	requests := make([]timeline.LineRequest, len(old))
	for i, b := range old {
		requests[i] = timeline.LineRequest{Line: b.Requested, Modifiers: b.Modifiers}
	}
	for i, b := range s.breakpoints.SetLines(name, requests, snapper(s.target.File, nil)) {
		if b != old[i] {
			s.breakpointChanged(s.lineBreakpoint(b, s.sourceOf(b.File)))
		}
	}
	for _, b := range s.breakpoints.Functions() {
		if now := s.functionBreakpoint(b); now != s.functions[b.ID] {
			s.functions[b.ID] = now
			s.breakpointChanged(breakpoint{Breakpoint: now})
		}
	}
}

func (s *session) breakpointChanged(b breakpoint) { s.breakpointEvent("changed", b) }

// breakpointEvent tells the client of a breakpoint that it has not changed
// itself. reason is the protocol's word.
func (s *session) breakpointEvent(reason string, b breakpoint) {
	s.event(&breakpointEvent{Event: *newEvent("breakpoint"), Body: breakpointEventBody{Reason: reason, Breakpoint: b}})
}

// onSetFunctionBreakpoints replaces the breakpoints on functions, by their
// qualified or plain names.
func (s *session) onSetFunctionBreakpoints(r *dap.SetFunctionBreakpointsRequest) (dap.ResponseMessage, error) {
	requests := make([]timeline.FunctionRequest, len(r.Arguments.Breakpoints))
	for i, b := range r.Arguments.Breakpoints {
		requests[i] = timeline.FunctionRequest{
			Name: strings.TrimSpace(b.Name), Modifiers: timeline.Modifiers{Condition: b.Condition, HitCondition: b.HitCondition},
		}
	}
	set := s.breakpoints.SetFunctions(requests)
	response := &dap.SetFunctionBreakpointsResponse{
		Response: *newResponse(&r.Request), Body: dap.SetFunctionBreakpointsResponseBody{Breakpoints: make([]dap.Breakpoint, len(set))},
	}
	s.functions = make(map[int]dap.Breakpoint, len(set))
	for i, b := range set {
		response.Body.Breakpoints[i] = s.functionBreakpoint(b)
		s.functions[b.ID] = response.Body.Breakpoints[i]
	}
	return response, nil
}

// functionBreakpoint returns what the client is told about a breakpoint on a
// function. Before a launch any function may come.
func (s *session) functionBreakpoint(b timeline.FunctionBreakpoint) dap.Breakpoint {
	out := dap.Breakpoint{Id: b.ID, Message: b.Refusal}
	switch {
	case b.Refusal != "":
	case b.Name == "":
		out.Message = "give a function's name"
	case s.target.File != nil && !hasFunction(s.target.File, b):
		out.Message = fmt.Sprintf("%s has no function %s", s.target.File.Path(), b.Name)
	default:
		out.Verified = true
	}
	return out
}

func hasFunction(file *source.File, b timeline.FunctionBreakpoint) bool {
	for f := range file.Functions() {
		if f.Kind == source.FunctionCode && b.Matches(f.QualifiedName) {
			return true
		}
	}
	return false
}
