package rpc

import (
	"context"
	"errors"
	"fmt"
	"os/exec"

	"github.com/neuraldbg/neuraldbg/model"
)

// attempts is how often something is asked for when the process is lost at it:
// once more than the first time, of a successor. What ends the process each time,
// such as a want of memory, is not asked for on and on.
const attempts = 2

// repeated asks the process for something, and asks its successor when it is lost
// while it was asked. ask connects, so that it meets the successor, and can be
// called again because all that the process knows is known here.
func (p *Predictor) repeated(ctx context.Context, ask func() error) error {
	for n := 1; ; n++ {
		err := ask()
		switch {
		case !isLoss(err) || ctx.Err() != nil:
			return err
		case n == attempts:
			return fmt.Errorf("%w, %d times in a row; try again, and if that does not help, see %s and whether there is memory left", err, n, p.logs())
		}
		p.options.Log.Warn().Err(err).Msg("asking another model process")
	}
}

// logs names the log of the process.
func (p *Predictor) logs() string {
	dir, err := p.runtimeDir()
	if err != nil {
		return "its log"
	}
	return dir.Log()
}

// isLoss reports whether an error means that the process was lost while it was
// asked, or while it started, so that another one may do better. One that cannot
// start by itself is no loss; nor is one that is only silent, which may be busy.
func isLoss(err error) bool {
	var (
		lost   *lostError
		exit   *exec.ExitError
		silent *silentError
	)
	switch {
	case !errors.Is(err, model.ErrUnavailable):
		return false
	case errors.As(err, &silent):
		return isStopped(silent.pid)
	case errors.As(err, &exit):
		return !exit.Exited() // killed by a signal
	}
	return errors.As(err, &lost) || errors.Is(err, ErrEnding)
}
