package record

import (
	"compress/gzip"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/neuraldbg/neuraldbg/statetree"
)

// thread is the trace of a thread: two tests that call into two files, a generator
// that is resumed, an exception that crosses frames, and a call that is open.
const thread = `P	{"kind": "thread", "python": "3.11.7", "process": 7, "thread": "MainThread"}
F	0	app.py	def half(n):\n    return other(n) // 2\n\ndef numbers():\n    yield 1\n    yield 2\n\ndef fail(n):\n    return half(1 // n)\n
K	0	0	half	1
C	0	0	1	n	4
L	0	2
F	1	lib.py	def other(n):\n    return n\n
K	1	1	other	1
C	1	1	1	n	4
L	1	2
R	1	2	4
R	0	2	2
K	2	0	numbers	4
C	2	2	4
L	2	5
R	2	5	1
C	3	2	5
L	3	6
R	3	6	2
K	3	0	fail	8
C	4	3	8	n	0
L	4	9
E	4	9	ZeroDivisionError('integer division or modulo by zero')
R	4	9	None
C	5	3	8	n	1
L	5	9
C	6	0	1	n	1
L	6	2
`

func writeTrace(t testing.TB, records string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "app.trace")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	w := gzip.NewWriter(file)
	if _, err := w.Write([]byte(header + "\n" + records)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestEntries(t *testing.T) {
	path := writeTrace(t, thread)
	got, err := Entries(path, path)
	if err != nil {
		t.Fatal(err)
	}
	want := []Entry{
		{Function: Function{"app.py", "half", 1}, Calls: 4, Open: 2, States: 10, Longest: 6},
		{Function: Function{"app.py", "numbers", 4}, Calls: 2, Resumes: 2, States: 12, Longest: 3},
		{Function: Function{"app.py", "fail", 8}, Calls: 4, Open: 2, States: 12, Longest: 4},
		{Function: Function{"lib.py", "other", 1}, Calls: 2, States: 6, Longest: 3},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("entries %+v, want %+v", got, want)
	}
}

func TestExtract(t *testing.T) {
	path := writeTrace(t, thread+"X\tnormal\n")
	for _, c := range []struct {
		name    string
		options ExtractOptions
		want    []string // function, number, exit or cut, events
	}{
		{"all", ExtractOptions{}, []string{
			"other 1 normal CLR", "half 0 normal CLR", "numbers 2 normal CLR", "numbers 3 normal CLR", "fail 4 error CLER",
			"fail 5 the program ended without leaving Python CLCL", "half 6 the program ended without leaving Python CL",
		}},
		{"everything", ExtractOptions{Everything: true, Choose: func(a Activation) bool { return a.Name == "half" }}, []string{
			"half 0 normal CLCLRR", "half 6 the program ended without leaving Python CL",
		}},
		{"cut", ExtractOptions{Everything: true, MaxStates: 3, Choose: func(a Activation) bool { return a.Depth == 0 && !a.Resumed }}, []string{
			"half 0 the limit of 3 events CLC", "numbers 2 normal CLR", "fail 4 the limit of 3 events CLE", "fail 5 the limit of 3 events CLC",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for x, err := range Extract(path, c.options) {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, describe(x))
				if _, err := statetree.NewTree(x.Recording); err != nil {
					t.Error(err)
				}
				if p := x.Recording.Program; !strings.HasPrefix(p.Lines()[0], "def ") || p.Entry.Function != x.Name || !strings.Contains(x.Source, "def "+x.Name) {
					t.Errorf("the program of %s is %+v", x.Name, p)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("extracted %q, want %q", got, c.want)
			}
		})
	}
	for range Extract(path, ExtractOptions{}) {
		break // and no panic
	}
}

// describe writes an activation down.
func describe(x Extracted) string {
	var b strings.Builder
	b.WriteString(x.Name + " " + string(rune('0'+x.Number)) + " ")
	if x.Recording.Cut != "" {
		b.WriteString(x.Recording.Cut)
	} else {
		b.WriteString(x.Recording.Exit.String())
	}
	b.WriteByte(' ')
	for _, s := range x.Recording.States {
		b.WriteString(strings.ToUpper(s.Event.String()[:1]))
	}
	return b.String()
}

// TestLeaving has activations of which their callers tell how they were left.
func TestLeaving(t *testing.T) {
	for _, c := range []struct{ name, records, want string }{
		{"raised in a finally", "L\t1\t2\nE\t1\t2\tE()\nL\t1\t3\nR\t1\t3\tNone\nE\t0\t2\tE()\n", "error"},
		{"caught", "L\t1\t2\nE\t1\t2\tE()\nL\t1\t3\nR\t1\t3\tNone\nL\t0\t2\n", "normal"},
		{"the caller's own", "L\t1\t2\nE\t1\t2\tE()\nL\t1\t3\nR\t1\t3\tNone\nE\t0\t2\tF()\n", "normal"},
		{"leaves with 0", "L\t1\t2\nE\t1\t2\tSystemExit(0)\nR\t1\t3\tNone\nE\t0\t2\tSystemExit(0)\n", "normal"},
		{"leaves with 1", "L\t1\t2\nE\t1\t2\tSystemExit(1)\nR\t1\t3\tNone\nE\t0\t2\tSystemExit(1)\n", "error"},
		{"the trace ends", "L\t1\t2\nE\t1\t2\tE()\nL\t1\t3\nR\t1\t3\tNone\n", "normal"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := writeTrace(t, "P\t{\"kind\": \"thread\"}\nF\t0\ta.py\tdef f():\\n    f()\\n    f()\nK\t0\t0\tf\t1\nC\t0\t0\t1\nL\t0\t2\nC\t1\t0\t1\n"+c.records)
			for x, err := range Extract(path, ExtractOptions{Choose: func(a Activation) bool { return a.Number == 1 }}) {
				if got := x.Recording.Exit.String(); err != nil || got != c.want {
					t.Errorf("exit %s, %v; want %s", got, err, c.want)
				}
			}
		})
	}
}

func TestExtractErrors(t *testing.T) {
	for _, c := range []struct{ name, records, want string }{
		{"damaged", "F\t0\ta.py\tx\nL\t7\t1\n", `line 3 is not a record: "L\t7\t1"`},
		{"not nested", "F\t0\ta.py\tx\nK\t0\t0\tf\t1\nC\t0\t0\t1\nC\t1\t0\t1\nL\t0\t1\n", "state 2 is of activation 0, which is not the innermost: its calls are not nested"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := writeTrace(t, c.records)
			if _, err := Entries(path); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("Entries: error %v, want %q", err, c.want)
			}
			var last error
			for _, last = range Extract(path, ExtractOptions{}) {
			}
			if last == nil || !strings.Contains(last.Error(), c.want) {
				t.Errorf("Extract: error %v, want %q", last, c.want)
			}
		})
	}
	if _, err := Traces(t.TempDir()); err == nil || !strings.Contains(err.Error(), "there are no traces in") {
		t.Errorf("Traces of an empty folder: %v", err)
	}
}
