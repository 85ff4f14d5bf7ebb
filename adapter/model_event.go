package adapter

import (
	"github.com/google/go-dap"

	"github.com/neuraldbg/neuraldbg/model"
)

// modelEventName is the name of an event of this adapter alone, for the extension
// that shows which model predicts. It comes before the first stopped event, again
// after a restart.
const modelEventName = "neuraldbg/model"

// modelEventClient is the clientID of the editors that get the event: VS Code, and
// those made of it. Others may not bear an event that they do not know: Helix gives
// the session up.
const modelEventClient = "vscode"

type modelEventBody struct {
	Name   string `json:"name"`             // "nano", "replay"
	Detail string `json:"detail,omitempty"` // for people: kind and size
	Device string `json:"device,omitempty"` // "cpu", "cuda:0"; absent where nothing is computed
}

type modelEvent struct {
	dap.Event
	Body modelEventBody `json:"body"`
}

func (e *modelEvent) GetEvent() *dap.Event { return &e.Event }

// tellModel tells the client which model predicts, if it wants to know.
func (s *session) tellModel(i model.Info) {
	if s.client.ClientID != modelEventClient {
		return
	}
	s.event(&modelEvent{Event: *newEvent(modelEventName), Body: modelEventBody{Name: i.Name, Detail: i.Detail, Device: i.Device}})
}
