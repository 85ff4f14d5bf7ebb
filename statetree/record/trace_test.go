package record

import (
	"bytes"
	"compress/gzip"
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/neuraldbg/neuraldbg/statetree"
)

// TestCutAnywhere reads a trace file that ends at every possible byte.
func TestCutAnywhere(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "whole.trace")
	whole, err := Run(context.Background(), Options{Python: python(), File: "testdata/count_berry.py", Entry: "main()", Trace: path})
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	last := 0
	part := filepath.Join(folder, "part.trace")
	for n := range len(data) {
		trace, err := ReadTrace(bytes.NewReader(data[:n]))
		if n%10 == 0 {
			if err := os.WriteFile(part, data[:n], 0o644); err != nil {
				t.Fatal(err)
			}
			if err := Check(part); (err == nil) != (len(trace.Recording.States) > 0) {
				t.Fatalf("%d of %d bytes have %d states, and the check says %v", n, len(data), len(trace.Recording.States), err)
			}
		}
		if err != nil {
			if trace.Recording.States != nil || last > 0 {
				t.Fatalf("%d of %d bytes: %v, after %d states could be read", n, len(data), err, last)
			}
			continue
		}
		states := trace.Recording.States
		if len(states) < last || !reflect.DeepEqual(states, whole.Recording.States[:len(states):len(states)]) && len(states) > 0 {
			t.Fatalf("%d bytes: other states than in the whole trace", n)
		}
		if trace.Recording.Exit == statetree.NoExit && trace.Recording.Cut != CutShort {
			t.Fatalf("%d bytes: neither an exit nor a cut", n)
		}
		last = len(states)
	}
	if last == 0 {
		t.Error("no cut trace could be read")
	}
}

// TestCheck looks at the beginning of files that are no trace of an entry.
func TestCheck(t *testing.T) {
	path := filepath.Join(t.TempDir(), "some.trace")
	for _, c := range []struct{ name, records, want string }{
		{"a thread", header + "\nP\t{\"kind\": \"thread\"}\nF\t0\ta.py\tx = 1\nK\t0\t0\t<module>\t0\nC\t0\t0\t0\n", "it is of a command, which has no one entry"},
		{"no state", header + "\nF\t0\ta.py\tx = 1\n", "it has no state"},
		{"nothing", "", "cut off before its first record"},
		{"another header", "hello\n", "it is not a trace file"},
	} {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		w.Write([]byte(c.records))
		w.Close()
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := Check(path); err == nil || !strings.Contains(err.Error(), "reading the trace "+path+": ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}

func TestReadTraceRefuses(t *testing.T) {
	zip := func(text string) []byte {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		w.Write([]byte(text))
		w.Close()
		return b.Bytes()
	}
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"nothing", nil, "it is cut off before its first record"},
		{"text", []byte("hello, world, this is text"), "it is not a trace file"},
		{"another gzip", zip("hello\n"), "it is not a trace file"},
		{"later version", zip("neuraldbg-trace 9\n"), `it is of format "neuraldbg-trace 9", this program reads "neuraldbg-trace 2"; record it again`},
		{"damaged", zip(header + "\nF\t0\ta.py\tx\nL\t7\t1\n"), `line 3 is not a record: "L\t7\t1"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := ReadTrace(bytes.NewReader(c.data))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

// FuzzRecords reads any records in all the ways there are: none panics, and what
// they give agrees.
func FuzzRecords(f *testing.F) {
	f.Add("P\t{\"kind\":\"call\",\"text\":\"f(1)\"}\nF\t0\ta.py\tdef f(n):\\n    return n\nK\t0\t0\tf\t1\nC\t0\t0\t1\tn\t1\nL\t0\t2\nM\t0\t2\t~n\t2\nE\t0\t2\tValueError()\t~\nR\t0\t2\t1\nX\tnormal\n")
	f.Add("Z\tthe limit\n")
	f.Add("!\tno\\\\\\n\\t\n")
	f.Add(thread)
	f.Fuzz(func(t *testing.T, text string) {
		open := func(text string) *Reader { return newReader(strings.NewReader(header + "\n" + text)) }
		trace, err := open(text).run()
		if err != nil {
			return
		}
		r := trace.Recording
		for _, s := range r.States {
			if s.Event == statetree.NoEvent || s.Activation < 0 {
				t.Fatalf("state %+v", s)
			}
		}
		if s, err := open(text).summarize(); err != nil || s.States != len(r.States) || s.Exit != r.Exit || s.Cut != r.Cut || s.Shortened != trace.Shortened {
			t.Fatalf("summary %+v, %v; the trace has %d states, %d shortened, exit %v, cut %q", s, err, len(r.States), trace.Shortened, r.Exit, r.Cut)
		}
		half, err := open(text[:len(text)/2]).run()
		if states := half.Recording.States; err == nil && (len(states) > len(r.States) || len(states) > 0 && !reflect.DeepEqual(states, r.States[:len(states):len(states)])) {
			t.Fatalf("half of the text gives other states")
		}
		fuzzExtract(t, open(text))
	})
}

// fuzzExtract takes all activations out.
func fuzzExtract(t *testing.T, r *Reader) {
	taken := 0
	_ = extract(&walk{reader: r}, ExtractOptions{MaxStates: 50}, func(x Extracted, _ error) bool {
		if _, err := statetree.NewTree(x.Recording); err != nil {
			t.Fatalf("activation %d: %v", x.Number, err)
		}
		if (x.Recording.Cut == "") == (x.Recording.Exit == statetree.NoExit) {
			t.Fatalf("activation %d has exit %v and cut %q", x.Number, x.Recording.Exit, x.Recording.Cut)
		}
		taken++
		return taken < 100
	})
}

// FuzzTail reads any tail file: nothing of it but whole records counts.
func FuzzTail(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00X\tnormal\nL\t\xff\xff"))
	f.Fuzz(func(t *testing.T, tail []byte) {
		_, rest := readTail(tail)
		if bytes.IndexByte(rest, tailFill) >= 0 || len(rest) > 0 && rest[len(rest)-1] != '\n' {
			t.Fatalf("records %q", rest)
		}
	})
}
