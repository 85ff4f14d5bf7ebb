package rpc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"github.com/neuraldbg/neuraldbg/internal/flock"
	"github.com/neuraldbg/neuraldbg/model"
)

const (
	// startTimeout is how long a new process may take until it answers. It
	// loads LibTorch's libraries first, from a cold disk perhaps.
	startTimeout = 60 * time.Second
	// endTimeout is how long a process that was asked to end may take.
	endTimeout = 5 * time.Second
	// pollInterval is how often a lock or a socket is tried again.
	pollInterval = 10 * time.Millisecond
)

// starter finds the model process, or starts it.
type starter struct {
	dir        RuntimeDir
	executable string // see FindExecutable
	patience   time.Duration
	log        zerolog.Logger
}

// connect returns a conversation with a process of the current build. The lock
// makes two clients that begin at once start one process between them.
func (s starter) connect(ctx context.Context) (*connection, error) {
	if err := s.dir.Create(); err != nil {
		return nil, err
	}
	unlock, err := s.lock(ctx, startTimeout+2*s.patience)
	if err != nil {
		return nil, err
	}
	defer unlock()

	executable, findErr := FindExecutable(s.executable)
	c, err := dial(ctx, s.dir, s.patience)
	var silent *silentError
	switch {
	case err == nil && s.isCurrent(c, executable, findErr):
		return c, nil
	case err == nil:
		s.log.Info().Int("pid", c.pid).Msg("replacing a model process of another build")
		if err := s.end(ctx, c); err != nil {
			return nil, err
		}
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.As(err, &silent):
		if err := s.replaceSilent(ctx, silent); err != nil {
			return nil, err
		}
	case !notThere(err) && !errors.Is(err, model.ErrUnavailable):
		return nil, fmt.Errorf("reaching the model process: %w", err)
	}
	if findErr != nil {
		return nil, findErr
	}
	return s.start(ctx, executable)
}

// isCurrent reports whether a process was started from the executable that
// would be started now. Without an executable any process of the right protocol
// will do: it is the only one to be had.
func (s starter) isCurrent(c *connection, executable string, findErr error) bool {
	if c.build == "" {
		return false
	}
	if findErr != nil {
		return true
	}
	build, err := ExecutableID(executable)
	return err == nil && build == c.build
}

// end asks a process to end and waits until it has.
func (s starter) end(ctx context.Context, c *connection) error {
	defer c.close()
	ctx, stop := context.WithTimeout(ctx, endTimeout)
	defer stop()
	if err := c.call(ctx, MethodShutdown, nil, nil); err != nil && !errors.Is(err, model.ErrUnavailable) {
		return fmt.Errorf("ending a model process of another build (pid %d): %w", c.pid, err)
	}
	for {
		probe, err := dial(ctx, s.dir, s.patience)
		if err != nil && ctx.Err() == nil {
			return nil
		}
		if err == nil {
			probe.close()
		}
		if !pause(ctx) {
			return fmt.Errorf("a model process of another build (pid %d) does not end; end it yourself", c.pid)
		}
	}
}

// start runs the executable and waits until it answers.
func (s starter) start(ctx context.Context, executable string) (*connection, error) {
	startLog, err := os.OpenFile(s.dir.startLog(), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, unwritable("starting the model process", err)
	}
	defer startLog.Close()
	cmd := exec.Command(executable, "serve", "--runtime-dir", string(s.dir))
	cmd.Stdout, cmd.Stderr = startLog, startLog
	detach(cmd)
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("%w: starting %s: %w", model.ErrUnavailable, executable, err)
	}
	s.log.Info().Str("executable", executable).Int("pid", cmd.Process.Pid).Msg("started the model process")
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()

	waiting, stop := context.WithTimeout(ctx, startTimeout)
	defer stop()
	for {
		c, err := dial(waiting, s.dir, s.patience)
		if err == nil {
			return c, nil
		}
		select {
		case err := <-ended:
			return nil, s.endedAtStart(executable, err)
		default:
		}
		if pause(waiting) {
			continue
		}
		if ctx.Err() != nil {
			return nil, ctx.Err() // the process goes on and ends when idle
		}
		_ = cmd.Process.Kill()
		return nil, fmt.Errorf("%w: %s did not answer within %v of its start", model.ErrUnavailable, executable, startTimeout)
	}
}

// endedAtStart is the error of a process that ended, as Wait says, before it
// answered.
func (s starter) endedAtStart(executable string, err error) error {
	if err == nil {
		err = errors.New("exit status 0")
	}
	err = fmt.Errorf("%w: %s ended at its start (%w)", model.ErrUnavailable, executable, err)
	words := s.lastWords()
	if words == "" && isLoss(err) { // it had no time for words
		return err
	}
	return fmt.Errorf("%w: %s", err, cmp.Or(words, "it said nothing; see "+s.dir.Log()))
}

// lastWords is the last line that a process wrote before it ended, "" if there is
// none, or why there can be none.
func (s starter) lastWords() string {
	text, err := os.ReadFile(s.dir.startLog())
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if last := strings.TrimSpace(lines[len(lines)-1]); last != "" {
		return last
	}
	if err := os.WriteFile(s.dir.startLog(), []byte("\n"), 0o600); err != nil {
		return "its last words could not be written: " + err.Error()
	}
	return ""
}

// lock takes the lock file and returns what releases it. Another client holds it
// for as long as it looks for the process or starts it, which limit bounds. Where the
// system has no locks, of two processes that start at once the second finds the socket
// in use and ends.
func (s starter) lock(ctx context.Context, limit time.Duration) (unlock func(), err error) {
	f, err := os.OpenFile(s.dir.Lock(), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, unwritable("opening the model process's lock", err)
	}
	waiting, stop := context.WithTimeout(ctx, limit)
	defer stop()
	for {
		held, err := flock.Try(f)
		if err != nil {
			f.Close()
			return nil, fmt.Errorf("taking the lock %s: %w", s.dir.Lock(), err)
		}
		if held {
			noteHolder(f)
			return func() { f.Close() }, nil
		}
		if pause(waiting) {
			continue
		}
		f.Close()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("%w: another neuraldbg%s has been starting it for too long; end that one, and try again",
			model.ErrUnavailable, s.holder())
	}
}

// noteHolder writes who holds the lock into its file, for those who wait.
func noteHolder(f *os.File) {
	if f.Truncate(0) == nil {
		_, _ = f.WriteAt([]byte(strconv.Itoa(os.Getpid())), 0)
	}
}

// holder names the process that holds the lock: " (pid 7)", or "" if it is not
// known.
func (s starter) holder() string {
	text, err := os.ReadFile(s.dir.Lock())
	if err != nil || len(text) == 0 {
		return ""
	}
	return fmt.Sprintf(" (pid %s)", text)
}

// pause waits for one poll interval; false when ctx ended first.
func pause(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(pollInterval):
		return true
	}
}
