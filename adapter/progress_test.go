package adapter_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-dap"

	"github.com/neuraldbg/neuraldbg/adapter/daptest"
	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// strolling is a predictor that goes through states on the way to every outcome,
// and tells of them, until a test lets it arrive.
type strolling struct {
	intercepted
	arrive chan struct{}
}

func newStrolling() *strolling {
	p := &strolling{arrive: make(chan struct{})}
	p.predict = p.stroll
	return p
}

func (p *strolling) stroll(ctx context.Context, session model.Session, a statetree.Action) (model.Prediction, error) {
	for states := 1; ; states++ {
		model.ReportProgress(ctx, states)
		select {
		case <-p.arrive:
			return session.Predict(ctx, a)
		case <-ctx.Done():
			return model.Prediction{}, ctx.Err()
		case <-time.After(time.Millisecond):
		}
	}
}

// launchStrolling begins a session that is stopped at its entry.
func launchStrolling(t *testing.T, s *daptest.Script, lookAhead bool) {
	t.Helper()
	s.Launch(map[string]any{"program": testdata(t, "count_berry.py"), "entry": "main()", "lookAhead": lookAhead})
	s.ConfigurationDone()
	s.ExpectStopped("entry")
}

// expectProgress waits until a client is told of progress with a title, and
// returns its id.
func expectProgress(t *testing.T, s *daptest.Script, title string) string {
	t.Helper()
	for {
		start, err := s.Client.Event("progressStart")
		if err != nil {
			t.Fatal(err)
		}
		if body := start.(*dap.ProgressStartEvent).Body; body.Title == title && body.Cancellable {
			return body.ProgressId
		}
	}
}

// TestProgressOfOnePrediction: a predictor that reaches its target by way of many
// states is shown while it does, also when the prediction was begun before it was
// asked for.
func TestProgressOfOnePrediction(t *testing.T) {
	for _, lookAhead := range []bool{false, true} {
		p := newStrolling()
		s := connect(t, p.factory(t))
		s.Initialize()
		launchStrolling(t, s, lookAhead)
		s.Next()
		id := expectProgress(t, s, "Stepping over")
		update, err := s.Client.Event("progressUpdate")
		if err != nil {
			t.Fatal(err)
		}
		body := update.(*dap.ProgressUpdateEvent).Body
		if body.ProgressId != id || !strings.HasSuffix(body.Message, " states predicted") || body.Percentage != 0 {
			t.Errorf("look ahead %v: the update is %+v", lookAhead, body)
		}
		p.arrive <- struct{}{}
		s.ExpectStopped("step")
		s.ExpectLine(8)
		s.Disconnect()
		names := daptest.Names(s.Client.Transcript())
		stop := len(names) - 1 - slices.Index(reversed(names), "event:stopped")
		end := len(names) - 1 - slices.Index(reversed(names), "event:progressEnd")
		if end > stop || slices.Contains(names[end:], "event:progressUpdate") {
			t.Errorf("look ahead %v: progress does not end before the stop: %q", lookAhead, names)
		}
	}
}

func reversed(list []string) []string {
	list = slices.Clone(list)
	slices.Reverse(list)
	return list
}

// TestCancelOfAPredictionByItsProgress stays where the session is.
func TestCancelOfAPredictionByItsProgress(t *testing.T) {
	p := newStrolling()
	s := connect(t, p.factory(t))
	s.Initialize()
	launchStrolling(t, s, false)
	s.StepOut()
	id := expectProgress(t, s, "Stepping out")
	s.Request("cancel", map[string]any{"progressId": id + "0"}) // another one
	s.Request("cancel", map[string]any{"progressId": id})
	s.ExpectStopped("pause")
	s.ExpectStack("main (call):7")
	s.Request("cancel", map[string]any{"progressId": id}) // too late
	s.Disconnect()
}

// TestNoProgressForAClientWithout: one that does not say that it shows progress
// gets none.
func TestNoProgressForAClientWithout(t *testing.T) {
	p := newStrolling()
	s := connect(t, p.factory(t))
	if _, err := s.Client.InitializeAs(map[string]any{"adapterID": "neuraldbg"}); err != nil {
		t.Fatal(err)
	}
	launchStrolling(t, s, false)
	s.Next()
	time.Sleep(50 * time.Millisecond) // states enough
	p.arrive <- struct{}{}
	s.ExpectStopped("step")
	s.Disconnect()
	for _, name := range daptest.Names(s.Client.Transcript()) {
		if strings.Contains(name, "progress") {
			t.Errorf("got %s", name)
		}
	}
}
