package eval

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// Runner puts questions to a predictor.
type Runner struct {
	// Predictor answers. Nil lets every question's own recording answer: the
	// ground truth, that is always right, and a test of the evaluation itself.
	Predictor model.Predictor
	// Log keeps the answers, and has those that are known already.
	Log *Log
	// Workers is how many questions are asked at a time; default 2. A predictor
	// that computes several sessions as one batch is best used with many.
	Workers int
	// Progress, if set, is called after every answer with how many of the
	// questions asked so far have one, those known before included; never by two
	// goroutines at once.
	Progress func(answered int)
}

// Run asks all questions that the log has no answer to.
func (r *Runner) Run(ctx context.Context, questions Questions) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	todo := make(chan Question)
	var workers sync.WaitGroup
	var mu sync.Mutex // guards answered
	answered := 0
	count := func() {
		mu.Lock()
		defer mu.Unlock()
		if answered++; r.Progress != nil {
			r.Progress(answered)
		}
	}
	for range cmp.Or(r.Workers, 2) {
		workers.Add(1)
		go func() {
			defer workers.Done()
			for q := range todo {
				answer, err := r.answer(ctx, &q)
				if err == nil {
					err = r.Log.add(answer)
				}
				if err != nil {
					cancel(err)
					return
				}
				count()
			}
		}()
	}
	err := r.feed(ctx, questions, todo, count)
	close(todo)
	workers.Wait()
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// feed hands out the questions that are not answered.
func (r *Runner) feed(ctx context.Context, questions Questions, todo chan<- Question, count func()) error {
	for q, err := range questions {
		if err != nil {
			return err
		}
		if r.Log.has(q.Key) {
			count()
			continue
		}
		select {
		case todo <- q:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// answer asks one question. Its errors are those that end the evaluation.
func (r *Runner) answer(ctx context.Context, q *Question) (Answer, error) {
	a := Answer{Key: q.Key, Program: q.Program, Action: q.Action.Kind, Skipped: q.Skipped}
	began := time.Now()
	got, err := r.predict(ctx, q)
	a.Seconds = time.Since(began).Seconds()
	switch {
	case ctx.Err() != nil:
		return a, ctx.Err()
	case errors.Is(err, model.ErrUnavailable):
		return a, err
	case errors.Is(err, model.ErrContextFull):
		a.TooLong = true
		return a, nil
	case err != nil:
		a.Error = err.Error()
		got = model.Prediction{}
	default:
		a.Confidence = confidences(&got)
	}
	a.Tokens = got.Tokens
	a.Grades = grade(q.Want, got.Outcome)
	if q.Measure == NextState {
		a.Baseline = grade(q.Want, statetree.Outcome{State: lastState(q.Context)})
	}
	switch {
	case q.check == nil:
	case err != nil:
		a.Passed, a.Reason = No, "no prediction"
	default:
		if a.Passed, a.Reason, err = q.check(ctx, got.Outcome); err != nil {
			return a, err
		}
	}
	if a.wrong() && q.Sample == 0 {
		a.Mistake = newMistake(q, &got.Outcome)
	}
	return a, nil
}

func lastState(c model.Context) statetree.State {
	if n := len(c.History); n > 0 {
		return c.History[n-1].Outcome.State
	}
	return c.Start
}

// predict makes the prediction.
func (r *Runner) predict(ctx context.Context, q *Question) (model.Prediction, error) {
	if r.Predictor == nil {
		return q.recorded.answer(q.Action)
	}
	return predictOne(ctx, r.Predictor, q.Context, q.Action)
}

func predictOne(ctx context.Context, p model.Predictor, c model.Context, a statetree.Action) (model.Prediction, error) {
	session, _, err := p.Open(ctx, c)
	if err != nil {
		return model.Prediction{}, err
	}
	got, err := session.Predict(ctx, a)
	return got, errors.Join(err, session.Close())
}
