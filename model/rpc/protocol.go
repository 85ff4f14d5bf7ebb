package rpc

import (
	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// ProtocolVersion counts the incompatible changes of the messages below.
const ProtocolVersion = 2

// The methods. Cancel and Progress are notifications, the latter the only message
// that the process begins; the others are calls. Every connection begins with
// Hello.
const (
	MethodHello    = "hello"    // HelloParams → HelloResult
	MethodLoad     = "load"     // LoadParams → model.Info
	MethodOpen     = "open"     // OpenParams → OpenResult
	MethodPredict  = "predict"  // PredictParams → model.Prediction
	MethodAdopt    = "adopt"    // AdoptParams → null
	MethodRewind   = "rewind"   // RewindParams → null
	MethodEdit     = "edit"     // EditParams → null
	MethodClose    = "close"    // CloseParams → null
	MethodCancel   = "cancel"   // CancelParams, a notification
	MethodProgress = "progress" // ProgressParams, a notification to the client
	MethodShutdown = "shutdown" // → null, after which the process ends
)

// HelloParams says who calls.
type HelloParams struct {
	Protocol int `json:"protocol"`
}

// HelloResult says who answers. A client that expects another protocol or
// another build asks the process to end and starts its own.
type HelloResult struct {
	Protocol int `json:"protocol"`
	// Build is the ExecutableID of the process's executable at its start.
	Build string `json:"build"`
	PID   int    `json:"pid"`
}

// LoadParams names a model, and says where it computes and in which numbers.
type LoadParams struct {
	// Model is the name of a bundled model, or the absolute path of a
	// checkpoint's folder.
	Model string `json:"model"`
	// Device is "cpu", "cuda:0", or empty for the best there is.
	Device string `json:"device,omitempty"`
	// DType is the number type of its weights, "float32", "bfloat16" or "float16";
	// empty or "auto" for what suits the device and its memory.
	DType string `json:"dtype,omitempty"`
}

// OpenParams begins a session. The model is loaded if it is not.
type OpenParams struct {
	LoadParams
	Context model.Context `json:"context"`
}

// OpenResult is a session and the state that it begins with.
type OpenResult struct {
	Session    uint64           `json:"session"`
	Info       model.Info       `json:"info"`
	Prediction model.Prediction `json:"prediction"`
}

// PredictParams extends a session's history by one action.
type PredictParams struct {
	Session uint64           `json:"session"`
	Action  statetree.Action `json:"action"`
}

// AdoptParams extends a session's history by a step that is known.
type AdoptParams struct {
	Session uint64     `json:"session"`
	Step    model.Step `json:"step"`
}

// RewindParams drops the last Count steps of a session.
type RewindParams struct {
	Session uint64 `json:"session"`
	Count   int    `json:"count"`
}

// EditParams replaces a session's last state.
type EditParams struct {
	Session uint64          `json:"session"`
	State   statetree.State `json:"state"`
}

// CloseParams ends a session.
type CloseParams struct {
	Session uint64 `json:"session"`
}

// CancelParams stops the request with this id on the same connection. The
// request is answered all the same, usually with CodeCancelled.
type CancelParams struct {
	ID uint64 `json:"id"`
}

// ProgressParams says how many states a running Predict has gone through.
type ProgressParams struct {
	ID     uint64 `json:"id"` // of the request
	States int    `json:"states"`
}
