package adapter_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-dap"

	"github.com/neuraldbg/neuraldbg/adapter"
	"github.com/neuraldbg/neuraldbg/adapter/daptest"
	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// slow is a predictor whose predictions wait until a test lets them go on.
type slow struct {
	intercepted
	stubborn bool // does not notice that it is cancelled
	asked    chan statetree.Action
	release  chan struct{}
}

func newSlow() *slow {
	p := &slow{asked: make(chan statetree.Action, 1000), release: make(chan struct{})}
	p.predict = p.hold
	return p
}

func (p *slow) hold(ctx context.Context, session model.Session, a statetree.Action) (model.Prediction, error) {
	p.asked <- a
	if p.stubborn {
		<-p.release
		return model.Prediction{}, errors.New("too late")
	}
	select {
	case <-p.release:
		return session.Predict(ctx, a)
	case <-ctx.Done():
		return model.Prediction{}, ctx.Err()
	}
}

// launchSlow begins a session that is stopped at its entry.
func launchSlow(t *testing.T, p *slow) *daptest.Script {
	t.Helper()
	s := connect(t, p.factory(t))
	s.Initialize()
	s.Launch(map[string]any{"program": testdata(t, "count_berry.py"), "entry": "main()", "lookAhead": false})
	s.ConfigurationDone()
	s.ExpectStopped("entry")
	return s
}

// TestLookAhead: while the user reads, the step that was taken last is predicted
// again; asked for, it is there, and another step does not wait for it.
func TestLookAhead(t *testing.T) {
	p := newSlow()
	s := connect(t, p.factory(t))
	s.Initialize()
	s.Launch(map[string]any{"program": testdata(t, "count_berry.py"), "entry": "main()"})
	s.ConfigurationDone()
	s.ExpectStopped("entry")
	if a := <-p.asked; a.Kind != statetree.StepOver {
		t.Errorf("predicts %s ahead; want step_over", a)
	}
	s.StepIn() // what is predicted ahead is given up, which needs no release
	if a := <-p.asked; a.Kind != statetree.StepInto {
		t.Fatalf("asked for %s; want step_into", a)
	}
	p.release <- struct{}{}
	s.ExpectStopped("step")
	s.ExpectLine(8)
	<-p.asked
	p.release <- struct{}{} // the call of count, ahead
	s.ExpectStack("main:8")
	s.StepIn()
	if a := <-p.asked; a.Kind != statetree.StepInto {
		t.Fatalf("asked for %s; want only the step from the call", a)
	}
	p.release <- struct{}{}
	s.ExpectStopped("step")
	s.ExpectStack("count:2", "main:8")
	s.Disconnect() // while the next one is predicted ahead
}

func TestPauseCancelsThePrediction(t *testing.T) {
	p := newSlow()
	s := launchSlow(t, p)
	s.Next()
	<-p.asked
	s.Request("threads", nil) // is answered while predicting
	s.ExpectError("stackTrace", map[string]any{"threadId": 1}, "notStopped")
	s.ExpectError("next", map[string]any{"threadId": 1}, "pause first")
	s.SetBreakpoints(testdata(t, "count_berry.py"), 4)
	s.Pause()
	s.ExpectStopped("pause")
	s.ExpectStack("main (call):7") // where it was
	s.Pause()                      // nothing to cancel
	close(p.release)
	s.Next()
	s.ExpectStopped("step")
	s.ExpectLine(8)
	s.Disconnect()
}

// TestPauseStaysWhereSteppingHasCome: of a continue that steps, what was
// predicted is kept.
func TestPauseStaysWhereSteppingHasCome(t *testing.T) {
	p := newSlow()
	s := launchSlow(t, p)
	s.SetBreakpoints(testdata(t, "count_berry.py"), 4, 5)
	s.Continue()
	p.release <- struct{}{}
	p.release <- struct{}{}
	for range 3 {
		<-p.asked
	}
	s.Pause()
	s.ExpectStopped("pause")
	s.ExpectStack("count (call):1", "main:8")
	s.Disconnect()
}

func TestCancelOfAStepIsAPause(t *testing.T) {
	p := newSlow()
	s := launchSlow(t, p)
	seq, err := s.Client.Send("next", map[string]any{"threadId": 1})
	if err != nil {
		t.Fatal(err)
	}
	<-p.asked
	s.Request("cancel", map[string]any{"requestId": seq + 100}) // another request
	s.Request("cancel", map[string]any{"requestId": seq})
	s.ExpectStopped("pause")
	if _, err := s.Client.Response(seq); err != nil {
		t.Errorf("the step itself was answered with %v", err)
	}
	s.Disconnect()
}

