package judge

import (
	"context"
	"os"
	"os/exec"
	"syscall"
)

// isolate makes a process start as the leader of a group and, where offline is
// set, in a network namespace without any interface, which needs a user namespace
// of its own.
func isolate(cmd *exec.Cmd, offline bool) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if !offline {
		return
	}
	cmd.SysProcAttr.Cloneflags = syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET | syscall.CLONE_NEWIPC
	cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}}
	cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(), Size: 1}}
}

// canGoOffline reports whether the system allows it.
func canGoOffline(ctx context.Context, python string) bool {
	cmd := exec.CommandContext(ctx, python, "-S", "-c", "")
	isolate(cmd, true)
	return cmd.Run() == nil
}

// kill ends a process and those that it forked.
func kill(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
