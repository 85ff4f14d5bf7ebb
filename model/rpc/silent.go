package rpc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/neuraldbg/neuraldbg/model"
)

// DefaultPatience is how long a process may take to answer a greeting. One that
// computes answers it all the same, so it is long for a busy machine's sake only.
const DefaultPatience = 10 * time.Second

// stoppedAfter is how long a process may be stopped before that counts: somebody
// may let it go on at once.
const stoppedAfter = time.Second

// silentError says that a process is there and does not answer. It is a
// model.ErrUnavailable.
type silentError struct {
	pid      int           // 0 when it is not known
	patience time.Duration // that it did not answer for
}

func (e *silentError) Error() string {
	const text = "%v: %s has not answered for %v; end it%s, and the next step starts another"
	if e.pid == 0 {
		return fmt.Sprintf(text, model.ErrUnavailable, "the one that listens", e.patience.Round(time.Second/10), " (look for neuraldbg-model)")
	}
	return fmt.Sprintf(text, model.ErrUnavailable, fmt.Sprintf("process %d", e.pid), e.patience.Round(time.Second/10), fmt.Sprintf(" (kill -9 %d)", e.pid))
}

func (e *silentError) Unwrap() error { return model.ErrUnavailable }

// replaceSilent ends a process that does not answer, if that is safe: it is
// stopped, as by SIGSTOP, so that it does nothing for anybody. Its clients know
// their sessions and make them again in its successor. A process that is only
// busy, or held by a debugger, is left alone, and the error says what to do.
func (s starter) replaceSilent(ctx context.Context, silent *silentError) error {
	if silent.pid <= 0 || silent.pid == os.Getpid() || !isStopped(silent.pid) {
		return silent
	}
	s.log.Warn().Int("pid", silent.pid).Msg("replacing a model process that is stopped")
	if err := kill(silent.pid); err != nil {
		return fmt.Errorf("%w (ending it: %w)", silent, err)
	}
	ctx, stop := context.WithTimeout(ctx, endTimeout)
	defer stop()
	for {
		probe, err := dial(ctx, s.dir, s.patience)
		switch {
		case err == nil: // somebody was faster
			probe.close()
			return nil
		case ctx.Err() != nil:
			return silent
		}
		var again *silentError
		if !errors.As(err, &again) {
			return nil
		}
		if !pause(ctx) {
			return silent
		}
	}
}

// watch breaks the conversation off when the process cannot answer any more while a
// call waits for it; the call then fails with a *silentError. It ends with ctx.
func (c *connection) watch(ctx context.Context) {
	go c.watchState(ctx)
	c.watchGreetings(ctx)
}

// watchState looks now and then whether the process is stopped, which is known long
// before it could be concluded from its silence.
func (c *connection) watchState(ctx context.Context) {
	look := time.NewTicker(stoppedAfter / 2)
	defer look.Stop()
	for stopped := false; ; {
		select {
		case <-ctx.Done():
			return
		case <-look.C:
		}
		before := stopped
		if stopped = isStopped(c.pid); stopped && before {
			c.giveUp(stoppedAfter)
			return
		}
	}
}

// watchGreetings greets the process now and then, which it answers whatever it
// computes.
func (c *connection) watchGreetings(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(c.patience / 2):
		}
		greeting, stop := context.WithTimeout(ctx, c.patience)
		_, err := c.greet(greeting)
		late := errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil
		stop()
		if late {
			c.giveUp(c.patience)
			return
		}
	}
}

// giveUp breaks the conversation off with a process that was silent for some time.
// The call that waits sees it.
func (c *connection) giveUp(silence time.Duration) {
	c.silent.Store(&silentError{pid: c.pid, patience: silence})
	c.broken.Store(true)
	c.close()
}
