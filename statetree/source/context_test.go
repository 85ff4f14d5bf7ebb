package source_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/source"
)

func parse(t testing.TB, text string) *source.File {
	t.Helper()
	f, err := source.Parse("test.py", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// countBerry is the paper's example without its driver (arXiv 2603.09951,
// figure C.1).
const countBerry = `def count(s, t):
    n = 0
    for c in s:
        n += int(c == t)
    return n
`

func TestContextCountBerry(t *testing.T) {
	f := parse(t, countBerry)
	entry, err := source.ParseEntry(`count("berry", "r")`, f)
	if err != nil {
		t.Fatal(err)
	}
	program, err := source.Context(f, entry)
	if err != nil {
		t.Fatal(err)
	}
	const driver = "\ndef main():\n    return count(\"berry\", \"r\")\n"
	if program.Code != countBerry+driver {
		t.Errorf("code is\n%s", program.Code)
	}
	want := []statetree.Origin{
		{File: "test.py", Line: 1}, {File: "test.py", Line: 2}, {File: "test.py", Line: 3},
		{File: "test.py", Line: 4}, {File: "test.py", Line: 5}, {},
		{File: statetree.DriverFile, Line: 1}, {File: statetree.DriverFile, Line: 2},
	}
	if len(program.Origins) != len(want) {
		t.Fatalf("%d origins, want %d", len(program.Origins), len(want))
	}
	for i, origin := range program.Origins {
		if origin != want[i] {
			t.Errorf("line %d comes from %v, want %v", i+1, origin, want[i])
		}
	}
}

// Each file in testdata/context is a Python file, then for each entry a line
// `=== entry` and the code that is wanted.
func TestContext(t *testing.T) {
	files, err := filepath.Glob("testdata/context/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no test data: %v", err)
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			parts := strings.Split(string(data), "=== ")
			f := parse(t, parts[0])
			for _, part := range parts[1:] {
				text, want, _ := strings.Cut(part, "\n")
				entry, err := source.ParseEntry(strings.TrimSpace(text), f)
				if err != nil {
					t.Fatal(err)
				}
				program, err := source.Context(f, entry)
				if err != nil {
					t.Fatal(err)
				}
				if program.Code != want {
					t.Errorf("%s: code is\n%s\nwant\n%s", text, program.Code, want)
				}
				checkOrigins(t, f, program)
			}
		})
	}
}

// checkOrigins checks that every line of code is the line that its origin says.
func checkOrigins(t *testing.T, f *source.File, program statetree.Program) {
	t.Helper()
	lines := program.Lines()
	if len(lines) != len(program.Origins) {
		t.Fatalf("%d lines, %d origins", len(lines), len(program.Origins))
	}
	driver := strings.Split(source.DriverSource(program.Entry), "\n")
	for i, origin := range program.Origins {
		want := ""
		switch origin.File {
		case f.Path():
			want = f.Line(origin.Line)
		case statetree.DriverFile:
			want = driver[origin.Line-1]
		}
		if lines[i] != want {
			t.Errorf("line %d is %q, its origin %v has %q", i+1, lines[i], origin, want)
		}
	}
	if !strings.HasSuffix(program.Code, "\n") || strings.HasSuffix(program.Code, "\n\n") {
		t.Errorf("code does not end in exactly one newline: %q", program.Code)
	}
}

func TestParseEntry(t *testing.T) {
	const text = `import math
class Stack:
    def push(self, x): pass
def count(s, t): pass
def main(): return count("a", "b")
def total(xs): pass
`
	tests := []struct {
		entry string
		want  statetree.Entry
		err   string
	}{
		{entry: "", want: statetree.Entry{Kind: statetree.ModuleEntry, Function: "<module>"}},
		{entry: ` count("berry", "r") `, want: statetree.Entry{Kind: statetree.CallEntry, Text: `count("berry", "r")`, Function: "count", Driver: "main_"}},
		{entry: "main()", want: statetree.Entry{Kind: statetree.CallEntry, Text: "main()", Function: "main"}},
		{entry: "count", want: statetree.Entry{Kind: statetree.FunctionEntry, Text: "count", Function: "count"}},
		{entry: "Stack.push", want: statetree.Entry{Kind: statetree.FunctionEntry, Text: "Stack.push", Function: "Stack.push"}},
		{entry: "Stack().push(3)", want: statetree.Entry{Kind: statetree.CallEntry, Text: "Stack().push(3)", Function: "Stack().push", Driver: "main_"}},
		{entry: "sorted([3, 1], key=total)", want: statetree.Entry{Kind: statetree.CallEntry, Text: "sorted([3, 1], key=total)", Function: "sorted", Driver: "main_"}},
		{entry: `coutn("a")`, err: `entry coutn("a"): test.py has no function coutn; it has count, main, `},
		{entry: "len([1])", err: "test.py has no function len; it has"},
		{entry: "Stack", err: "has no function Stack"},
		{entry: "count(", err: "write a call such as f(1, 2), or a function's name"},
		{entry: "count; total", err: "write a call such as f(1, 2), or a function's name"},
		{entry: "x = count(1)", err: "write a call such as f(1, 2), or a function's name"},
		{entry: "count(\n1)", err: "write the call on one line"},
		{entry: "\x00", err: `entry "\x00": invalid syntax`},
		{entry: strings.Repeat("f(", 3000), err: "f(f(…: '(' was never closed"},
		{entry: strings.Repeat("x", 3000), err: "xx…: test.py has no function xx"},
	}
	f := parse(t, text)
	for _, test := range tests {
		got, err := source.ParseEntry(test.entry, f)
		switch {
		case test.err != "":
			if err == nil || !strings.Contains(err.Error(), test.err) || strings.Contains(err.Error(), "\n") || len(err.Error()) > 300 {
				t.Errorf("%q: error is %v, want %q", test.entry, err, test.err)
			}
		case err != nil:
			t.Errorf("%q: %v", test.entry, err)
		case got != test.want:
			t.Errorf("%q: got %+v, want %+v", test.entry, got, test.want)
		}
	}
	if got := source.DriverSource(statetree.Entry{Driver: "main_", Text: "f(1)"}); got != "def main_():\n    return f(1)\n" {
		t.Errorf("driver is %q", got)
	}
}
