package adapter

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/go-dap"

	"github.com/neuraldbg/neuraldbg/adapter/timeline"
	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// move runs a movement of the timeline after the request in hand is answered. The
// title is what it is shown as while it takes long.
func (s *session) move(seq int, title string, movement func(ctx context.Context) (timeline.Stop, error)) {
	s.then(func() {
		s.stopped = nil
		s.predict(seq, title, movement, s.show)
	})
}

// resume continues.
func (s *session) resume(seq int) {
	s.predict(seq, "Continuing", s.timeline.Continue, s.show)
}

// predict runs a movement of the timeline as work, and hands what comes of it to
// result.
func (s *session) predict(seq int, title string, movement func(ctx context.Context) (timeline.Stop, error), result func(timeline.Stop, error)) {
	s.begin(seq, s.newProgress(title), func(ctx context.Context) func() {
		var stop timeline.Stop
		err := s.safely(func() (err error) {
			stop, err = movement(ctx)
			return err
		})
		return func() { result(stop, err) }
	})
}

// ready returns the timeline of a session that is stopped.
func (s *session) ready(command string) (*timeline.Timeline, error) {
	switch {
	case s.finished:
		return nil, notNow("%s: debugging has ended", command)
	case s.working() && s.timeline != nil:
		return nil, notNow("%s: a prediction is going on; pause first", command)
	case s.stopped == nil:
		return nil, notNow("%s: debugging has not begun", command)
	}
	return s.timeline, nil
}

// readyThread is ready for a request that names a thread.
func (s *session) readyThread(command string, thread int) (*timeline.Timeline, error) {
	if err := checkThread(command, thread); err != nil {
		return nil, err
	}
	return s.ready(command)
}

// show tells the client where a movement has come to.
func (s *session) show(stop timeline.Stop, err error) {
	if s.finished || s.restarting {
		return
	}
	switch {
	case errors.Is(err, model.ErrExited):
		// Only continue ends the session; other steps stay at the exit.
		stop = s.timeline.Here()
	case err != nil:
		text := shortened(err.Error(), longestMessage)
		s.console("stderr", "neuraldbg: %s", text)
		stop = timeline.Stop{Reason: timeline.ReasonPause, Description: "Prediction failed: " + text}
	}
	if s.files.changed() {
		s.console("important", "%s has changed since it was read; restart to debug what it is now", s.target.File.Path())
	}
	s.stopped = &stop
	s.forget()
	body := dap.StoppedEventBody{
		Reason: stopReason[stop.Reason], Description: stop.Description, ThreadId: threadID, AllThreadsStopped: true,
		HitBreakpointIds: stop.Breakpoints,
	}
	current := s.timeline.Current()
	if repr, ok := current.Exception(); ok {
		body.Text = repr
	}
	s.event(&dap.StoppedEvent{Event: *newEvent("stopped"), Body: body})
	if s.config.looksAhead() {
		s.timeline.LookAhead(s.likely)
	}
}

// forget makes all ids stale that the client has from the last stop.
func (s *session) forget() {
	s.frames.forget()
	s.variables.forget()
	s.stepInTargets.forget()
	s.gotoTargets.forget()
	s.looked = 0
}

func (s *session) onContinue(r *dap.ContinueRequest) (dap.ResponseMessage, error) {
	if err := checkThread("continue", r.Arguments.ThreadId); err != nil {
		return nil, err
	}
	return continueResponse(&r.Request), s.goOn(r.Seq)
}

// goOn continues after the request in hand is answered. At an exit it ends the
// session.
func (s *session) goOn(seq int) error {
	t, err := s.ready("continue")
	if err != nil {
		return err
	}
	if current := t.Current(); current.Ended() && current.Exit != statetree.ExitNever {
		s.then(func() { s.end(current.Exit) })
		return nil
	}
	s.then(func() {
		s.stopped = nil
		s.resume(seq)
	})
	return nil
}

