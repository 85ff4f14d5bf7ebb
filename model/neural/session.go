package neural

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/grammar"
)

// session is one model.Session: the tokens, and what they say step by step.
type session struct {
	predictor *Predictor
	direction statetree.Direction
	sampler   sampler
	sequence  *sequence
	listing   *listing
	// steps has the start state first. It is empty before begin.
	steps []step
	// summarized is the number of steps that the text has only in short; the step
	// after them is in it. See shorten.
	summarized int
}

// step is a state, or an exit, with how it was reached.
type step struct {
	action  statetree.Action // NoAction for the start
	outcome statetree.Outcome
	history grammar.History // with this state; of the state before for an exit
	place   place
	edited  bool
	// from is where the action's tokens begin, answer where the outcome's do.
	from, answer int
}

// begin writes the code, the start state and the history that were given, or
// proposes the start.
func (s *session) begin(ctx context.Context, c model.Context) (model.Prediction, error) {
	s.sequence.ids = s.codeTokens()
	if c.Start.Event == statetree.NoEvent {
		if len(c.History) > 0 {
			return model.Prediction{}, errors.New("a history needs the state that it starts from")
		}
		if err := s.fit(); err != nil {
			return model.Prediction{}, err
		}
		return s.propose(ctx)
	}
	if err := s.check(&c.Start); err != nil {
		return model.Prediction{}, err
	}
	s.start(&c.Start)
	for i := range c.History {
		if err := s.replay(&c.History[i]); err != nil {
			return model.Prediction{}, fmt.Errorf("step %d of the history: %w", i+1, err)
		}
	}
	if err := s.fit(); err != nil {
		return model.Prediction{}, err
	}
	return model.Prediction{Outcome: s.last().outcome, Confidence: model.Certain(), Forgotten: s.summarized}, nil
}

// start appends a given start state.
func (s *session) start(state *statetree.State) {
	from := len(s.sequence.ids)
	s.sequence.ids = s.predictor.vocabulary.appendSegments(s.sequence.ids, grammar.AppendFull(nil, state))
	s.steps = append(s.steps[:0], step{
		outcome: statetree.Outcome{State: *state}, history: grammar.NewHistory(state),
		place: s.listing.begin(state), from: from, answer: from,
	})
}

// replay appends a step that is known. After an error nothing is changed.
func (s *session) replay(known *model.Step) error {
	last := s.last()
	if last.outcome.Ended() {
		return model.ErrExited
	}
	if err := s.offers(known.Action); err != nil {
		return err
	}
	state := &known.Outcome.State
	if !known.Outcome.Ended() {
		if err := s.check(state); err != nil {
			return err
		}
	}
	v, w := s.predictor.vocabulary, grammar.WriterAfter(last.history)
	next := step{
		action: known.Action, outcome: known.Outcome, edited: known.Edited, history: last.history, from: len(s.sequence.ids),
	}
	s.sequence.ids = v.appendSegments(s.sequence.ids, w.AppendAction(nil, known.Action))
	next.answer = len(s.sequence.ids)
	switch {
	case known.Outcome.Ended():
		s.sequence.ids = v.appendSegments(s.sequence.ids, grammar.AppendExit(nil, known.Outcome.Exit))
		s.steps = append(s.steps, next)
		return nil
	case known.Edited:
		s.sequence.ids = v.appendSegments(s.sequence.ids, grammar.AppendFull(nil, state))
	default:
		s.sequence.ids = v.appendSegments(s.sequence.ids, w.AppendState(nil, state))
	}
	next.history = last.history.After(known.Action.Kind, state)
	next.place = s.listing.place(last.place, known.Action, state)
	s.steps = append(s.steps, next)
	return nil
}

// propose predicts the call with which the program begins.
func (s *session) propose(ctx context.Context) (model.Prediction, error) {
	candidates := s.listing.proposals()
	if s.direction == statetree.Inverse || len(candidates) == 0 {
		return model.Prediction{}, errors.New("only the call of a function in the code can be proposed; give the state to start from")
	}
	return s.predict(ctx, options{candidates: candidates}, step{from: len(s.sequence.ids)},
		func(e *grammar.Expect) grammar.StateParser {
			return grammar.NewStateParser(statetree.Forward, grammar.Base{}, e)
		})
}

// Predict implements model.Session.
func (s *session) Predict(ctx context.Context, a statetree.Action) (model.Prediction, error) {
	last := s.last()
	if last.outcome.Ended() {
		return model.Prediction{}, model.ErrExited
	}
	if err := s.offers(a); err != nil {
		return model.Prediction{}, err
	}
	p, err := s.advance(ctx, a)
	if !errors.Is(err, model.ErrContextFull) {
		return p, err
	}
	switch shortened, failure := s.shorten(); {
	case failure != nil:
		return p, failure
	case !shortened:
		return p, err
	}
	return s.advance(ctx, a)
}

