//go:build unix && !linux

package judge

import (
	"context"
	"os/exec"
	"syscall"
)

func isolate(cmd *exec.Cmd, _ bool) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func canGoOffline(context.Context, string) bool { return false }

func kill(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
