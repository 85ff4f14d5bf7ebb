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
