// Package atomicfile writes files that appear under their names only when they
// are whole, so that a reader, or a run that goes on after an interruption, never
// sees half of one.
//
// The package must not know what the files hold.
package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Prefix begins the names of files that are being written. A process that is
// killed may leave one behind, beside the file that it would have become.
const Prefix = ".partial-"

// WriteFile gives the file at path the content data; see Write.
func WriteFile(path string, data []byte) error {
	return Write(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// Write gives the file at path the content that write writes. A file that is
// there already is replaced in one step; when there is an error it stays as it
// was. The error names the path.
func Write(path string, write func(io.Writer) error) error {
	temp, err := os.CreateTemp(filepath.Dir(path), Prefix+"*")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer os.Remove(temp.Name()) // fails, as it should, after the rename
	err = write(temp)
	// CreateTemp leaves the file readable by its owner alone.
	err = errors.Join(err, temp.Chmod(0o644), temp.Close())
	if err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}
