package server

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/model/rpc"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// walker is a predictor that goes through states until it is cancelled.
type walker struct{ *stub }

func (w walker) Open(context.Context, model.Context) (model.Session, model.Prediction, error) {
	w.open.Add(1)
	return walkerSession{&stubSession{stub: w.stub}}, model.Prediction{}, nil
}

type walkerSession struct{ *stubSession }

func (walkerSession) Predict(ctx context.Context, _ statetree.Action) (model.Prediction, error) {
	for n := 1; ; n++ {
		model.ReportProgress(ctx, n)
		select {
		case <-ctx.Done():
			return model.Prediction{}, ctx.Err()
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// TestProgressReachesTheClient follows a long prediction through both ends.
func TestProgressReachesTheClient(t *testing.T) {
	self, err := os.Executable() // stands for neuraldbg-model
	if err != nil {
		t.Fatal(err)
	}
	build, err := rpc.ExecutableID(self)
	if err != nil {
		t.Fatal(err)
	}
	r := start(t, Options{Build: build, Load: func(context.Context, rpc.LoadParams) (model.Predictor, error) { return walker{newStub()}, nil }})
	p := rpc.NewPredictor(rpc.Options{Model: "x", Executable: self, RuntimeDir: r.dir})
	defer p.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	session, _, err := p.Open(ctx, model.Context{})
	if err != nil {
		t.Fatal(err)
	}
	reports := make(chan int, 100)
	reporting, stop := context.WithCancel(ctx)
	go func() {
		first := <-reports
		second := <-reports
		if first < 1 || second <= first {
			t.Errorf("progress was %d, then %d", first, second)
		}
		stop()
	}()
	reporting = model.WithProgress(reporting, func(n int) { reports <- n })
	if _, err := session.Predict(reporting, statetree.Action{Kind: statetree.Continue}); err == nil || ctx.Err() != nil {
		t.Errorf("the prediction ended with %v", err)
	}
}
