package model

import (
	"context"
	"errors"
	"time"

	"github.com/neuraldbg/neuraldbg/statetree"
)

// Predictor predicts the states of programs. It serves any number of sessions
// at once; its methods may be called from several goroutines.
type Predictor interface {
	// Open begins a session at a start state and returns that state as a
	// prediction. When c.Start has no event, the predictor proposes the start:
	// the call of c.Program.Entry.Function with arguments of its own choice.
	Open(ctx context.Context, c Context) (Session, Prediction, error)
	// Info describes the predictor to people.
	Info() Info
	// Close ends all sessions.
	Close() error
}

// Session is one line of states in one direction of time: the start state, then
// one state an action. A session is used by one goroutine at a time.
type Session interface {
	// Predict extends the history by one action and returns the state that it
	// leads to. Cancelling ctx stops within one token, returns ctx.Err(), and
	// leaves the history as it was. After an exit, Predict returns ErrExited
	// until the exit is rewound.
	Predict(ctx context.Context, a statetree.Action) (Prediction, error)
	// Adopt extends the history by an action whose outcome is known, as
	// Context.History does for a session that is opened: it costs no prediction,
	// and what follows is predicted as if this had been one. A step that cannot be
	// taken from where the session is leaves the history as it was: ErrExited after
	// an exit, ErrNoTarget for an action that is not offered.
	Adopt(known Step) error
	// Rewind drops the last n actions with the states they led to.
	Rewind(n int) error
	// Edit replaces the last state, as a user who changes a variable does; what
	// follows is predicted from the edited state.
	Edit(s statetree.State) error
	// Close frees what the session holds.
	Close() error
}

// Context is all that a session is predicted from.
type Context struct {
	Program   statetree.Program   `json:"program"`
	Direction statetree.Direction `json:"direction"`
	// Start is the first state, taken as true. Its Locals are full for a
	// forward session. The zero State asks for a proposal.
	Start statetree.State `json:"start"`
	// History are the steps that follow Start, taken as true. Open then returns
	// the last of their outcomes. It needs a Start.
	History  []Step   `json:"history,omitempty"`
	Sampling Sampling `json:"sampling"`
}

// Step is one action with the outcome that it led to.
type Step struct {
	Action  statetree.Action  `json:"action"`
	Outcome statetree.Outcome `json:"outcome"`
	// Edited says that a user changed the state: it is written in full.
	Edited bool `json:"edited,omitempty"`
}

// Sampling says how a prediction is chosen among the possible ones. The zero
// value is greedy. Randomness comes from Seed and the history alone, not from
// the order of calls.
type Sampling struct {
	Temperature float64 `json:"temperature,omitempty"` // 0 is greedy
	TopP        float64 `json:"top_p,omitempty"`       // 0 means 1: no cut
	Seed        uint64  `json:"seed,omitempty"`
	// Alternatives is how many other outcomes to return with each prediction.
	Alternatives int `json:"alternatives,omitempty"`
	// Unconstrained leaves a language model free to write anything: it is how to
	// measure what decoding under the grammar and the control flow adds. A text
	// that is no outcome is an error of Predict.
	Unconstrained bool `json:"unconstrained,omitempty"`
	// ConfidenceTemperature divides the logits that confidences are computed
	// from, and changes nothing else; 0 means that with which the predictor was
	// calibrated.
	ConfidenceTemperature float64 `json:"confidence_temperature,omitempty"`
}

// Prediction is one predicted outcome. Confidences are probabilities in [0, 1].
type Prediction struct {
	statetree.Outcome
	Confidence Confidence `json:"confidence"`
	// Alternatives are other outcomes, most probable first, if asked for.
	Alternatives []Alternative `json:"alternatives,omitempty"`
	// Way are the single steps by which the target of a jump was reached, where it
	// was reached by them: the last leads to the target. Each is as predicted as the
	// target is.
	Way []Step `json:"way,omitempty"`
	// Truncated says that the state did not end by itself: values were cut or left
	// out, and nothing about them is certain.
	Truncated bool `json:"truncated,omitempty"`
	// Forgotten is how many of the session's first states the predictor was not
	// shown, since the history has outgrown its context: of these it knows the
	// calls of the frames that are open, no more.
	Forgotten int `json:"forgotten,omitempty"`
	// Tokens is how many tokens the prediction is long; 0 for a recording.
	Tokens int `json:"tokens,omitempty"`
	// Elapsed is the time that the prediction took.
	Elapsed time.Duration `json:"elapsed,omitempty"`
}

// Confidence is the probability that a predictor gives its prediction, as a
// whole and for its parts.
type Confidence struct {
	State  float64 `json:"state"`
	Event  float64 `json:"event"`
	Source float64 `json:"source"`
	// Values is that of all of LOCALS, or of ARGS.
	Values float64 `json:"values"`
	// Locals has one entry a name whose value was predicted in this state;
	// names carried over unchanged have the confidence of "nothing changed".
	Locals map[string]float64 `json:"locals,omitempty"`
}

// Certain is the confidence of what is known: a recorded state, a start state
// given by the user.
func Certain() Confidence {
	return Confidence{State: 1, Event: 1, Source: 1, Values: 1}
}

// Alternative is another outcome with its probability.
type Alternative struct {
	statetree.Outcome
	Confidence Confidence `json:"confidence"`
}

// Info describes a predictor.
type Info struct {
	Name       string `json:"name"`   // "nano", "replay"
	Detail     string `json:"detail"` // "Llama, 1.9 M parameters, float32"
	Device     string `json:"device"` // "cpu", "cuda:0", "" when there is none
	Parameters int64  `json:"parameters,omitempty"`
	MaxContext int    `json:"max_context,omitempty"` // tokens; 0 means unlimited
}

// Errors that callers tell apart.
var (
	// ErrExited is returned by Predict after an exit.
	ErrExited = errors.New("the run has ended; step back first")
	// ErrNoTarget is returned by Predict for an action that leads nowhere from
	// the current state, such as step_return on a return state.
	ErrNoTarget = statetree.ErrNoTarget
	// ErrContextFull is returned by Open and Predict when what they need to be
	// shown does not fit into the model's context.
	ErrContextFull = errors.New("the history has filled the model's context: step back, or use a model with a longer context")
	// ErrUnavailable is returned when the process behind a predictor is gone;
	// the next call starts it again.
	ErrUnavailable = errors.New("the model process is not there")
)
