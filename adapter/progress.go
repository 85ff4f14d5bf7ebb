package adapter

import (
	"fmt"
	"strconv"
	"time"

	"github.com/google/go-dap"

	"github.com/neuraldbg/neuraldbg/adapter/timeline"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// progress is a long operation that a client shows, if it can.
type progress struct {
	s  *session
	id string // empty when the client cannot
}

func (s *session) newProgress() progress {
	if !s.client.SupportsProgressReporting {
		return progress{s: s}
	}
	s.lastProgress++
	return progress{s: s, id: strconv.Itoa(s.lastProgress)}
}

func (s *session) startProgress(title string) progress {
	p := s.newProgress()
	p.start(title)
	return p
}

func (p progress) start(title string) {
	if p.id != "" {
		p.s.event(&dap.ProgressStartEvent{Event: *newEvent("progressStart"), Body: dap.ProgressStartEventBody{
			ProgressId: p.id, Title: title, Cancellable: true,
		}})
	}
}

func (p progress) update(message string, percentage int) {
	if p.id != "" {
		p.s.event(&dap.ProgressUpdateEvent{Event: *newEvent("progressUpdate"), Body: dap.ProgressUpdateEventBody{
			ProgressId: p.id, Message: message, Percentage: percentage,
		}})
	}
}

func (p progress) end() {
	if p.id != "" {
		p.s.event(&dap.ProgressEndEvent{Event: *newEvent("progressEnd"), Body: dap.ProgressEndEventBody{ProgressId: p.id}})
	}
}

// A Continue is shown as progress when it takes more predictions than
// quietSteps, and at most once in progressInterval.
const (
	quietSteps       = 5
	progressInterval = 100 * time.Millisecond
)

// stepProgress is the progress of a Continue that steps.
type stepProgress struct {
	progress
	started bool
	shown   time.Time
}

func (s *session) newStepProgress() *stepProgress { return &stepProgress{progress: s.newProgress()} }

// report tells the client after how many predictions, of how many at most, the
// Continue is.
func (p *stepProgress) report(steps, most int) {
	if steps <= quietSteps || time.Since(p.shown) < progressInterval {
		return
	}
	if !p.started {
		p.started = true
		p.start("Continuing")
	}
	p.shown = time.Now()
	p.update(fmt.Sprintf("%d states predicted", steps), steps*100/max(most, 1))
}

func (p *stepProgress) end() {
	if p.started {
		p.progress.end()
	}
}

// listener returns what passes on to the client what the timeline tells during a
// movement.
func (s *session) listener() timeline.Listener {
	output := func(category, text string, at statetree.Origin) {
		body := dap.OutputEventBody{Category: category, Output: text}
		if at.Line > 0 {
			body.Source, body.Line = s.sourceOf(at.File), s.lineToClient(at.Line)
		}
		s.event(&dap.OutputEvent{Event: *newEvent("output"), Body: body})
	}
	return timeline.Listener{
		Log:    func(message string, at statetree.Origin) { output("console", message+"\n", at) },
		Output: func(text string, at statetree.Origin) { output("stdout", text, at) },
		Note:   func(text string) { s.console("console", "%s", text) },
		Progress: func(steps, most int) {
			if p := s.stepping; p != nil {
				p.report(steps, most)
			}
		},
	}
}
