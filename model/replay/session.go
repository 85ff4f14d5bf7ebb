package replay

import (
	"context"
	"errors"
	"fmt"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// session is a walk on a tree. It is used by one goroutine at a time.
type session struct {
	// cursors has one position a state of the history, the last one current.
	cursors []statetree.Cursor
	files   map[string]string
}

func (s *session) current() *statetree.Cursor { return &s.cursors[len(s.cursors)-1] }

// Predict takes the action on the recorded tree.
func (s *session) Predict(ctx context.Context, a statetree.Action) (model.Prediction, error) {
	if err := ctx.Err(); err != nil {
		return model.Prediction{}, err
	}
	return s.take(a)
}

// take goes to an action's target on the recorded tree.
func (s *session) take(a statetree.Action) (model.Prediction, error) {
	next := *s.current()
	if next.Exit() != statetree.NoExit {
		return model.Prediction{}, model.ErrExited
	}
	switch _, err := next.Go(a); {
	case errors.Is(err, model.ErrNoTarget):
		return model.Prediction{}, err
	case err != nil:
		return model.Prediction{}, fmt.Errorf("%w (%s)", err, next.Tree().Recording().Cut)
	}
	s.cursors = append(s.cursors, next)
	return s.prediction(), nil
}

// Adopt accepts the step that was recorded and refuses every other one with
// ErrNotRecorded.
func (s *session) Adopt(known model.Step) error {
	p, err := s.take(known.Action)
	if err != nil {
		return fmt.Errorf("replaying %s: %w", known.Action, err)
	}
	if p.Exit != known.Outcome.Exit || !p.State.Matches(known.Outcome.State) {
		return errors.Join(fmt.Errorf("%s led elsewhere when it was recorded: %w", known.Action, ErrNotRecorded), s.Rewind(1))
	}
	return nil
}

// prediction returns what the current position says.
func (s *session) prediction() model.Prediction {
	c := s.current()
	p := model.Prediction{Confidence: model.Certain()}
	if c.Exit() != statetree.NoExit {
		p.Exit = c.Exit()
		return p
	}
	p.State = c.State()
	if name, ok := s.files[p.State.File]; ok {
		p.State.File = name
	}
	return p
}

// Rewind drops the last n actions.
func (s *session) Rewind(n int) error {
	if n < 0 || n >= len(s.cursors) {
		return fmt.Errorf("rewinding %d actions of %d", n, len(s.cursors)-1)
	}
	s.cursors = s.cursors[:len(s.cursors)-n]
	return nil
}

// Edit accepts the state that was recorded and refuses every other one with
// ErrNotRecorded.
func (s *session) Edit(state statetree.State) error {
	c := s.current()
	if c.Exit() != statetree.NoExit {
		return model.ErrExited
	}
	if recorded := c.State(); !recorded.Matches(state) || state.Line != 0 && state.Line != recorded.Line {
		return ErrNotRecorded
	}
	return nil
}

// Close has nothing to free.
func (s *session) Close() error { return nil }
