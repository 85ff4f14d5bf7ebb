package rpc

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// maxSocketPath is the longest socket path that every Unix accepts, in bytes:
// sun_path has 104 on macOS, with the zero at its end.
const maxSocketPath = 103

// RuntimeDir is the folder in which the model process is met. Its files:
//
//	model.sock   the socket
//	model.lock   held by a client while it looks for the process or starts it
//	model.log    what the process logs
//	start.log    what the newest process wrote before it could log
type RuntimeDir string

// DefaultRuntimeDir is where the process of an executable is met: a folder for each
// executable in neuraldbg in $XDG_RUNTIME_DIR, or in the user's cache folder where
// the system has no runtime folders. So two installations have two processes, and
// do not end each other's; a new build in an old one's place replaces its process.
func DefaultRuntimeDir(executable string) (RuntimeDir, error) {
	base := os.Getenv("XDG_RUNTIME_DIR")
	if !filepath.IsAbs(base) {
		var err error
		if base, err = os.UserCacheDir(); err != nil {
			return "", fmt.Errorf("finding a folder for the model process's socket: %w; set XDG_RUNTIME_DIR", err)
		}
	}
	path, err := filepath.Abs(executable)
	if err != nil {
		return "", err
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	sum := sha256.Sum256([]byte(path))
	return RuntimeDir(filepath.Join(base, "neuraldbg", hex.EncodeToString(sum[:4]))), nil
}

// Socket is the path of the socket.
func (d RuntimeDir) Socket() string { return filepath.Join(string(d), "model.sock") }

// Lock is the path of the lock file.
func (d RuntimeDir) Lock() string { return filepath.Join(string(d), "model.lock") }

// Log is the path of the process's log.
func (d RuntimeDir) Log() string { return filepath.Join(string(d), "model.log") }

// startLog is where a starting process's standard error goes.
func (d RuntimeDir) startLog() string { return filepath.Join(string(d), "start.log") }

// Create makes the folder, for its owner alone. A folder that others can enter
// or that belongs to someone else is refused: whoever owns the socket sees the
// code and its values.
func (d RuntimeDir) Create() error {
	if n := len(d.Socket()); n > maxSocketPath {
		return fmt.Errorf("the socket path %s has %d bytes, the system's limit is %d; set XDG_RUNTIME_DIR to a shorter folder", d.Socket(), n, maxSocketPath)
	}
	if err := os.MkdirAll(string(d), 0o700); err != nil {
		return unwritable("creating the folder of the model process's socket", err)
	}
	return checkPrivate(string(d), fs.ModeDir)
}

// unwritable wraps the error of a write in the folder.
func unwritable(doing string, err error) error {
	return fmt.Errorf("%s: %w; set XDG_RUNTIME_DIR to a folder of your own that has room", doing, err)
}

// checkPrivate refuses a path that is not of the wanted type, is not the user's
// own, or that others may use.
func checkPrivate(path string, want fs.FileMode) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if info.Mode().Type() != want {
		return fmt.Errorf("%s is not what neuraldbg makes there (%s); remove it", path, info.Mode())
	}
	if !ownedByUser(info) {
		return fmt.Errorf("%s belongs to another user; it is not used", path)
	}
	if perm := info.Mode().Perm(); perm&0o077 != 0 {
		return fmt.Errorf("%s can be used by other users (mode %04o); it is not used: chmod go= %s", path, perm, path)
	}
	return nil
}

// notThere reports whether nobody listens at a socket path.
func notThere(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || isConnectionRefused(err)
}
