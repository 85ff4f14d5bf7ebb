//go:build unix

package record

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// endTogether has what the program started end with it, when a limit or the
// caller ends it. A program that may read from a terminal stays in the
// terminal's own process group, since no other one may read there.
func endTogether(command *exec.Cmd) {
	if f, ok := command.Stdin.(*os.File); ok && isTerminal(f) {
		return
	}
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error {
		err := syscall.Kill(-command.Process.Pid, syscall.SIGKILL)
		if errors.Is(err, syscall.ESRCH) {
			return os.ErrProcessDone
		}
		return err
	}
}

// exitCode is the exit code of a process as shells say it: 128 and the signal's
// number when one ended it.
func exitCode(state *os.ProcessState) int {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return state.ExitCode()
}

// isTerminal takes every character device for a terminal but the null device.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}
