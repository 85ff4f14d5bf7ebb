package cwm

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/model/neural"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// session is one model.Session: the trace so far, and which of its frames the
// actions led to.
type session struct {
	predictor *Predictor
	listing   *listing
	sequence  *neural.Sequence
	sampler   neural.Sampler
	prompt    int // tokens of the code
	frames    []frame
	// steps has, for the start and each action, how many frames there were after
	// it. It is empty before begin.
	steps []int
}

// begin writes the code and what is known, or proposes the start.
func (s *session) begin(ctx context.Context, c model.Context) (model.Prediction, error) {
	s.sequence.IDs = s.predictor.vocabulary.appendPrompt(nil, s.listing.code())
	s.prompt = len(s.sequence.IDs)
	if c.Start.Event == statetree.NoEvent {
		if len(c.History) > 0 {
			return model.Prediction{}, errors.New("a history needs the state that it starts from")
		}
		return s.propose(ctx)
	}
	if err := s.write(statetree.NoAction, c.Start); err != nil {
		return model.Prediction{}, err
	}
	for i := range c.History {
		if err := s.replay(&c.History[i]); err != nil {
			return model.Prediction{}, fmt.Errorf("step %d of the history: %w", i+1, err)
		}
	}
	if s.full() {
		return model.Prediction{}, model.ErrContextFull
	}
	return model.Prediction{Outcome: s.last().outcome, Confidence: model.Certain()}, nil
}

// replay appends a step that is known. After an error nothing is changed.
func (s *session) replay(known *model.Step) error {
	if err := s.offers(known.Action); err != nil {
		return err
	}
	if !known.Outcome.Ended() {
		return s.write(known.Action.Kind, known.Outcome.State)
	}
	s.sequence.IDs = append(s.sequence.IDs, s.predictor.vocabulary.specials[endOfText])
	s.add(frame{outcome: known.Outcome, trail: s.last().trail})
	s.steps = append(s.steps, len(s.frames))
	return nil
}

// full reports whether there are more tokens than the engine can hold.
func (s *session) full() bool {
	limit := s.predictor.engine.MaxContext()
	return limit > 0 && len(s.sequence.IDs) > limit
}

// write appends the frame of a state that is known and that a led to.
func (s *session) write(a statetree.ActionKind, state statetree.State) error {
	if eventTokens[state.Event] == "" {
		return fmt.Errorf("a state of event %v in a session that goes forward", state.Event)
	}
	s.sequence.IDs = s.predictor.vocabulary.appendFrame(s.sequence.IDs, &state, s.listing.written(state.Source))
	if len(s.frames) == 0 {
		top, _ := (*activation)(nil).after(&state)
		if top == nil {
			top = &activation{} // the trace begins inside a function
		}
		if state.Event == statetree.Return {
			top = nil
		}
		s.add(frame{outcome: statetree.Outcome{State: state}, trail: s.listing.begin(&state), top: top})
	} else {
		next := s.last().next(s.listing, a, state)
		next.outcome.State = state
		s.add(next)
	}
	s.steps = append(s.steps, len(s.frames))
	return nil
}

func (s *session) add(f frame) {
	f.end = len(s.sequence.IDs)
	s.frames = append(s.frames, f)
}

func (s *session) last() *frame { return &s.frames[len(s.frames)-1] }

// propose predicts the call with which the program begins.
func (s *session) propose(ctx context.Context) (model.Prediction, error) {
	began := time.Now()
	line := s.listing.marked
	f := s.listing.flow.File().FunctionNamed(s.listing.program.Entry.Function)
	d := s.decoder(options{})
	d.append(d.specials[callSep])
	values, err := d.chooseValues(ctx, statetree.Call, append([]string{}, f.Parameters...), d.specials[actionSep])
	if err != nil {
		return model.Prediction{}, err
	}
	outcome, err := values.Outcome()
	if err != nil {
		return model.Prediction{}, err
	}
	state := statetree.State{Event: statetree.Call, Source: s.listing.lines[line-1], Locals: outcome.State.Locals}
	d.append(d.text(nil, s.listing.written(state.Source)+"\n")...)
	d.append(d.specials[frameSep])
	trail := s.listing.begin(&state)
	s.listing.place(&state, trail)
	s.add(frame{outcome: statetree.Outcome{State: state}, trail: trail, top: &activation{locals: state.Locals}})
	s.steps = append(s.steps, len(s.frames))
	return model.Prediction{
		Outcome: s.last().outcome, Confidence: d.scores.confidence(s.last().outcome, 0),
		Tokens: s.last().end - s.prompt, Elapsed: time.Since(began),
	}, nil
}

func (s *session) decoder(o options) *decoder {
	return &decoder{
		vocabulary: s.predictor.vocabulary, listing: s.listing, sequence: s.sequence, sampler: s.sampler,
		options: o, limit: s.predictor.options.MaxFrameTokens, begin: len(s.sequence.IDs),
	}
}

