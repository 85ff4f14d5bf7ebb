package statetree

// Recording is one execution as sys.settrace reported it: the states in the
// order in which they happened. Nothing in it is interpreted.
type Recording struct {
	Program Program    `json:"program"`
	States  []Recorded `json:"states"`
	// Exit is how the run ended, or NoExit when a limit cut the recording.
	Exit Exit `json:"exit"`
	// Cut says which limit ended the recording early; empty when none did.
	Cut string `json:"cut,omitempty"`
}

// Recorded is one state of a Recording together with the activation to which it
// belongs.
type Recorded struct {
	State
	// Activation numbers the activations of the recording from 0, in order of
	// their call events. An activation is one stretch of one frame from a call
	// event to its return event: every resume of a generator is one of its own.
	Activation int `json:"activation"`
}
