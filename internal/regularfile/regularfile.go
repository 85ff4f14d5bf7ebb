// Package regularfile opens files that users name, and refuses at once what is no
// file: to open a pipe waits for somebody who writes into it, and to read a device
// may never end.
//
// The package must not know what the files hold.
package regularfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
)

// ErrNotRegular is wrapped by the errors for what is no regular file.
var ErrNotRegular = errors.New("not a regular file")

// Open opens the regular file at path for reading. The error is an *fs.PathError.
func Open(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, asOpening(err)
	}
	if !info.Mode().IsRegular() {
		return nil, refused(path, info.Mode())
	}
	return os.Open(path)
}

// OpenStream is Open for a file that is read once from its beginning to its end. It
// takes the process's own descriptors, too: /dev/stdin, and the /dev/fd/N that shells
// make of <(command). Whoever names one has said who writes into it.
func OpenStream(path string) (*os.File, error) {
	if path == "/dev/stdin" || strings.HasPrefix(path, "/dev/fd/") {
		if info, err := os.Stat(path); err == nil && info.Mode()&fs.ModeNamedPipe != 0 {
			return os.Open(path)
		}
	}
	return Open(path)
}

// ReadFile reads the regular file at path whole. The error is an *fs.PathError.
func ReadFile(path string) ([]byte, error) { return readAll(Open(path)) }

// ReadStream reads whole what OpenStream opens.
func ReadStream(path string) ([]byte, error) { return readAll(OpenStream(path)) }

// readAll reads what was opened, if it was.
func readAll(f *os.File, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// asOpening makes an error of os.Stat one of os.Open: that it was a stat that failed
// says nothing to users.
func asOpening(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return &fs.PathError{Op: "open", Path: path.Path, Err: path.Err}
	}
	return err
}

// refused is the error for what is no regular file.
func refused(path string, mode fs.FileMode) error {
	return &fs.PathError{Op: "open", Path: path, Err: fmt.Errorf("it is %s, %w", kind(mode), ErrNotRegular)}
}

// kind says what a path leads to.
func kind(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "a folder"
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "something else"
}