func TestTerminateWhilePredicting(t *testing.T) {
	p := newSlow()
	s := launchSlow(t, p)
	s.Next()
	<-p.asked
	s.Request("terminate", nil)
	if _, err := s.Client.Event("terminated"); err != nil {
		t.Fatal(err)
	}
	s.ExpectError("pause", map[string]any{"threadId": 1}, "has ended")
	s.Disconnect()
	names := daptest.Names(s.Client.Transcript())
	if i := slices.Index(names, "event:terminated"); slices.ContainsFunc(names[i+1:], func(n string) bool { return strings.HasPrefix(n, "event") }) {
		t.Errorf("events after terminated: %q", names[i:])
	}
}

func TestRestartWhilePredicting(t *testing.T) {
	p := newSlow()
	s := launchSlow(t, p)
	s.Next()
	<-p.asked
	s.Request("restart", nil)
	s.ExpectStopped("entry")
	s.ExpectStack("main (call):7")
	s.Disconnect()
}

// TestRestartsWhilePredicting: however many come while a prediction goes on, the
// session begins again once.
func TestRestartsWhilePredicting(t *testing.T) {
	p := newSlow()
	p.stubborn = true
	s := launchSlow(t, p)
	for range 3 {
		s.Next()
		<-p.asked
		for range 3 {
			s.Request("restart", nil)
		}
		s.ExpectError("next", map[string]any{"threadId": 1}, "pause first")
		p.release <- struct{}{}
		s.ExpectStopped("entry")
		s.ExpectStack("main (call):7")
	}
	s.Disconnect()
	stops := 0
	for _, name := range daptest.Names(s.Client.Transcript()) {
		if name == "event:stopped" {
			stops++
		}
	}
	if stops != 4 {
		t.Errorf("stopped %d times; want 4", stops)
	}
}

// openingSlowly is a predictor whose first state waits.
type openingSlowly struct {
	model.Predictor
	asked, release chan struct{}
}

func (p *openingSlowly) Open(ctx context.Context, c model.Context) (model.Session, model.Prediction, error) {
	p.asked <- struct{}{}
	select {
	case <-p.release:
		return p.Predictor.Open(ctx, c)
	case <-ctx.Done():
		return nil, model.Prediction{}, ctx.Err()
	}
}

// TestBeforeTheFirstState nothing can be paused, and a restart begins again.
func TestBeforeTheFirstState(t *testing.T) {
	p := &openingSlowly{asked: make(chan struct{}), release: make(chan struct{})}
	s := connect(t, func(ctx context.Context, c adapter.LaunchConfig) (model.Predictor, error) {
		inner, err := replaying(t, "main()")(ctx, c)
		p.Predictor = inner
		return p, err
	})
	s.Initialize()
	s.Launch(map[string]any{"program": testdata(t, "count_berry.py"), "entry": "main()"})
	s.ConfigurationDone()
	<-p.asked
	s.ExpectError("pause", map[string]any{"threadId": 1}, "not begun")
	s.Request("restart", nil)
	<-p.asked
	close(p.release)
	s.ExpectStopped("entry")
	s.Disconnect()
}

// faulty is a predictor with a bug.
type faulty struct{ model.Predictor }

func (p faulty) Open(ctx context.Context, c model.Context) (model.Session, model.Prediction, error) {
	session, first, err := p.Predictor.Open(ctx, c)
	return faultySession{session}, first, err
}

type faultySession struct{ model.Session }

func (faultySession) Predict(context.Context, statetree.Action) (model.Prediction, error) {
	panic("a bug")
}

// TestAFaultEndsNothing: a panic is told as an error of the request, and the
// sessions of the same process go on.
func TestAFaultEndsNothing(t *testing.T) {
	s := connect(t, func(ctx context.Context, c adapter.LaunchConfig) (model.Predictor, error) {
		inner, err := replaying(t, "main()")(ctx, c)
		return faulty{inner}, err
	})
	s.Initialize()
	s.Launch(map[string]any{"program": testdata(t, "count_berry.py"), "entry": "main()"})
	s.ConfigurationDone()
	s.ExpectStopped("entry")
	s.Next()
	if stop := s.ExpectStopped("pause"); !strings.Contains(stop.Description, "internal error") {
		t.Errorf("description %q", stop.Description)
	}
	s.ExpectStack("main (call):7")
	s.Disconnect()
}

// TestDisconnectDoesNotWait, neither for a model that stops when it is told nor
// for one that does not.
func TestDisconnectDoesNotWait(t *testing.T) {
	for _, stubborn := range []bool{false, true} {
		p := newSlow()
		p.stubborn = stubborn
		s := launchSlow(t, p)
		s.Next()
		<-p.asked
		s.Disconnect() // the model is released only then
		close(p.release)
	}
}

