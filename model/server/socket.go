package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"

	"github.com/neuraldbg/neuraldbg/model/rpc"
)

// socket is a listener at a runtime folder's socket. Whoever empties the folder
// takes the process out of its clients' reach; the socket there may then be that of
// a successor, which is not to be removed.
type socket struct {
	*net.UnixListener
	path string
	file os.FileInfo // what was made at the path; its inode is kept as long as this listens
	once sync.Once
}

// Listen makes the socket in dir, for its owner alone. A socket that a dead
// process left is replaced; one that somebody answers at is an error.
func Listen(dir rpc.RuntimeDir) (net.Listener, error) {
	if err := dir.Create(); err != nil {
		return nil, err
	}
	path := dir.Socket()
	probe, err := net.DialTimeout("unix", path, probeTimeout)
	switch {
	case err == nil:
		probe.Close()
		return nil, fmt.Errorf("a model process already listens at %s", path)
	case errors.Is(err, context.DeadlineExceeded):
		return nil, fmt.Errorf("a model process listens at %s and accepts nobody; end it", path)
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("replacing the socket of an ended model process: %w", err)
	}
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("making the model process's socket: %w", err)
	}
	// The folder admits nobody else, so there is no moment in which another
	// user could connect.
	err = os.Chmod(path, 0o600)
	if err == nil {
		var file os.FileInfo
		if file, err = os.Lstat(path); err == nil {
			listener.SetUnlinkOnClose(false)
			return &socket{UnixListener: listener, path: path, file: file}, nil
		}
	}
	listener.Close()
	return nil, fmt.Errorf("making the model process's socket: %w", err)
}

// reachable reports whether the socket is still where clients look for it.
func (s *socket) reachable() bool {
	file, err := os.Lstat(s.path)
	return err == nil && os.SameFile(file, s.file)
}

// Close ends listening and removes the socket, unless another has its place.
func (s *socket) Close() (err error) {
	s.once.Do(func() {
		if s.reachable() {
			_ = os.Remove(s.path) // a client replaces one that nobody listens at
		}
		err = s.UnixListener.Close()
	})
	return err
}
