//go:build unix

package flock

import (
	"errors"
	"os"
	"syscall"
)

// Try takes an exclusive lock on an open file or folder; held is false when another
// has it. The error is for a file that cannot be locked.
func Try(f *os.File) (held bool, err error) {
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}
