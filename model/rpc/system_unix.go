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

// kill ends a process at once, stopped or not.
func kill(pid int) error { return syscall.Kill(pid, syscall.SIGKILL) }

// detach gives the process a session of its own, so that a terminal's ^C for
// the client does not reach it.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
}

// isConnectionRefused reports whether a socket exists that nobody listens at.
func isConnectionRefused(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }
