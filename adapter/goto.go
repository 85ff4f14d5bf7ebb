package adapter

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/go-dap"

	"github.com/neuraldbg/neuraldbg/adapter/timeline"
)

// onGotoTargets lists where the innermost frame can go on: at the beginning of the
// statement that a line is in, moved to an executable line as a breakpoint is. There
// is one target for a line, as in other debuggers of Python: a trace knows no place
// within a line, and the middle of a statement is none to begin at.
func (s *session) onGotoTargets(r *dap.GotoTargetsRequest) (dap.ResponseMessage, error) {
	entry, err := s.shown()
	if err != nil {
		return nil, err
	}
	a := r.Arguments
	response := &dap.GotoTargetsResponse{Response: *newResponse(&r.Request), Body: dap.GotoTargetsResponseBody{Targets: []dap.GotoTarget{}}}
	if len(entry.Stack) == 0 || entry.Ended() {
		return response, nil
	}
	file, err := s.files.open(s.pathFromClient(a.Source.Path))
	if err != nil {
		return nil, badArguments("gotoTargets: %v", err)
	}
	first, _ := file.StatementLines(s.lineFromClient(a.Line))
	line, ok, _ := file.Snap(first)
	if !ok || file.Path() != entry.Stack[0].File {
		return response, nil
	}
	target := dap.GotoTarget{Id: s.gotoTargets.add(line), Label: strings.TrimSpace(file.Line(line)), Line: s.lineToClient(line)}
	if _, last := file.StatementLines(line); last > line {
		target.EndLine = s.lineToClient(last)
	}
	response.Body.Targets = append(response.Body.Targets, target)
	return response, nil
}

// onGoto makes another line the next to run; the values stay.
func (s *session) onGoto(r *dap.GotoRequest) (dap.ResponseMessage, error) {
	t, err := s.readyThread("goto", r.Arguments.ThreadId)
	if err != nil {
		return nil, err
	}
	line, ok := s.gotoTargets.get(r.Arguments.TargetId)
	if !ok {
		return nil, &requestError{id: idStale, message: fmt.Sprintf("goto target %d is not valid any more", r.Arguments.TargetId)}
	}
	return s.moveFirst(&r.Request, func(ctx context.Context) (timeline.Stop, error) { return t.Goto(ctx, line) },
		&dap.GotoResponse{Response: *newResponse(&r.Request)})
}

// moveFirst runs a movement as work and answers a request with a response, or
// with the movement's error, when it has ended. The stopped event follows.
func (s *session) moveFirst(r *dap.Request, movement func(context.Context) (timeline.Stop, error), response dap.ResponseMessage) (dap.ResponseMessage, error) {
	s.predict(r.Seq, "Going to another state", movement, func(stop timeline.Stop, err error) {
		if err != nil {
			s.out.put(errorResponse(r, editError(err)))
			return
		}
		s.out.put(response)
		s.show(stop, nil)
	})
	return nil, errAnsweredLater
}
