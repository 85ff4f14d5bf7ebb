//go:build unix

package folderlock

import (
	"errors"
	"os"
	"syscall"
)

// tryLock takes an exclusive lock on an open folder; false when another holds it.
func tryLock(folder *os.File) bool {
	return !errors.Is(syscall.Flock(int(folder.Fd()), syscall.LOCK_EX|syscall.LOCK_NB), syscall.EWOULDBLOCK)
}
