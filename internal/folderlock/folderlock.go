// Package folderlock keeps two processes from writing into one folder at the same
// time.
//
// The lock is the operating system's, on the folder itself: it is no file that could
// stay behind, and ends with the process that holds it, however that ends. Where the
// system or the file system has no such locks, every Lock succeeds.
package folderlock

import (
	"errors"
	"fmt"
	"os"

	"github.com/neuraldbg/neuraldbg/internal/flock"
)

// ErrHeld is wrapped by the error for a folder that another process holds.
var ErrHeld = errors.New("another neuraldbg is writing into this folder; wait until it ends, or choose another folder")

// Lock is a folder that is held.
type Lock struct{ folder *os.File }

// Take takes the lock of a folder, which must be there. It does not wait.
func Take(dir string) (*Lock, error) {
	folder, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	if held, err := flock.Try(folder); err == nil && !held {
		folder.Close()
		return nil, fmt.Errorf("%s: %w", dir, ErrHeld)
	}
	return &Lock{folder}, nil
}

// Release ends the lock.
func (l *Lock) Release() error { return l.folder.Close() }
