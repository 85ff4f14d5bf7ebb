package atomicfile_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/neuraldbg/neuraldbg/model/atomicfile"
)

func write(text string, err error) func(io.Writer) error {
	return func(w io.Writer) error {
		_, writeErr := io.WriteString(w, text)
		return errors.Join(writeErr, err)
	}
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	full := errors.New("disk full")
	for _, step := range []struct {
		name, text string
		err        error
		want       string // what is in the file afterwards
	}{
		{"new", "one", nil, "one"},
		{"replaced", "two", nil, "two"},
		{"failed", "thr", full, "two"},
	} {
		if err := atomicfile.Write(path, write(step.text, step.err)); !errors.Is(err, step.err) {
			t.Errorf("%s: error %v, want %v", step.name, err, step.err)
		} else if err != nil && !strings.Contains(err.Error(), path) {
			t.Errorf("%s: the error %q does not name the file", step.name, err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != step.want {
			t.Errorf("%s: the file holds %q, %v; want %q", step.name, got, err, step.want)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("the folder has %v, %v; want the file alone", entries, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("mode %v, %v; want 0644", info.Mode(), err)
	}
}

func TestWriteIntoNoFolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none", "file")
	if err := atomicfile.Write(path, write("", nil)); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v, want one that names %s", err, path)
	}
}
