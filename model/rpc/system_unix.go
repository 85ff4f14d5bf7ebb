//go:build unix

package rpc

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"syscall"
)

// ownedByUser reports whether the file belongs to the user of this process.
func ownedByUser(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}

// tryLock takes an exclusive lock on an open file that ends with the process;
// false when another process holds it.
func tryLock(f *os.File) (bool, error) {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

// kill ends a process at once, stopped or not.
func kill(pid int) error { return syscall.Kill(pid, syscall.SIGKILL) }

// detach gives the process a session of its own, so that a terminal's ^C for
// the client does not reach it.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
}

// isConnectionRefused reports whether a socket exists that nobody listens at.
func isConnectionRefused(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }
