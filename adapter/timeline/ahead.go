package timeline

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// LookAhead has the predictor predict an action from the position before it is
// asked for, in the background, while the user reads what is shown. It returns
// at once. The prediction is the same as it would be later; a movement that is
// another one gives it up. Where the timeline holds the answer already, or the
// predictor would have to go back to the position first, nothing is done.
func (t *Timeline) LookAhead(kind statetree.ActionKind) {
	if t.forward == nil || t.held != t.pos || t.pos != t.Last() {
		return
	}
	if e := t.at(t.pos); e.Ended() || !statetree.Offered(e.State.Event, kind) {
		return
	}
	if t.mayStopWithin(kind) {
		kind = t.stride()
	}
	if f, ok := t.forward.(*foresighted); ok {
		f.lookAhead(statetree.Action{Kind: kind})
	}
}

// foresighted is a session that can predict one step before it is asked for.
// To its user it is like any other: what was predicted ahead and not asked for is
// rewound before anything else is done.
type foresighted struct {
	model.Session
	guess *guess // nil when none is being made, or waits to be asked for
}

// guess is a prediction that nobody has asked for yet.
type guess struct {
	action statetree.Action
	cancel context.CancelFunc
	done   chan struct{} // closed when prediction and err are there
	// asker is the context of who waits for it, who hears of its progress; nil
	// while nobody does.
	asker atomic.Pointer[context.Context]

	prediction model.Prediction
	err        error
}

func (f *foresighted) lookAhead(a statetree.Action) {
	if f.guess != nil {
		return
	}
	g := &guess{action: a, done: make(chan struct{})}
	ctx, cancel := context.WithCancel(model.WithProgress(context.Background(), g.report))
	g.cancel = cancel
	f.guess = g
	go func() {
		defer close(g.done)
		defer cancel()
		defer func() {
			if fault := recover(); fault != nil {
				g.err = fmt.Errorf("predicting ahead: %v", fault)
			}
		}()
		g.prediction, g.err = f.Session.Predict(ctx, a)
	}()
}

// report passes the progress on.
func (g *guess) report(states int) {
	if asker := g.asker.Load(); asker != nil {
		model.ReportProgress(*asker, states)
	}
}

// Predict returns what was predicted ahead, if it is what is asked for.
func (f *foresighted) Predict(ctx context.Context, a statetree.Action) (model.Prediction, error) {
	if g := f.guess; g != nil && g.action == a {
		g.asker.Store(&ctx)
		select {
		case <-g.done:
		case <-ctx.Done():
			if err := f.giveUp(); err != nil {
				return model.Prediction{}, err
			}
			return model.Prediction{}, ctx.Err()
		}
		f.guess = nil
		if g.err == nil {
			return g.prediction, nil
		}
		// What failed ahead is tried again, so that its failure is the real one's.
		return f.Session.Predict(ctx, a)
	}
	if err := f.giveUp(); err != nil {
		return model.Prediction{}, err
	}
	return f.Session.Predict(ctx, a)
}

// errSpoiled says that a session cannot go back from what was predicted ahead.
// It is of no use any more; one that is opened anew is.
var errSpoiled = errors.New("going back from what was predicted ahead")

// giveUp stops predicting ahead and takes the session back to where its user
// thinks that it is. It takes as long as a predictor needs to notice that it was
// cancelled.
func (f *foresighted) giveUp() error {
	g := f.guess
	if g == nil {
		return nil
	}
	f.guess = nil
	g.cancel()
	<-g.done
	if g.err != nil {
		return nil // the history is as it was
	}
	if err := f.Session.Rewind(1); err != nil {
		return fmt.Errorf("%w: %w", errSpoiled, err)
	}
	return nil
}

// Adopt extends the history by what is known.
func (f *foresighted) Adopt(known model.Step) error {
	if err := f.giveUp(); err != nil {
		return err
	}
	return f.Session.Adopt(known)
}

// Rewind drops the last n actions.
func (f *foresighted) Rewind(n int) error {
	if err := f.giveUp(); err != nil {
		return err
	}
	return f.Session.Rewind(n)
}

// Edit replaces the last state.
func (f *foresighted) Edit(s statetree.State) error {
	if err := f.giveUp(); err != nil {
		return err
	}
	return f.Session.Edit(s)
}

// Close gives up what is being predicted, and frees the session when that has
// ended. It does not wait for that.
func (f *foresighted) Close() error {
	g := f.guess
	if g == nil {
		return f.Session.Close()
	}
	f.guess = nil
	g.cancel()
	select {
	case <-g.done:
		return f.Session.Close()
	default:
		go func() {
			<-g.done
			f.Session.Close()
		}()
		return nil
	}
}
