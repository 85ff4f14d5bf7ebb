package rpc

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"syscall"
)

// peerProcess returns the id of the process that listens at the other end of a
// socket, 0 when it is not known.
func peerProcess(stream net.Conn) int {
	socket, ok := stream.(*net.UnixConn)
	if !ok {
		return 0
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return 0
	}
	pid := 0
	_ = raw.Control(func(fd uintptr) {
		if credentials, err := syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED); err == nil {
			pid = int(credentials.Pid)
		}
	})
	return pid
}

// isStopped reports whether a process was stopped by a signal: state T in
// proc_pid_stat(5). One that a debugger holds has state t.
func isStopped(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, state, found := bytes.Cut(text[max(0, bytes.LastIndexByte(text, ')')):], []byte(") "))
	return found && len(state) > 0 && state[0] == 'T'
}
