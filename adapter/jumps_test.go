package adapter_test

import (
	"context"
	"sync"
	"testing"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// counting is a predictor that counts the actions that it is asked for.
type counting struct {
	intercepted
	mu    sync.Mutex
	asked map[statetree.ActionKind]int
	// held, if not nil, holds every prediction back until it is closed.
	held chan struct{}
}

func newCounting() *counting {
	p := &counting{}
	p.predict = p.tally
	return p
}

func (p *counting) tally(ctx context.Context, session model.Session, a statetree.Action) (model.Prediction, error) {
	p.mu.Lock()
	p.asked[a.Kind]++
	held := p.held
	if p.asked[statetree.StepOver] < 8 {
		held = nil
	}
	p.mu.Unlock()
	if held != nil {
		select {
		case <-held:
		case <-ctx.Done():
			return model.Prediction{}, ctx.Err()
		}
	}
	return session.Predict(ctx, a)
}

// begin forgets what was asked, and holds predictions back from the eighth step
// over on, if it is to.
func (p *counting) begin(hold bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked, p.held = map[statetree.ActionKind]int{}, nil
	if hold {
		p.held = make(chan struct{})
	}
}

func (p *counting) count(kind statetree.ActionKind) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked[kind]
}

// TestJumps: the key says whether the predictor is asked for a jump or for the
// steps of which it is made, also after a restart with another value; a walk is
// shown as progress and can be cancelled.
func TestJumps(t *testing.T) {
	p := newCounting()
	s := connect(t, p.factory(t))
	s.Initialize()
	launch := func(jumps string) map[string]any {
		return map[string]any{"program": testdata(t, "count_berry.py"), "entry": "main()", "lookAhead": false, "jumps": jumps}
	}
	if _, err := s.Client.Request("launch", launch("at once")); err == nil {
		t.Error("jumps that there are not were launched")
	}
	without := launch("direct")
	without["candidates"] = -1
	if _, err := s.Client.Request("launch", without); err == nil {
		t.Error("-1 candidates were launched")
	}
	p.begin(false)
	s.Launch(launch("direct"))
	s.ConfigurationDone()
	s.ExpectStopped("entry")
	leave := func() {
		t.Helper()
		for range 2 { // to the call of count, through which a step goes to its first line
			s.StepIn()
			s.ExpectStopped("")
		}
		s.StepOut()
	}
	leave()
	s.ExpectStopped("step")
	s.ExpectLine(8)
	if p.count(statetree.StepReturn) != 1 {
		t.Errorf("direct: %v were asked for", p.asked)
	}
	for _, hold := range []bool{false, true} {
		s.Request("restart", map[string]any{"arguments": launch("stepwise")})
		s.ExpectStopped("entry")
		p.begin(hold)
		leave()
		id := expectProgress(t, s, "Stepping out")
		if hold {
			s.Request("cancel", map[string]any{"progressId": id})
			s.ExpectStopped("pause")
			s.ExpectLine(2)
			continue
		}
		s.ExpectStopped("step")
		s.ExpectLine(8)
		if p.count(statetree.StepReturn) > 0 || p.count(statetree.StepOver) < 10 {
			t.Errorf("stepwise: %v were asked for", p.asked)
		}
	}
	s.Disconnect()
}
