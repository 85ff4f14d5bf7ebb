package adapter

import (
	"context"
	"time"

	"github.com/neuraldbg/neuraldbg/model"
)

// work is a movement that waits for the model, in a goroutine of its own.
type work struct {
	seq      int // of the request that began it
	progress *progress
	cancel   context.CancelFunc
	done     chan struct{} // closed when the goroutine has ended
}

// working reports whether work is going on; then the timeline is not the
// loop's.
func (s *session) working() bool { return s.work != nil }

// begin runs f in a goroutine, shown as progress when it takes long. What f
// returns is called by the loop, which owns the timeline again then; when the loop
// has returned, it is called where it is, so that nothing that f has made is lost.
func (s *session) begin(seq int, p *progress, f func(ctx context.Context) (result func())) {
	ctx, cancel := context.WithCancel(model.WithProgress(context.Background(), p.pass))
	w := &work{seq: seq, progress: p, cancel: cancel, done: make(chan struct{})}
	s.work, s.moving = w, p
	go func() {
		defer close(w.done)
		defer cancel()
		result := f(ctx)
		select {
		case s.posted <- func() { s.finishWork(result) }:
		case <-s.ended:
			result()
		}
	}()
}

// finishWork is the end of work, in the loop.
func (s *session) finishWork(result func()) {
	s.work.progress.end()
	s.work, s.moving = nil, nil
	result()
	if s.restarting {
		s.restart()
	}
}

// stopWork ends the work and frees the timeline and the predictor, after the
// loop has returned. A model that does not notice within a second that its
// caller is gone is left behind.
func (s *session) stopWork() {
	if w := s.work; w != nil {
		w.cancel()
		select {
		case <-w.done:
		case <-time.After(goodbye):
			s.log.Warn().Msg("a prediction goes on although it was cancelled")
			go func() {
				<-w.done
				s.release()
			}()
			return
		}
	}
	s.release()
}

// release closes the timeline and the predictor.
func (s *session) release() {
	if s.timeline != nil {
		if err := s.timeline.Close(); err != nil {
			s.log.Debug().Err(err).Msg("closing the timeline")
		}
	}
	if s.predictor != nil {
		if err := s.predictor.Close(); err != nil {
			s.log.Debug().Err(err).Msg("closing the predictor")
		}
	}
}
