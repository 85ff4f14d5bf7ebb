package adapter

import (
	"fmt"
	"strings"

	"github.com/google/go-dap"

	"github.com/neuraldbg/neuraldbg/adapter/timeline"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// frameRef is what a frame id stands for.
type frameRef struct {
	frame *timeline.Frame
	top   bool // the innermost frame, whose state is the position's
}

func staleFrame(id int) error {
	return &requestError{id: idStale, message: fmt.Sprintf("frame %d is not valid any more", id)}
}

// shown returns the entry that is shown while the session is stopped.
func (s *session) shown() (timeline.Entry, error) {
	if s.stopped == nil || s.working() {
		return timeline.Entry{}, errNotStopped
	}
	return s.timeline.Current(), nil
}

func (s *session) onThreads(r *dap.ThreadsRequest) (dap.ResponseMessage, error) {
	return &dap.ThreadsResponse{
		Response: *newResponse(&r.Request),
		Body:     dap.ThreadsResponseBody{Threads: []dap.Thread{{Id: threadID, Name: "predicted"}}},
	}, nil
}

// checkThread refuses a thread that there is not.
func checkThread(command string, thread int) error {
	if thread != threadID {
		return badArguments("%s: there is no thread %d; the only one is %d", command, thread, threadID)
	}
	return nil
}

func (s *session) onStackTrace(r *dap.StackTraceRequest) (dap.ResponseMessage, error) {
	a := r.Arguments
	if err := checkThread("stackTrace", a.ThreadId); err != nil {
		return nil, err
	}
	entry, err := s.shown()
	if err != nil {
		return nil, err
	}
	first := min(max(a.StartFrame, 0), len(entry.Stack))
	last := len(entry.Stack)
	if a.Levels > 0 && a.Levels < last-first {
		last = first + a.Levels
	}
	frames := make([]dap.StackFrame, 0, last-first)
	calls := s.timeline.CallsOf(entry.Stack[first:last])
	for i := first; i < last; i++ {
		f := s.stackFrame(&entry, i)
		_, f.CanRestart = calls[entry.Stack[i].Activation]
		frames = append(frames, f)
	}
	return &dap.StackTraceResponse{
		Response: *newResponse(&r.Request),
		Body:     dap.StackTraceResponseBody{StackFrames: frames, TotalFrames: len(entry.Stack)},
	}, nil
}

func (s *session) stackFrame(entry *timeline.Entry, i int) dap.StackFrame {
	frame := entry.Stack[i]
	f := dap.StackFrame{
		Id:     s.frames.add(frameRef{frame: frame, top: i == 0 && !entry.Ended()}),
		Name:   frameName(entry, i),
		Source: s.sourceOf(frame.File),
		Line:   s.lineToClient(frame.Line),
		Column: s.firstColumn(),
	}
	if frame.Label {
		f.PresentationHint = "label"
		f.Column = 0
		return f
	}
	if frame.Line == 0 && frame.Function == statetree.ModuleFunction {
		f.Line = s.lineToClient(1) // the module's call is before its first line
	}
	return f
}

// frameName is the function's name, with what the client cannot tell from the
// line alone.
func frameName(entry *timeline.Entry, i int) string {
	frame := entry.Stack[i]
	var notes []string
	if frame.Assumed {
		notes = append(notes, "assumed")
	}
	switch {
	case entry.Ended():
		notes = append(notes, "ended")
	case i == 0 && entry.State.Event != statetree.Line:
		notes = append(notes, entry.State.Event.String())
	}
	name := frame.Function
	if name == "" {
		name = "?"
	}
	if len(notes) > 0 {
		name += " (" + strings.Join(notes, ", ") + ")"
	}
	return name
}
