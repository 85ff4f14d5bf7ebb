package rpc

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// quickTimeout bounds the calls that compute nothing: Rewind, Edit, Close.
const quickTimeout = 10 * time.Second

// session is a model.Session in the model process. The history kept here is the
// true one: the process's session is a copy that can be lost and made again.
type session struct {
	predictor *Predictor
	// context has the start state, and in its History all that followed.
	context model.Context
	// conn and id name the copy; conn is nil when there is none.
	conn *connection
	id   uint64
}

// Predict implements model.Session.
func (s *session) Predict(ctx context.Context, a statetree.Action) (model.Prediction, error) {
	if s.ended() {
		return model.Prediction{}, model.ErrExited
	}
	var prediction model.Prediction
	err := s.call(ctx, MethodPredict, func() any { return PredictParams{Session: s.id, Action: a} }, &prediction)
	if err != nil {
		return model.Prediction{}, err
	}
	s.context.History = append(s.context.History, model.Step{Action: a, Outcome: prediction.Outcome})
	return prediction, nil
}

func (s *session) ended() bool {
	n := len(s.context.History)
	return n > 0 && s.context.History[n-1].Outcome.Ended()
}

// Adopt implements model.Session.
func (s *session) Adopt(known model.Step) error {
	if s.ended() {
		return model.ErrExited
	}
	if err := s.update(MethodAdopt, AdoptParams{Session: s.id, Step: known}); err != nil {
		return err
	}
	s.context.History = append(s.context.History, known)
	return nil
}

// Rewind implements model.Session. It succeeds whether the process is there or
// not.
func (s *session) Rewind(n int) error {
	if n < 0 || n > len(s.context.History) {
		return fmt.Errorf("rewinding %d of %d steps", n, len(s.context.History))
	}
	s.context.History = s.context.History[:len(s.context.History)-n]
	if err := s.update(MethodRewind, RewindParams{Session: s.id, Count: n}); err != nil {
		s.detach() // the copy has another history than this one
	}
	return nil
}

// Edit implements model.Session.
func (s *session) Edit(state statetree.State) error {
	if s.ended() {
		return model.ErrExited
	}
	if err := s.update(MethodEdit, EditParams{Session: s.id, State: state}); err != nil {
		return err
	}
	n := len(s.context.History)
	if n == 0 {
		s.context.Start = state
		return nil
	}
	last := s.context.History[n-1]
	s.context.History = append(s.context.History[:n-1:n-1],
		model.Step{Action: last.Action, Outcome: statetree.Outcome{State: state}, Edited: true})
	return nil
}

// Close implements model.Session.
func (s *session) Close() error {
	_ = s.update(MethodClose, CloseParams{Session: s.id})
	s.conn = nil
	return nil
}

// update tells the process of a change to the history. Only a refusal is an
// error: a copy that cannot be told is given up, and made again when needed.
func (s *session) update(method string, params any) error {
	if s.conn == nil {
		return nil
	}
	ctx, stop := context.WithTimeout(context.Background(), quickTimeout)
	defer stop()
	err := s.conn.call(ctx, method, params, nil)
	var refusal *remoteError
	if errors.As(err, &refusal) && !errors.Is(err, ErrUnknownSession) {
		return err
	}
	if err != nil {
		s.detach()
	}
	return nil
}

// call asks the process something about this session, and its successor when the
// process is lost at it. params is called once the session's id is known.
func (s *session) call(ctx context.Context, method string, params func() any, result any) error {
	return s.predictor.repeated(ctx, func() error { return s.callOnce(ctx, method, params, result) })
}

// callOnce rebuilds the session first if the process is not the one that it was
// opened in.
func (s *session) callOnce(ctx context.Context, method string, params func() any, result any) error {
	current, err := s.predictor.current()
	if err != nil {
		return err
	}
	if s.conn == nil || s.conn != current {
		if _, err := s.open(ctx); err != nil {
			return err
		}
	}
	err = s.conn.call(ctx, method, params(), result)
	if errors.Is(err, ErrUnknownSession) {
		if _, err := s.open(ctx); err != nil {
			return err
		}
		err = s.conn.call(ctx, method, params(), result)
	}
	if errors.Is(err, errAbandoned) || errors.Is(err, model.ErrUnavailable) {
		s.detach()
	}
	return err
}

// open makes the copy in the process, from the history that is known here.
func (s *session) open(ctx context.Context) (model.Prediction, error) {
	s.conn = nil
	conn, err := s.predictor.connect(ctx)
	if err != nil {
		return model.Prediction{}, err
	}
	var opened OpenResult
	err = conn.call(ctx, MethodOpen, OpenParams{LoadParams: s.predictor.model, Context: s.context}, &opened)
	if err != nil {
		return model.Prediction{}, err
	}
	s.conn, s.id = conn, opened.Session
	s.predictor.setInfo(opened.Info)
	return opened.Prediction, nil
}

// detach gives the copy up. The process is told, without waiting for it: it may
// still be busy with the session.
func (s *session) detach() {
	conn, id := s.conn, s.id
	s.conn = nil
	if conn != nil && conn.alive() {
		go func() {
			ctx, stop := context.WithTimeout(context.Background(), quickTimeout)
			defer stop()
			_ = conn.call(ctx, MethodClose, CloseParams{Session: id}, nil)
		}()
	}
}