// advance predicts where an action that the state offers leads to.
func (s *session) advance(ctx context.Context, a statetree.Action) (model.Prediction, error) {
	last := s.last()
	o := s.listing.options(last.history, last.place, a)
	if len(o.candidates) == 0 && len(o.exits) == 0 && !o.anywhere {
		return model.Prediction{}, fmt.Errorf("%w: %v", model.ErrNoTarget, a.Kind)
	}
	next := step{action: a, history: last.history, from: len(s.sequence.ids)}
	s.sequence.ids = s.predictor.vocabulary.appendSegments(s.sequence.ids, grammar.AppendAction(nil, a))
	return s.predict(ctx, o, next, func(e *grammar.Expect) grammar.StateParser {
		return last.history.Parser(a.Kind, e)
	})
}

// predict decodes the outcome of next, whose action is written, and makes it the
// last step. After an error everything is as it was before next.
func (s *session) predict(ctx context.Context, o options, next step, parser parserFor) (p model.Prediction, err error) {
	began := time.Now()
	defer func() {
		if err != nil {
			s.sequence.ids = s.sequence.ids[:next.from]
		}
	}()
	next.answer = len(s.sequence.ids)
	s.sequence.short = s.isShort()
	d := newDecoder(s.predictor, s.sampler, s.sequence, s.listing, o, parser)
	outcome, err := d.run(ctx)
	if err != nil {
		return model.Prediction{}, err
	}
	p.Confidence = d.certainty.confidence(outcome)
	p.Tokens = len(s.sequence.ids) - next.answer
	p.Truncated, p.Forgotten = d.truncated, s.summarized
	if !outcome.Ended() {
		next.place = s.listing.locate(&outcome.State, o)
		if next.action.Kind == statetree.NoAction {
			next.history = grammar.NewHistory(&outcome.State)
		} else {
			next.history = next.history.After(next.action.Kind, &outcome.State)
		}
	}
	if p.Alternatives, err = s.alternatives(ctx, d, o, next.answer, parser); err != nil {
		return model.Prediction{}, err
	}
	next.outcome, p.Outcome = outcome, outcome
	s.steps = append(s.steps, next)
	p.Elapsed = time.Since(began)
	return p, nil
}

// Adopt implements model.Session. The engine computes the step's tokens with those
// of the next prediction, in one pass.
func (s *session) Adopt(known model.Step) error {
	if err := s.replay(&known); err != nil {
		return err
	}
	if limit := s.sequence.limit; limit <= 0 || len(s.sequence.ids) < limit-slack {
		return nil
	}
	_, err := s.shorten()
	if err != nil {
		s.sequence.ids = s.sequence.ids[:s.last().from]
		s.steps = s.steps[:len(s.steps)-1]
	}
	return err
}

// Rewind implements model.Session.
func (s *session) Rewind(n int) error {
	if n < 0 || n > len(s.steps)-1 {
		return fmt.Errorf("rewinding %d of %d steps", n, len(s.steps)-1)
	}
	if n == 0 {
		return nil
	}
	keep := len(s.steps) - n
	cut := s.steps[keep].from
	s.steps = s.steps[:keep]
	if keep <= s.summarized {
		return s.rewrite()
	}
	s.sequence.ids = s.sequence.ids[:cut]
	return nil
}

// Edit implements model.Session.
func (s *session) Edit(state statetree.State) error {
	last := s.last()
	if last.outcome.Ended() {
		return model.ErrExited
	}
	if err := s.check(&state); err != nil {
		return err
	}
	if err := s.fits(&state); err != nil {
		return err
	}
	s.sequence.ids = s.sequence.ids[:last.answer]
	if len(s.steps) == 1 {
		s.start(&state)
		return nil
	}
	s.sequence.ids = s.predictor.vocabulary.appendSegments(s.sequence.ids, grammar.AppendFull(nil, &state))
	before := s.steps[len(s.steps)-2]
	last.outcome, last.edited = statetree.Outcome{State: state}, true
	last.history = before.history.After(last.action.Kind, &state)
	last.place = s.listing.place(before.place, last.action, &state)
	return nil
}

// Close implements model.Session.
func (s *session) Close() error {
	s.predictor.sessions.Forget(s)
	return s.sequence.close()
}

func (s *session) last() *step { return &s.steps[len(s.steps)-1] }

// check refuses a state that the grammar cannot write in this session.
func (s *session) check(state *statetree.State) error {
	switch {
	case state.Event == statetree.NoEvent:
		return errors.New("the state has no event")
	case state.Event.Direction() != s.direction:
		return fmt.Errorf("a state of event %v in a session that goes %v", state.Event, s.direction)
	}
	return nil
}

// offers refuses an action that has no target by the rules of the tree.
func (s *session) offers(a statetree.Action) error {
	if a.Kind == statetree.NoAction {
		return errors.New("no action was given")
	}
	if a.Kind == statetree.Breakpoint && a.Source == "" {
		return errors.New("a breakpoint needs a source line")
	}
	from := s.last().history.Event()
	events, exits := statetree.Possible(from, a.Kind)
	if a.Kind.Direction() != s.direction || len(events) == 0 && len(exits) == 0 {
		return fmt.Errorf("%w: %v from %v", model.ErrNoTarget, a.Kind, from)
	}
	return nil
}