func TestLaunchIsAnsweredBeforeTheModelIsLoaded(t *testing.T) {
	load := make(chan struct{})
	s := connect(t, func(ctx context.Context, c adapter.LaunchConfig) (model.Predictor, error) {
		select {
		case <-load:
			return replaying(t, "main()")(ctx, c)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	})
	s.Initialize()
	s.Launch(map[string]any{"program": testdata(t, "count_berry.py"), "entry": "main()", "model": "nano"})
	start, err := s.Client.Event("progressStart")
	if err != nil {
		t.Fatal(err)
	}
	if title := start.(*dap.ProgressStartEvent).Body.Title; title != "Loading the model nano" {
		t.Errorf("progress is titled %q", title)
	}
	s.ConfigurationDone()
	s.ExpectError("next", map[string]any{"threadId": 1}, "not begun")
	close(load)
	if _, err := s.Client.Event("progressEnd"); err != nil {
		t.Fatal(err)
	}
	s.ExpectStopped("entry")
	s.Disconnect()
}

func TestLoadingFails(t *testing.T) {
	s := connect(t, func(context.Context, adapter.LaunchConfig) (model.Predictor, error) {
		return nil, errors.New("no such checkpoint")
	})
	s.Initialize()
	s.Launch(map[string]any{"program": testdata(t, "count_berry.py"), "entry": "main()"})
	s.ConfigurationDone()
	output, err := s.Client.Event("output")
	if err != nil {
		t.Fatal(err)
	}
	if text := output.(*dap.OutputEvent).Body.Output; !strings.Contains(text, "no such checkpoint") {
		t.Errorf("the console says %q", text)
	}
	if _, err := s.Client.Event("terminated"); err != nil {
		t.Fatal(err)
	}
	s.Disconnect()
}

func TestCancelOfLoading(t *testing.T) {
	s := connect(t, func(ctx context.Context, c adapter.LaunchConfig) (model.Predictor, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	s.Initialize()
	s.Launch(map[string]any{"program": testdata(t, "count_berry.py"), "entry": "main()"})
	start, err := s.Client.Event("progressStart")
	if err != nil {
		t.Fatal(err)
	}
	s.Request("cancel", map[string]any{"progressId": start.(*dap.ProgressStartEvent).Body.ProgressId})
	if _, err := s.Client.Event("terminated"); err != nil {
		t.Fatal(err)
	}
	s.Disconnect()
}

// TestAFailedPredictionEndsNothing: the session stays, and the next step opens
// the predictor's session again with the timeline as its history.
func TestAFailedPredictionEndsNothing(t *testing.T) {
	predictions := 0
	p := &intercepted{predict: func(ctx context.Context, session model.Session, a statetree.Action) (model.Prediction, error) {
		if predictions++; predictions == 2 { // the server dies
			return model.Prediction{}, model.ErrUnavailable
		}
		return session.Predict(ctx, a)
	}}
	s := connect(t, p.factory(t))
	s.Initialize()
	s.Launch(map[string]any{"program": testdata(t, "count_berry.py"), "entry": "main()", "lookAhead": false})
	s.ConfigurationDone()
	s.ExpectStopped("entry")
	s.Next()
	s.ExpectStopped("step")
	s.Next()
	if stop := s.ExpectStopped("pause"); !strings.Contains(stop.Description, model.ErrUnavailable.Error()) {
		t.Errorf("description %q", stop.Description)
	}
	s.ExpectLine(8)
	s.Next()
	s.ExpectStopped("step")
	s.ExpectLocal("(return) main", "2")
	if p.opened != 2 {
		t.Errorf("the predictor was opened %d times; want 2", p.opened)
	}
	s.Disconnect()
}

// closing tells when it is closed.
type closing struct {
	model.Predictor
	closed chan struct{}
}

func (p *closing) Close() error {
	close(p.closed)
	return p.Predictor.Close()
}

// TestAPredictorThatComesTooLateIsClosed, like every other one.
func TestAPredictorThatComesTooLateIsClosed(t *testing.T) {
	for _, late := range []bool{true, false} {
		closed := make(chan struct{})
		s := connect(t, func(ctx context.Context, c adapter.LaunchConfig) (model.Predictor, error) {
			if late {
				<-ctx.Done()
			}
			inner, err := replaying(t, "main()")(context.Background(), c)
			return &closing{inner, closed}, err
		})
		s.Initialize()
		s.Launch(map[string]any{"program": testdata(t, "count_berry.py"), "entry": "main()"})
		s.ConfigurationDone()
		if !late {
			s.ExpectStopped("entry")
		}
		s.Disconnect()
		select {
		case <-closed:
		case <-time.After(patience):
			t.Errorf("late %v: the predictor was not closed", late)
		}
	}
}
