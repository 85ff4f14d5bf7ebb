package rpc_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/neuraldbg/neuraldbg/model/rpc"
)

// A folder that cannot be written to is told in one line, with what to do. A disk
// without room for more than names is enough.
func TestFolderThatCannotBeWritten(t *testing.T) {
	for _, tt := range []struct {
		name    string
		options string // of the file system
		fill    bool   // with data
		process string // see serveEnv
		want    string // error; "" for none
	}{
		{"no room for data", "size=16k,mode=700", true, "current", ""},
		{"no room for words", "size=16k,mode=700", true, "broken", "last words could not be written: write "},
		{"no room for the folder", "size=1m,nr_inodes=1,mode=700", false, "current", "no space left on device; set XDG_RUNTIME_DIR"},
		{"no room for the lock", "size=1m,nr_inodes=2,mode=700", false, "current", "lock: open "},
		{"no room for the log", "size=1m,nr_inodes=3,mode=700", false, "current", "no space left on device; set XDG_RUNTIME_DIR"},
		{"no room for the socket", "size=1m,nr_inodes=4,mode=700", false, "current", "bind: no space left on device"},
		{"read only", "ro,mode=700", false, "current", "read-only file system; set XDG_RUNTIME_DIR"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv(serveEnv, tt.process)
			disk := filepath.Dir(string(shortDir(t)))
			if err := syscall.Mount("none", disk, "tmpfs", 0, tt.options); err != nil {
				t.Skipf("small disks cannot be made here: %v", err)
			}
			t.Cleanup(func() { _ = syscall.Unmount(disk, syscall.MNT_DETACH) })
			if tt.fill {
				if err := os.WriteFile(filepath.Join(disk, "fill"), make([]byte, 16<<10), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			p := newPredictor(t, rpc.RuntimeDir(filepath.Join(disk, "run")), "count")
			_, err := p.Load(context.Background())
			switch {
			case err == nil && tt.want != "", err != nil && tt.want == "":
				t.Errorf("got %v, want %q", err, tt.want)
			case err != nil && (!strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n")):
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
	// Where none of that can be made, a file in the place of the folder's parent
	// has the same effect.
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := newPredictor(t, rpc.RuntimeDir(filepath.Join(file, "run")), "count").Load(context.Background())
	if err == nil || !strings.Contains(err.Error(), "set XDG_RUNTIME_DIR") {
		t.Errorf("a file for a folder: %v", err)
	}
}
