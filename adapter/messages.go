package adapter

import (
	"github.com/google/go-dap"
)

func newEvent(name string) *dap.Event {
	return &dap.Event{ProtocolMessage: dap.ProtocolMessage{Type: "event"}, Event: name}
}

// newResponse returns the head of a successful response.
func newResponse(r *dap.Request) *dap.Response {
	return &dap.Response{
		ProtocolMessage: dap.ProtocolMessage{Type: "response"}, RequestSeq: r.Seq, Success: true, Command: r.Command,
	}
}

// continueResponse and continuedEvent are here because go-dap leaves false
// values out that mean something: allThreadsContinued is true when absent.
func continueResponse(r *dap.Request) *dap.ContinueResponse {
	return &dap.ContinueResponse{Response: *newResponse(r), Body: dap.ContinueResponseBody{AllThreadsContinued: true}}
}

// breakpoint is dap.Breakpoint with a line that may be 0, as it is for clients
// that count lines from 0.
type breakpoint struct {
	dap.Breakpoint
	Line *int `json:"line,omitempty"`
}

type breakpointsBody struct {
	Breakpoints []breakpoint `json:"breakpoints"`
}

type setBreakpointsResponse struct {
	dap.Response
	Body breakpointsBody `json:"body"`
}

func (r *setBreakpointsResponse) GetResponse() *dap.Response { return &r.Response }

// breakpointsResponse answers a request that sets breakpoints on lines.
func breakpointsResponse(r *dap.Request, set []breakpoint) *setBreakpointsResponse {
	return &setBreakpointsResponse{Response: *newResponse(r), Body: breakpointsBody{set}}
}

type breakpointEventBody struct {
	Reason     string     `json:"reason"`
	Breakpoint breakpoint `json:"breakpoint"`
}

type breakpointEvent struct {
	dap.Event
	Body breakpointEventBody `json:"body"`
}

func (e *breakpointEvent) GetEvent() *dap.Event { return &e.Event }