func (s *session) onNext(r *dap.NextRequest) (dap.ResponseMessage, error) {
	t, err := s.readyThread("next", r.Arguments.ThreadId)
	if err != nil {
		return nil, err
	}
	movement := t.StepOver
	s.likely = statetree.StepOver
	if r.Arguments.Granularity == "instruction" {
		movement = t.StepInstruction
	}
	s.move(r.Seq, "Stepping over", movement)
	return &dap.NextResponse{Response: *newResponse(&r.Request)}, nil
}

func (s *session) onStepIn(r *dap.StepInRequest) (dap.ResponseMessage, error) {
	t, err := s.readyThread("stepIn", r.Arguments.ThreadId)
	if err != nil {
		return nil, err
	}
	movement := t.StepInto
	s.likely = statetree.StepInto
	switch {
	case r.Arguments.TargetId != 0:
		target, ok := s.stepInTargets.get(r.Arguments.TargetId)
		if !ok {
			return nil, &requestError{id: idStale, message: fmt.Sprintf("step-in target %d is not valid any more", r.Arguments.TargetId)}
		}
		movement = func(ctx context.Context) (timeline.Stop, error) { return t.StepIntoCall(ctx, target) }
	case r.Arguments.Granularity == "instruction":
		movement = t.StepInstruction
	}
	s.move(r.Seq, "Stepping in", movement)
	return &dap.StepInResponse{Response: *newResponse(&r.Request)}, nil
}

func (s *session) onStepOut(r *dap.StepOutRequest) (dap.ResponseMessage, error) {
	t, err := s.readyThread("stepOut", r.Arguments.ThreadId)
	if err != nil {
		return nil, err
	}
	s.move(r.Seq, "Stepping out", t.StepOut)
	return &dap.StepOutResponse{Response: *newResponse(&r.Request)}, nil
}

func (s *session) onStepBack(r *dap.StepBackRequest) (dap.ResponseMessage, error) {
	t, err := s.readyThread("stepBack", r.Arguments.ThreadId)
	if err != nil {
		return nil, err
	}
	granularity := timeline.Statement
	if r.Arguments.Granularity == "instruction" {
		granularity = timeline.Instruction
	}
	s.move(r.Seq, "Stepping back", func(ctx context.Context) (timeline.Stop, error) { return t.StepBack(ctx, granularity) })
	return &dap.StepBackResponse{Response: *newResponse(&r.Request)}, nil
}

func (s *session) onReverseContinue(r *dap.ReverseContinueRequest) (dap.ResponseMessage, error) {
	t, err := s.readyThread("reverseContinue", r.Arguments.ThreadId)
	if err != nil {
		return nil, err
	}
	s.move(r.Seq, "Inferring the inputs", t.ReverseContinue)
	return &dap.ReverseContinueResponse{Response: *newResponse(&r.Request)}, nil
}

// onRestartFrame goes back to the frame's call state, if it was shown, and drops
// what followed.
func (s *session) onRestartFrame(r *dap.RestartFrameRequest) (dap.ResponseMessage, error) {
	t, err := s.ready("restartFrame")
	if err != nil {
		return nil, err
	}
	ref, ok := s.frames.get(r.Arguments.FrameId)
	if !ok {
		return nil, staleFrame(r.Arguments.FrameId)
	}
	if _, ok := t.CallOf(ref.frame.Activation); !ok {
		return nil, notNow("restartFrame: the call of %s was not shown, so its arguments are not known", ref.frame.Function)
	}
	s.move(r.Seq, "Restarting the frame", func(context.Context) (timeline.Stop, error) { return t.RestartFrame(ref.frame.Activation) })
	return &dap.RestartFrameResponse{Response: *newResponse(&r.Request)}, nil
}

// onPause cancels the prediction that is going on. The stopped event follows
// when it has noticed. Before the first state there is nothing to stop at.
func (s *session) onPause(r *dap.PauseRequest) (dap.ResponseMessage, error) {
	switch {
	case s.finished:
		return nil, notNow("pause: debugging has ended")
	case s.working() && s.timeline != nil && s.opened:
		s.work.cancel()
	case s.stopped == nil:
		return nil, notNow("pause: debugging has not begun")
	}
	return &dap.PauseResponse{Response: *newResponse(&r.Request)}, nil
}
