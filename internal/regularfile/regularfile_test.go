//go:build unix

package regularfile

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

func TestOnlyRegularFiles(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(in("file"), []byte("text"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("file", in("link")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(in("pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("unix", in("socket"))
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	for _, test := range []struct{ path, want string }{ // of the error; "" for none
		{in("file"), ""},
		{in("link"), ""},
		{in("pipe"), "a pipe"},
		{in("socket"), "a socket"},
		{dir, "a folder"},
		{os.DevNull, "a device"},
	} {
		for name, read := range map[string]func(string) ([]byte, error){"ReadFile": ReadFile, "ReadStream": ReadStream} {
			text, err := read(test.path)
			switch {
			case test.want == "" && (err != nil || string(text) != "text"):
				t.Errorf("%s of %s: %q, %v", name, test.path, text, err)
			case test.want != "" && (!errors.Is(err, ErrNotRegular) || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), test.path)):
				t.Errorf("%s of %s: the error is %v, want %q in it", name, test.path, err, test.want)
			}
		}
	}
	_, err = Open(in("none"))
	if !errors.Is(err, fs.ErrNotExist) || err.Error() != "open "+in("none")+": no such file or directory" {
		t.Errorf("no file: %v", err)
	}
}

// What a shell makes of <(command) can be read once.
func TestOwnDescriptors(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	path := "/dev/fd/" + strconv.Itoa(int(r.Fd()))
	if _, err := os.Stat(path); err != nil {
		t.Skip("this system has no /dev/fd")
	}
	if _, err := w.WriteString("text"); err != nil {
		t.Fatal(err)
	}
	w.Close()
	if _, err := ReadFile(path); !errors.Is(err, ErrNotRegular) {
		t.Errorf("ReadFile: %v", err)
	}
	if text, err := ReadStream(path); err != nil || string(text) != "text" {
		t.Errorf("ReadStream: %q, %v", text, err)
	}
}
