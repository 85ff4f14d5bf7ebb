package adapter

import (
	"github.com/google/go-dap"

	"github.com/neuraldbg/neuraldbg/model"
)

// modelEventName is the name of an event of this adapter alone, for clients that
// show which model predicts. It comes before the first stopped event, again
// after a restart.
const modelEventName = "neuraldbg/model"

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

func newModelEvent(i model.Info) *modelEvent {
	return &modelEvent{Event: *newEvent(modelEventName), Body: modelEventBody{Name: i.Name, Detail: i.Detail, Device: i.Device}}
}
