package record

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFinishTrace finishes traces whose process was killed at every point of writing
// a member: nothing is lost, and nothing is there twice.
func TestFinishTrace(t *testing.T) {
	zip := func(text string) []byte {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		w.Write([]byte(text))
		w.Close()
		return b.Bytes()
	}
	first, second := zip(header+"\nF\t0\ta.py\tx = 1\nK\t0\t0\t<module>\t0\n"), zip("C\t0\t0\t0\nL\t0\t1\n")
	tail := func(size, of int, content string) []byte {
		b := binary.LittleEndian.AppendUint64(nil, uint64(size))
		b = append(binary.LittleEndian.AppendUint64(b, uint64(of)), content...)
		return append(b, bytes.Repeat([]byte{tailFill}, 50)...)
	}
	const records = "C\t0\t0\t0\nL\t0\t1\n"
	both := append(bytes.Clone(first), second...)
	for _, c := range []struct {
		name       string
		part, tail []byte
		states     int
	}{
		{"before the member", first, tail(len(first), len(first), records), 2},
		{"in the member", both[:len(both)-7], tail(len(first), len(first), records), 2},
		{"after the member", both, tail(len(first), len(first), records), 2},
		{"after its size", both, tail(len(both), len(first), records), 2},
		{"while the buffer is cleared", both, tail(len(both), len(first), "\xff\xff"+records[2:]), 2},
		{"after it was cleared", both, tail(len(both), len(both), ""), 2},
		{"in a record", both, tail(len(both), len(both), "R\t0\t1\tNone\nX\tnor"), 3},
		{"before the tail is there", first, nil, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "app.trace")
			for name, data := range map[string][]byte{path + partExtension: c.part, path + tailExtension: c.tail} {
				if err := os.WriteFile(name, data, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if ok, err := finishTrace(path); !ok || err != nil {
				t.Fatal(ok, err)
			}
			if left, _ := filepath.Glob(path + ".*"); len(left) > 0 {
				t.Errorf("left behind: %q", left)
			}
			s, err := Summarize(path)
			if c.tail == nil {
				if err == nil {
					t.Errorf("a trace without a record has %+v", s)
				}
				return
			}
			if err != nil || s.States != c.states || s.Cut != CutShort {
				t.Errorf("%d states, cut %q, %v; want %d", s.States, s.Cut, err, c.states)
			}
		})
	}
	if ok, err := finishTrace(filepath.Join(t.TempDir(), "none.trace")); ok || err != nil {
		t.Errorf("without a trace: %v, %v", ok, err)
	}
}

// A file that is no trace, such as the program itself, is not replaced by one.
func TestTraceReplacesTracesOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.py")
	for _, c := range []struct {
		content string
		refused bool
	}{{"x = 1\n", true}, {"x", true}, {"", false}, {"\x1f\x8b\x08 and so on", false}} {
		if err := os.WriteFile(path, []byte(c.content), 0o600); err != nil {
			t.Fatal(err)
		}
		err := clearTrace(path)
		if c.refused != (err != nil && strings.Contains(err.Error(), "is there and is no trace")) {
			t.Errorf("%q: error %v", c.content, err)
		}
		if _, err := os.Stat(path); c.refused != (err == nil) {
			t.Errorf("%q: afterwards %v", c.content, err)
		}
	}
}

// What is no ordinary file, such as /dev/null, is not replaced by a trace.
func TestTraceReplacesFilesOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "socket")
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	if err := clearTrace(path); err == nil || !strings.Contains(err.Error(), "is no ordinary file") {
		t.Errorf("error %v", err)
	}
	if _, err := os.Lstat(path); err != nil {
		t.Error(err)
	}
}
