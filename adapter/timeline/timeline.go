package timeline

import (
	"context"
	"errors"
	"fmt"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// DefaultMaxSteps is how many predictions one Continue may take.
const DefaultMaxSteps = 500

// Options are what a user may choose about a timeline.
type Options struct {
	Sampling model.Sampling
	// MaxSteps limits the predictions of one Continue, where it has to step;
	// 0 means DefaultMaxSteps.
	MaxSteps int
	// Strategy is how Continue looks for the next breakpoint.
	Strategy Strategy
	// Samples is how many outcomes to ask for where one is predicted backward;
	// those that are not shown are its alternatives. 0 means 1.
	Samples int
	// Breakpoints are the breakpoints to obey; nil means a new, empty set.
	Breakpoints *Breakpoints
	// Listener hears of what happens during a movement.
	Listener Listener
}

// Timeline is the history of one debug session and the position in it.
//
// Entries have indexes: the state that the timeline began with has 0, those
// predicted backward from it have negative ones. An index names the same entry
// until a step or an edit drops it.
//
// A Timeline is used by one goroutine at a time, except for Breakpoints.
type Timeline struct {
	predictor   model.Predictor
	target      Target
	options     Options
	breakpoints *Breakpoints
	listener    Listener
	stacks      stacker
	places      *locator
	visited     map[int]*visitList // by the revision of a breakpoint's guard
	printings   map[int]*printing  // by line; nil where there is none

	// past[k] has index origin-1-k, future[k] has index origin+k.
	past   []Entry
	future []Entry
	origin int
	pos    int

	// forward is nil until it is needed, and after its predictor failed. Its
	// history reaches from base, which is origin until the predictor's context
	// was full, to held.
	forward    model.Session
	base, held int
	// toldForgotten says that the user was told of a full context.
	toldForgotten bool
	// inverse is the session that past came from; nil until it is needed. Its
	// program is that of one function.
	inverse       model.Session
	inversePlaces *locator
	// begun says that inverse has predicted the beginning of its scope.
	begun bool
}

// New returns a timeline without entries; Open predicts its first.
func New(p model.Predictor, target Target, options Options) *Timeline {
	if options.MaxSteps <= 0 {
		options.MaxSteps = DefaultMaxSteps
	}
	if options.Breakpoints == nil {
		options.Breakpoints = NewBreakpoints()
	}
	return &Timeline{
		predictor: p, target: target, options: options, breakpoints: options.Breakpoints, listener: options.Listener,
		visited: map[int]*visitList{}, printings: map[int]*printing{},
		places: newLocator(target.File, target.Program),
	}
}

// Open puts the start state on the timeline: the target's, or the call that the
// predictor proposes. It returns a stop for Entry.
func (t *Timeline) Open(ctx context.Context) (Stop, error) {
	if len(t.future) > 0 {
		return Stop{}, errors.New("the timeline is open already")
	}
	if t.target.Start.Event.HasArg() {
		// A return or an exception is a place to go backward from; a forward
		// session is opened there only when it is asked for.
		first := model.Prediction{Outcome: statetree.Outcome{State: t.target.Start}, Confidence: model.Certain()}
		t.future = []Entry{{Prediction: first, Stack: t.stacks.start(first.State)}}
		return t.stop(Stop{Reason: ReasonEntry}), nil
	}
	session, first, err := t.predictor.Open(ctx, t.context(statetree.Forward, t.target.Start))
	switch {
	case errors.Is(err, model.ErrUnavailable) && t.target.Start.Event != statetree.NoEvent:
		// The start is known without it, and the first step asks for it again.
		first = model.Prediction{Outcome: statetree.Outcome{State: t.target.Start}, Confidence: model.Certain()}
	case err != nil:
		return Stop{}, fmt.Errorf("predicting the first state: %w", err)
	}
	if first.Ended() {
		session.Close()
		return Stop{}, fmt.Errorf("predicting the first state: got the exit %q", first.Exit)
	}
	t.places.locate(&first.State, nil, statetree.Action{}, nil)
	if session != nil {
		t.forward, t.held = &foresighted{Session: session}, 0
	}
	t.future = []Entry{{Prediction: first, Stack: t.stacks.start(first.State)}}
	t.arrive()
	return t.stop(Stop{Reason: ReasonEntry}), nil
}

// Close ends the predictor's sessions. The entries stay readable.
func (t *Timeline) Close() error {
	return errors.Join(closeSession(&t.forward), closeSession(&t.inverse))
}

func closeSession(s *model.Session) error {
	if *s == nil {
		return nil
	}
	err := (*s).Close()
	*s = nil
	return err
}

// Target returns what is debugged.
func (t *Timeline) Target() Target { return t.target }

// Breakpoints returns the timeline's breakpoints. They may be changed at any
// time, from any goroutine.
func (t *Timeline) Breakpoints() *Breakpoints { return t.breakpoints }

// First and Last return the indexes of the first and the last entry.
func (t *Timeline) First() int { return t.origin - len(t.past) }

// Last returns the index of the last entry.
func (t *Timeline) Last() int { return t.origin + len(t.future) - 1 }

// Position returns the index of the entry that is shown.
func (t *Timeline) Position() int { return t.pos }

// Current returns the entry that is shown. The timeline must be open.
func (t *Timeline) Current() Entry { return *t.at(t.pos) }

// At returns the entry with an index between First and Last.
func (t *Timeline) At(index int) Entry { return *t.at(index) }

// Entries returns all entries in the order of the program's time.
func (t *Timeline) Entries() []Entry {
	out := make([]Entry, 0, len(t.past)+len(t.future))
	for i := t.First(); i <= t.Last(); i++ {
		out = append(out, *t.at(i))
	}
	return out
}

// Go moves to the entry with an index between First and Last.
func (t *Timeline) Go(index int) (Stop, error) {
	if len(t.future) == 0 || index < t.First() || index > t.Last() {
		return Stop{}, fmt.Errorf("no entry %d on the timeline", index)
	}
	t.pos = index
	return t.Here(), nil
}

// CallOf returns the index of the call state of an activation in the stack, if
// it is on the timeline before the position.
func (t *Timeline) CallOf(activation int) (index int, ok bool) {
	index, ok = t.CallsOf(Stack{{Activation: activation}})[activation]
	return index, ok
}

// CallsOf returns the indexes of the call states of some frames, by activation,
// as far as they are on the timeline before the position.
func (t *Timeline) CallsOf(frames Stack) map[int]int {
	wanted := make(map[int]bool, len(frames))
	for i := range frames {
		wanted[frames[i].Activation] = true
	}
	calls := make(map[int]int, len(frames))
	for i := t.pos; i >= t.First() && len(calls) < len(wanted); i-- {
		e := t.at(i)
		if e.Ended() || e.State.Event != statetree.Call {
			continue
		}
		activation := e.Stack[0].Activation
		if _, found := calls[activation]; wanted[activation] && !found {
			calls[activation] = i
		}
	}
	return calls
}

func (t *Timeline) at(index int) *Entry {
	if index < t.origin {
		return &t.past[t.origin-1-index]
	}
	return &t.future[index-t.origin]
}

// context returns what a session in the given direction is predicted from.
func (t *Timeline) context(d statetree.Direction, start statetree.State) model.Context {
	c := model.Context{Program: t.target.Program, Direction: d, Start: start, Sampling: t.options.Sampling}
	if d == statetree.Inverse {
		c.Sampling.Alternatives = max(c.Sampling.Alternatives, t.options.Samples-1)
	}
	return c
}