// Predict implements model.Session.
func (s *session) Predict(ctx context.Context, a statetree.Action) (p model.Prediction, err error) {
	began, frames, tokens := time.Now(), len(s.frames), len(s.sequence.IDs)
	if err := s.offers(a); err != nil {
		return p, err
	}
	defer func() {
		if err != nil {
			s.frames, s.sequence.IDs = s.frames[:frames], s.sequence.IDs[:tokens]
		}
	}()
	if p.Confidence, err = s.run(ctx, statetree.NewPlan(a)); err != nil {
		return p, err
	}
	s.steps = append(s.steps, len(s.frames))
	p.Outcome, p.Tokens, p.Elapsed = s.last().outcome, len(s.sequence.IDs)-tokens, time.Since(began)
	return p, nil
}

// offers refuses an action that has no target.
func (s *session) offers(a statetree.Action) error {
	last := s.last()
	if last.outcome.Ended() {
		return model.ErrExited
	}
	if a.Kind == statetree.Breakpoint && a.Source == "" {
		return errors.New("a breakpoint needs a source line")
	}
	if a.Kind.Direction() != statetree.Forward {
		return errInverse
	}
	events, exits := statetree.Possible(last.outcome.State.Event, a.Kind)
	if len(events) == 0 && len(exits) == 0 {
		return fmt.Errorf("%w: %v from %v", model.ErrNoTarget, a.Kind, last.outcome.State.Event)
	}
	return nil
}

// run predicts frames until the plan has come to its target.
func (s *session) run(ctx context.Context, p statetree.Plan) (model.Confidence, error) {
	before := 0.0 // the logarithm of the probability of the frames on the way
	for n := 1; n <= s.predictor.options.MaxFrames; n++ {
		scores, err := s.predictFrame(ctx, goesOver(&p, s.last()))
		if err != nil {
			return model.Confidence{}, err
		}
		if last := s.last(); last.outcome.Ended() || p.Arrive(&last.outcome.State) {
			return scores.confidence(last.outcome, before), nil
		}
		before += scores.total()
		model.ReportProgress(ctx, n)
	}
	return model.Confidence{}, fmt.Errorf("%v does not come to its target within %d predicted states; set a breakpoint nearer", p.Action().Kind, s.predictor.options.MaxFrames)
}

// goesOver reports whether the call that a frame entered is gone over: the next
// frame is its return. To the end of the run everything is followed, since what
// calls do decides how it ends.
func goesOver(p *statetree.Plan, f *frame) bool {
	return p.Action().Kind != statetree.Continue && p.Passes(&f.outcome.State)
}

// predictFrame appends one predicted frame, or the end. over asks for the return
// of the call that was just entered, at once.
func (s *session) predictFrame(ctx context.Context, over bool) (scores, error) {
	last := s.last()
	by, force := statetree.StepInto, statetree.NoEvent
	if over {
		by, force = statetree.StepReturn, statetree.Return
	}
	o := s.listing.options(last.trail, by)
	// The trace ends when its first activation has; an exception may end it
	// without a return.
	o.exit = last.failing && last.top != nil && last.top.below == nil
	if last.top == nil {
		o = options{exit: true}
	}
	d := s.decoder(o)
	state, err := d.frame(ctx, force)
	if err != nil {
		return scores{}, err
	}
	if state.Event == statetree.NoEvent {
		exit := statetree.ExitNormal
		if last.failing {
			exit = statetree.ExitError
		}
		s.add(frame{outcome: statetree.Outcome{Exit: exit}, trail: last.trail})
	} else {
		s.add(last.next(s.listing, by, state))
	}
	return d.scores, nil
}

// Adopt implements model.Session.
func (s *session) Adopt(known model.Step) error {
	if err := s.replay(&known); err != nil {
		return err
	}
	if s.full() {
		return errors.Join(model.ErrContextFull, s.Rewind(1))
	}
	return nil
}

// Rewind implements model.Session.
func (s *session) Rewind(n int) error {
	if n < 0 || n > len(s.steps)-1 {
		return fmt.Errorf("rewinding %d of %d steps", n, len(s.steps)-1)
	}
	s.steps = s.steps[:len(s.steps)-n]
	s.cut(s.steps[len(s.steps)-1])
	return nil
}

// cut keeps the first n frames.
func (s *session) cut(n int) {
	s.frames = s.frames[:n]
	end := s.prompt
	if n > 0 {
		end = s.frames[n-1].end
	}
	s.sequence.IDs = s.sequence.IDs[:end]
}

// Edit implements model.Session. The frame is written anew, with all values.
func (s *session) Edit(state statetree.State) error {
	last := *s.last()
	if last.outcome.Ended() {
		return model.ErrExited
	}
	if state.Event != last.outcome.State.Event {
		return fmt.Errorf("a state of event %v in place of one of %v", state.Event, last.outcome.State.Event)
	}
	s.cut(len(s.frames) - 1)
	s.sequence.IDs = s.predictor.vocabulary.appendFrame(s.sequence.IDs, &state, s.listing.written(state.Source))
	last.outcome.State = state
	if state.Event.HasLocals() {
		last.top = &activation{below: last.top.below, locals: state.Locals}
	}
	s.add(last)
	return nil
}

// Close implements model.Session.
func (s *session) Close() error {
	s.predictor.sessions.Forget(s)
	return s.sequence.Close()
}
