//go:build !linux

package rpc

import "net"

// peerProcess would return the id of the process at the other end of a socket;
// here it is not known.
func peerProcess(net.Conn) int { return 0 }

// isStopped would report whether a process was stopped by a signal.
func isStopped(int) bool { return false }
