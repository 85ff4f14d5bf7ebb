package adapter

import (
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/google/go-dap"

	"github.com/neuraldbg/neuraldbg/adapter/timeline"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// A movement is shown as progress when it predicts more than quietStates states,
// and at most once in progressInterval.
const (
	quietStates      = 5
	progressInterval = 100 * time.Millisecond
)

// progress is work that a client shows, if it can and if it takes long. The
// states that a predictor goes through on the way to one outcome, told by
// model.ReportProgress, count as the timeline's own predictions do. Any goroutine
// may tell of them.
type progress struct {
	s     *session
	id    string // empty when the client shows none
	title string

	mu      sync.Mutex
	started bool
	ended   bool
	told    time.Time // when the client was last told
	steps   int       // predictions of the timeline, of most; 0 where it does not say
	most    int
	states  int // that the predictor has gone through since
}

// newProgress returns the progress of work that may take long, titled as the
// user knows what was asked for.
func (s *session) newProgress(title string) *progress {
	p := &progress{s: s, title: title}
	if s.client.SupportsProgressReporting {
		s.lastProgress++
		p.id = strconv.Itoa(s.lastProgress)
	}
	return p
}

// start shows it at once, however long it will take.
func (p *progress) start() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.begin()
}

// begin shows it, unless it is shown. The caller holds mu.
func (p *progress) begin() {
	if p.id == "" || p.started || p.ended {
		return
	}
	p.started = true
	p.s.event(&dap.ProgressStartEvent{Event: *newEvent("progressStart"), Body: dap.ProgressStartEventBody{
		ProgressId: p.id, Title: p.title, Cancellable: true,
	}})
}

// step tells after how many predictions, of how many at most, the timeline is.
func (p *progress) step(steps, most int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.steps, p.most, p.states = steps, most, 0
	p.tell()
}

// pass tells how many states the predictor has gone through.
func (p *progress) pass(states int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.states = states
	p.tell()
}

// tell shows where the work is. The caller holds mu.
func (p *progress) tell() {
	predicted := p.steps + p.states
	if p.id == "" || p.ended || predicted <= quietStates || time.Since(p.told) < progressInterval {
		return
	}
	p.told = time.Now()
	p.begin()
	p.s.event(&dap.ProgressUpdateEvent{Event: *newEvent("progressUpdate"), Body: dap.ProgressUpdateEventBody{
		ProgressId: p.id, Message: fmt.Sprintf("%d states predicted", predicted), Percentage: p.steps * 100 / max(p.most, 1),
	}})
}

// end is the end of the work. Nothing is told after it.
func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.started && !p.ended {
		p.s.event(&dap.ProgressEndEvent{Event: *newEvent("progressEnd"), Body: dap.ProgressEndEventBody{ProgressId: p.id}})
	}
	p.ended = true
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
			if p := s.moving; p != nil {
				p.step(steps, most)
			}
		},
	}
}
