package neural

import (
	"errors"
	"fmt"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/grammar"
	"github.com/neuraldbg/neuraldbg/statetree/source"
)

// A history that outgrows the model's context is shortened: the code stays, and of
// the states the calls of the open frames and the last one, in full. The text is
// one that the model knows: a debugger that went to each of these states by a
// breakpoint. The session itself forgets nothing, neither for stepping back nor
// for what control flow allows.

// contextError says that the code and what has to be kept of a history do not fit
// into the model's context. It is a model.ErrContextFull.
type contextError struct{ need, have int }

func (e *contextError) Error() string {
	return fmt.Sprintf("the code, the calls that are open and the last state take %d tokens, and the model's context has %d: "+
		"enter at a function instead of the file, with less code to show, give shorter values, or use a model with a longer context", e.need, e.have)
}

func (e *contextError) Is(target error) bool { return target == model.ErrContextFull }

// errTooLarge is returned by Edit for a state that the model cannot be shown.
var errTooLarge = errors.New("the values are too long for the model")

// openFrame is an activation that is open at the end of a history.
type openFrame struct {
	call, line int // its call state and its last line state among the steps, or none
	function   *source.Function
}

// none is the index of no step.
const none = -1

// openFrames returns the activations that are open after the steps, outermost
// first, as far as they were shown.
func openFrames(steps []step) []openFrame {
	var open []openFrame
	for i := range steps {
		s := &steps[i]
		event := s.outcome.State.Event
		if i > 0 && steps[i-1].outcome.State.Event == statetree.Return && len(open) > 0 {
			open = open[:len(open)-1] // its frame has ended
		}
		switch {
		case event == statetree.Call:
			open = append(open, openFrame{call: i, line: none, function: s.place.function})
			continue
		case s.action.Kind == statetree.Breakpoint:
			for len(open) > 0 && open[len(open)-1].function != s.place.function {
				open = open[:len(open)-1]
			}
		}
		if len(open) == 0 {
			open = append(open, openFrame{call: none, line: none, function: s.place.function})
		}
		if event == statetree.Line {
			open[len(open)-1].line = i
		}
	}
	return open
}

// kept are the steps that a shortened history consists of, with the actions that
// lead to them in its text.
type kept struct {
	index  int
	action statetree.Action
}

// summary returns what is kept of the steps: the calls of open frames, without
// the outermost as many as skip says, and the last state.
func summary(steps []step, skip int) (states []kept, calls int) {
	last := len(steps) - 1
	at := func(i int) {
		states = append(states, kept{i, statetree.Action{Kind: statetree.Breakpoint, Source: steps[i].outcome.State.Source}})
	}
	event := steps[last].outcome.State.Event
	if event.Direction() == statetree.Inverse {
		at(last)
		return states, 0
	}
	open := openFrames(steps)
	for _, f := range open {
		if f.call != none && f.call != last {
			if calls++; calls > skip {
				at(f.call)
			}
		}
	}
	if event == statetree.Call || event == statetree.Line {
		at(last)
		return states, calls
	}
	if line := open[len(open)-1].line; line != none {
		at(line)
	}
	kind := statetree.StepOver // to an exception
	if event == statetree.Return {
		kind = statetree.StepReturn
	}
	return append(states, kept{last, statetree.Action{Kind: kind}}), calls
}

// shorten writes the shortened history in place of the whole. It drops outer
// calls until there is room for a state. False, with nothing changed, when the
// history is as short as it can be; an error when even that does not fit.
func (s *session) shorten() (bool, error) {
	if s.sequence.limit <= 0 || s.isShort() || s.last().outcome.Ended() {
		return false, nil
	}
	limit := s.sequence.limit
	begin := s.codeTokens()
	for skip := 0; ; skip++ {
		states, calls := summary(s.steps, skip)
		ids := begin[:len(begin):len(begin)]
		ids, answer, history := s.writeKept(ids, states)
		if len(ids) > limit-limit/runaway && skip < calls {
			continue
		}
		if len(ids) >= limit-slack {
			return false, &contextError{need: len(ids) + slack, have: limit}
		}
		last := s.last()
		last.from, last.answer, last.history = len(begin), answer, history
		s.sequence.ids, s.summarized = ids, len(s.steps)-1
		return true, nil
	}
}

// isShort reports whether there is nothing to leave out of the text.
func (s *session) isShort() bool {
	return len(s.steps) <= 1 || s.summarized > 0 && s.summarized == len(s.steps)-1
}

// writeKept appends the text of a shortened history. answer is where the last
// state begins.
func (s *session) writeKept(ids []int32, states []kept) (out []int32, answer int, history grammar.History) {
	v := s.predictor.vocabulary
	var w grammar.Writer
	for i, k := range states {
		state := &s.steps[k.index].outcome.State
		if i == 0 {
			w.AppendStart(nil, state, false)
			answer, history = len(ids), grammar.NewHistory(state)
			ids = v.appendSegments(ids, grammar.AppendFull(nil, state))
			continue
		}
		ids = v.appendSegments(ids, w.AppendAction(nil, k.action))
		answer, history = len(ids), history.After(k.action.Kind, state)
		ids = v.appendSegments(ids, w.AppendState(nil, state))
	}
	return ids, answer, history
}

// rewrite writes the text of all steps anew, after a rewind to steps that a
// shortened history left out.
func (s *session) rewrite() error {
	s.sequence.ids, s.summarized = s.codeTokens(), 0
	steps := s.steps
	s.steps = nil
	s.start(&steps[0].outcome.State)
	for i := range steps[1:] {
		known := model.Step{Action: steps[i+1].action, Outcome: steps[i+1].outcome, Edited: steps[i+1].edited}
		if err := s.replay(&known); err != nil {
			return fmt.Errorf("writing the history anew: %w", err)
		}
	}
	for i := range s.steps {
		s.steps[i].place = steps[i].place
	}
	return s.fit()
}

// fit shortens a history that was given if it leaves no room for a state.
func (s *session) fit() error {
	limit := s.sequence.limit
	if limit <= 0 || len(s.sequence.ids) <= limit-limit/runaway {
		return nil
	}
	if _, err := s.shorten(); err != nil {
		return err
	}
	if n := len(s.sequence.ids); n >= limit-slack {
		return &contextError{need: n + slack, have: limit}
	}
	return nil
}

// fits refuses a state that a user gives if, with the code alone, it leaves no room
// for another one.
func (s *session) fits(state *statetree.State) error {
	limit := s.sequence.limit
	if limit <= 0 {
		return nil
	}
	ids := s.predictor.vocabulary.appendSegments(s.codeTokens(), grammar.AppendFull(nil, state))
	if n := len(ids); n >= limit-slack {
		return fmt.Errorf("%w: the state takes %d tokens with the code, and the model's context has %d; "+
			"give shorter values, or use a model with a longer context", errTooLarge, n+slack, limit)
	}
	return nil
}

// codeTokens returns the text up to the first state.
func (s *session) codeTokens() []int32 {
	return s.predictor.vocabulary.appendSegments(nil, grammar.AppendBegin(nil, s.listing.program.Code))
}
